"""The summary: verdict, findings, waterfall and step times tell one story, and lead to the tables."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from benchmarks.served import Served
from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, NORMAL, Tab, link


def milliseconds(text: str) -> float:
    """`+17.72 ms` as a number."""
    found = re.search(r"([+\u2212-]?)([\d,.]+)\s*ms", text)
    assert found, text
    return (-1 if found[1] in ("-", "\u2212") else 1) * float(found[2].replace(",", ""))


def test_answer_is_readable_without_scrolling(tab: Tab) -> None:
    box = tab.find(".verdict").bounding_box()
    chart = tab.find(".waterfall").bounding_box()
    assert box and chart
    assert box["y"] + box["height"] < 500
    assert chart["y"] < 560
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.go(link(a=GPU_A, b=GPU_B))  # whose verdict is long
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    line = tab.find(".verdict h2").bounding_box()
    header = tab.find(".pickers").bounding_box()
    assert line and line["height"] < 30 and header and header["height"] == 44


def test_waterfall_ends_at_b_and_opens_down_to_shapes(tab: Tab) -> None:
    totals = [milliseconds(text) for text in tab.find(".falls .total > .fall-value:nth-child(3)").all_inner_texts()]
    deltas = tab.find("button.fall > .fall-value:nth-child(3)").all_inner_texts()
    assert len(deltas) == 3  # five parts take no time on either side
    assert abs(totals[0] + sum(milliseconds(d) for d in deltas if d != "0") - totals[1]) < 0.05
    tab.find("button.fall", has_text="CPU Exec").click()
    operator = tab.wait(".entry-open")
    assert "aten::" in operator.inner_text()
    operator.click()
    assert "[[16, " in tab.wait(".part-name").inner_text()


def test_a_part_opens_its_entries_and_filters_the_attribution(tab: Tab) -> None:
    tab.find("button.fall", has_text="DataLoader").click()
    assert "enumerate(DataLoader)" in tab.find(".entries").inner_text()
    assert "p.tb_perfcompare.cat=DataLoader" in tab.address()
    tab.find(".entries .link-button").click()
    tab.wait(".grid-body .row")
    assert tab.find("[aria-label='Part of the step']").input_value() == "DataLoader"
    assert set(tab.find(".grid-body .row .key:nth-child(2)").all_inner_texts()) == {"DataLoader"}
    tab.find("body").press("Escape")
    tab.until("document.querySelector('[aria-label=\"Part of the step\"]').value === ''")


def test_evidence_leads_to_its_row(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    tab.find(".cause-item .link-button", has_text="Kernels").first.click()
    assert "sgemm" in tab.wait(".row-panel .full-name").inner_text()
    assert "sgemm" in tab.find(".grid-body .row.selected").inner_text()


def test_a_finding_is_copied_as_text(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.load(link(a=NORMAL, b=ABNORMAL)).answer()
    tab.find(".cause-item [aria-label^='Copy this finding']").first.click()
    tab.until("document.querySelector('.cause-item [role=status]').textContent === 'Copied'")
    lines = tab.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith("DataLoader +17.6") and "Data loader wait" in lines[1]
    assert lines[-2:] == [f"{side} (worker0; spans 1, 2; 20 steps)" for side in (f"A: {NORMAL}", f"B: {ABNORMAL}")]


def test_steps_are_described_by_pointer_and_keyboard(tab: Tab) -> None:
    chart = tab.wait(".step-strip")
    chart.focus()
    chart.press("ArrowRight")
    assert re.search(r"Baseline, step \d+ of capture .*: [\d.]+\s*ms", tab.find(".step-read").inner_text())
    chart.press("Enter")
    tab.wait(".row-panel")
    assert "p.tb_perfcompare.tab=steps" in tab.address()


def test_an_open_verdict_offers_what_settles_it(drawn_page: Page, drawn_server: Served) -> None:
    tab = Tab(drawn_page, drawn_server.address).load(link(a="open/a", b="open/b"))
    offer = tab.wait(".alternatives").locator("li", has=tab.frame.locator("button")).first
    assert "B is slower" in offer.inner_text()
    offered = milliseconds(offer.inner_text())
    offer.locator("button").click()
    tab.until("document.querySelector('.verdict h2')?.textContent.includes('slower')")
    assert "p.tb_perfcompare.asteps=1-5" in tab.address()
    assert abs(milliseconds(tab.find(".verdict .effect").inner_text()) - offered) < 0.01
    tab.page.go_back()
    tab.wait(".alternatives")
    assert tab.faults() == []


def test_what_leaves_the_verdict_open_is_not_offered(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=NORMAL, **{"as": "1", "bs": "2"}))
    offers = tab.wait(".alternatives")
    assert offers.locator("button").count() == 0
    assert "more steps" not in offers.inner_text()  # these vary too much: too many steps would be needed


def test_method_and_caveats_open(tab: Tab) -> None:
    tab.find(".how summary").click()
    assert "Mann-Whitney" in tab.find(".how").inner_text()
    tab.find(".caveats > details > summary").click()
    assert "Passed" in tab.find(".caveats").inner_text()
