"""Names from traces and of runs are texts wherever they stand: nothing of them runs, loads or becomes an element."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from benchmarks.served import Served
from tests.browser.tab import HOSTILE_A, HOSTILE_B, Tab, link
from tests.runs.hostile_names import FORMULAS, assert_harmless

RUNS = (HOSTILE_A, HOSTILE_B)
KINDS = "script, img, iframe, object, embed, form, base, [onerror], [onload]"
FOREIGN = f"document.querySelectorAll('body > * :is({KINDS})').length"
"""The only script of the body itself is the one with which TensorBoard starts a plugin."""


@pytest.fixture
def tab(drawn_page: Page, drawn_server: Served) -> Iterator[Tab]:
    tab = Tab(drawn_page, drawn_server.address).load(link(a=RUNS[0], b=RUNS[1], min="0"))
    tab.answer()
    yield tab
    assert tab.faults() == []


def is_untouched(tab: Tab) -> None:
    """Nothing ran, in our frame or around it, and our frame holds no element that could."""
    for where in (tab.frame, tab.page):
        assert where.evaluate("window.hacked") is None
    assert tab.frame.evaluate(FOREIGN) == 0
    assert tab.frame.evaluate(f"document.querySelectorAll('body > :is({KINDS})').length") == 1


def test_every_view_shows_them_as_texts(tab: Tab) -> None:
    is_untouched(tab)
    tabs = "[role=tablist] [role=tab], .choices .segments button"
    seen, number = "", 0
    while number < tab.find(tabs).count():
        tab.find(tabs).nth(number).click()
        number += 1
        tab.settle()
        rows = tab.find(".grid-body .row")
        if rows.count():
            rows.first.hover()
            rows.first.click()
            tab.settle()
        seen += tab.find("body").inner_text()
        is_untouched(tab)
    assert number > 5
    assert "<script>window.hacked = 1</script>" in seen
    assert "onerror" in seen


def test_the_pickers_show_run_names_as_texts(tab: Tab) -> None:
    for side, run in zip("ab", RUNS, strict=True):
        assert tab.frame.evaluate(f"document.querySelector('.side-{side} .run-button').value") == run
    is_untouched(tab)


def test_a_search_for_one_finds_it_and_its_file_holds_no_formula(tab: Tab) -> None:
    tab.go(link(a=RUNS[0], b=RUNS[1], min="0", tab="operators"))
    tab.wait(".grid-body .row")
    tab.find(".search input").fill("1+1")
    tab.until("/^\\d+ of/.test(document.querySelector('.table-footer').textContent)")
    tab.find(".toolbar button", has_text="Copy").click()
    with tab.page.expect_download() as saved:
        tab.find(".pop-item", has_text="CSV").click()
    text = Path(saved.value.path()).read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) - 1 == sum("1+1" in name for name in FORMULAS)
    for row in rows:
        for cell in row:
            assert_harmless(cell)


def test_a_failure_names_the_run_as_a_text(tab: Tab) -> None:
    tab.go(link(a="<img src=x onerror='window.hacked = 1'>gone", b=RUNS[1]))
    assert "gone" in tab.wait(".state[role=alert]").inner_text()
    is_untouched(tab)


def test_the_report_as_a_page_runs_nothing(tab: Tab, drawn_server: Served, tmp_path: Path) -> None:
    """Saved to disk and opened, where no policy of a server protects it."""
    answer = drawn_server.get("api/report", format="html", baseline=RUNS[0], candidate=RUNS[1])
    (tmp_path / "report.html").write_bytes(answer.body)
    page = tab.page.context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_timeout(200)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(f"document.querySelectorAll('{KINDS}').length") == 0
    assert "<script>window.hacked = 1</script>" in page.inner_text("body")
    page.close()
    assert len(asked) == 1
