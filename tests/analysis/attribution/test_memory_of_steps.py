"""Memory of selected steps: the level at their begin, peaks, and invariants of selection."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution.memory_use import CURVE_POINTS
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.summary.memory import MemoryCurve
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def steps(
    *records: tuple[float, int], count: int = 4, first: int = 1, reserved: int = 0, totals: bool = True
) -> Summary:
    """Steps of 100 us with records (us, bytes held from then on)."""
    trace = TraceBuilder(vendor="cpu", spelling="modern" if totals else "2021")
    for number in range(count):
        trace.step(first + number, 100 * number, 100 * number + 100)
    before = 0
    for at, held in records:
        trace.memory(at, held - before, allocated=held, reserved=reserved)
        before = held
    return summary(trace, window="marker")


def curve(found: Summary) -> MemoryCurve:
    assert found.memory is not None
    (only,) = found.memory.curves
    return only


def points(found: Summary) -> list[tuple[float, int]]:
    """(microseconds, bytes) of the curve."""
    only = curve(found)
    return [(at / 1000, held) for at, held in zip(only.time_ns.tolist(), only.allocated.tolist(), strict=True)]


RISING = steps((50, 10), (150, 30), (250, 20), (350, 40), reserved=64)


def test_a_selection_begins_with_the_level_at_its_first_step() -> None:
    chosen = select_steps(RISING, (2, 3))
    assert points(chosen) == [(0, 10), (50, 30), (150, 20)]
    assert (curve(chosen).label, curve(chosen).place.tolist()) == (("2", "3"), [0.0, 0.5, 1.5])
    assert (curve(chosen).peak_allocated, curve(chosen).peak_reserved) == (30, 64)


def test_a_record_at_the_begin_of_a_selection_is_its_first_level() -> None:
    assert points(select_steps(steps((50, 10), (100, 30)), (2, 2))) == [(0, 30)]


def test_a_selection_without_records_keeps_the_previous_level() -> None:
    chosen = select_steps(steps((50, 10), (350, 40)), (2, 3))
    assert points(chosen) == [(0, 10)]
    rows = {row[1]: row[3] for row in tables(chosen, chosen)["memory"].rows}
    assert rows == {
        "peak allocated": 10, "allocated per step": 0.0, "released per step": 0.0, "allocations per step": 0.0,
    }  # fmt: skip


def test_a_selection_before_the_first_record_has_no_memory() -> None:
    chosen = select_steps(steps((350, 40)), (1, 2))
    assert chosen.memory is None and chosen.absent["memory"] == "nothing in steps 1-2"


def test_a_peak_outside_the_selection_does_not_count() -> None:
    assert curve(select_steps(steps((50, 900), (90, 5), (150, 7)), (2, 4))).peak_allocated == 7


def test_records_before_the_first_step_give_its_first_level() -> None:
    found = steps((-50, 70), (-20, 60), (150, 30))
    assert points(found) == [(0, 60), (150, 30)]
    assert curve(found).peak_allocated == 60


def test_selected_steps_that_are_not_adjacent_are_joined() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number, begin in ((1, 0), (2, 100), (1, 200), (2, 300)):
        trace.step(number, begin, begin + 100)
    for at, held in ((50, 10), (150, 99), (250, 30), (350, 99)):
        trace.memory(at, held, allocated=held)
    chosen = select_steps(summary(trace, window="marker"), (1, 1))
    assert curve(chosen).label == ("1", "1 (2)")
    # the third step begins with the 99 of the second
    assert points(chosen) == [(50, 10), (100, 99), (150, 30)]


def test_without_totals_a_selection_keeps_counting() -> None:
    found = steps((50, 10), (150, 30), (250, 20), totals=False)
    assert not curve(found).absolute
    assert points(select_steps(found, (3, 3))) == [(0, 30), (50, 20)]


HELD = st.lists(st.integers(0, 50), min_size=1, max_size=12)
RANGE = st.tuples(st.integers(1, 4), st.integers(1, 4)).map(lambda ends: (min(ends), max(ends)))


@given(HELD, RANGE)
def test_a_selection_has_the_levels_of_the_whole_at_every_instant(levels: list[int], chosen: tuple[int, int]) -> None:
    records = [(7.0 + 33 * place, held) for place, held in enumerate(levels)]
    part = select_steps(steps(*records), chosen)
    begin = 100 * (chosen[0] - 1)
    for at in range(0, 100 * (chosen[1] - chosen[0] + 1), 3):
        held = [level for time, level in records if time <= begin + at]
        found = [] if part.memory is None else [level for time, level in points(part) if time <= at]
        assert held[-1:] == found[-1:]


@given(HELD, HELD, RANGE)
def test_swapping_negates_and_selecting_all_steps_changes_nothing(
    baseline: list[int], candidate: list[int], chosen: tuple[int, int]
) -> None:
    a, b = (steps(*((7.0 + 33 * place, held) for place, held in enumerate(levels))) for levels in (baseline, candidate))
    there, back = tables(select_steps(a, chosen), b), tables(b, select_steps(a, chosen))
    if "memory" in there:
        rows = {row[:2]: row[5] for row in there["memory"].rows}
        negated = {key: -delta if isinstance(delta, (int, float)) else None for key, delta in rows.items()}
        assert negated == {row[:2]: row[5] for row in back["memory"].rows}
    assert tables(select_steps(a, (1, 4)), b) == tables(a, b)


def tables(a: Summary, b: Summary) -> dict[str, Table]:
    found = compare_summaries(a, b, CompareOptions()).tables
    return {name: table for name, table in found.items() if name.startswith("memory")}


def test_thinning_keeps_the_level_and_the_peak_of_every_step() -> None:
    trace = TraceBuilder(vendor="cpu")
    levels = np.random.default_rng(3).integers(1, 10**6, 12_000)
    for number in range(30):
        trace.step(number, 400 * number, 400 * number + 400)
    for at, held in enumerate(levels.tolist()):
        trace.memory(at, 1, allocated=held, reserved=2 * 10**6 - held)
    whole = summary(trace, window="marker")
    assert len(curve(whole).time_ns) < 5 * CURVE_POINTS
    for number in range(1, 30):
        part = curve(select_steps(whole, (number, number)))
        expected = levels[400 * number : 400 * number + 400]
        assert part.allocated[0] == expected[0] and part.allocated[-1] == expected[-1]
        assert (part.peak_allocated, part.peak_reserved) == (expected.max(), 2 * 10**6 - expected.min())
        assert part.allocated.min() == expected.min()


def test_the_curves_of_both_sides_begin_at_zero_with_their_step_labels() -> None:
    baseline, candidate = select_steps(RISING, (2, 3)), select_steps(steps((50, 5), (150, 7), first=8), (9, 9))
    rows = tables(baseline, candidate)["memory_curves"].rows
    assert [(row[0], *row[4:8]) for row in rows] == [
        ("baseline", "2", 0, 0, 10), ("baseline", "2", 50, 0.5, 30), ("baseline", "3", 150, 1.5, 20),
        ("baseline", "3", 200, 2, 20),
        ("candidate", "9", 0, 0, 5), ("candidate", "9", 50, 0.5, 7), ("candidate", "9", 100, 1, 7),
    ]  # fmt: skip


def test_each_capture_of_a_side_is_selected() -> None:
    both = pool([RISING, steps((50, 1), (250, 2))])
    chosen = select_steps(both, (3, 4)).memory
    assert chosen is not None
    assert [(curve.capture, curve.allocated.tolist()) for curve in chosen.curves] == [(0, [30, 20, 40]), (1, [1, 2])]
