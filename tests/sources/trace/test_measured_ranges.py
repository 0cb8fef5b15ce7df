"""Ranges measured by the profiler: metrics in order of execution, not events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sources.layouts import Json, op, read_events

pytestmark = pytest.mark.usefixtures("each_reader")


def measured(name: Any, ts: Any, **args: Any) -> Json:
    return {"ph": "X", "cat": "cuda_profiler_range", "name": name, "pid": 0, "tid": 0, "ts": ts, "dur": 5, "args": args}


def test_ranges_are_in_order_of_execution() -> None:
    found = read_events(op(), measured("second", 20, b=2.5), measured("first", 10, a=1, b=2), op())
    assert (found.ranges.name, found.ranges.metrics) == (("first", "second"), ("a", "b"))
    np.testing.assert_array_equal(found.ranges.values, [[1, 2], [np.nan, 2.5]])
    assert len(found.events) == 2 and found.stats.kept == found.stats.events == 4


def test_only_numbers_are_metrics() -> None:
    found = read_events(op(), measured("k", 10, a="1", b=None, c=True, d=3, device=0)).ranges
    assert (found.metrics, found.values.tolist()) == (("d",), [[3.0]])


def test_a_range_without_metrics_is_kept_and_one_without_a_time_dropped() -> None:
    found = read_events(op(), measured("none", 10), measured("lost", None, a=1), measured(None, 12, a=1))
    assert (found.ranges.name, found.ranges.values.shape) == (("none",), (1, 0))
    assert found.stats.dropped == {"name": 1, "ts": 1}


def test_other_categories_and_names_are_not_ranges() -> None:
    found = read_events(op(), op(cat="cuda_profiler_ranges"), op(name="cuda_profiler_range")).ranges
    assert len(found) == 0 and found.metrics == ()
