"""The table of counters: joined by name, device and unit; absent is not zero."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.causes.counters import counter_findings, counter_text, moved_counters
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.counter_join import counter_changes, device_labels
from tb_perfcompare.comparison.tables.counters import counters_table, counters_view
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tests.analysis.summaries import summary as trace_summary
from tests.build import TraceBuilder

NAN = math.nan


def side(steps: int, **counters: tuple[str, str, list[float]]) -> Summary:
    """A side of `steps` steps of 1 ms; name -> (device, unit, value per step), sampled once in each step."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(steps):
        trace.step(number + 1, 1000 * number, 1000 * number + 1000)
        trace.op("aten::mm", 1000 * number + 10, 1000 * number + 20)
    values = np.array([series for _, _, series in counters.values()]).reshape(len(counters), steps)
    known = np.isfinite(values)
    series = CounterSeries(
        tuple((name.split("__")[0], device) for name, (device, _, _) in counters.items()),
        tuple(unit for _, unit, _ in counters.values()),
        values, np.where(known, 0.0, NAN), np.where(known, 0.5, 0.0), known.astype(np.int64),
    )  # fmt: skip
    return replace(trace_summary(trace), counters=series if counters else None)


def table(a: Summary, b: Summary) -> dict[tuple[str, str], dict[str, Any]]:
    """(counter, device) -> row by column name."""
    found = counters_table(counter_changes(a, b))
    assert found is not None
    return _by_key(found)


def _by_key(found: Table) -> dict[tuple[str, str], dict[str, Any]]:
    return {(str(row[0]), str(row[1])): dict(zip(found.places, row, strict=True)) for row in found.rows}


def test_means_difference_coverage_and_samples() -> None:
    a = side(2, clock=("GPU 0", "MHz", [1400.0, 1200.0]))
    b = side(3, clock=("GPU 0", "MHz", [600.0, NAN, 700.0]))
    row = table(a, b)["clock", "GPU 0"]
    assert (row["unit"], row["baseline"], row["candidate"], row["delta"], row["percent"]) == (
        "MHz",
        1300,
        650,
        -650,
        -0.5,
    )
    assert (row["baseline_coverage"], row["candidate_coverage"]) == (0.5, pytest.approx(1 / 3))
    assert (row["baseline_samples"], row["candidate_samples"], row["status"]) == (2, 2, "both")


def test_absent_is_not_zero() -> None:
    a = side(1, old=("Host", "%", [5.0]), zero=("Host", "%", [0.0]), never=("Host", "%", [NAN]))
    b = side(1, new=("Host", "%", [6.0]), zero=("Host", "%", [2.0]))
    found = table(a, b)
    assert [found[name, "Host"]["status"] for name in ("old", "new", "zero")] == ["removed", "added", "both"]
    assert found["old", "Host"]["candidate"] is None and found["old", "Host"]["delta"] is None
    assert (found["zero", "Host"]["delta"], found["zero", "Host"]["percent"]) == (2, None)
    assert ("never", "Host") not in found


def test_without_counters_there_is_no_table() -> None:
    assert counters_table(counter_changes(side(1), side(1))) is None
    assert counters_view(side(1)) is None


def test_unknown_numbers_stay_unknown() -> None:
    one = side(2, clock=("GPU 0", "MHz", [1.0, 2.0]))
    assert one.counters is not None
    unsure = replace(one.counters, samples=np.full((1, 2), -1), coverage=np.full((1, 2), NAN), sd=np.full((1, 2), NAN))
    row = table(replace(one, counters=unsure), one)["clock", "GPU 0"]
    assert (row["baseline_samples"], row["baseline_coverage"], row["baseline_sd"]) == (None, None, None)
    assert row["candidate_samples"] == 2


def test_other_units_are_other_rows() -> None:
    a, b = side(1, clock=("Host", "%", [87.0])), side(1, clock=("Host", "MHz", [3500.0]))
    found = counters_table(counter_changes(a, b))
    assert found is not None
    assert sorted((row[2], row[-1]) for row in found.rows) == [("%", "removed"), ("MHz", "added")]


@pytest.mark.parametrize(
    ("ours", "theirs", "labels_a", "labels_b"),
    [
        ("GPU 0", "GPU 0", "GPU 0", "GPU 0"),
        ("GPU 7,Host", "GPU 3,Host", "GPU #1,Host", "GPU #1,Host"),
        ("GPU 9,GPU 10", "GPU 0,GPU 1", "GPU #1,GPU #2", "GPU #1,GPU #2"),
        ("GPU 0", "GPU 0,GPU 1", "GPU 0", "GPU 0,GPU 1"),
        ("GPU 4", "MLU 4", "GPU 4", "MLU 4"),
        ("GPU 007,GPU " + "9" * 5000, "GPU 8,GPU 07", "GPU #1,GPU #2", "GPU #2,GPU #1"),
    ],
)
def test_devices_match_by_order_not_by_number(ours: str, theirs: str, labels_a: str, labels_b: str) -> None:
    found = device_labels(ours.split(","), theirs.split(","))
    assert [",".join(side.values()) for side in found] == [labels_a, labels_b]


def test_renumbered_devices_have_a_note() -> None:
    changes = counter_changes(side(1, clock=("GPU 7", "MHz", [9.0])), side(1, clock=("GPU 3", "MHz", [8.0])))
    found = counters_table(changes)
    assert found is not None and found.notes[-1] == "GPU #1 is GPU 7 of the baseline and GPU 3 of the candidate."
    assert _by_key(found)["clock", "GPU #1"]["delta"] == -1


def test_moved_counters_are_findings_with_clocks_first() -> None:
    ramp = [float(n) for n in range(8)]

    def near(value: float) -> list[float]:
        return [value + n % 3 for n in range(8)]

    a = side(
        8, gpu_frequency=("GPU 0", "MHz", near(1400)), sm_frequency=("GPU 0", "MHz", near(1400)),
        usage=("GPU 0", "%", near(10)), noise=("Host", "%", ramp), little=("Host", "%", near(100)),
    )  # fmt: skip
    b = side(
        8, gpu_frequency=("GPU 0", "MHz", [210.0] * 8), sm_frequency=("GPU 0", "MHz", [210.0] * 8),
        usage=("GPU 0", "%", near(40)), noise=("Host", "%", [*ramp[:3:-1], 9, 9, 9, 9]),
        little=("Host", "%", near(104)),
    )  # fmt: skip
    moved = moved_counters(counter_changes(a, b), 0.05)
    assert [row.counter for row in moved] == ["gpu_frequency", "sm_frequency", "usage"]
    found = counter_findings(moved, 0.05, 10)
    assert [finding.subject for finding in found] == ["gpu_frequency of GPU 0", "usage of GPU 0"], (
        "the SM clock repeats it"
    )
    assert found[0].sentence == "Counter gpu_frequency of GPU 0: 1,401 → 210 MHz (−85.0 %)."
    assert (found[0].rule, found[0].delta_us) == ("counter_moved", None)
    assert counter_findings(moved, 0.05, 1) == found[:1]


def test_two_steps_apart_are_no_finding() -> None:
    """Two steps per side are apart in a third of all cases."""
    changes = counter_changes(side(2, usage=("GPU 0", "%", [1.0, 2.0])), side(2, usage=("GPU 0", "%", [3.0, 4.0])))
    assert changes[0].apart == pytest.approx(1 / 3)
    assert moved_counters(changes, 0.05) == ()


def test_a_drifting_clock_is_a_finding_and_drifting_usage_is_not() -> None:
    """Autocorrelated values: apart, but not significantly different."""
    before, after = [float(x) for x in range(40, 48)], [float(x) for x in range(50, 58)]
    names = {"cpu_usage": ("Host", "%"), "gpu_frequency": ("0", "MHz")}
    a, b = (side(8, **{name: (*key, values) for name, key in names.items()}) for values in (before, after))
    changes = counter_changes(a, b)
    assert all(row.q is not None and row.q > 0.05 and row.apart is not None for row in changes)
    assert [row.counter for row in moved_counters(changes, 0.05)] == ["gpu_frequency"]


def test_traffic_is_read_in_decimal_units() -> None:
    (row,) = counter_changes(side(1, link=("GPU 0", "bytes/s", [2.5e6])), side(1, link=("GPU 0", "bytes/s", [1.25e9])))
    assert counter_text(row) == "link of GPU 0 0.003 → 1.25 GB/s"


values = st.lists(st.floats(0, 1e6) | st.just(NAN), min_size=3, max_size=3)


@given(values, values, values, values)
def test_swapped_sides_negate_deltas_and_equal_sides_have_none(
    w: list[float], x: list[float], y: list[float], z: list[float]
) -> None:
    a, b = (side(3, p=("Host", "%", one), q=("GPU 0", "MHz", two)) for one, two in ((w, x), (y, z)))
    forward, swapped = counter_changes(a, b), counter_changes(b, a)
    other = {(row.counter, row.device): row for row in swapped}
    for row in forward:
        mirror = other[row.counter, row.device]
        assert (row.baseline, row.candidate, row.p, row.q) == (mirror.candidate, mirror.baseline, mirror.p, mirror.q)
        assert row.delta == (None if mirror.delta is None else -mirror.delta)
    assert [row.counter for row in forward] == [row.counter for row in swapped]
    assert all(not row.delta for row in counter_changes(a, a))
