"""What delimits the steps, chosen in the tab."""

from __future__ import annotations

import os

from tests.browser.tab import GPU_A, GPU_B, Tab, link

MARKER = "select[aria-label='Step marker']"
STEP = "Optimizer.step#*"


def test_a_step_marker_of_both_sides_is_chosen_and_kept_in_the_link(fresh_tab: Tab) -> None:
    tab = fresh_tab.load(link(a=GPU_A, b=GPU_B))
    tab.answer()
    tab.details("a")
    tab.wait(MARKER)
    offered = tab.find(f"{MARKER} option").all_inner_texts()
    assert offered[0] == "detected: profiler"
    assert any(text.startswith("Optimizer.step#* · 9 × 7.") and "% of the recording" in text for text in offered)
    with tab.page.expect_response(lambda one: "api/comparison" in one.url and "step_marker=Optimizer" in one.url):
        tab.find(MARKER).select_option(STEP)
    tab.until("document.querySelector('.side-a .facts').textContent.includes('9 of')")
    tab.answer()
    assert "mk=Optimizer" in tab.address()
    if picture := os.environ.get("TB_PERFCOMPARE_PICTURE"):
        tab.page.screenshot(path=picture)
    tab.find(MARKER).select_option("")
    tab.until("!document.querySelector('.side-a .facts').textContent.includes('9 of')")


KIND = "select[aria-label='Kind of iterations']"
DECODE = "execute_context_0(0)_generation_12(12)"


def test_one_kind_of_iterations_is_chosen_and_the_link_keeps_it(fresh_tab: Tab) -> None:
    tab = fresh_tab.load(link(a="server_synthetic/baseline", b="server_synthetic/candidate"))
    tab.answer()
    tab.details("a")
    tab.wait(KIND)
    assert DECODE in tab.find(f"{KIND} option").all_inner_texts()
    with tab.page.expect_response(lambda one: "api/comparison" in one.url and "kind=execute_context_0" in one.url):
        tab.find(KIND).select_option(DECODE)
    tab.answer()
    assert "kind=execute_context_0" in tab.address()
    if picture := os.environ.get("TB_PERFCOMPARE_PICTURE"):
        tab.page.screenshot(path=picture)
    assert tab.find(f"{KIND} option").all_inner_texts() == ["all kinds of iterations", DECODE]
    tab.find(KIND).select_option("")
    tab.until("!location.hash.includes('kind=')")
