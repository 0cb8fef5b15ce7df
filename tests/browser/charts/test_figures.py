"""The pictures above kernels and launches: what they draw, by pointer and by keys, and that they lead to rows."""

from __future__ import annotations

import re

from tests.browser.tab import GPU_A, GPU_B, LISTING_A, LISTING_B, NO_RUNS, Tab, link

START = NO_RUNS

KERNELS = link(a=LISTING_A, b=LISTING_B, tab="kernels")
LAUNCHES = link(a=LISTING_A, b=LISTING_B, tab="launches")
CHART = ".scatter svg[role=img]"
VIEW = "document.querySelector('.timeline-track span').style.width"


def test_kernels_are_marks_by_what_limits_them(tab: Tab) -> None:
    tab.go(KERNELS).wait(CHART)
    # seven kernels: five on both sides, one new and one gone
    assert tab.find(".scatter-chart .scatter-a").count() == 6
    assert tab.find(".scatter-chart .scatter-b").count() == 6
    assert tab.find(".scatter-chart .scatter-arrow").count() == 1
    regions = set(tab.find(".scatter .region").all_text_contents())
    assert regions == {"tensor-bound", "memory-bound", "bound by both", "bound by neither"}
    assert "7 kernels" in (tab.find(CHART).get_attribute("aria-label") or "")


def test_a_mark_tells_its_figures_and_opens_its_row(tab: Tab) -> None:
    tab.go(KERNELS).wait(CHART)
    tab.find(".scatter-b").first.hover()
    assert re.search(r"Tensor [\d.]+\s%", tab.wait(".tooltip").inner_text())
    tab.find(".scatter-b").first.click()
    assert "p.tb_perfcompare.row=" in tab.address()
    tab.wait(".row-panel")


def test_the_largest_kernels_are_reached_by_keys(tab: Tab) -> None:
    tab.go(KERNELS).wait(".scatter-list")
    tab.find(".figure-toggle").focus()
    tab.press("Tab")
    text = tab.find(".scatter-item:focus").inner_text()
    assert "256x128" in text and "Tensor Baseline" in text
    assert "256x128" in tab.wait(".tooltip").inner_text()
    # this kernel hardly changed: its row is hidden until it is asked for
    tab.press("Enter")
    assert "256x128" in tab.wait(".row-panel .full-name").inner_text()
    tab.until("!!document.querySelector('.grid-body .row.selected')")


def test_a_closed_figure_stays_closed_in_the_link(tab: Tab) -> None:
    tab.go(KERNELS).wait(CHART)
    tab.find(".figure-toggle").click()
    tab.until("!document.querySelector('.scatter')")
    assert "p.tb_perfcompare.figure=kernels" in tab.address()
    tab.find(".group-by select").select_option("launches")
    tab.wait(".timeline-canvas")  # one that was not closed
    tab.go(f"{KERNELS}&p.tb_perfcompare.figure=closed")  # as links had it
    tab.wait(".figure-toggle[aria-expanded=false]")


def test_without_utilisation_there_is_no_scatter_chart(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels", min="0")).wait(".grid-body .row")
    assert tab.find(".figure-box, .lazy").count() == 0


def test_launches_are_read_by_pointer_and_keys(tab: Tab) -> None:
    tab.go(LAUNCHES).wait(".timeline-canvas")
    strips = tab.find(".timeline-box")
    strips.hover(position={"x": 5, "y": 30})
    assert "128x128" in tab.wait(".tooltip").inner_text()
    strips.focus()
    for _ in range(2):  # from the place below the pointer
        tab.press("ArrowRight")
    text = tab.find(".figure-box [role=status]").inner_text()
    assert text.startswith("Place 3 of 144") and "another kernel in the same place" in text
    tab.press("Enter")
    assert "sliced1x2" in tab.wait(".row-panel .full-name").inner_text()
    assert tab.find(".grid-body .row.selected").get_attribute("aria-rowindex") == "4"


def test_launches_zoom_and_move(tab: Tab) -> None:
    tab.go(LAUNCHES).wait(".timeline-canvas")
    assert tab.frame.evaluate(VIEW) == "100%"
    box = tab.find(".timeline-box").bounding_box()
    assert box
    tab.page.mouse.move(box["x"] + 400, box["y"] + 60)
    tab.page.mouse.wheel(0, -600)
    tab.until(f"parseFloat({VIEW}) < 50")
    left = "parseFloat(document.querySelector('.timeline-track span').style.left)"
    before = tab.frame.evaluate(left)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 250, box["y"] + 60, steps=4)
    tab.page.mouse.up()
    tab.until(f"{left} > {before}")
    # dragging is no click
    assert tab.find(".row-panel").count() == 0
    tab.find(".timeline-box").focus()
    tab.press("Escape")
    tab.until(f"{VIEW} === '100%'")
    tab.find(".segments button", has_text="DRAM").click()
    assert "p.tb_perfcompare.colour=dram" in tab.address()
    assert "DRAM" in tab.find(".figure-box .legend").inner_text()


def test_a_row_of_the_table_comes_into_view(tab: Tab) -> None:
    tab.go(LAUNCHES).wait(".timeline-canvas")
    for _ in range(4):
        tab.find("button[aria-label='Zoom in (+)']").click()
    tab.find(".grid").focus()
    tab.press("End")
    tab.until("!!document.querySelector('.timeline-box .mark-box.chosen')")
