"""Whoever leaves the page, cancels, or asks for something else lets go of the work that only he waited for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from benchmarks.served import Served
from tests.browser.tab import Tab, link
from tests.machine.work_under_way import is_idle
from tests.workspace.waiting import becomes_true

SLOW = {"a": "slow/normal", "b": "slow/abnormal"}


@pytest.fixture
def tab(drawn_page: Page, drawn_server: Served) -> Tab:
    """While the slow pair is being read."""
    tab = Tab(drawn_page, drawn_server.address).load(link(**SLOW))
    tab.wait(".loading .files")
    assert becomes_true(lambda: len(drawn_server.workers()) == 2)
    return tab


def cancel(tab: Tab) -> None:
    tab.find(".loading button", has_text="Cancel").click()


def other_pair(tab: Tab) -> None:
    tab.go(link(a="quick/normal", b="quick/abnormal"))


def other_site(tab: Tab) -> None:
    tab.page.goto("about:blank")


def close(tab: Tab) -> None:
    tab.page.close()


def test_the_page_tells_bytes_and_events_of_each_file_until_it_cancels(tab: Tab, drawn_server: Served) -> None:
    tab.until("/ of 1\\.\\d+\\sM.*[1-9],\\d+ events/.test(document.querySelector('.loading .files').textContent)")
    assert tab.find(".loading .files li").count() > 100
    cancel(tab)
    assert becomes_true(lambda: is_idle(drawn_server))
    tab.find("button", has_text="Compare again").click()
    tab.wait(".loading .files")
    cancel(tab)


@pytest.mark.parametrize("leave", [other_pair, other_site, close])
def test_leaving_ends_its_work(tab: Tab, drawn_server: Served, leave: Callable[[Tab], None]) -> None:
    leave(tab)
    assert becomes_true(lambda: is_idle(drawn_server))  # a process between two files lives on, and does nothing
