"""Settings for every test."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.thorough import EXAMPLES, THOROUGH

# A slow machine is no failure. In CI the examples are fixed, so that a red run can be run again. Making one that fails
# small takes minutes: that is for a run that is thorough.
settings.register_profile(
    "product",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=bool(os.environ.get("CI")),
    max_examples=EXAMPLES,
    phases=[phase for phase in Phase if THOROUGH or phase not in (Phase.shrink, Phase.explain)],
)
settings.load_profile("product")

# Started in the background of a script, a process ignores SIGINT, and so do its children: nothing could interrupt them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests read what they mean to read, and leave nothing in the home of whoever runs them.
os.environ["TB_PERFCOMPARE_CACHE"] = "off"

# Hundreds of processes import the same modules: compile each once, also where containers ask for no compiled files.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_TESTS = Path(__file__).parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Of several processes, each imports another share of the tests first: what one compiles, the others read."""
    worker: dict[str, str] = getattr(session.config, "workerinput", {})
    if not worker or [Path(argument).resolve() for argument in session.config.args] != [_TESTS]:
        return
    gc.disable()  # until all is collected, of which nothing is garbage
    number, processes = int(worker["workerid"].removeprefix("gw")), int(worker["workercount"])
    for path in sorted(_TESTS.rglob("test_*.py"))[number::processes]:
        with suppress(Exception, pytest.skip.Exception):  # collection tells of it
            import_module(".".join(path.relative_to(_TESTS.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Tests as collected stay to the end: no garbage collection looks at them. Of what tests make, next to nothing is
    garbage in circles: looking as often as usual takes a third of the time of those that make many objects."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


@pytest.fixture(scope="session")
def spare_workers() -> Iterator[list[Any]]:
    """What `kept_workers` keeps between modules."""
    from tests.machine.kept_workers import end_all

    spare: list[Any] = []
    yield spare
    end_all(spare)


@pytest.fixture(scope="module")
def kept_workers(spare_workers: list[Any]) -> Iterator[None]:
    """A module's workspaces take workers that those of earlier tests have left (tests/machine/kept_workers.py)."""
    from tests.machine.kept_workers import kept_workers

    with kept_workers(spare_workers):
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests passed in each folder: several processes print only dots."""
    passed = Counter(report.location[0].rpartition("/")[0] for report in terminalreporter.getreports("passed"))
    terminalreporter.section("passed")
    for folder, number in sorted(passed.items()):
        terminalreporter.write_line(f"{folder}/: {number}")
