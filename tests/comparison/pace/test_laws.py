"""Laws of the program part and the machine part on random pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.pace.clocked import Clocked, by_one_pace
from tb_perfcompare.comparison.pace.machine import machine_part
from tb_perfcompare.comparison.pace.pace import PaceRows, pace_of
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.simulation.worlds import Drawn, World, drawn

OPTIONS = CompareOptions()
OPPOSITE = {
    Verdict.SLOWER: Verdict.FASTER, Verdict.FASTER: Verdict.SLOWER,
    Verdict.PROBABLY_SLOWER: Verdict.PROBABLY_FASTER, Verdict.PROBABLY_FASTER: Verdict.PROBABLY_SLOWER,
}  # fmt: skip

PAIRS = st.builds(
    lambda captures, seed, change, machine: drawn(
        World(captures=captures, change=change, candidate_machine=machine, steps=6), seed
    ),
    st.integers(1, 3), st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.5]), st.sampled_from([1.0, 1.3]),
)  # fmt: skip


def paced(pair: Drawn) -> PaceRows:
    found = pace_of("host", pair.rows, pair.captures, pair.times, "operators", OPTIONS.alpha)
    assert isinstance(found, PaceRows)
    return found


def clocked(pair: Drawn) -> Clocked:
    return by_one_pace(pair.times, pair.captures, paced(pair).pace)


def swapped(pair: Drawn) -> Drawn:
    rows = WorkRows(pair.rows.keys, pair.rows.calls[::-1], pair.rows.time_ns[::-1])
    return Drawn(rows, pair.times[::-1], pair.captures[::-1], pair.rests[::-1])


@given(PAIRS)
def test_swapping_the_sides_negates_both_parts(pair: Drawn) -> None:
    there, back = paced(pair), paced(swapped(pair))
    assert there.pace.center == -back.pace.center
    assert (there.changes.change == -back.changes.change).all()
    assert (there.changes.kept == back.changes.kept).all()
    one, two = program_part(clocked(pair), OPTIONS), program_part(clocked(swapped(pair)), OPTIONS)
    assert one.estimate.theta == -two.estimate.theta
    assert (one.estimate.theta_low, one.estimate.theta_high) == (-two.estimate.theta_high, -two.estimate.theta_low)
    assert one.verdict is OPPOSITE.get(two.verdict, two.verdict)
    assert one.estimate.p == two.estimate.p
    machine, mirrored = machine_part(clocked(pair), OPTIONS), machine_part(clocked(swapped(pair)), OPTIONS)
    assert (machine.theta, machine.low, machine.high) == (-mirrored.theta, -mirrored.high, -mirrored.low)
    assert machine.verdict is OPPOSITE.get(mirrored.verdict, mirrored.verdict)


@given(PAIRS, st.sampled_from([0.5, 1.25, 3.0]))
def test_a_slower_machine_changes_the_machine_part_alone(pair: Drawn, factor: float) -> None:
    rows = WorkRows(pair.rows.keys, pair.rows.calls, (pair.rows.time_ns[0], pair.rows.time_ns[1] * factor))
    slower = replace(pair, rows=rows, times=(pair.times[0], pair.times[1] * factor))
    before, after = machine_part(clocked(pair), OPTIONS), machine_part(clocked(slower), OPTIONS)
    assert after.theta - before.theta == pytest.approx(math.log(factor), abs=1e-9)
    same, moved = program_part(clocked(pair), OPTIONS), program_part(clocked(slower), OPTIONS)
    assert moved.estimate.theta == pytest.approx(same.estimate.theta, abs=1e-9)


@given(PAIRS, st.floats(0.1, 2.0))
def test_work_of_the_candidate_alone_is_the_programs(pair: Drawn, share: float) -> None:
    more = replace(pair, times=(pair.times[0], pair.times[1] * (1 + share)))
    assert machine_part(clocked(more), OPTIONS).theta == pytest.approx(machine_part(clocked(pair), OPTIONS).theta)
    before = program_part(clocked(pair), OPTIONS)
    after = program_part(clocked(more), OPTIONS, like=before)  # another estimate may decide on more work
    assert after.estimate.theta - before.estimate.theta == pytest.approx(math.log1p(share), abs=1e-9)


@given(PAIRS)
def test_identical_sides_are_the_same_program_on_one_machine(pair: Drawn) -> None:
    rows = WorkRows(pair.rows.keys, (pair.rows.calls[0],) * 2, (pair.rows.time_ns[0],) * 2)
    same = clocked(Drawn(rows, (pair.times[0],) * 2, (pair.captures[0],) * 2, (pair.rests[0],) * 2))
    assert machine_part(same, OPTIONS).theta == 0
    found = program_part(same, OPTIONS)
    assert (found.estimate.theta, found.verdict) == (0, Verdict.SAME)


@given(PAIRS, st.integers(0, 10**6))
def test_the_order_of_rows_and_captures_changes_nothing(pair: Drawn, seed: int) -> None:
    random = np.random.default_rng(seed)
    order = random.permutation(len(pair.rows))
    rows = WorkRows(
        tuple(pair.rows.keys[at] for at in order),
        (pair.rows.calls[0][order], pair.rows.calls[1][order]),
        (pair.rows.time_ns[0][order], pair.rows.time_ns[1][order]),
    )
    last_first = pair.captures[0].max() - pair.captures[0]
    other = replace(pair, rows=rows, captures=(last_first, pair.captures[1]))
    one, two = program_part(clocked(pair), OPTIONS), program_part(clocked(other), OPTIONS)
    for name in ("theta", "theta_low", "theta_high"):
        assert getattr(one.estimate, name) == pytest.approx(getattr(two.estimate, name), abs=1e-9)
    assert one.verdict is two.verdict


def test_a_slower_row_is_the_programs_and_not_the_pace() -> None:
    pair = drawn(World(captures=3, between=0.01), 1)
    times = pair.rows.time_ns[1].copy()
    extra = times[0] * 1.5
    times[0] += extra
    rows = replace(pair.rows, time_ns=(pair.rows.time_ns[0], times))
    changed = replace(pair, rows=rows, times=(pair.times[0], pair.times[1] + extra))
    assert not paced(changed).changes.kept[0]
    found = program_part(clocked(changed), OPTIONS)
    truth = float(np.log((pair.times[1] + extra).mean() / pair.times[1].mean()))
    assert found.verdict is Verdict.SLOWER
    assert found.estimate.theta_low <= truth <= found.estimate.theta_high
