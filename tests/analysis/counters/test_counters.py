"""Counters per step: a sample holds until the next one.

In pictures a step is a box, a digit a sample of that value, a character 10 ns.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.counters.counter_tables import SampledCounters, coarse_note, sampled_counters
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.tables import CounterSeries
from tests.analysis.summaries import summary
from tests.build import MAIN, TraceBuilder

NS = 10
Sample = tuple[str, str, int, int, float]
"""name, series, device, time in ns, value"""


def samples_of(rows: list[Sample]) -> CounterSamples:
    """The samples as a reader gives them."""
    strings = StringTable(sorted({text for name, series, *_ in rows for text in (name, series)}))
    ordered = sorted(rows, key=lambda row: (row[3], row[0], row[1], row[2], row[4]))
    return CounterSamples(
        strings,
        np.array([strings.find(row[0]) for row in ordered], np.int32),
        np.array([strings.find(row[1]) for row in ordered], np.int32),
        np.array([row[2] for row in ordered], np.int32),
        np.array([row[3] for row in ordered], np.int64),
        np.array([row[4] for row in ordered], np.float64),
    )


def sampled(rows: list[Sample], edges: list[tuple[int, int]], word: str = "GPU") -> SampledCounters | None:
    start, end = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    return sampled_counters(samples_of(rows), start, end, word)


def drawn(steps: str, *lines: str) -> tuple[list[Sample], list[tuple[int, int]]]:
    """Samples of the counters "0", "1", ... of the host and step edges."""
    edges = [(NS * box.start(), NS * box.end()) for box in re.finditer(r"\[[^\]]*\]", steps)]
    samples = [
        (str(number), str(number), HOST_DEVICE, NS * at, float(digit))
        for number, line in enumerate(lines)
        for at, digit in enumerate(line)
        if digit.isdigit()
    ]
    return samples, edges


def series(rows: list[Sample], edges: list[tuple[int, int]], word: str = "GPU") -> CounterSeries:
    found = sampled(rows, edges, word)
    assert found is not None
    return found.series


def test_a_sample_holds_until_the_next_one() -> None:
    found = series(*drawn("[........]",
                          "4  8    2"))  # fmt: skip
    # 4 stands for 3 of 10, 8 for 5, 2 for 2
    assert found.mean.tolist() == [[pytest.approx((4 * 3 + 8 * 5 + 2 * 2) / 10)]]
    assert found.sd[0, 0] == pytest.approx(math.sqrt((1.6**2 * 3 + 2.4**2 * 5 + 3.6**2 * 2) / 10))
    assert (found.coverage.tolist(), found.samples.tolist()) == ([[1.0]], [[3]])


def test_a_sample_before_a_step_counts_in_its_mean_but_not_its_coverage() -> None:
    found = series(*drawn("  [........][........]",
                          " 6    2"))  # fmt: skip
    # first step: 6 for 4 of 10, then 2; second step: 2 is held
    assert found.mean.tolist() == [[pytest.approx((6 * 4 + 2 * 6) / 10), 2.0]]
    assert found.coverage.tolist() == [[0.6, 0.0]]
    assert (found.samples.tolist(), found.sd[0, 1]) == ([[1, 0]], 0.0)


def test_steps_before_the_first_sample_have_no_values() -> None:
    found = series(*drawn("[........][........][........]",
                          "              5   "))  # fmt: skip
    # the second step is known from its middle on, and its mean is over that half
    assert np.isnan(found.mean[0, 0]) and np.isnan(found.sd[0, 0])
    assert found.mean[0, 1:].tolist() == [5.0, 5.0]
    assert found.coverage.tolist() == [[0.0, 0.6, 0.0]]


def test_a_sample_at_an_edge_belongs_to_the_step_that_begins_there() -> None:
    found = series(*drawn("[........][........]",
                          "3         7"))  # fmt: skip
    assert found.mean.tolist() == [[3.0, 7.0]]
    assert (found.sd.tolist(), found.samples.tolist()) == ([[0.0, 0.0]], [[1, 1]])


def test_a_sample_between_steps_holds_into_the_next_step() -> None:
    found = series(*drawn("[....]    [....]",
                          "1   2 3 4    8  "))  # fmt: skip
    assert found.samples.tolist() == [[2, 1]]
    assert found.mean.tolist() == [[pytest.approx((1 * 4 + 2 * 2) / 6), pytest.approx((4 * 3 + 8 * 3) / 6)]]


def test_each_counter_has_its_own_row() -> None:
    found = series(*drawn("[........][........]",
                          "1         ",
                          "          9",
                          "   5   "))  # fmt: skip
    assert found.keys == (("0", "Host"), ("1", "Host"), ("2", "Host"))
    assert np.array_equal(found.mean, [[1, 1], [np.nan, 9], [5, 5]], equal_nan=True)


def test_simultaneous_samples_are_averaged_and_all_counted() -> None:
    rows = [("a", "a", HOST_DEVICE, 0, 2.0), ("a", "a", HOST_DEVICE, 0, 4.0), ("a", "a", HOST_DEVICE, 50, 9.0)]
    found = series(rows, [(0, 100)])
    assert (found.mean.tolist(), found.samples.tolist()) == ([[6.0]], [[3]])


def test_a_step_of_zero_length_has_the_current_value() -> None:
    found = series([("a", "a", HOST_DEVICE, 0, 2.0)], [(0, 0), (0, 50), (50, 50)])
    assert np.isnan(found.mean[0, 0])
    assert found.mean[0, 1:].tolist() == [2.0, 2.0]
    assert found.coverage.tolist() == [[0.0, 1.0, 0.0]]


def test_a_counter_sampled_after_the_last_step_is_left_out() -> None:
    assert sampled([("late", "late", HOST_DEVICE, 200, 1.0)], [(0, 100)]) is None


def test_extreme_values_do_not_overflow() -> None:
    rows = [("a", "a", HOST_DEVICE, at, value) for at, value in ((0, 1.7e308), (10, -1.7e308), (10, -1.7e308))]
    found = series(rows, [(0, 5), (5, 20)])
    assert found.mean[0, 0] == 1.7e308
    assert not np.isinf(found.mean).any() and not np.isinf(found.sd).any()


# -- names and units ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "key", "shown"),
    [
        ("GPU 0 Utilization", "GPU Utilization", "GPU Utilization"),
        ("GPU 0 Est. SM Efficiency", "Est. SM Efficiency", "GPU Est. SM Efficiency"),
        ("power", "power", "power"),
        ("power", "value", "power"),
        ("memory", "used", "memory / used"),
    ],
)
def test_a_series_key_is_shown_unless_it_repeats_the_name(name: str, key: str, shown: str) -> None:
    found = series([(name, key, 0, 0, 1.0)], [(0, 10)])
    assert found.keys == ((shown, "GPU 0"),)


def test_all_series_of_a_counter_show_their_keys() -> None:
    found = series([("memory", "memory", 1, 0, 1.0), ("memory", "free", 1, 0, 1.0)], [(0, 10)])
    assert found.keys == (("memory / free", "GPU 1"), ("memory / memory", "GPU 1"))


def test_counters_whose_short_names_collide_keep_their_full_names() -> None:
    rows = [("GPU 0 load", "GPU load", 0, 0, 1.0), ("GPU load", "GPU load", 0, 0, 3.0)]
    found = series(rows, [(0, 10)])
    assert found.keys == (("GPU 0 load / GPU load", "GPU 0"), ("GPU load / GPU load", "GPU 0"))
    assert found.mean.tolist() == [[1.0], [3.0]]


@pytest.mark.parametrize(
    ("device", "word", "label"),
    [(HOST_DEVICE, "GPU", "Host"), (2, "GPU", "GPU 2"), (2, "MLU", "MLU 2"), (2, "CPU", "Device 2"),
     (ALL_DEVICES, "GPU", "GPU (all)")],
)  # fmt: skip
def test_counters_have_the_label_of_their_device(device: int, word: str, label: str) -> None:
    assert series([("a", "a", device, 0, 1.0)], [(0, 10)], word).keys == (("a", label),)


@pytest.mark.parametrize(
    ("name", "key", "value", "unit"),
    [
        ("gpu_frequency", "value", 1410.0, "MHz"),
        ("gpu_sm_util", "gpu_sm_util", 0.5, "fraction"),
        ("GPU 0 Utilization", "GPU Utilization", 0.5, "fraction"),
        ("GPU 0 Utilization", "GPU Utilization", 50.0, ""),
        ("Power (W)", "value", 300.0, "W"),
        ("Memory", "used [MiB]", 300.0, "MiB"),
        ("f(2)", "value", 1.0, ""),
        ("queue", "length", 1.0, ""),
    ],
)
def test_the_unit_comes_from_a_known_name_or_from_brackets(name: str, key: str, value: float, unit: str) -> None:
    assert series([(name, key, 0, 0, value)], [(0, 10)]).units == (unit,)


# -- periods ------------------------------------------------------------------------------------------------------


def test_a_note_lists_counters_sampled_less_than_once_per_step() -> None:
    rows, edges = drawn("[..][..][..][..]",
                        "1     2     3   ",
                        "1 2 3 4 5 6 7 8 ")  # fmt: skip
    found = sampled(rows, edges)
    assert found is not None
    assert found.period_ns.tolist() == [60, 20]
    lengths = np.array([end - start for start, end in edges])
    note = coarse_note(found, lengths, "trace")
    assert note is not None and note.code is NoteCode.COARSE_COUNTERS
    assert note.message == (
        "counters sampled more rarely than the steps last (40.0 ns): 0 of Host every 60.0 ns; "
        "compare their means over the capture, not single steps"
    )
    assert coarse_note(found, lengths[:1], "trace") is None  # one step is the capture


# -- whole traces -------------------------------------------------------------------------------------------------


def two_steps(**options: int) -> TraceBuilder:
    trace = TraceBuilder(**options)
    trace.step(1, 0, 100)
    trace.step(2, 100, 200)
    trace.op("aten::mm", 10, 190)
    trace.kernel("gemm", 20, 90, launch=(12, 14))
    trace.kernel("gemm", 120, 190, launch=(112, 114))
    return trace


def test_a_trace_with_counters_has_them_per_step() -> None:
    trace = two_steps()
    for at, value in ((0, 0.5), (150, 1.0)):
        trace.counter("GPU 0 Utilization", at, pid=0, **{"GPU Utilization": value})
    trace.counter("rss", 50, value=7)
    found = summary(trace, window="marker")
    assert found.counters is not None
    assert found.counters.keys == (("GPU Utilization", "GPU 0"), ("rss", "Host"))
    assert found.counters.units == ("fraction", "")
    assert found.counters.mean.tolist() == [[0.5, 0.75], [7.0, 7.0]]
    assert found.counters.coverage.tolist() == [[1.0, 0.5], [0.5, 0.0]]
    assert "counters" not in found.absent


def test_without_counters_the_reason_is_given() -> None:
    assert summary(two_steps(), window="marker").absent["counters"] == "no counter events in the trace"
    late = two_steps()
    late.counter("rss", 500, value=7)
    found = summary(late, window="marker")
    assert found.counters is None
    assert found.absent["counters"] == "no counter was sampled before the last compared step ended"


def test_counters_change_nothing_else() -> None:
    trace = two_steps()
    plain = summary(trace, window="marker")
    trace.counter("rss", 50, pid=MAIN, value=7)
    counted = summary(trace, window="marker")
    assert np.array_equal(plain.owned.time_ns, counted.owned.time_ns)
    assert (plain.owned.key, plain.steps.label, plain.notes) == (counted.owned.key, counted.steps.label, counted.notes)


# -- laws ---------------------------------------------------------------------------------------------------------

VALUES = st.floats(-1e9, 1e9) | st.integers(-5, 5).map(float)


@st.composite
def step_edges(draw: st.DrawFn) -> list[tuple[int, int]]:
    at, edges = draw(st.integers(0, 50)), []
    for _ in range(draw(st.integers(1, 5))):
        at += draw(st.sampled_from((0, 0, 13)))
        length = draw(st.integers(0, 60))
        edges.append((at, at + length))
        at += length
    return edges


@st.composite
def sample_rows(draw: st.DrawFn) -> list[Sample]:
    row = st.tuples(
        st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from([HOST_DEVICE, 0, 1]), st.integers(0, 300), VALUES
    )
    return draw(st.lists(row, min_size=1, max_size=14))


def naive(rows: list[Sample], edges: list[tuple[int, int]], of: tuple[str, str, int]) -> list[list[float]]:
    """Mean, sd, coverage and samples of a counter per step, computed nanosecond by nanosecond."""
    own: dict[int, list[float]] = {}
    for name, key, device, time, value in rows:
        if (name, key, device) == of:
            own.setdefault(time, []).append(value)
    out = []
    for start, end in edges:
        values, covered, inside = [], 0, False
        for instant in range(start, end):
            inside |= instant in own
            covered += inside
            before = [time for time in own if time <= instant]
            if before:
                values.append(sum(own[max(before)]) / len(own[max(before)]))
        mean = sum(values) / len(values) if values else math.nan
        sd = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) if values else math.nan
        count = sum(len(found) for time, found in own.items() if start <= time < end)
        out.append([mean, sd, covered / (end - start) if end > start else 0.0, count])
    return out


@given(sample_rows(), step_edges())
def test_figures_equal_those_computed_by_nanosecond(rows: list[Sample], edges: list[tuple[int, int]]) -> None:
    found = sampled(rows, edges)
    known = {} if found is None else dict(zip(found.series.keys, range(len(found.series)), strict=True))
    for name, key, device in {row[:3] for row in rows}:
        expected = naive(rows, edges, (name, key, device))
        row = known.get((f"{name} / {key}", "Host" if device == HOST_DEVICE else f"GPU {device}"))
        for step, (start, end) in enumerate(edges):
            mean, sd, coverage, samples = expected[step]
            if row is None or found is None:
                assert math.isnan(mean)
            elif start < end:
                own = found.series
                assert own.mean[row, step] == pytest.approx(mean, rel=1e-9, abs=1e-6, nan_ok=True)
                assert own.sd[row, step] == pytest.approx(sd, rel=1e-6, abs=1e-3, nan_ok=True)
                assert own.coverage[row, step] == pytest.approx(coverage)
                assert own.samples[row, step] == samples


@given(sample_rows(), step_edges(), VALUES)
def test_a_constant_counter_has_exactly_itself_as_mean(
    rows: list[Sample], edges: list[tuple[int, int]], value: float
) -> None:
    found = sampled([(*row[:4], value) for row in rows], edges)
    if found is not None:
        known = np.isfinite(found.series.mean)
        assert set(found.series.mean[known].tolist()) == {value}
        assert set(found.series.sd[known].tolist()) == {0.0}


@given(sample_rows(), step_edges(), st.sampled_from([-10_000, 7, 1_700_000_000_000_000_000]))
def test_shifting_the_clock_changes_nothing(rows: list[Sample], edges: list[tuple[int, int]], shift: int) -> None:
    moved = [(*row[:3], row[3] + shift, row[4]) for row in rows]
    found = sampled(rows, edges)
    shifted = sampled(moved, [(a + shift, b + shift) for a, b in edges])
    assert (found is None) == (shifted is None)
    if found is not None and shifted is not None:
        assert_same(found.series, shifted.series)
        assert np.array_equal(found.period_ns, shifted.period_ns, equal_nan=True)


@given(sample_rows(), step_edges())
def test_a_counter_does_not_depend_on_other_counters(rows: list[Sample], edges: list[tuple[int, int]]) -> None:
    whole = sampled(rows, edges)
    if whole is None:
        return
    for name, key, device in {row[:3] for row in rows}:
        # a second series keeps the key in the name
        own = [row for row in rows if row[:3] == (name, key, device)] + [(name, "z", 9, 10**6, 0.0)]
        alone = sampled(own, edges)
        at = [row for row, found in enumerate(whole.series.keys) if found == alone.series.keys[0]] if alone else []
        for row in at:
            assert alone is not None
            assert_same(replace(whole.series, **_rows(whole.series, [row])), alone.series)


def _rows(whole: CounterSeries, rows: list[int]) -> dict[str, object]:
    return {
        "keys": tuple(whole.keys[row] for row in rows),
        "units": tuple(whole.units[row] for row in rows),
        **{name: getattr(whole, name)[rows] for name in ("mean", "sd", "coverage", "samples")},
    }


def assert_same(found: CounterSeries, expected: CounterSeries) -> None:
    assert (found.keys, found.units) == (expected.keys, expected.units)
    for name in ("mean", "sd", "coverage", "samples"):
        assert np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True), name
