"""Known weaknesses of the published method, listed only for tables that show them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.strict.answer import weaknesses
from tb_perfcompare.comparison.strict.report import strict_report
from tb_perfcompare.comparison.strict.work import device_work, incomplete_cycles, same_launches, work_per_cycle
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.sources.perf_data.csv_tables import read_perf_data
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import table

GEMM, HOST = ("gemm", "gpu_usage", "GPU 0"), ("oncpu", "host_cpu_usage", "Host")
SHARES = [10.0, 11.0, 12.0, 10.5, 11.5, 12.5, 10.2, 11.2, 12.2, 10.7]
LENGTHS = [1000.0, 1010.0, 1001.0, 1009.0, 1002.0, 1008.0, 1003.0, 1007.0, 1004.0, 1006.0]


def recorded(
    *, shares: Sequence[float] = SHARES, mu: Sequence[float] | None = None, lengths: Sequence[float] = LENGTHS,
    calls: Sequence[float] | None = None, device: str = "GPU 0", function: str = "gemm", anchor: str = "step",
) -> CycleTable:  # fmt: skip
    """One kernel in ten cycles."""
    drawn = table({(function, "gpu_usage", device): (shares, mu if mu is not None else [x / 2 for x in shares])})
    anchors = np.full(len(drawn), drawn.strings.intern(anchor), np.int32)
    cycle_us = np.array(lengths, np.float64)
    return dataclasses.replace(
        drawn, anchor=anchors, cycle_us=cycle_us, duration_us=np.array(shares) * cycle_us / 100,
        instances=np.array(calls if calls is not None else [4] * len(shares), np.float64),
        interpolated=np.zeros(len(shares), np.bool_),
    )  # fmt: skip


def sentences(normal: CycleTable, abnormal: CycleTable, files: CycleTable | None = None) -> dict[int, str]:
    """`files`: the whole table of either side, with other processes."""
    report = strict_report(normal, abnormal, ("normal", "abnormal"))
    whole = (normal, abnormal) if files is None else (files, files)
    return {found.number: found.sentence for found in weaknesses(normal, abnormal, report, files=whole)}


def numbers(normal: CycleTable, abnormal: CycleTable, files: CycleTable | None = None) -> set[int]:
    return set(sentences(normal, abnormal, files))


def two_processes(first: CycleTable, second: CycleTable) -> CycleTable:
    """Both as processes of one file."""
    joined = {
        field.name: np.concatenate([getattr(first, field.name), getattr(second, field.name)])
        for field in dataclasses.fields(first)
        if isinstance(getattr(first, field.name), np.ndarray)
    }
    joined["pid"][len(first) :] += 1
    return dataclasses.replace(first, **joined)


ALWAYS = {11}
"""One recording per side."""


def test_a_recording_against_itself_has_the_one_weakness_of_any_pair() -> None:
    assert numbers(recorded(), recorded()) == ALWAYS


def test_each_weakness_is_found_in_tables_that_show_it() -> None:
    plain = recorded()
    assert 1 in numbers(plain, recorded(anchor="layer"))
    assert 1 in numbers(plain, recorded(function="other")), "no launch in common"
    assert 2 in numbers(plain, recorded(calls=[1, *[4] * 9]))
    longer = [length * 2 for length in LENGTHS]
    assert 3 in numbers(plain, recorded(lengths=longer, shares=[share * 0.6 for share in SHARES]))
    assert 5 in numbers(recorded(shares=[10.0] * 10), recorded(shares=[11.0] * 10))
    assert 5 in numbers(plain, recorded(function="new"))
    assert 6 in numbers(plain, recorded(shares=[share + 200 for share in SHARES]))
    assert 8 in numbers(recorded(mu=[1.0] * 10), recorded(mu=[1.0] * 10))
    assert 9 in numbers(recorded(shares=SHARES[:3], lengths=LENGTHS[:3]), plain)
    assert 10 in numbers(plain, recorded(lengths=sorted(LENGTHS)))
    assert 13 in numbers(plain, recorded(lengths=[*LENGTHS[:9], 3000.0]))
    assert 14 in numbers(plain, recorded(shares=[share * 4 for share in SHARES]))
    assert 15 in numbers(plain, plain, two_processes(plain, plain))
    assert 16 in numbers(plain, recorded(device="GPU 1"))
    assert 17 in numbers(plain, dataclasses.replace(recorded(), interpolated=np.ones(10, np.bool_)))
    assert 18 in numbers(plain, recorded(shares=SHARES[:9], lengths=LENGTHS[:9]))
    assert 19 in numbers(plain, recorded(shares=[share * 10 for share in SHARES]))
    assert 20 in numbers(recorded(function="a|b"), recorded(function="a|b"))
    assert 21 in numbers(plain, recorded(shares=[share + 20 for share in SHARES], mu=[x / 2 + 1e-4 for x in SHARES]))


def test_lost_rows_and_uncorrected_tests() -> None:
    lost = recorded()
    lost.metric[0] = -1
    assert 4 in numbers(recorded(), lost)
    assert 12 in numbers(recorded(), recorded(shares=[share + 5 for share in SHARES]))


def test_odd_against_even_cycles() -> None:
    """Every second cycle is slow."""
    alternating = [10.0, 30.0, 10.1, 30.1, 10.2, 30.2, 10.1, 30.1, 10.0, 30.0]
    assert 7 in numbers(recorded(shares=alternating), recorded())


def test_a_function_with_several_counters_is_counted_once() -> None:
    betas = [1.0, 1.0]
    drawn = table({("gemm", metric, "GPU 0"): (betas, betas) for metric in ("a", "b", "c")})
    drawn = dataclasses.replace(drawn, instances=np.full(6, 5.0), duration_us=np.full(6, 7.0))
    found = work_per_cycle(drawn)
    assert list(found) == [("gemm", "GPU 0")]
    assert (found["gemm", "GPU 0"].calls, found["gemm", "GPU 0"].time_us) == (5.0, 7.0)


def test_host_functions_are_not_launches() -> None:
    drawn = dataclasses.replace(table({HOST: ([1.0], [1.0])}), instances=np.array([9.0]))
    assert same_launches(device_work(work_per_cycle(drawn)), {}) is None
    assert incomplete_cycles(drawn) == 0


def test_waiting_that_moved_to_another_process_is_a_weakness() -> None:
    """The first process waits less, the second as much more."""
    waiting, brief = (recorded(shares=[share] * 10, function="allreduce") for share in (50.0, 1.0))
    report = strict_report(waiting, brief, ("normal", "abnormal"))
    files = two_processes(waiting, brief), two_processes(brief, waiting)
    found = {weak.number: weak.sentence for weak in weaknesses(waiting, brief, report, files=files)}
    assert found[15].endswith("allreduce 502 → 10.1 µs per cycle here, 513 µs summed over all processes")
    same = {weak.number: weak.sentence for weak in weaknesses(waiting, brief, report, files=(files[0], brief))}
    assert "allreduce" not in same[15] and same[15].endswith("on the normal side only, and in no report: 11")


def test_pooled_recordings_are_not_replicates() -> None:
    report = strict_report(recorded(), recorded(), ("normal", "abnormal"))
    found = weaknesses(recorded(), recorded(), report, recordings=(3, 2))
    assert [weak.sentence[:42] for weak in found if weak.number == 11] == ["3 and 2 recordings per side count as one l"]


def test_few_cycles_state_the_smallest_p() -> None:
    """The two extremes of 286 orders of 3 and 10 cycles: 2/286."""
    assert "gives a p below 0.0070;" in sentences(recorded(shares=SHARES[:3], lengths=LENGTHS[:3]), recorded())[9]


@needs_shared
def test_the_recorded_pairs_have_their_known_weaknesses() -> None:
    """Known: 2 and 4 incomplete cycles of 12 and 10; layers against steps share 1.5 % of their launches."""
    folder = SHARED / "latencyprism" / "SGLang"

    def read(case: str, side: str) -> CycleTable:
        return read_perf_data(str(folder / case / f"{side}_perf_data" / "result_perf_data.csv"))

    normal, abnormal = read("gpu_instability", "normal"), read("gpu_instability", "abnormal")
    assert (incomplete_cycles(normal), incomplete_cycles(abnormal)) == (2, 4)
    assert 1 not in numbers(normal, abnormal)
    assert {2, 13, 14} <= numbers(normal, abnormal)
    steps, layers = read("cpu_frequency_reduction", "normal"), read("cpu_frequency_reduction", "abnormal")
    common = same_launches(device_work(work_per_cycle(steps)), device_work(work_per_cycle(layers)))
    assert common is not None and round(common, 3) == 0.015
    assert 1 in numbers(steps, layers)
