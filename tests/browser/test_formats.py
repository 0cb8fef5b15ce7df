"""Every format opens with its verdict, words and tables; two runs that do not fit are refused with a way on."""

from __future__ import annotations

import pytest

from tests.browser.tab import (
    LISTING_A,
    LISTING_B,
    MLU_A,
    MLU_B,
    NCU_A,
    NCU_B,
    NORMAL,
    SAVED_A,
    SAVED_B,
    TABLE_A,
    TABLE_B,
    Tab,
    link,
)

PAIRS = {
    "mlu": (MLU_A, MLU_B, "torch.profiler trace", "B is slower", "steps compared"),
    "answers": (SAVED_A, SAVED_B, "saved torch-tb-profiler answers", "B is slower", "steps compared"),
    "perf_data": (TABLE_A, TABLE_B, "perf_data table", "Same", "cycles compared"),
    "listing": (LISTING_A, LISTING_B, "kernel listing", "Inconclusive", "recordings compared"),
    "ncu": (NCU_A, NCU_B, "ncu --csv export", "Inconclusive", "recordings compared"),
}


def shown(tab: Tab, a: str, b: str) -> None:
    """Until the comparison of this pair is on screen."""
    tab.go(link(a=a, b=b))
    tab.until(f"document.querySelector('.side-a .run-button').value === {a!r}")
    tab.until(f"document.querySelector('.side-b .run-button').value === {b!r} && !!document.querySelector('.verdict')")


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_opens_with_its_verdict(tab: Tab, name: str) -> None:
    a, b, title, verdict, compared = PAIRS[name]
    shown(tab, a, b)
    slower = (verdict, "Slower in these two captures: program +")
    assert tab.answer().startswith(slower if verdict == "B is slower" else verdict)
    assert compared in tab.find(".verdict .figures").inner_text()
    tab.details("a")
    assert tab.find(".side-a .format").inner_text().startswith(f"{title}, ")
    tab.press("Escape")


def test_runs_are_listed_with_their_format(tab: Tab) -> None:
    tab.find(".side-a .run-button").click()
    tab.wait(".runs-dialog .grid-body .row")
    tab.find(".runs-dialog .head-button", has_text="Format").click()
    rows = "[...document.querySelectorAll('.runs-dialog .grid-body .row')].map(row => row.lastElementChild.textContent)"
    seen = set(tab.frame.evaluate(rows))
    tab.find(".runs-dialog .head-button", has_text="Format").click()
    tab.until("document.querySelector('.runs-dialog [aria-sort=descending]')?.textContent.startsWith('Format')")
    seen |= set(tab.frame.evaluate(rows))
    tab.press("Escape")
    assert seen == {
        "torch.profiler trace",
        "saved torch-tb-profiler answers",
        "perf_data table",
        "kernel listing",
        "ncu --csv export",
        "saved baseline",
    }


def test_functions_and_counters_of_cycles(tab: Tab) -> None:
    tab.go(link(a=TABLE_A, b=TABLE_B, tab="functions")).wait(".grid-body .row")
    assert tab.find("[role=tab][aria-selected=true]").inner_text() == "Breakdown"
    assert "|Δ| ≥ 0.1\u202f% of cycle" in tab.find(".toolbar select").first.inner_text()
    tab.find(".toggle").click()
    assert "p.tb_perfcompare.clear=1" in tab.address()
    tested = tab.find(".grid-body .row [role=gridcell]:has(> .chip)")
    titles = [tested.nth(place).get_attribute("title") or "" for place in range(tested.count())]
    assert titles
    assert all(float(title.rpartition("q ")[2].lstrip("<")) <= 0.05 for title in titles)
    tab.open("counters")
    clock = tab.wait(".grid-body .row:has-text('gpu_frequency')").inner_text()
    assert "MHz" in clock and "1,410" in clock and "210" in clock


def test_runs_without_a_common_metric_are_refused_with_suggested_pairs(tab: Tab) -> None:
    tab.allowed.append("422")
    tab.go(link(a=LISTING_A, b=NORMAL))
    alert = tab.wait(".state.failed")
    assert "cannot be compared" in alert.inner_text()
    assert "kernel time" in alert.inner_text() and "step time" in alert.inner_text()
    assert tab.find(".facts .differs").count() == 2
    assert tab.find("button", has_text="Try again").count() == 0
    tab.find(".state-pairs button", has_text=LISTING_B).click()
    assert tab.answer().startswith("Inconclusive")
