"""What delimits the steps, chosen in the tab."""

from __future__ import annotations

import os

from tests.browser.tab import GPU_A, GPU_B, Tab, link

MARKER = "select[aria-label='Step marker']"
STEP = "Optimizer.step#*"


def test_a_marker_is_chosen_among_what_both_sides_have_and_the_link_knows(fresh_tab: Tab) -> None:
    tab = fresh_tab.load(link(a=GPU_A, b=GPU_B))
    tab.answer()
    tab.details("a")
    tab.wait(MARKER)
    offered = tab.find(f"{MARKER} option").all_inner_texts()
    assert offered[0] == "steps as found: profiler"
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
