"""One engineer's way through the tab, from two runs to a link for a colleague."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, NORMAL, SLOWER_B, Tab


def test_from_the_pair_to_the_shared_link(fresh_tab: Tab, chromium: Browser, tmp_path: Path) -> None:
    tab = fresh_tab.load()
    tab.answer()
    choose_the_pair(tab)
    cause = read_the_cause(tab)
    drill_to_the_kernel(tab)
    drill_to_the_operator_and_its_shapes(tab)
    choose_the_pair(tab)
    compare_one_step_of_each(tab)
    shared = open_the_strict_report(tab)
    export_opens_without_the_server(tab, chromium, tmp_path, cause)
    a_colleague_sees_the_same(tab, chromium, shared)


def choose_the_pair(tab: Tab) -> None:
    tab.choose_run("a", GPU_A)
    tab.choose_run("b", GPU_B)
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    assert tab.answer().startswith(SLOWER_B)


def read_the_cause(tab: Tab) -> str:
    first = tab.find(".cause-item").first
    assert "sgemm" in first.inner_text()
    return first.locator(".what p").first.inner_text().replace("\xa0", " ")


def drill_to_the_kernel(tab: Tab) -> None:
    tab.find("button.fall", has_text="Kernel").click()
    assert "ampere_sgemm" in tab.wait(".entries tbody tr").inner_text()
    tab.find(".cause-item .link-button", has_text="Kernels").first.click()
    assert "sgemm" in tab.wait(".row-panel .full-name").inner_text()


def drill_to_the_operator_and_its_shapes(tab: Tab) -> None:
    """Of the recorded pair, whose operators have several."""
    tab.find("[role=tab]", has_text="Summary").click()
    tab.choose_run("a", NORMAL)
    tab.choose_run("b", ABNORMAL)
    tab.until("document.querySelector('.findings')?.textContent.includes('Data loader wait')")
    tab.find("button.fall", has_text="CPU Exec").click()
    tab.wait(".entries")
    first = tab.find(".entry-open").first
    assert "aten::" in first.inner_text()
    first.click()
    assert "[[16, " in tab.wait(".part-name").inner_text()


def compare_one_step_of_each(tab: Tab) -> None:
    tab.find("[role=tab]", has_text="Timeline").click()
    tab.wait(".st[aria-busy=false] .st-canvas")
    tab.find(".st-pane-b select").select_option("worst")
    tab.until("document.querySelector('.st-pane-b select option:checked')?.textContent.startsWith('longest: step ')")
    assert "p.tb_perfcompare.tb=worst" in tab.address()


def open_the_strict_report(tab: Tab) -> str:
    tab.find(".menu button", has_text="Export").click()
    tab.find(".pop-item", has_text="Strict report").click()
    tab.wait(".strict-triplets .grid-body .row")
    return tab.address()


def export_opens_without_the_server(tab: Tab, chromium: Browser, folder: Path, cause: str) -> None:
    tab.find(".menu button", has_text="Export").click()
    with tab.page.expect_download() as download:
        tab.find(".pop-item", has_text="Report (web page)").click()
    report = folder / "report.html"
    download.value.save_as(report)
    context = chromium.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    assert cause in page.locator("body").inner_text()
    assert asked == [report.as_uri()]
    context.close()


def a_colleague_sees_the_same(tab: Tab, chromium: Browser, shared: str) -> None:
    context = chromium.new_context(viewport={"width": 1500, "height": 900})
    other = Tab(context.new_page(), tab.base).load(shared)
    rows = ".strict-triplets .grid-body .row"
    other.wait(rows)
    assert other.find(rows).first.inner_text() == tab.find(rows).first.inner_text()
    verdict = ".strict-corrected"
    assert other.find(verdict).inner_text() == tab.find(verdict).inner_text()
    context.close()
