"""What the details of a row lead to: callers, other rows, and back again."""

from __future__ import annotations

from tests.browser.tab import GPU_A, GPU_B, NO_RUNS, Tab, link

START = NO_RUNS

KERNEL = "ampere_sgemm_128x64_tn"


def opened(tab: Tab, table: str, row: str) -> Tab:
    tab.load(link(a=GPU_A, b=GPU_B, tab=table, row=row))
    tab.wait(".row-paths h3")
    return tab


def name_of_row(tab: Tab) -> str:
    return tab.wait(".row-panel .full-name").inner_text()


def test_opening_a_row_reads_its_callers_which_sum_to_it(fresh_tab: Tab, axe: str) -> None:
    asked: list[str] = []
    fresh_tab.page.on("request", lambda request: asked.append(request.url) if "api/row_paths" in request.url else None)
    fresh_tab.load(link(a=GPU_A, b=GPU_B, tab="kernels"))
    fresh_tab.wait("[role=row] [role=gridcell]")
    assert asked == []
    tab = opened(fresh_tab, "kernels", KERNEL)
    tab.wait(".paths li")
    assert asked
    assert "whole row" in tab.wait(".path-sum").inner_text()
    tab.frame.evaluate(axe)
    for dark in (False, True):
        tab.dark(dark)
        assert tab.frame.evaluate("axe.run('.row-paths').then(found => found.violations.map(one => one.id))") == []
    tab.find(".row-paths .segments button", has_text="Python functions").click()
    tab.frame.locator(".row-paths p.muted", has_text="with_stack=True").first.wait_for()


def test_the_calls_of_a_row_are_listed_below_its_callers(fresh_tab: Tab, axe: str) -> None:
    tab = opened(fresh_tab, "operators", "aten::layer_norm")
    below = tab.wait(".callees")
    assert below.locator("li").first.inner_text().startswith("self")
    assert tab.find(".paths").first.bounding_box()["y"] < below.bounding_box()["y"]
    tab.frame.evaluate(axe)
    assert tab.frame.evaluate("axe.run('.callees').then(found => found.violations.map(one => one.id))") == []
    below.locator("button", has_text="aten::native_layer_norm").click()
    tab.until("document.querySelector('.row-panel .full-name')?.textContent === 'aten::native_layer_norm'")
    tab.page.go_back()
    tab.until("document.querySelector('.row-panel .full-name')?.textContent === 'aten::layer_norm'")


def test_links_lead_to_rows_and_back_returns(fresh_tab: Tab) -> None:
    tab = opened(fresh_tab, "operators", "aten::addmm")
    kernel = tab.wait(".row-related[aria-label='Kernels it launches'] button")
    kernel.click()
    tab.until("document.querySelector('#view[data-tab=kernels_by_operator]')")
    tab.until("document.querySelector('.row-panel .full-name')")
    tab.wait(".row-related[aria-label='The operator'] button").click()
    tab.until("document.querySelector('.row-panel .full-name')?.textContent === 'aten::addmm'")
    tab.wait(".row-links")
    tab.find(".row-links button", has_text="Call tree").click()
    tab.until("document.querySelector('#view[data-tab=call_tree]')")
    for table in ("operators", "kernels_by_operator", "operators"):
        tab.page.evaluate("history.back()")
        tab.until(f"document.querySelector('#view[data-tab={table}]')")
        tab.until("document.querySelector('.row-panel .full-name')")
    assert name_of_row(tab) == "aten::addmm"


def test_a_finding_that_names_the_row_is_shown_in_the_summary(fresh_tab: Tab) -> None:
    tab = opened(fresh_tab, "kernels", KERNEL)
    tab.find(".row-links button", has_text="Finding").first.click()
    assert KERNEL in tab.wait(".cause-item.led h3").inner_text()
    tab.page.evaluate("history.back()")
    assert name_of_row(tab) == KERNEL


def test_name_times_and_difference_stay_visible_with_details_open(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="operators", row="aten::addmm"))
    tab.wait(".row-panel")
    in_view = """() => {
        const grid = document.querySelector('.grid').getBoundingClientRect();
        const panel = document.querySelector('.row-panel').getBoundingClientRect();
        const heads = [...document.querySelectorAll('.grid-head [role=columnheader]')];
        const seen = heads.filter((head) => head.getBoundingClientRect().right <= grid.right);
        const apart = grid.right <= panel.left || grid.bottom <= panel.top;
        return [apart, seen.map((head) => head.innerText.split(/\\s/)[0])];
    }"""
    for width, height in ((1440, 900), (1280, 720), (760, 900)):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.until(f"innerWidth === {width}")
        tab.settle()
        apart, heads = tab.frame.evaluate(in_view)
        assert apart, width
        assert heads[:4] == ["Name", "A", "B", "Δ"], width
