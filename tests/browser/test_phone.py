"""What fits: a phone's screen, and the first sight of the summary on a small laptop."""

from __future__ import annotations

from tests.browser.tab import GPU_A, GPU_B, Tab, link

TOP = "document.querySelector('.table-body .grid').getBoundingClientRect().top"


def test_a_table_begins_in_the_first_third_of_a_phone_and_no_control_is_lost(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 780})
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels"))
    tab.wait("#view[data-tab=kernels] .grid")
    tab.until(f"{TOP} <= 230")
    assert tab.frame.evaluate("document.documentElement.scrollWidth") == 390
    tab.find(".choices .fold > button").click()
    tab.until("document.querySelectorAll('.choices .fold select').length === 2")  # grouping and metric
    tab.find(".choices .fold .segments button", has_text="Operators").click()
    tab.wait("#view[data-tab=operators] .grid")
    tab.find(".toolbar .fold > button").click()
    tab.find(".toolbar .fold .segments button", has_text="New").click()
    tab.until("document.querySelector('.toolbar .fold.marked')")
    assert "p.tb_perfcompare.only=added" in tab.address()


def test_the_answer_its_causes_and_the_waterfall_are_seen_at_once(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    tab.wait(".waterfall")
    below = """[...document.querySelectorAll('.verdict, .cause-item:nth-child(-n+3), .waterfall')]
        .filter(one => one.getBoundingClientRect().bottom > innerHeight).length"""
    tab.until(f"{below} === 0")
    assert tab.frame.evaluate("document.querySelector('.pickers').getBoundingClientRect().height") == 44
