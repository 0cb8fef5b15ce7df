"""Counters files of a recording: sampling rounds, clocks, process ids."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.counters.counter_file import rounds, with_counter_file
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.analysis.trace.environment import clock_zero_ns
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.cycles import CounterTable
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.sources.perf_data.csv_tables import read_counters
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.build import ABSOLUTE_BASE_NS, TraceBuilder
from tests.shared_data import SHARED, needs_shared

EPOCH_US = ABSOLUTE_BASE_NS / 1000
STEP_US = 1000


# -- rounds -------------------------------------------------------------------------------------------------------


def rounds_of(line: str) -> tuple[Ints, Floats, int]:
    """Rounds of drawn samples: a digit is a value at its position."""
    samples = [(at, float(digit)) for at, digit in enumerate(line) if digit.isdigit()]
    return rounds(np.array([at for at, _ in samples]), np.array([value for _, value in samples]))


@pytest.mark.parametrize(
    ("line", "times", "values", "size"),
    [
        # one device
        ("1         2         3         4", [0, 10, 20, 30], [1, 2, 3, 4], 1),
        # three devices
        ("123                 456                 789", [0, 20, 40], [2, 5, 8], 3),
        # a device misses a round
        ("123                 45                  789", [0, 20, 40], [2, 4.5, 8], 3),
        # the recorder pauses
        ("13            57            13                                                 57", [0, 14, 28, 79],
         [2, 6, 2, 6], 2),
        ("1   2   3   4   5   6                                                    7",
         [0, 4, 8, 12, 16, 20, 73], [1, 2, 3, 4, 5, 6, 7], 1),
        # slightly irregular sampling
        ("1    2   3      4    5   6", [0, 5, 9, 16, 21, 25], [1, 2, 3, 4, 5, 6], 1),
        ("7", [0], [7], 1),
        ("12", [0, 1], [1, 2], 1),
    ],
)  # fmt: skip
def test_samples_of_one_round_are_averaged(line: str, times: list[int], values: list[float], size: int) -> None:
    found_times, found_values, found_size = rounds_of(line)
    assert (found_times.tolist(), found_values.tolist(), found_size) == (times, values, size)


@given(st.integers(1, 9), st.integers(2, 8), st.floats(-1e6, 1e6))
def test_the_rounds_of_a_constant_counter_have_its_value(devices: int, count: int, value: float) -> None:
    times = np.array([1000 * k + device for k in range(count) for device in range(devices)])
    found_times, found_values, size = rounds(times[::-1], np.full(len(times), value))
    assert found_times.tolist() == [1000 * k for k in range(count)]
    assert set(found_values.tolist()) == {value}
    assert size == devices


# -- clocks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "time_ns", "zero"),
    [
        (None, 1_700_000_000_000_000_000, 0),
        (1_751_410_836_000_000_000, 1_419_247_332_500_684, 1_751_410_836_000_000_000),
        (1_751_410_836_000_000_000, 1_752_000_000_000_000_000, 0),  # absolute times ignore the base
        (None, 5_000, None),
        ("1751410836000000000", 5_000, None),
        (True, 5_000, None),
        (2**63, 5_000, None),
    ],
)
def test_the_time_of_day_at_clock_zero(base: object, time_ns: int, zero: int | None) -> None:
    assert clock_zero_ns({} if base is None else {"baseTimeNanoseconds": base}, time_ns) == zero


# -- files --------------------------------------------------------------------------------------------------------


def trace(*, steps: int = 4, start_us: float = 0, base_ns: int = 0, spelling: str = "modern") -> TraceBuilder:
    """Steps of 1 ms each."""
    drawn = TraceBuilder(base_ns=base_ns, spelling=spelling)
    for number in range(steps):
        at = start_us + number * STEP_US
        drawn.step(number + 1, at, at + STEP_US)
        drawn.kernel("gemm", at + 20, at + 900, launch=(at + 2, at + 4))
    return drawn


def summary(of: TraceBuilder, worker: str = "worker0") -> Summary:
    recording = read_trace(io.BytesIO(of.encode()), name=f"{worker}.pt.trace.json")
    return summarize(recording, Origin("drawn", "drawn", worker), "marker")


def table(*samples: tuple[str, float, float]) -> CounterTable:
    """A table of samples (counter, us after the base time, value)."""
    names = tuple(dict.fromkeys(name for name, _, _ in samples))
    return CounterTable(
        "c_counters_data.csv",
        names,
        np.array([names.index(name) for name, _, _ in samples], np.int32),
        np.array([EPOCH_US + at for _, at, _ in samples], np.float64),
        np.array([value for _, _, value in samples], np.float64),
    )


def counted(samples: CounterTable, of: Summary | None = None) -> Summary:
    """A summary with the counters of a file."""
    return with_counter_file([summary(trace()) if of is None else of], samples)[0]


def series(samples: CounterTable, of: Summary | None = None) -> CounterSeries:
    found = counted(samples, of).counters
    assert found is not None
    return found


@pytest.mark.parametrize("base_ns", [0, ABSOLUTE_BASE_NS], ids=["from baseTimeNanoseconds on", "absolute"])
def test_samples_belong_to_the_step_of_their_time_of_day(base_ns: int) -> None:
    found = counted(table(("host_cpu_usage", 0, 10), ("host_cpu_usage", 2500, 30)), summary(trace(base_ns=base_ns)))
    assert found.counters is not None
    assert found.counters.keys == (("host_cpu_usage", "Host"),)
    assert found.counters.units == ("%",)
    assert found.counters.mean.tolist() == [[10, 10, 20, 30]]
    assert found.counters.samples.tolist() == [[1, 0, 1, 0]]
    assert "counters" not in found.absent


def test_a_recent_sample_before_the_recording_counts_and_an_old_one_does_not() -> None:
    recent = series(table(("a", -6000, 1), ("a", -3000, 2), ("a", 2000, 3)))
    assert recent.mean.tolist() == [[2, 2, 3, 3]]
    old = series(table(("a", -9000, 1), ("a", -8800, 2), ("a", 2000, 3), ("a", 2200, 3), ("a", 2400, 3)))
    assert np.array_equal(old.mean, [[np.nan, np.nan, 3, 3]], equal_nan=True)


def test_devices_that_share_a_counter_name_are_averaged_with_a_note() -> None:
    samples = [("gpu_frequency", 100 * k + gpu, 1000.0 + gpu) for k in range(40) for gpu in range(4)]
    found = counted(table(*samples, *(("host_cpu_usage", 100 * k, 5) for k in range(40))))
    assert found.counters is not None
    assert found.counters.keys == (("gpu_frequency", "GPU (all)"), ("host_cpu_usage", "Host"))
    assert found.counters.mean.tolist() == [[1001.5] * 4, [5] * 4]
    (note,) = [note for note in found.notes if note.code is NoteCode.COUNTERS_AVERAGED]
    assert note.where == "c_counters_data.csv"
    assert note.message.endswith("what was sampled together is averaged: gpu_frequency (4 at a time)")


def test_process_ids_are_removed_from_counter_names() -> None:
    one_process = series(table(("process_cpu_usage_2520152", 0, 1), ("process_cpu_usage_2.520152e+06", 2000, 3)))
    assert one_process.keys == (("process_cpu_usage", "Host"),)
    assert one_process.mean.tolist() == [[1, 1, 3, 3]]
    two_processes = series(table(("process_cpu_usage_70", 0, 1), ("process_cpu_usage_8", 0, 3)))
    assert two_processes.keys == (("process_cpu_usage #1", "Host"), ("process_cpu_usage #2", "Host"))
    assert two_processes.mean[:, 0].tolist() == [3, 1]


def test_counters_of_the_trace_and_the_file_are_both_kept() -> None:
    drawn = trace()
    drawn.counter("load", 0, value=1)
    found = series(table(("load", 0, 9), ("other", 0, 5)), summary(drawn))
    assert found.keys == (("load", "Host"), ("load (file)", "Host"), ("other", "Host"))
    assert found.mean[:, 0].tolist() == [1, 9, 5]


def test_samples_outside_the_recording_are_an_error_with_both_time_ranges() -> None:
    with pytest.raises(InputError) as error:
        counted(table(("a", 10_000_000, 1), ("a", 11_000_000, 1)))
    assert error.value.path == "c_counters_data.csv"
    assert error.value.reason == (
        "has no samples of worker0.pt.trace.json: its samples are from 2023-11-14 22:13:30.000 UTC to "
        "2023-11-14 22:13:31.000 UTC, the recording from 2023-11-14 22:13:20.000 UTC to 2023-11-14 22:13:20.004 UTC"
    )
    assert "microseconds since 1970" in error.value.hint


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3], ids=["seconds", "milliseconds", "nanoseconds"])
def test_timestamps_in_another_unit_are_an_error(unit: float) -> None:
    right = table(("a", 0, 1))
    with pytest.raises(InputError, match="its samples are from"):
        counted(replace(right, time_us=right.time_us * unit))


def test_a_recording_without_a_time_of_day_is_an_error() -> None:
    with pytest.raises(InputError, match="no absolute time stamps and no baseTimeNanoseconds"):
        counted(table(("a", 0, 1)), summary(trace(spelling="2021", base_ns=5_000_000)))


def test_samples_only_before_and_after_the_recording_are_an_error() -> None:
    with pytest.raises(InputError, match="no counter was sampled during its compared steps or shortly before"):
        counted(table(("a", -9e6, 1), ("b", 9e6, 1)))


def test_captures_without_samples_have_a_note() -> None:
    early, late = summary(trace(), "worker0"), summary(trace(start_us=60e6), "worker1")
    found = with_counter_file([early, late], table(("a", 0, 7)))
    assert [summary.counters is not None for summary in found] == [True, False]
    (note,) = [note for note in found[1].notes if note.code is NoteCode.COUNTERS_UNUSABLE]
    assert note.where == "worker1.pt.trace.json"
    pooled = pool(found)
    assert pooled.counters is not None
    assert np.array_equal(pooled.counters.mean, [[7.0] * 4 + [np.nan] * 4], equal_nan=True)
    with pytest.raises(InputError, match=r"worker0.pt.trace.json, nor of its other 1 capture: "):
        with_counter_file([early, late], table(("a", 1e9, 7)))


@given(st.permutations(range(12)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    samples = [(f"gpu_{k % 2}", 300.0 * (k // 2), float(k)) for k in range(12)]
    ordered, shuffled = series(table(*samples)), series(table(*(samples[k] for k in order)))
    assert ordered.keys == shuffled.keys
    assert np.array_equal(ordered.mean, shuffled.mean)


@needs_shared
def test_the_rounds_of_a_published_file() -> None:
    """Eight devices, five disks and 47 to 49 cores under one name each, about once a second."""
    folder = SHARED / "latencyprism" / "SGLang" / "gpu_instability"
    found = {}
    for side in ("normal", "abnormal"):
        path = Path(folder / f"{side}_perf_data" / "result_counters_data.csv")
        samples = read_counters(str(path))
        chosen = {name: samples.counter == code for code, name in enumerate(samples.names)}
        for name in ("gpu_frequency", "cpu_frequency", "disk_usage", "host_cpu_usage"):
            times = (samples.time_us[chosen[name]] * 1000).astype(np.int64)
            begins, _, size = rounds(times, samples.value[chosen[name]])
            found[side, name] = size, round(float(np.median(np.diff(begins))) / 1e9, 1)
    assert {size for (_, name), (size, _) in found.items() if name == "gpu_frequency"} == {8}
    assert {size for (_, name), (size, _) in found.items() if name == "disk_usage"} == {5}
    assert {size for (_, name), (size, _) in found.items() if name == "host_cpu_usage"} == {1}
    assert {size for (_, name), (size, _) in found.items() if name == "cpu_frequency"} <= {47, 48, 49}
    assert all(0.9 <= period <= 1.1 for _, period in found.values())
