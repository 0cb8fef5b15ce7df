"""What the tab shows when there is no answer: nothing found, one run, damage, waiting, a server that went away."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Route

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, NORMAL, PLUGIN, SLOWER_B, Tab, link


def runs_answer(tab: Tab, **changes: Any) -> None:
    """Lets api/runs answer as usual except for some members."""

    def change(route: Route) -> None:
        answer = json.loads(route.fetch().body())
        for key, value in changes.items():
            answer[key] = value(answer[key]) if callable(value) else value
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    tab.page.route("**/api/runs*", change)


def test_no_runs(fresh_tab: Tab, logdir: Path) -> None:
    runs_answer(fresh_tab, runs=[], pairs=[])
    state = fresh_tab.load().wait("section.state:has-text('No profiler runs found')").inner_text()
    assert str(logdir) in state
    assert ".pt.trace.json" in state and "tensorboard_trace_handler" in state


def test_one_run_offers_its_spans(fresh_tab: Tab) -> None:
    runs_answer(fresh_tab, pairs=[], runs=lambda runs: [run for run in runs if run["run"] == NORMAL])
    tab = fresh_tab.load()
    tab.wait(f"section.state:has-text('{NORMAL}')")
    tab.find("button", has_text="Compare its spans").click()
    tab.answer()
    tab.details("b")
    assert tab.find("select[aria-label='Candidate: span']").input_value() == "2"


def test_without_the_profiler_tab_nothing_links_to_it(tab: Tab) -> None:
    tab.go(link(tab="operators", min="0"))
    tab.wait(".grid-body .row").click()
    tab.wait(".row-panel")
    tab.details("a")
    assert tab.find(".side [aria-label*='PyTorch Profiler']").count() == 0
    tab.press("Escape")
    assert tab.find(".profiler-links").count() == 0


def test_a_missing_run_is_named(tab: Tab) -> None:
    tab.go(link(a="gone/for good", b=ABNORMAL))
    assert "gone/for good" in tab.wait(".state[role=alert]").inner_text()
    assert tab.find(".side-a .run-button", has_text="(missing)").count() == 1


def test_a_damaged_file_is_named_with_a_remedy(tab: Tab) -> None:
    tab.allowed.append("422")
    tab.go(link(a=NORMAL, b="damaged"))
    alert = tab.wait(".state.failed").inner_text()
    assert "worker0.1750000000000.pt.trace.json.gz" in alert
    assert "torch.profiler" in alert
    tab.find("button", has_text="Try again").click()
    tab.wait(".state.failed")


def test_progress_is_shown_and_can_be_cancelled(fresh_tab: Tab) -> None:
    tab = fresh_tab
    held: list[Route] = []
    tab.page.route("**/api/comparison*", lambda route: held.append(route))
    tab.load().wait(".loading")
    assert "so far" in tab.find(".loading").inner_text()
    tab.find(".loading button", has_text="Cancel").click()
    tab.until("document.querySelector('.state')?.textContent.includes('Cancelled')")
    tab.page.unroute("**/api/comparison*")
    tab.find("button", has_text="Compare again").click()
    tab.answer()


PLACES = """['.side-a', '.side-b', '.actions', 'main'].map((one) => {
    const { x, y, width } = document.querySelector(one).getBoundingClientRect();
    return [one, ...[x, y, width].map(Math.round)];
})"""


@pytest.mark.parametrize("width", [1024, 1500])
def test_nothing_moves_when_the_facts_and_the_verdict_arrive(fresh_tab: Tab, width: int) -> None:
    held: list[Route] = []
    fresh_tab.page.set_viewport_size({"width": width, "height": 836})
    fresh_tab.page.route("**/api/comparison*", lambda route: held.append(route))
    fresh_tab.load(link(a=GPU_A, b=GPU_B)).wait(".loading")
    before = fresh_tab.frame.evaluate(PLACES)
    for route in held:
        route.continue_()
    fresh_tab.answer()
    assert "10 steps" in fresh_tab.find(".side-a").inner_text()
    assert fresh_tab.frame.evaluate(PLACES) == before


def test_server_gone_keeps_the_answer_on_screen(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.allowed.append("ERR_CONNECTION_REFUSED")
    tab.load().answer()
    tab.page.route("**/api/runs*", lambda route: route.abort("connectionrefused"))
    tab.find(".side-a .run-button").click()
    tab.find(".runs-dialog header button").click()
    assert "does not answer" in tab.wait(".banner").inner_text()
    assert tab.answer().startswith(SLOWER_B)
    tab.page.unroute("**/api/runs*")
    tab.until("document.querySelectorAll('.banner').length === 0")


def test_page_older_than_the_server(fresh_tab: Tab) -> None:
    runs_answer(fresh_tab, version="99.0")
    assert "99.0" in fresh_tab.load().wait(".banner").inner_text()


def test_new_data_waits_for_the_reader(fresh_tab: Tab, logdir: Path, tmp_path: Path) -> None:
    tab = fresh_tab.load(link(a=NORMAL, b=ABNORMAL))
    before = tab.answer()
    added = logdir / "added"
    shutil.copytree(logdir / "cpu_training" / "normal", added)
    second = sorted((logdir / ABNORMAL).iterdir())[1]
    aside = tmp_path / second.name
    try:
        second.rename(aside)
        tab.page.locator("button[aria-label='Reload data'], .reload-button, [title*='eload']").first.click()
        assert "Newer data for Candidate" in tab.wait(".banner").inner_text()
        tab.find(".side-a .run-button").click()
        tab.wait(".runs-dialog input").fill("added")
        tab.until("document.querySelectorAll('.runs-dialog .grid-body .row').length === 1")
        tab.find(".runs-dialog header button").click()
        assert tab.answer() == before
        tab.find(".banner button", has_text="Update").click()
        tab.until("document.querySelector('.side-b .facts').textContent.includes('10 steps')")
    finally:
        aside.rename(second)  # as it was, its time too: other pages have this file's answer
        shutil.rmtree(added)
        urlopen(f"{fresh_tab.base}data/plugin/{PLUGIN}/api/runs?rescan=1").close()  # and so that others see it
