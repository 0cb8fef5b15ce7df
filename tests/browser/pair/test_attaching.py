"""Listings and exports attached to a side, and pairs that were compared before."""

from __future__ import annotations

import json

from playwright.sync_api import Route

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, LISTING_A, MLU_A, MLU_B, NORMAL, Tab, link

ATTACH = "select[aria-label='Baseline: utilization']"


def test_a_listing_attached_in_the_picker_is_in_the_link(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B)).answer()
    tab.details("a")
    with tab.page.expect_response(lambda one: "api/comparison" in one.url and "baseline_launches" in one.url):
        tab.find(ATTACH).select_option(LISTING_A)
    tab.until("document.querySelector('.side-a .pop-head').textContent.includes('3 files')")
    tab.answer()
    assert f"al={LISTING_A.replace('/', '%2F')}" in tab.address()
    tab.find(ATTACH).select_option("")
    tab.until("document.querySelector('.side-a .pop-head').textContent.includes('2 files')")


def test_only_traces_offer_attaching_and_only_with_a_listing(fresh_tab: Tab) -> None:
    tab = fresh_tab

    def traces_only(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        found["runs"] = [run for run in found["runs"] if run["format"] == "torch_profiler_trace"]
        route.fulfill(response=answer, body=json.dumps(found))

    tab.page.route("**/api/runs*", traces_only)
    tab.load(link(a=GPU_A, b=GPU_B)).answer()
    tab.details("a")
    assert tab.find(ATTACH).count() == 0


def test_pairs_compared_before_are_suggested_first(tab: Tab) -> None:
    for a, b in ((NORMAL, ABNORMAL), (MLU_A, MLU_B), (GPU_B, MLU_A)):
        tab.go(link(a=a, b=b))
        tab.until(f"(localStorage.getItem('tb_perfcompare.recent') ?? '').includes({b!r})")
    tab.find(".menu button", has_text="Suggested pairs").click()
    assert tab.find(".pop-head").all_inner_texts() == ["Compared here before", "Suggested"]
    first = tab.find(".pop-item").first
    assert MLU_A in first.inner_text() and MLU_B in first.inner_text()
    first.click()
    tab.until(f"document.querySelector('.side-b .run-button').value === {MLU_B!r}")


def test_comparing_works_without_browser_storage(fresh_tab: Tab) -> None:
    tab = fresh_tab
    refuse = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })"
    tab.begin_with(refuse)
    tab.load().answer()
    tab.find(".menu button", has_text="Suggested pairs").click()
    tab.wait(".pop-item")
    assert tab.find(".pop-head").count() == 0
