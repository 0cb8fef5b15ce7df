"""Settings for every test."""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from tests.thorough import EXAMPLES

# A slow machine is no failure. In CI the examples are fixed, so that a red run can be run again.
settings.register_profile(
    "product",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=bool(os.environ.get("CI")),
    max_examples=EXAMPLES,
)
settings.load_profile("product")

# Started in the background of a script, a process ignores SIGINT, and so do its children: nothing could interrupt them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests read what they mean to read, and leave nothing in the home of whoever runs them.
os.environ["TB_PERFCOMPARE_CACHE"] = "off"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests passed in each folder: several processes print only dots."""
    passed = Counter(report.location[0].rpartition("/")[0] for report in terminalreporter.getreports("passed"))
    terminalreporter.section("passed")
    for folder, number in sorted(passed.items()):
        terminalreporter.write_line(f"{folder}/: {number}")
