"""The tables: search, order, filters, columns, row details, keyboard, and length."""

from __future__ import annotations

import csv
import io

import pytest

from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader
from tests.browser.tab import GPU_A, GPU_B, LISTING_A, LISTING_B, MLU_A, NO_RUNS, SAVED_A, SAVED_B, Tab, link

START = NO_RUNS

KERNELS = link(a=GPU_A, b=GPU_B, tab="kernels", min="0")


def names(tab: Tab) -> list[str]:
    return tab.find(".grid-body .row > :first-child").all_inner_texts()


def open_kernels(tab: Tab) -> Tab:
    tab.go(KERNELS).wait(".grid-body .row")
    return tab


def test_kernels_of_other_names_are_grouped_by_matched_work_at_first(tab: Tab) -> None:
    for other, first in ((GPU_B, "kernels"), (MLU_A, "alignment")):
        tab.load(link(a=GPU_A, b=other)).answer()
        tab.find(".tabs [role=tab]", has_text="Breakdown").click()
        tab.wait(".choices .segments button:has-text('Kernels')").click()
        tab.wait(f"#view[data-tab={first}]")


def test_search_order_and_filters(tab: Tab) -> None:
    open_kernels(tab)
    everything = names(tab)
    tab.find("body").press("/")
    tab.page.keyboard.type("gemm -128x64")
    tab.until("document.querySelector('.table-footer').textContent.startsWith('1 of')")
    tab.until("document.querySelectorAll('.grid-body .row').length === 1")
    assert names(tab) == ["ampere_sgemm_64x64_tn"]
    tab.find(".search input").fill("/(/")
    assert tab.wait(".error-text").inner_text().startswith("Not a regular expression: Un")
    assert names(tab) == ["ampere_sgemm_64x64_tn"]  # as before the slip
    tab.find(".search input").fill("")
    tab.find(".head-button", has_text="Name").click()
    assert names(tab) == sorted(everything, key=lambda name: names_key(tab, name))
    tab.find(".segments button", has_text="New").click()
    tab.until("document.querySelectorAll('.grid-body .row').length === document.querySelectorAll('.chip-new').length")
    assert tab.find(".grid-body .absent").count() > 0


def names_key(tab: Tab, shown: str) -> str:
    """The full name behind a shown one: tables are ordered by full names."""
    cell = tab.find(".grid-body .row > :first-child", has_text=shown.split(" ‹")[0].split("\n")[0])
    titles = [
        cell.nth(i).get_attribute("title") or "" for i in range(cell.count()) if cell.nth(i).inner_text() == shown
    ]
    return titles[0]


def test_small_differences_are_hidden_and_counted(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="operators")).wait(".grid-body .row")
    footer = tab.find(".table-footer")
    assert "below 0.1\u202f% of the step hidden" in footer.inner_text()
    few = len(names(tab))
    footer.locator("button", has_text="show").click()
    tab.until(f"document.querySelectorAll('.grid-body .row').length > {few}")
    assert "hidden" not in footer.inner_text()
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels")).wait(".grid-body .row")
    tab.until("document.querySelector('.table-footer').innerText.startsWith('18 rows')")  # a small table is read whole


def test_chosen_columns_are_in_the_link(tab: Tab) -> None:
    open_kernels(tab)
    tab.find(".menu button", has_text="Columns").click()
    box = tab.find(".checks label", has_text="Δ by count").locator("input")
    box.check()
    assert "Δ by count" in tab.find(".grid-head").inner_text()
    assert "p.tb_perfcompare.cols=" in tab.address()
    box.uncheck()
    assert "p.tb_perfcompare.cols=" not in tab.address()
    box.press("Escape")
    tab.until("!document.querySelector('.pop')")


def test_column_widths_and_pinned_rows_are_in_the_link(tab: Tab) -> None:
    open_kernels(tab)
    head = tab.find(".grid-head [role=columnheader]").first
    handle = head.locator(".head-handle").bounding_box()
    usual = head.bounding_box()
    assert handle and usual
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + 10
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 30, y)
    tab.page.mouse.move(x + 80, y)
    tab.page.mouse.up()
    wide = head.bounding_box()
    assert wide and abs(wide["width"] - usual["width"] - 80) <= 1
    assert "p.tb_perfcompare.widths=name" in tab.address()
    head.locator("button").press("Shift+ArrowLeft")
    narrower = head.bounding_box()
    assert narrower and abs(wide["width"] - narrower["width"] - 16) <= 1
    head.locator("button").press("Shift+Home")
    assert "p.tb_perfcompare.widths=" not in tab.address() and head.bounding_box() == usual
    tab.find(".grid").focus()
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("p")
    last = names(tab)[-1]
    assert tab.wait(".row.pinned").inner_text().startswith(last)
    tab.find(".search input").fill("-" + last.split()[0])
    assert tab.wait(".row.pinned").inner_text().startswith(last)
    tab.load(tab.address())
    assert tab.wait(".row.pinned").inner_text().startswith(last)
    tab.wait(".row-panel [aria-pressed=true]").click()
    tab.until("!document.querySelector('.row.pinned')")
    assert "p.tb_perfcompare.pins=" not in tab.address()


def test_row_details_by_mouse_and_keys(tab: Tab) -> None:
    open_kernels(tab)
    tab.find(".grid-body .row").nth(1).click()
    first = tab.wait(".row-panel .full-name").inner_text()
    assert "<" in first and len(first) > len(names(tab)[1])
    assert {"Baseline", "Candidate"} <= set(tab.find(".measures thead").inner_text().split())
    tab.find(".grid").press("]")
    tab.until("document.querySelector('.grid-body .row.selected')?.getAttribute('aria-rowindex') === '4'")
    tab.find(".definitions summary").click()
    assert "candidate minus baseline" in tab.find(".definitions").inner_text()
    tab.find(".grid").press("Escape")
    tab.until("!document.querySelector('.row-panel')")


def test_grid_is_worked_by_keys_alone(tab: Tab) -> None:
    open_kernels(tab)
    grid = tab.find(".grid")
    grid.focus()
    for key, expected in (
        ("ArrowDown", "2"),
        ("ArrowDown", "3"),
        ("Home", "2"),
        ("End", grid.get_attribute("aria-rowcount")),
    ):
        grid.press(key)
        assert tab.find(".grid-body .row.selected").get_attribute("aria-rowindex") == expected
    active = grid.get_attribute("aria-activedescendant")
    assert tab.find(f"#{active}").get_attribute("aria-selected") == "true"
    grid.press("Enter")
    tab.wait(".row-panel")
    tab.find(".row-panel button[aria-label='Close (Esc)']").click()
    assert tab.frame.evaluate("document.activeElement.classList.contains('grid')")


def test_views_are_switched_by_number_and_arrows(tab: Tab) -> None:
    tab.go(link()).answer()
    tab.find("body").press("2")
    tab.wait(".grid")
    selected = "[role=tab][aria-selected=true]"
    assert tab.find(selected).inner_text() == "Breakdown"
    tab.find(selected).focus()
    tab.press("ArrowRight")
    assert tab.find(selected).inner_text() == "Timeline"
    tab.press("Home")
    tab.wait(".verdict")
    tab.find("body").press("?")
    shown = tab.wait("dialog").inner_text()
    assert "swap the two sides" in shown
    assert f"traces are read by the {active_reader()} reader" in shown
    tab.press("Escape")
    tab.until("!document.querySelector('dialog')")


def test_absent_tables_are_listed_with_the_reason(tab: Tab) -> None:
    tab.go(link()).answer()
    tab.press("2")
    tab.find(".absent-tabs button").click()
    assert "Kernels" in tab.find(".absent-list").inner_text()
    tab.press("Escape")
    tab.go(link(tab="kernels"))
    tab.wait(".state-title:has-text('No kernels table')")


def test_a_row_is_shown_step_by_step(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels", row="ampere_sgemm_128x64_tn"))
    tab.wait(".row-steps figure")
    captions = tab.find(".row-steps figcaption").all_inner_texts()
    assert [text.split(",")[0] for text in captions] == ["10 steps", "10 steps"]
    assert tab.find(".row-steps .series-b circle").count() == 10
    tab.find(".grid-body .row", has_text="new").first.click()
    tab.until("document.querySelectorAll('.row-steps figure').length === 1")
    assert "A: does not have this row" in tab.find(".row-steps").inner_text()


def test_the_steps_column_draws_each_row_that_has_steps(tab: Tab) -> None:
    open_kernels(tab)
    title = tab.find(".grid-body .row", has_text="ampere_sgemm_128x64_tn").locator(".step-lines title")
    title.wait_for(state="attached")
    assert title.inner_html().startswith("A: 10 steps, median 947\u202fµs, ")
    added = tab.find(".grid-body .row", has_text="CompareNE").locator("title")
    assert added.inner_html().startswith("A: absent; B: 10 steps")
    totals = {"operators": (SAVED_A, SAVED_B), "kernels": (LISTING_A, LISTING_B)}
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url) if "api/rows?" in request.url else None)
    for table, (a, b) in totals.items():
        tab.go(link(a=a, b=b, tab=table, min="0")).wait(".grid-body .row")
        assert tab.find(".head-picture").count() == 0
        tab.page.wait_for_timeout(300)  # a table that has steps asks for them once it rests
        assert asked == []
    tab.page.set_viewport_size({"width": 1000, "height": 900})
    open_kernels(tab)
    tab.until("!document.querySelector('.head-picture')")
    tab.find(".menu button", has_text="Columns").click()
    tab.until("document.activeElement.closest('label')?.textContent.startsWith('Steps')")
    tab.press("Space")
    tab.wait(".step-lines")
    assert "step_lines" in tab.address()


def test_shown_rows_are_copied_as_markdown_and_for_a_spreadsheet(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.load(link(a=GPU_A, b=GPU_B, tab="kernels", q="sgemm")).wait(".grid-body .row")
    tab.find(".toolbar button", has_text="Copy").click()
    tab.find(".pop-item", has_text="Markdown").click()
    tab.until("[...document.querySelectorAll('.toolbar button')].some(one => one.textContent.includes('Copied'))")
    head, rule, first, *_ = tab.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert head.startswith("| Name | A µs |") and rule.startswith("| --- | ---: |")
    assert first.startswith("| ampere\\_sgemm\\_128x64\\_tn | 947.6 |")
    tab.until("[...document.querySelectorAll('.toolbar button')].every(one => !one.textContent.includes('Copied'))")
    tab.find(".toolbar button", has_text="Copy").click()
    tab.find(".pop-item", has_text="spreadsheet").click()
    tab.until("[...document.querySelectorAll('.toolbar button')].some(one => one.textContent.includes('Copied'))")
    row, *_ = csv.DictReader(io.StringIO(tab.page.evaluate("navigator.clipboard.readText()")), delimiter="\t")
    assert row["name"] == "ampere_sgemm_128x64_tn"
    a, b, delta = (float(row[name]) for name in ("baseline_exposed_us", "candidate_exposed_us", "exposed_delta_us"))
    assert float(row["row_percent"]) == pytest.approx(100 * delta / a, rel=1e-12)
    per_call = float(row["candidate_exposed_us_per_call"])
    assert per_call == pytest.approx(b / float(row["candidate_calls"]), rel=1e-12)


def test_one_metric_is_shown_and_summed_and_another_can_be_chosen(tab: Tab) -> None:
    """What the host does and what the device does may change in different ways: addmm's kernel is slower and the step
    waits for it, its call is not slower."""
    tab.go(link(a=GPU_A, b=GPU_B, tab="operators")).wait(".grid-body .row")
    heads = "[...document.querySelectorAll('.grid-head .head-label')].map(one => one.textContent)"
    assert tab.frame.evaluate(heads)[-9:] == [
        "Steps", "A", "B", "Δ", "Δ % of row", "Δ % of step", "Calls", "Per call", "Change",
    ]  # fmt: skip
    metric = ".metric-choice select"
    assert tab.find(f"{metric} option:checked").inner_text() == "Exposed"
    addmm = ".grid-body .row:has-text('addmm')"
    assert "slower" in tab.find(addmm).inner_text()
    assert tab.find("[aria-sort=descending]").inner_text().startswith("Δ")
    summed = tab.find(".table-footer").inner_text()
    tab.find(metric).select_option("us")
    tab.until(f"document.querySelector(`{addmm.split(':has')[0]}`) && document.body.innerText.includes('n.s.')")
    assert "metric=us" in tab.address()
    assert "n.s." in tab.find(addmm).inner_text()
    assert tab.find(".table-footer").inner_text() != summed


def test_a_truncated_table_is_sorted_by_derived_columns_on_the_server(tab: Tab) -> None:
    """Of the call tree 60 of 102 rows come at first."""
    tab.go(link(tab="call_tree", min="0")).wait(".toolbar .segments button")
    tab.find(".segments button", has_text="Table").click()
    tab.wait(".grid-body .row")
    assert tab.find("[aria-sort=descending]").inner_text().startswith("Δ")
    with tab.page.expect_request(lambda request: "candidate_us%2Fbaseline_us%3Adesc" in request.url):
        tab.find(".head-button", has_text="Δ % of row").click()
    tab.until("document.querySelector('[aria-sort=descending]').textContent.startsWith('Δ % of row')")
    tab.until("document.querySelector('.grid-body .row[aria-rowindex=\"2\"]').textContent.startsWith('enumerate')")
    assert tab.find(".table-footer [role=status]").inner_text() == "102 rows"
    assert tab.find(".error-text").count() == 0


def test_rows_are_sorted_by_a_column_that_says_so(tab: Tab) -> None:
    for table in ("common_work", "alignment", "kernels", "operators_by_shape", "critical_path"):
        tab.go(link(a=GPU_A, b=GPU_B, tab=table)).wait(f"#view[data-tab={table}] .grid-body .row")
        (sorted_by,) = tab.find(".grid-head [aria-sort=descending]").all_inner_texts()
        assert "Δ" in sorted_by and "↓" in sorted_by, table
