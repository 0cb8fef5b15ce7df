"""Two TensorBoards and one Chromium for all tests of the tab: one over the demo runs, one over drawn runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.served import Served, served
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.browser.tab import HOSTILE_A, HOSTILE_B, SERIES, Tab, link
from tests.drawn_runs import write_open_pair, write_pair, write_run
from tests.history.series import content_of, record_run
from tests.machine.frontend_tools import ROOT, axe_source, unavailable
from tests.runs.hostile_names import FORMULAS, MARKUP, write_names
from tests.runs.long_table import write_long_pair
from tests.runs.slow_runs import write_slow_pair

PAIRS = (
    "cpu_training", "gpu_training_synthetic", "mlu_training_synthetic", "saved_answers_synthetic",
    "perf_data_synthetic", "kernel_listing_synthetic", "ncu_synthetic", "server_synthetic",
)  # fmt: skip
# The headless shell comes first: it draws the same with a quarter less work.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",  # pictures are drawn by the processor: a process less to pass them through
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt --no-maglev --single-threaded",  # compiling for speed, and threads, cost more than they save
)


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the demo runs in every format, a run whose file is damaged, and a series of recorded runs."""
    demo = ROOT / "demo_logs"
    target = tmp_path_factory.mktemp("logs") / "resnet"
    for pair in PAIRS:
        shutil.copytree(demo / pair, target / pair)
    broken = target / "damaged" / "worker0.1750000000000.pt.trace.json.gz"
    broken.parent.mkdir()
    broken.write_bytes(b"this is no gzip stream")
    record_series(target, tmp_path_factory.mktemp("recorded"))
    return target


def record_series(logdir: Path, folder: Path) -> None:
    """Twelve nights; from the seventh on a step takes half as long again. A thirteenth file is damaged."""
    sides = [content_of(write_run(folder / "before")), content_of(write_run(folder / "after", extra_us=500))]
    for day in range(12):
        point = record_run(logdir, sides[day >= 6], day=day, label=f"night-{day + 1}", series=SERIES)
    point.with_name(point.name.replace("night-12", "torn")).write_bytes(point.read_bytes()[:500])


@pytest.fixture(scope="session")
def server(logdir: Path) -> Iterator[str]:
    """Address of a TensorBoard below a path prefix, with a dashboard besides ours."""
    with served(logdir, prefix="/a/b", empty_tab=True) as found:
        yield found.address


@pytest.fixture(scope="session")
def drawn_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Over pairs with hostile names, with long tables, with files that take a minute to read, and with short ones."""
    folder: Path = tmp_path_factory.mktemp("drawn")
    write_names(folder, MARKUP + FORMULAS, (HOSTILE_A, HOSTILE_B))
    write_long_pair(folder / "long")
    write_slow_pair(folder / "slow")
    write_pair(folder / "quick")
    write_open_pair(folder)
    with served(folder, environment={WORKERS: "2", SWITCH: "off"}, core_only=True) as found:
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        unavailable("no Chromium on PATH: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def drawn_pages(chromium: Browser) -> Iterator[BrowserContext]:
    """Of the drawn runs' server: one page for all tests, as long as none closes it."""
    context = chromium.new_context(viewport={"width": 1500, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def drawn_page(drawn_pages: BrowserContext) -> Page:
    return drawn_pages.pages[0] if drawn_pages.pages else drawn_pages.new_page()


@pytest.fixture(scope="session")
def axe() -> str:
    """Source of the accessibility checker."""
    return axe_source()


@pytest.fixture(scope="session")
def _shared_tab(chromium: Browser, server: str) -> Iterator[Tab]:
    """TensorBoard around our frame is loaded once: it takes fifteen times as much work as the frame."""
    context = chromium.new_context(viewport={"width": 1500, "height": 900}, accept_downloads=True)
    yield Tab(context.new_page(), server)
    context.close()


@pytest.fixture
def tab(_shared_tab: Tab, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The loaded tab, set back to a first visit; fails the test if our frame complained of anything. A module whose
    tests begin with a link of their own says `START = NO_RUNS`: they begin with next to nothing on screen."""
    tab = _as_at_first(_shared_tab)
    start = getattr(request.module, "START", link())
    if tab.usual:
        tab.dark(False)
        tab.frame.evaluate("localStorage.removeItem('tb_perfcompare.recent')")
        tab.go(start)
    else:
        tab.load(start)
        tab.usual = True
    tab.wait(".verdict h2" if start == link() else ".state[role=alert]")
    tab.allowed.append("candidate=gone+too")  # a page that has no list of runs yet may ask for the comparison
    tab.frame.evaluate("window.focus()")  # keys go where the focus is
    yield tab
    assert tab.faults() == []


@pytest.fixture
def fresh_tab(_shared_tab: Tab) -> Iterator[Tab]:
    """The tab before its `load`, which is a first visit, for tests of the start or with changed answers."""
    _shared_tab.usual = False
    yield _as_at_first(_shared_tab)
    faults = _shared_tab.faults()
    _shared_tab.page.unroute_all(behavior="ignoreErrors")
    assert faults == []


def _as_at_first(tab: Tab) -> Tab:
    tab.complaints.clear()
    tab.allowed.clear()
    tab.page.unroute_all(behavior="ignoreErrors")
    tab.page.set_viewport_size({"width": 1500, "height": 900})
    tab.page.mouse.move(0, 0)
    return tab
