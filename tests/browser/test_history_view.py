"""Recorded runs over time: read by keys, two points chosen and compared, only where there is a history."""

from __future__ import annotations

import json

from playwright.sync_api import Route

from tests.browser.tab import SERIES, SLOWER_B, Tab, link

BOX = ".hs-box"


def opened(tab: Tab) -> Tab:
    tab.go(link(page="history", series=SERIES)).wait(f"{BOX} svg")
    return tab


def test_the_button_opens_it_and_the_change_of_level_is_reported(tab: Tab) -> None:
    tab.find(".side-a .run-button").click()
    tab.wait(".runs-dialog input")
    tab.find(".runs-dialog button", has_text="History").click()
    tab.wait(f"{BOX} svg")
    assert "12 points" in (tab.find(BOX).get_attribute("aria-label") or "")
    assert "1 change of level" in (tab.find(BOX).get_attribute("aria-label") or "")
    assert "+50" in (tab.find(".hs-change-at text").text_content() or "")
    rows = [row.split() for row in tab.find(".hs .grid .grid-body .row").all_inner_texts()]
    assert len(rows) == 12 and rows[0][0] == "night-12"
    assert [row[0] for row in rows if "Slower" in row] == ["night-7"]
    assert tab.find(".hs details summary").inner_text() == "1 point cannot be read"


def test_keys_go_from_point_to_point_and_choose_two(tab: Tab) -> None:
    opened(tab).find(BOX).focus()
    status = tab.find(".hs-chart [role=status]")
    tab.press("Home")
    assert status.inner_text().startswith("night-1,")
    tab.press("Enter")
    tab.wait(".hs-flag-a")
    tab.press("End")
    assert status.inner_text().startswith("night-12,")
    tab.press("Enter")
    tab.wait(".hs-flag-b")
    tab.find(".hs-chosen button.primary").click()
    assert tab.answer().startswith(SLOWER_B)
    assert str(tab.find(".side-b .run-button").get_attribute("value")).endswith("night-12.perfcompare")
    tab.page.go_back()
    tab.wait(f"{BOX} svg")
    assert tab.find(".hs-chosen .badge").count() == 2


def test_a_click_on_a_mark_chooses_it(tab: Tab) -> None:
    opened(tab)
    drawn = tab.find(".hs-usual").first.get_attribute("d") or ""
    x, y = (float(part) for part in drawn.removeprefix("M").split("a")[0].split())
    tab.find(BOX).click(position={"x": x + 4, "y": y})
    tab.wait(".hs-flag-a")
    assert tab.find(".hs-chosen span:has(> .badge-a)").inner_text().split() == ["A", "night-1"]


def test_a_row_compares_with_the_point_before(tab: Tab) -> None:
    opened(tab)
    tab.find(".hs .grid .row", has_text="Slower from here").click()
    tab.find(".hs-chosen button", has_text="previous").click()
    tab.answer()
    a, b = (str(tab.find(f".side-{side} .run-button").get_attribute("value")) for side in "ab")
    assert a.endswith("night-6.perfcompare") and b.endswith("night-7.perfcompare")


def test_there_is_no_button_without_a_history(fresh_tab: Tab) -> None:
    tab = fresh_tab

    def none(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps({**answer.json(), "points": 0}))

    tab.page.route("**/api/runs*", none)
    tab.load().answer()
    tab.find(".side-a .run-button").click()
    tab.wait(".runs-dialog input")
    assert tab.find("button", has_text="History").count() == 0


def test_an_unknown_series_says_which_there_are(tab: Tab) -> None:
    tab.allowed.append("api/history")
    tab.go(link(page="history", series="nightly/other")).wait(".state.failed")
    assert SERIES in tab.find(".state.failed").inner_text()
