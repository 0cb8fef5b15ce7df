"""A table of 6,500 rows, of which the server sends what comes into view: always the right rows, in the right order."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from benchmarks.served import Served
from tests.browser.tab import Tab, link
from tests.runs.long_table import ROWS, delta_us, name

ROW_HEIGHT = 28
HEADS = 1
"""Rows of headings."""

BY_NAME = [name(number) for number in range(ROWS)]
BY_DELTA = [name(number) for number in sorted(range(ROWS), key=lambda number: -delta_us(number))]
USUAL = [name(number) for number in sorted(range(ROWS), key=lambda number: (-abs(delta_us(number)), number))]
SHOWN = """() => [...document.querySelectorAll('.grid-body .row')]
    .map(row => [+row.ariaRowIndex, row.children[0].title]).sort(([a], [b]) => a - b)"""


@pytest.fixture
def tab(drawn_page: Page, drawn_server: Served) -> Iterator[Tab]:
    """The table as it is first shown."""
    tab = Tab(drawn_page, drawn_server.address).load(address())
    tab.wait(".grid-body .row")
    settled(tab)
    yield tab
    assert tab.faults() == []


def address(**more: str) -> str:
    return link(**{"a": "long/normal", "b": "long/abnormal", "tab": "operators", "min": "0", **more})


def settled(tab: Tab) -> None:
    """Until every row in view has come."""
    tab.until(
        "document.querySelector('.table-view')?.getAttribute('aria-busy') === 'false'"
        " && !document.querySelector('.grid-body .pending') && !!document.querySelector('.grid-body .row')"
    )


def shown(tab: Tab) -> list[tuple[int, str]]:
    """(place from 0, name) of the rows that are drawn, from the top."""
    return [(index - 1 - HEADS, text) for index, text in tab.frame.evaluate(SHOWN)]


def scroll_to(tab: Tab, place: int) -> None:
    tab.frame.evaluate(f"document.querySelector('.grid').scrollTop = {ROW_HEIGHT * place}")
    index = min(place, ROWS - 1) + 1 + HEADS
    tab.until(f"[...document.querySelectorAll('.grid-body .row')].some(row => row.ariaRowIndex === '{index}')")
    settled(tab)


def are_those_of(tab: Tab, order: list[str]) -> None:
    """Every row that is drawn is the one that belongs there."""
    rows = shown(tab)
    assert 10 < len(rows) < 80
    assert rows == [(place, order[place]) for place, _ in rows]


def sort_by(tab: Tab, label: str, way: str) -> None:
    tab.find(".head-button", has_text=label).first.click()
    tab.until(f"document.querySelector('[aria-sort={way}]')")
    tab.until("document.querySelector('.grid').scrollTop === 0")
    settled(tab)


def test_all_rows_are_counted_and_scrolling_brings_those_that_belong_there(tab: Tab) -> None:
    assert tab.find(".table-footer [role=status]").inner_text() == f"{ROWS:,} rows"
    assert tab.find(".grid").get_attribute("aria-rowcount") == str(ROWS + HEADS)
    assert tab.find(".grid-body .row").count() < 80
    for place in (0, 1_990, 5_000, 3_000, ROWS, 0):
        scroll_to(tab, place)
        are_those_of(tab, USUAL)


def test_another_order_is_that_of_all_rows(tab: Tab) -> None:
    for label, way, order in (("Name", "ascending", BY_NAME), ("Δ", "descending", BY_DELTA)):
        sort_by(tab, label, way)
        for place in (0, 4_000, ROWS):
            scroll_to(tab, place)
            are_those_of(tab, order)


def test_the_last_row_is_reached_by_a_key_and_its_name_copied(tab: Tab) -> None:
    sort_by(tab, "Name", "ascending")
    tab.find(".grid").focus()
    tab.press("End")
    tab.wait(f".grid-body .row.selected[aria-rowindex='{ROWS + HEADS}']")
    tab.press("Enter")
    assert tab.wait(".row-panel .full-name").inner_text() == BY_NAME[-1]
    tab.find(".row-panel button", has_text="Copy name").click()
    tab.wait(".row-panel button:has-text('Copied')")
    assert tab.page.evaluate("navigator.clipboard.readText()") == BY_NAME[-1]
    opened = tab.address()
    tab.load(opened)
    tab.wait(f".grid-body .row.selected[aria-rowindex='{ROWS + HEADS}']")  # a link leads to the row wherever it stands
    assert tab.find(".row-panel .full-name").inner_text() == BY_NAME[-1]


def pictures(tab: Tab) -> dict[str, str]:
    """What is told of the steps of the rows that are drawn, by name, once all of them have their picture."""
    tab.until("[...document.querySelectorAll('.grid-body .row')].every(row => row.querySelector('.step-lines title'))")
    rows = "[...document.querySelectorAll('.grid-body .row')]"
    told = f"{rows}.map(row => [row.children[0].title, row.querySelector('title').textContent])"
    return dict(tab.frame.evaluate(told))


def test_the_steps_of_the_rows_in_view_come_with_one_request_when_the_table_rests(tab: Tab) -> None:
    pictures(tab)
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url) if "/api/rows?" in request.url else None)
    for place in (4_000, 4_010, 5_500):
        scroll_to(tab, place)
        for row, told in pictures(tab).items():
            a, b = (float(found) for found in re.findall(r"3 steps, median ([\d.]+)", told))
            assert (a, b) == pytest.approx((20, 20 + delta_us(BY_NAME.index(row))), abs=0.06), (row, told)
    assert len(asked) == 2  # ten rows further they are there already
    assert tab.frame.evaluate("document.querySelector('.grid-body .row').offsetHeight") == ROW_HEIGHT


PLACES = "[...document.querySelectorAll('.grid-body .row')].map(row => +row.ariaRowIndex)"
STEPS, ROWS_A_STEP = 20, 11
SCROLLED = """([steps, by]) => new Promise(done => {
    const grid = document.querySelector('.grid'), body = grid.querySelector('.grid-body'), found = [];
    const elements = changes => found.push(...changes.flatMap(one => [...one.addedNodes]).filter(one => one.role));
    const watched = new MutationObserver(elements);
    watched.observe(body, {childList: true, subtree: true});
    let step = 0;
    const frame = () => {
        if (step === steps + 2) {
            watched.disconnect();
            return done(found.length);
        }
        if (step < steps) grid.scrollTop += by;
        step += 1;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
})"""
"""Scrolls by so many pixels in each frame; how many rows and cells were made or moved meanwhile."""


def test_scrolling_reuses_the_elements_of_rows(tab: Tab) -> None:
    """What a step of scrolling costs: elements made, layouts, elements whose style is looked up again."""
    scroll_to(tab, 500)
    pictures(tab)
    devtools = tab.page.context.new_cdp_session(tab.page)
    events: list[dict[str, Any]] = []
    ended: list[object] = []
    devtools.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    devtools.on("Tracing.tracingComplete", lambda found: ended.append(found))
    devtools.send(
        "Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["devtools.timeline"]}}
    )
    assert tab.frame.evaluate(SCROLLED, [STEPS, ROWS_A_STEP * ROW_HEIGHT]) == 0
    devtools.send("Tracing.end")
    while not ended:
        tab.page.wait_for_timeout(20)
    devtools.detach()
    # the event that the end of the recording cuts off has no count
    styled = sum(event["args"].get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree")
    layouts = sum(event["name"] == "Layout" for event in events)
    assert layouts <= 2 * STEPS
    # of ten cells and more a row, those whose classes, titles or bars change
    assert 0 < styled <= 8 * STEPS * ROWS_A_STEP
    settled(tab)
    tab.until(f"(all => all.every((place, at) => !at || place > all[at - 1]))({PLACES})")  # once the table rests
    are_those_of(tab, USUAL)


def test_a_pinned_row_stays_though_a_search_excludes_it_and_is_in_the_link(tab: Tab) -> None:
    scroll_to(tab, ROWS)
    tab.find(".grid").focus()
    tab.press("End")
    tab.wait(".grid-body .row.selected")
    tab.press("p")
    last = USUAL[-1]
    assert pinned(tab) == [last]
    tab.find(".search input").fill(f"-{last}")
    tab.until(f"document.querySelector('.table-footer').textContent.startsWith('{ROWS - 1:,} of {ROWS:,} rows')")
    settled(tab)
    assert pinned(tab) == [last]
    are_those_of(tab, USUAL)
    tab.load(tab.address())
    tab.wait(".grid-head .row.pinned")  # though it did not come with the table
    assert pinned(tab) == [last]
    tab.wait(".row-panel [aria-pressed=true]").click()
    tab.until("!document.querySelector('.row.pinned')")


def pinned(tab: Tab) -> list[str]:
    return list(tab.frame.evaluate("[...document.querySelectorAll('.row.pinned')].map(row => row.children[0].title)"))


def test_a_search_finds_rows_that_had_not_come_and_saves_them(tab: Tab) -> None:
    few = ["aten::op_1705", "aten::op_1715", "aten::op_1725", "aten::op_1735"]
    found_and_saved(tab, "/op_17[0-3]5$/", few)
    found_and_saved(tab, "op_17 -171", [one for one in BY_NAME if "op_17" in one and "171" not in one])


def found_and_saved(tab: Tab, words: str, expected: list[str]) -> None:
    tab.find(".search input").fill(words)
    tab.until(f"document.querySelector('.table-footer').textContent.startsWith('{len(expected)} of {ROWS:,} rows')")
    settled(tab)
    assert {text for _, text in shown(tab)} <= set(expected)
    tab.find(".toolbar button", has_text="Copy").click()
    with tab.page.expect_download() as saved:
        tab.find(".pop-item", has_text="CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text("utf-8"))))
    assert sorted(row["name"] for row in rows) == expected
    for row in rows:
        assert float(row["delta_us"]) == pytest.approx(delta_us(BY_NAME.index(row["name"])), abs=1e-9)
