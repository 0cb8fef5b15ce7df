"""One engineer's way through the tab, in Firefox: from two runs to a link for a colleague."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.firefox import Firefox, started
from tests.browser.tab import GPU_A, GPU_B, LOAD_MS, SLOWER_B, link
from tests.machine.frontend_tools import unavailable

STRICT_ROW = ".strict-triplets .grid-body .row"


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        unavailable("no firefox on PATH: apt-get install firefox-esr")
    with started(program, tmp_path) as firefox:
        yield firefox


def test_from_the_pair_to_the_shared_link_in_firefox(firefox: Firefox, server: str, tmp_path: Path) -> None:
    firefox.open(server + link())
    firefox.text(".verdict h2")
    choose_the_pair(firefox)
    cause = read_the_cause_and_drill_to_the_kernel(firefox)
    compare_one_step_of_each(firefox)
    shared, row = open_the_strict_report(firefox)
    report = export_the_report(firefox, tmp_path / "downloads")
    a_colleague_sees_the_same(firefox, shared, row)
    assert firefox.errors() == []
    the_report_opens_from_disk(firefox, report, cause)


def choose_run(firefox: Firefox, side: str, run: str) -> None:
    firefox.click(f".side-{side} .run-button")
    folder, name = run.split("/")
    firefox.select(".runs-dialog select", folder)
    firefox.click(".runs-dialog .grid-body .row", name)


def choose_the_pair(firefox: Firefox) -> None:
    choose_run(firefox, "a", GPU_A)
    choose_run(firefox, "b", GPU_B)
    firefox.until("document.querySelector('.findings').textContent.includes('sgemm')")
    assert firefox.text(".verdict h2").startswith(SLOWER_B)


def read_the_cause_and_drill_to_the_kernel(firefox: Firefox) -> str:
    cause = firefox.text(".cause-item .what p").replace("\xa0", " ")
    assert "sgemm" in cause
    firefox.click("button.fall", "Kernel")
    assert "ampere_sgemm" in firefox.text(".entries tbody tr")
    firefox.click(".cause-item .link-button", "Kernels")
    assert "sgemm" in firefox.text(".row-panel .full-name")
    return cause


def compare_one_step_of_each(firefox: Firefox) -> None:
    firefox.click("[role=tab]", "Timeline")
    firefox.text(".st[aria-busy=false] .st-pane-b")
    firefox.select(".st-pane-b select", "worst")
    firefox.until("document.querySelector('.st-pane-b select option:checked').textContent.startsWith('longest: step ')")
    firefox.until("document.querySelector('.st[aria-busy=false] .st-canvas').getBoundingClientRect().height > 0")
    assert "p.tb_perfcompare.tb=worst" in firefox.address()


def open_the_strict_report(firefox: Firefox) -> tuple[str, str]:
    firefox.click(".menu button", "Export")
    firefox.click(".pop-item", "Strict report")
    row = firefox.text(STRICT_ROW)
    return firefox.address(), row


def export_the_report(firefox: Firefox, folder: Path) -> Path:
    firefox.click(".menu button", "Export")
    firefox.click(".pop-item", "Report (web page)")
    deadline = time.monotonic() + LOAD_MS / 1000
    while not (made := list(folder.glob("*.html"))) or list(folder.glob("*.part")) or not made[0].stat().st_size:
        assert time.monotonic() < deadline, "nothing was downloaded"
        time.sleep(0.05)
    return made[0]


def a_colleague_sees_the_same(firefox: Firefox, shared: str, row: str) -> None:
    """From another page of the tab, where nothing is remembered but the address."""
    firefox.script("localStorage.clear(); sessionStorage.clear(); parent.location.hash = arguments[0]", link())
    firefox.text(".verdict h2")
    firefox.script("parent.location.href = arguments[0]", shared)
    assert firefox.text(STRICT_ROW) == row


def the_report_opens_from_disk(firefox: Firefox, report: Path, cause: str) -> None:
    firefox.leave()
    firefox.command("WebDriver:Navigate", url=report.as_uri())
    assert cause in firefox.text("main")
    assert firefox.script("return document.querySelectorAll('.falls rect').length") > 2
    assert firefox.script("return document.querySelector('.lane .dots').getBoundingClientRect().width") > 100
