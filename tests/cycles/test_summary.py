"""The summary of a table: cycles, functions, counters."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.categories import OVERLAPPING
from tb_perfcompare.model.summary.summary import Summary
from tests.cycles.drawn import HEADER, Fn, cycle, drawn, gemm, host, summary, write, write_counters


def functions(found: Summary) -> dict[str, tuple[list[int], list[int]]]:
    """Name -> (nanoseconds, calls) per cycle."""
    table = found.groups["functions"]
    time = table.measures_ns["total"]
    return {key[0]: (time[row].tolist(), table.calls[row].tolist()) for row, key in enumerate(table.keys)}


def counter(found: Summary, name: str, device: str = "GPU 0") -> tuple[str, list[float], list[float], list[int]]:
    """(unit, mean, coverage, samples) per cycle."""
    assert found.counters is not None
    row = found.counters.keys.index((name, device))
    c = found.counters
    return c.units[row], c.mean[row].tolist(), c.coverage[row].tolist(), c.samples[row].tolist()


def notes_of(found: Summary, code: NoteCode) -> str:
    return " | ".join(note.message for note in found.notes if note.code is code)


def test_a_cycle_is_a_step_with_the_length_in_the_table(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100.0626, gemm(20)), cycle(2, 110, gemm(22)))
    assert (found.metric, found.marked, found.format) == ("cycle_time", True, "perf_data")
    assert found.steps.label == ("1", "2")
    assert found.steps.total_ns.tolist() == [100_063, 110_000], "to the nanosecond"
    assert (found.steps.start_ns[1] - found.steps.start_ns[0]) == 1_000_000_000
    assert found.steps.launches.tolist() == [4, 4]


def test_without_start_times_cycles_follow_one_another(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20), start=False), cycle(2, 110, gemm(22)))
    assert found.steps.start_ns.tolist() == [0, 100_000]


def test_a_function_with_several_counters_is_counted_once(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20, gpu_usage=5, gpu_frequency=141000), host(80)))
    assert functions(found) == {"gemm": ([20_000], [4]), "oncpu": ([80_000], [10])}
    assert found.groups["functions"].keys == (("gemm", "gpu_compute"), ("oncpu", "oncpu"))


def test_a_function_that_did_not_run_took_no_time(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20)), cycle(2, 100, gemm(20), Fn("cast", 5, 2, type="gpu_memcpy_d2d")))
    assert functions(found)["cast"] == ([0, 5_000], [0, 2])


def test_processes_and_devices_add_up(tmp_path: Path) -> None:
    ranks = [replace(gemm(20), pid=pid, device=f"GPU {device}") for pid, device in ((7, 0), (7, 1), (8, 0))]
    found = drawn(tmp_path, cycle(1, 100, *ranks))
    assert functions(found) == {"gemm": ([60_000], [12])}
    assert (found.device.word, found.device.count) == ("GPU", 2)
    assert dict(found.environment)["process.ids"] == "7, 8"


def test_without_a_duration_the_share_gives_the_time(tmp_path: Path) -> None:
    header = [name for name in HEADER if name != "duration"]
    assert functions(drawn(tmp_path, cycle(1, 200, gemm(50)), header=header))["gemm"][0] == [50_000]
    one = cycle(1, 200, gemm(50))
    one[0]["duration"] = ""
    assert functions(drawn(tmp_path, one, name="b"))["gemm"][0] == [50_000]


def test_names_that_differ_only_in_blanks_are_one_function(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, Fn("gemm<64, 64>", 1), Fn("gemm<64,  64>", 2)))
    assert functions(found) == {"gemm<64, 64>": ([3_000], [2])}


def test_one_number_with_two_lengths_is_two_cycles(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(3, 100, gemm(20)), cycle(3, 120, gemm(21)), cycle(4, 100, gemm(20)))
    assert found.steps.label == ("3", "3 (2)", "4")
    assert functions(found)["gemm"][0] == [20_000, 21_000, 20_000]
    assert (
        notes_of(found, NoteCode.DUPLICATE_KEYS)
        == "cycle numbers with more than one length, 3: each length counts as a cycle"
    )
    assert select_steps(found, (3, 3)).steps.label == ("3", "3 (2)")


def test_incomplete_cycles_are_listed_and_left_out(tmp_path: Path) -> None:
    found = drawn(tmp_path, *(cycle(n, 100 + n, gemm(20, calls)) for n, calls in enumerate((0, 50, 100, 100, 100), 1)))
    assert found.steps.label == ("3", "4", "5")
    assert [(step.label, step.total_ns, step.reason) for step in found.dropped] == [
        ("1", 101_000, "incomplete"),
        ("2", 102_000, "incomplete"),
    ]
    assert "2 cycles left out as incomplete, 1, 2: fewer than 98 launches where 100" in notes_of(
        found, NoteCode.STEPS_DROPPED
    )
    assert functions(found)["gemm"] == ([20_000] * 3, [100] * 3)


def test_host_work_is_not_a_launch(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20, 5)), cycle(2, 100, gemm(20, 5), host(50), host(10, "runq")))
    assert found.steps.launches.tolist() == [5, 5] and not found.dropped


def test_cycles_without_a_length_are_dropped_and_none_left_is_an_error(tmp_path: Path) -> None:
    empty = cycle(1, 100, gemm(20))
    empty[0]["anchor_dur_us"] = 0
    found = drawn(tmp_path, empty, cycle(2, 100, gemm(20)))
    assert [(step.label, step.reason) for step in found.dropped] == [("1", "no length")]
    with pytest.raises(CorruptInput, match="no cycle has a length; the column anchor_dur_us must hold"):
        drawn(tmp_path, empty)


def test_a_cycle_is_not_split_into_categories(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20), host(180)), cycle(2, 110, gemm(22)))
    assert found.owned.key == (OVERLAPPING,) and not found.is_split
    assert found.owned.by_category().sum(axis=0).tolist() == found.steps.total_ns.tolist()
    assert "overlap" in found.absent["categories"]


def test_the_environment_of_a_table(tmp_path: Path) -> None:
    path = write(tmp_path / "a_perf_data.csv", cycle(1, 100, gemm(20), host(80), hostname="node-3"))
    assert dict(summary(path).environment) == {
        "cycle.anchor": "run_batch", "cycle.recorded": "1", "process.count": "1", "process.ids": "7",
        "host.count": "1", "host.names": "node-3", "device.count": "1", "device.names": "GPU 0",
    }  # fmt: skip


def test_uncounted_calls_are_absent_not_zero(tmp_path: Path) -> None:
    header = [name for name in HEADER if name != "instances_count"]
    found = drawn(tmp_path, cycle(1, 100, gemm(20)), header=header)
    assert not found.counts_launches
    assert "no column instances_count" in notes_of(found, NoteCode.NO_CALLS)


def test_missing_types_are_device_or_host(tmp_path: Path) -> None:
    header = [name for name in HEADER if name != "func_type"]
    found = drawn(tmp_path, cycle(1, 100, gemm(20), host(80)), header=header)
    assert found.groups["functions"].keys == (("gemm", "device"), ("oncpu", "host"))


def test_weak_rows_are_reported_in_notes(tmp_path: Path) -> None:
    rows = cycle(1, 100, gemm(20, gpu_usage=5, gpu_frequency=6), Fn("", 3), replace(host(-4), name="write"))
    rows[1]["duration"] = 30
    found = drawn(tmp_path, rows)
    assert functions(found) == {"gemm": ([20_000], [4]), "write": ([0], [10])}
    assert notes_of(found, NoteCode.DROPPED_EVENTS) == "1 row without a function name left out"
    assert notes_of(found, NoteCode.NEGATIVE_DURATION) == "1 time of functions below zero, taken as zero"
    assert notes_of(found, NoteCode.DUPLICATE_KEYS).startswith("1 function has different times or calls")


@pytest.mark.parametrize("column", ["anchor_dur_us", "duration", "instances_count", "beta_pct"])
def test_huge_figures_are_refused(tmp_path: Path, column: str) -> None:
    rows = cycle(1, 100, gemm(20))
    rows[0][column] = "1e300"
    if column == "beta_pct":
        rows[0]["duration"] = ""
    with pytest.raises(CorruptInput, match="column"):
        drawn(tmp_path, rows)


def test_a_counter_has_its_own_unit(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20, gpu_frequency=118_750, gpu_usage=6.5, new_one=3)))
    assert counter(found, "gpu_frequency")[:2] == ("MHz", [1187.5])
    assert counter(found, "gpu_usage")[:2] == ("%", [6.5])
    assert counter(found, "new_one")[:2] == ("raw", [3.0])


def test_a_counter_is_weighted_by_the_time_of_the_functions(tmp_path: Path) -> None:
    long, short = replace(gemm(30), mu={"gpu_usage": 10.0}), Fn("cast", 10, 1, {"gpu_usage": 50.0}, status=" ")
    found = drawn(tmp_path, cycle(1, 100, long, short))
    unit, mean, coverage, samples = counter(found, "gpu_usage")
    assert (unit, mean) == ("%", [20.0])
    assert coverage == [0.25], "the quarter of the time in which a sample was taken"
    assert samples == [-1]
    assert found.counters is not None
    assert found.counters.sd[0].tolist() == [pytest.approx(math.sqrt(0.75 * 10**2 + 0.25 * 30**2))]


def test_the_deviation_includes_that_within_functions(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, replace(gemm(30), mu={"gpu_frequency": 1000.0}, sigma=200.0)))
    assert found.counters is not None and found.counters.sd.tolist() == [[2.0]]


def test_a_cycle_without_samples_has_no_value_rather_than_zero(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20, gpu_usage=5)), cycle(2, 100, gemm(20)))
    _, mean, coverage, _ = counter(found, "gpu_usage")
    assert mean[0] == 5 and math.isnan(mean[1]) and coverage == [0, 0]


def test_counters_belong_to_devices(tmp_path: Path) -> None:
    other = replace(gemm(20), mu={"gpu_usage": 9.0}, device="GPU 1")
    found = drawn(tmp_path, cycle(1, 100, gemm(20, gpu_usage=5), other, host(50, cpu_frequency=87.5)))
    assert found.counters is not None
    assert found.counters.keys == (("cpu_frequency", "Host"), ("gpu_usage", "GPU 0"), ("gpu_usage", "GPU 1"))
    assert found.counters.units == ("% of the maximum", "%", "%")


def test_samples_are_counted_when_the_file_names_the_process(tmp_path: Path) -> None:
    """Cycles start one second apart and last 0.1 s; a counters file names no device."""
    path = write(
        tmp_path / "a_perf_data.csv",
        *(cycle(n, 1e5, gemm(20, gpu_usage=5), host(50, process_cpu_usage=2, gpu_usage=3)) for n in (1, 2)),
    )
    own = [("process_cpu_usage_7", at, 1.0) for at in (0.5, 1.05, 1.06, 1.2, 2.1)]
    write_counters(tmp_path / "a_counters_data.csv", [*own, ("gpu_usage", 1.05, 3.0)])
    found = summary(path)
    assert counter(found, "process_cpu_usage", "Host")[3] == [2, 1], "0.1 s after its start a cycle ends"
    assert counter(found, "gpu_usage")[3] == counter(found, "gpu_usage", "Host")[3] == [-1, -1]
    assert "does not name the device of a sample" in notes_of(found, NoteCode.COUNTERS_UNUSABLE)


def test_samples_are_missed_only_where_a_file_has_some(tmp_path: Path) -> None:
    rows = cycle(1, 1e5, gemm(20, gpu_usage=5), start=False)
    found = drawn(tmp_path, rows)
    assert counter(found, "gpu_usage")[3] == [-1]
    assert notes_of(found, NoteCode.COUNTERS_UNUSABLE) == ""
    write_counters(tmp_path / "a_counters_data.csv", [("gpu_usage", 1.05, 3.0)])
    assert "the table does not say when its cycles start" in notes_of(drawn(tmp_path, rows), NoteCode.COUNTERS_UNUSABLE)


def test_without_counters_the_summary_has_a_reason(tmp_path: Path) -> None:
    found = drawn(tmp_path, cycle(1, 100, gemm(20)))
    assert found.counters is None and found.absent["counters"] == "no counter has a value in the compared cycles"


def test_selected_cycles_keep_their_functions_and_counters(tmp_path: Path) -> None:
    found = drawn(tmp_path, *(cycle(n, 100 + n, gemm(n, gpu_usage=n)) for n in (1, 2, 3)))
    some = select_steps(found, (2, 3))
    assert functions(some)["gemm"][0] == [2_000, 3_000]
    assert counter(some, "gpu_usage")[1] == [2, 3]
    none = select_steps(drawn(tmp_path, cycle(1, 9, gemm(1, gpu_usage=1)), cycle(2, 9, gemm(1))), (2, 2))
    assert none.counters is None and none.absent["counters"] == "nothing in steps 2-2"


def test_pooled_captures_keep_their_own_counters(tmp_path: Path) -> None:
    one = drawn(tmp_path, cycle(1, 100, gemm(20, gpu_usage=5)), name="a")
    two = drawn(tmp_path, cycle(1, 110, gemm(21, gpu_frequency=1000)), name="b")
    both = pool([one, two])
    assert both.steps.total_ns.tolist() == [100_000, 110_000]
    _, mean, coverage, samples = counter(both, "gpu_usage")
    assert mean[0] == 5 and math.isnan(mean[1]) and (coverage[1], samples[1]) == (0, 0)
    assert np.isnan(counter(both, "gpu_frequency")[1][0])


def test_counters_in_another_unit_do_not_mix(tmp_path: Path) -> None:
    one = drawn(tmp_path, cycle(1, 100, host(20, cpu_frequency=87.5)), name="a")
    two = drawn(tmp_path, cycle(1, 110, host(21, cpu_frequency=350_000)), name="b")
    both = pool([one, two])
    unit, mean, _, _ = counter(both, "cpu_frequency", "Host")
    assert unit == "% of the maximum" and mean[0] == 87.5 and math.isnan(mean[1])
    assert "left out: cpu_frequency of Host" in notes_of(both, NoteCode.COUNTERS_UNUSABLE)
