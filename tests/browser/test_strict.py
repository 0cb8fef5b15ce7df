"""The strict report in the tab: what it says, which weaknesses it admits, its triplets, its links, its absence."""

from __future__ import annotations

import json

from playwright.sync_api import Route

from tests.browser.tab import GPU_A, GPU_B, NO_RUNS, SAVED_A, SAVED_B, TABLE_A, TABLE_B, Tab, link

START = NO_RUNS

STRICT = link(a=TABLE_A, b=TABLE_B, tab="strict")


def test_the_report_of_a_pair_of_tables(tab: Tab) -> None:
    tab.go(STRICT).wait(".strict-triplets .grid-body .row")
    assert tab.find(".strict-title h2").inner_text().startswith("Strict Performance Comparison: perf_data_synthetic")
    assert "known weaknesses of this method apply to this pair" in tab.find(".strict-weak").inner_text()
    few = tab.find(".strict-weak > ul > li").count()
    tab.find(".strict-weak .link-button").click()
    assert tab.find(".strict-weak > ul > li").count() > few
    report = tab.find(".strict-report").inner_text()
    for part in ("Overview", "Key findings", "Recommendation", "Total cycles", "Time rank"):
        assert part in report
    groups = tab.find(".strict-triplets .group-label").all_inner_texts()
    assert [group.split(":")[0] for group in groups] == ["Triplet", "Published report", "Added here"]
    assert "Σ" not in tab.find(".table-footer").inner_text()
    tab.find(".strict-corrected .link-button").click()
    assert tab.answer().startswith("Same")


def test_processes_order_and_search_are_in_the_link(tab: Tab) -> None:
    tab.go(STRICT).wait(".strict-triplets .grid-body .row")
    tab.find(".strict-choice select").select_option("1")
    tab.until("document.querySelector('.strict-title h2')?.textContent.includes('41002')")
    assert "p.tb_perfcompare.pids=41002%3A41002" in tab.address()
    tab.find(".strict-triplets .head-button", has_text="U-test p(β)").click()
    assert "p.tb_perfcompare.sort=-u_beta" in tab.address()
    tab.find(".search input").fill("gpu_frequency")
    rows = tab.find(".strict-triplets .grid-body .row")
    tab.until("document.querySelector('.table-footer').textContent.includes(' of ')")
    assert all("gpu_frequency" in row for row in rows.all_inner_texts())
    rows.first.click()
    panel = tab.wait(".row-panel").inner_text()
    assert {"β", "μ", "Time"} <= set(panel.split())
    tab.page.evaluate("history.back()")
    tab.until("document.querySelector('.strict-title h2')?.textContent.includes('41001')")


def test_the_report_is_saved_as_published(tab: Tab) -> None:
    tab.go(link(a=TABLE_A, b=TABLE_B, tab="strict", pids="41002:41002")).wait(".strict-title")
    for label, expected in (("Markdown", "# Strict Performance Comparison"), ("CSV", "Function Name,Metric Name")):
        with tab.page.expect_download() as download:
            tab.find(".strict-choice a", has_text=label).click()
        assert expected in download.value.path().read_text(encoding="utf-8")


def test_the_strict_report_of_traces_uses_summed_or_exposed_time(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="strict")).wait(".strict-title")
    with tab.page.expect_request(lambda request: "api/strict" in request.url and "beta=exclusive" in request.url):
        tab.find(".strict-choice button", has_text="exclusive").click()
    assert "p.tb_perfcompare.beta=exclusive" in tab.address()
    tab.wait(".strict[aria-busy=false]")
    tab.go(link(a=GPU_A, b=GPU_B, tab="environment")).wait(".grid-body .row")
    assert tab.find(".choices button", has_text="Strict").count() == 0  # by Export


def test_formats_without_a_strict_report_say_why(tab: Tab) -> None:
    tab.go(link(a=SAVED_A, b=SAVED_B))
    tab.until("document.querySelector('.side-a .run-button').value.startsWith('saved')")
    tab.answer()
    tab.find("[role=tab]", has_text="Run info").click()
    tab.find(".absent-tabs button").click()
    assert "Strict" in tab.find(".absent-list").inner_text()
    tab.go(link(a=SAVED_A, b=SAVED_B, tab="strict"))
    tab.wait(".state:has-text('no times of functions per step')")


def test_leaving_it_stops_the_request(fresh_tab: Tab) -> None:
    tab = fresh_tab
    held: list[Route] = []
    tab.page.route("**/api/strict*", lambda route: held.append(route))
    failed: list[str] = []
    tab.page.on("requestfailed", lambda request: failed.append(request.url))
    tab.load(STRICT).wait(".state")
    tab.until("document.querySelector('.state')?.textContent.includes('strict comparison')")
    tab.open("functions")
    tab.wait(".grid-body .row")
    assert [url for url in failed if "api/strict" in url]


def test_failures_are_shown_and_can_be_retried(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.allowed.append("422")

    def refuse(route: Route) -> None:
        error = {"error": {"code": "corrupt", "message": "toy_perf_data.csv: line 3: no number", "hint": "mend it"}}
        route.fulfill(status=422, body=json.dumps(error), content_type="application/json")

    tab.page.route("**/api/strict*", refuse)
    tab.load(STRICT)
    alert = tab.wait(".state.failed").inner_text()
    assert "line 3" in alert and "Mend it." in alert
    tab.page.unroute("**/api/strict*")
    tab.find("button", has_text="Try again").click()
    tab.wait(".strict-title")


def test_a_part_that_cannot_be_fetched_says_so(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.allowed += ["strict_view", "dynamically imported"]
    tab.page.route("**/static/strict_view-*.js", lambda route: route.abort())
    tab.load(STRICT)
    assert tab.wait(".lazy button").inner_text() == "Reload"
    assert "did not load" in tab.find(".lazy").inner_text()
