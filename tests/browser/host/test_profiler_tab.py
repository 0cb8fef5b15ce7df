"""Beside torch-tb-profiler in one TensorBoard: its tab shows the run, the view and the row that were looked at here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from benchmarks.served import served
from tests.browser.tab import GPU_A, GPU_B, LISTING_A, LISTING_B, LOAD_MS, PLUGIN, SLOWER_B, Tab, link
from tests.machine.frontend_tools import ROOT
from tests.workspace.waiting import becomes_true

CHARTS = """
const any = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => '' : key === 'then' ? undefined
    : key === 'setOnLoadCallback' ? (ready) => setTimeout(ready, 0) : any,
  apply: () => any, construct: () => any,
});
window.google = any;
"""
"""In place of the pictures' library, which that tab fetches from the internet: it draws nothing."""

LATER = """
const atOnce = window.fetch.bind(window);
const wait = (later) => setTimeout(later, Number(sessionStorage.getItem('answersAfterMs')));
window.fetch = (...all) => new Promise(wait).then(() => atOnce(...all));
"""

IN_PROFILER = """([selector, text]) => [...document.querySelectorAll('iframe')].some(frame =>
    frame.src.includes('name=pytorch_profiler') && [...(frame.contentDocument?.querySelectorAll(selector) ?? [])]
        .some(one => (one.value ?? one.textContent) === text))"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of few runs of one file, once the other plugin has read them: it starts a process for each, which rank behind all
    others."""
    folder: Path = tmp_path_factory.mktemp("logs")
    for run in (GPU_A, GPU_B):
        (folder / run).mkdir(parents=True)
        shutil.copy(min((ROOT / "demo_logs" / run).iterdir()), folder / run)
    listings = LISTING_A.split("/")[0]
    shutil.copytree(ROOT / "demo_logs" / listings, folder / listings)
    with served(folder, all_plugins=True) as found:
        listing = json.loads(found.get("/data/plugins_listing").body)
        assert {PLUGIN, "pytorch_profiler"} <= set(listing)
        assert (listing[PLUGIN]["tab_name"], listing[PLUGIN]["enabled"]) == ("Perf Compare", True)
        read = "/data/plugin/pytorch_profiler/runs"
        assert becomes_true(lambda: {GPU_A, GPU_B} <= set(json.loads(found.get(read).body)["runs"]), 600)
        yield found.address


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1500, "height": 900})
    page = context.new_page()
    page.add_init_script(LATER)
    page.route("**/charts/loader.js", lambda route: route.fulfill(body=CHARTS, content_type="text/javascript"))
    yield page
    context.close()


@pytest.fixture
def tab(page: Page, server: str) -> Iterator[Tab]:
    """A TensorBoard whose profiler tab has not been opened yet."""
    page.goto("about:blank")
    tab = Tab(page, server)
    yield tab
    page.evaluate("sessionStorage.clear()")
    assert tab.faults() == []


def opened(tab: Tab, answers_after_ms: int) -> None:
    """A row, in a browser that gets answers so late from now on."""
    tab.load(link(a=GPU_A, b=GPU_B, tab="operators", row="aten::addmm"))
    tab.wait(".row-paths h3")
    tab.page.evaluate("ms => sessionStorage.setItem('answersAfterMs', ms)", answers_after_ms)


def test_runs_of_the_profiler_open_in_its_tab_and_no_others_do(tab: Tab) -> None:
    """TensorBoard shows the other tab on the run we compare; ours stays as it was."""
    window, button = ".segments[aria-label='Step window']", "[aria-label*='PyTorch Profiler']"
    tab.load(link(a=LISTING_A, b=LISTING_B)).answer()
    tab.details("a")
    assert tab.find(window).count() == tab.find(f".side-a {button}").count() == 0
    tab.press("Escape")
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until(f"document.querySelector('.side-b .run-button').value === {GPU_B!r}")
    tab.answer()
    tab.details("b")
    assert tab.find(window).count() == 1
    tab.wait(f".side-b {button}").click()
    tab.page.wait_for_function("location.hash.startsWith('#pytorch_profiler')")
    assert f"p.tb_perfcompare.a={GPU_A.replace('/', '%2F')}" in tab.address()
    tab.page.wait_for_function(IN_PROFILER, arg=["[aria-haspopup=listbox]", GPU_B], timeout=LOAD_MS)
    tab.page.evaluate("location.hash = location.hash.replace('pytorch_profiler', 'tb_perfcompare')")
    assert tab.answer().startswith(SLOWER_B)


def test_the_profiler_tab_shows_the_row_and_back_returns_to_it(tab: Tab) -> None:
    """Over a slow connection that tab still gets answers to what it showed first, and goes back to that."""
    opened(tab, 400)
    here, steps = tab.address(), tab.page.evaluate("history.length")
    tab.find(".profiler-links button", has_text="Operator view").last.click()
    in_profiler = (
        ("[aria-haspopup=listbox]", GPU_B), ("[aria-haspopup=listbox]", "Operator"), ("input", "aten::addmm"),
    )  # fmt: skip
    for selector, text in in_profiler:
        tab.page.wait_for_function(IN_PROFILER, arg=[selector, text], timeout=LOAD_MS)
    tab.until("![...document.querySelectorAll('[role=status]')].some(e => e.textContent.startsWith('run '))")
    for selector, text in in_profiler:  # once we are done it still shows all of it
        assert tab.page.evaluate(IN_PROFILER, [selector, text])
    assert tab.page.evaluate("history.length") == steps + 1
    tab.page.evaluate("history.back()")
    tab.page.wait_for_function("hash => location.hash === hash", arg=here)
    tab.until("innerHeight > 0")
    assert tab.wait(".row-panel .full-name").inner_text() == "aten::addmm"
    tab.wait(".paths li")


def test_a_click_in_the_profiler_tab_stops_our_changes_to_it(tab: Tab) -> None:
    opened(tab, 600)
    tab.find(".profiler-links button", has_text="Operator view").last.click()
    tab.page.wait_for_function(IN_PROFILER, arg=["[aria-haspopup=listbox]", GPU_B], timeout=LOAD_MS)
    tab.page.mouse.click(900, 700)
    tab.until("![...document.querySelectorAll('[role=status]')].some(e => e.textContent.startsWith('run '))")
    tab.page.wait_for_timeout(1500)
    assert not tab.page.evaluate(IN_PROFILER, ["input", "aten::addmm"])
