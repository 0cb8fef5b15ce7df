"""Uninterrupted steps: time that other processes take from a step is not the program's."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.program_estimate import EstimateKind, part_of
from tb_perfcompare.comparison.pace.step_cells import cells_of_steps
from tb_perfcompare.comparison.pace.uninterrupted_steps import steps_alone, uninterrupted_steps
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.split_time import SplitTime, split_time
from tests.comparison.pace.test_laws import OPPOSITE, swapped
from tests.simulation.parts import DECIDED, at_one_pace
from tests.simulation.worlds import STEP_NS, Drawn, World, drawn

OPTIONS = CompareOptions()
BUSY = World(hits=6, hit=0.15)
OVERLOADED = World(hits=12, hit=0.3)
SEEDS = st.integers(0, 10**6)


def interrupted(pair: Drawn, side: int, seed: int) -> Drawn:
    """In three of four steps one part, another each time, takes ten steps longer."""
    random = np.random.default_rng(seed)
    rows, rests, times = pair.rows.time_ns[side].copy(), pair.rests[side].copy(), pair.times[side].copy()
    steps = len(times)
    hit = random.permutation(len(rows))[: steps % len(rows) or len(rows)]
    for step in range(steps):
        if step % 4:
            rows[hit[step % len(hit)], step] += 10 * STEP_NS
            times[step] += 10 * STEP_NS
    both = [pair.rows.time_ns[0], pair.rows.time_ns[1]]
    both[side] = rows
    rested, timed = list(pair.rests), list(pair.times)
    rested[side], timed[side] = rests, times
    return replace(pair, rows=replace(pair.rows, time_ns=tuple(both)), times=tuple(timed), rests=tuple(rested))


@given(SEEDS)
def test_occasional_interruptions_hardly_change_the_estimate(seed: int) -> None:
    """Three of four steps of one side are eleven times as long."""
    alone = drawn(World(between=0.01), seed)
    shared = interrupted(alone, 1, seed)
    assert np.median(shared.times[1]) > 10 * np.median(alone.times[1])
    one, two = (
        part_of(EstimateKind.UNINTERRUPTED, at_one_pace(pair, OPTIONS.alpha), OPTIONS) for pair in (alone, shared)
    )
    assert two.estimate.theta == pytest.approx(one.estimate.theta, abs=0.02)
    assert one.clocked.uninterrupted is None and len(one.clocked.times_ns[0]) == 3  # one figure for each capture


@given(SEEDS, st.sampled_from([0.0, 0.1, 0.5]))
def test_swapping_the_sides_negates_the_estimate(seed: int, change: float) -> None:
    pair = drawn(replace(BUSY, change=change, steps=6), seed)
    one, two = (program_part(at_one_pace(side, OPTIONS.alpha), OPTIONS) for side in (pair, swapped(pair)))
    assert one.estimate.theta == -two.estimate.theta
    assert (one.estimate.theta_low, one.estimate.theta_high) == (-two.estimate.theta_high, -two.estimate.theta_low)
    assert one.verdict is OPPOSITE.get(two.verdict, two.verdict)
    assert one.estimate.p == two.estimate.p


def test_a_change_hidden_in_whole_steps_of_a_busy_machine_is_found() -> None:
    pairs = [at_one_pace(drawn(replace(BUSY, change=0.1), seed), OPTIONS.alpha) for seed in range(12)]
    found = [program_part(pair, OPTIONS).verdict for pair in pairs]
    by_steps = [part_of(EstimateKind.STEPS, pair, OPTIONS).verdict for pair in pairs]
    assert sum(verdict in (Verdict.SLOWER, Verdict.PROBABLY_SLOWER) for verdict in found) >= 10
    assert not any(verdict in DECIDED for verdict in by_steps)


@pytest.mark.parametrize("every", [2, 3, 5])
def test_a_recurring_stall_is_the_programs(every: int) -> None:
    """Every n-th step of the candidate has a stall of a third of a step, independent of the pace."""
    pair = drawn(World(between=0.01), 7)
    stall = np.where(np.arange(len(pair.times[1])) % every == 0, STEP_NS / 3, 0.0)
    rests = pair.rests[1].copy()
    rests[0] += stall
    stalled = replace(pair, times=(pair.times[0], pair.times[1] + stall), rests=(pair.rests[0], rests))
    clocked = at_one_pace(stalled, OPTIONS.alpha)
    assert part_of(EstimateKind.UNINTERRUPTED, clocked, OPTIONS).verdict is not Verdict.SLOWER
    found = program_part(clocked, OPTIONS)
    assert found.verdict is Verdict.SLOWER
    assert found.of is EstimateKind.MEANS
    assert found.estimate.theta_low < math.log1p(1 / 3 / every) < found.estimate.theta_high


def test_a_stall_in_one_capture_is_not_the_programs() -> None:
    pair = drawn(World(between=0.01), 7)
    stall = np.where(pair.captures[1] == 1, STEP_NS / 3, 0.0) * (np.arange(len(pair.times[1])) % 3 == 0)
    rests = pair.rests[1].copy()
    rests[0] += stall
    stalled = replace(pair, times=(pair.times[0], pair.times[1] + stall), rests=(pair.rests[0], rests))
    assert program_part(at_one_pace(stalled, OPTIONS.alpha), OPTIONS).verdict not in DECIDED


def test_identical_sides_are_the_same_program() -> None:
    pair = drawn(BUSY, 4)
    rows = replace(pair.rows, time_ns=(pair.rows.time_ns[0],) * 2)
    same = Drawn(rows, (pair.times[0],) * 2, pair.captures, (pair.rests[0],) * 2)
    found = program_part(at_one_pace(same, OPTIONS.alpha), OPTIONS)
    assert (found.estimate.theta, found.verdict) == (0, Verdict.SAME)


def test_dropping_a_capture_keeps_the_figures_of_the_others() -> None:
    clocked = at_one_pace(drawn(BUSY, 5), OPTIONS.alpha)
    kept = clocked.captures[0] != 1, np.ones(len(clocked.captures[1]), dtype=bool)
    left, whole = clocked.only(kept).uninterrupted, clocked.uninterrupted
    assert left is not None and whole is not None
    assert left.steady_ns()[0].tolist() == whole.steady_ns()[0][[0, 2]].tolist()
    assert left.common_ns()[1].tolist() == whole.common_ns()[1].tolist()


@pytest.mark.parametrize(("captures", "steps"), [(2, 10), (3, 3)])
def test_few_captures_or_steps_have_no_uninterrupted_steps(captures: int, steps: int) -> None:
    pair = drawn(World(captures=captures, steps=steps), 1)
    assert uninterrupted_steps((pair.parts(0), pair.parts(1)), pair.rows, pair.captures, OPTIONS.alpha) is None


def test_steps_without_parts_have_no_uninterrupted_steps() -> None:
    pair = drawn(World(), 1)
    assert uninterrupted_steps((None, pair.parts(1)), pair.rows, pair.captures, OPTIONS.alpha) is None


def parts(*rows: tuple[tuple[str, str, str, str], list[int]]) -> SplitTime:
    """Keys with their ns in each step, one call per non-zero time."""
    cells = [(row, step, time) for row, (_, times) in enumerate(rows) for step, time in enumerate(times) if time]
    row, step, time = (np.array(column, dtype=np.int64) for column in zip(*cells, strict=True))
    return split_time([key for key, _ in rows], row, step, time, np.ones(len(row), dtype=np.int64))


def test_inputs_of_another_length_in_every_step_are_one_part() -> None:
    """Each of eight lengths has a single time, indistinguishable from an interruption."""
    each = [
        (("CPU Exec", "aten::mm", "", f"[[{step}, 4]]"), [1000 * (step == at) for at in range(8)]) for step in range(8)
    ]
    each[3] = (each[3][0], [9_000_000 * (at == 3) for at in range(8)])
    steady = (("CPU Exec", "aten::add", "", "[[4]]"), [500] * 8)
    cells = cells_of_steps(parts(*each, steady), np.zeros(8, dtype=np.int32))
    assert len(np.unique(cells.part)) == 2
    assert sorted(cells.each_ns.tolist()) == [500] * 8 + [1000] * 7 + [9_000_000]


@pytest.mark.parametrize(("varying_ns", "known"), [((1_000, 1_000), True), ((0, 100), True), ((0, 1_000), False)])
def test_where_the_inputs_of_one_side_vary_its_fastest_steps_are_those_with_the_smallest(
    varying_ns: tuple[int, int], known: bool
) -> None:
    """24 steps in three captures; with a time, each has another length."""
    sides = [
        parts(
            *((("CPU Exec", "aten::mm", "", f"[[{step}, 4]]"), [ns * (step == at) for at in range(24)])
              for step in range(24)), (("CPU Exec", "aten::add", "", "[[4]]"), [500] * 24),
        ) for ns in varying_ns
    ]  # fmt: skip
    capture = np.repeat(np.arange(3, dtype=np.int32), 8)
    assert (steps_alone((sides[0], sides[1]), (capture, capture)) is not None) == known


def longer_rests(world: World, seed: int, more: tuple[float, ...]) -> Drawn:
    """Steps of the candidate take `more` steps longer, by capture, independent of the pace."""
    pair = drawn(world, seed)
    added = STEP_NS * np.array(more)[pair.captures[1]]
    rests = pair.rests[1].copy()
    rests[0] += added
    return replace(pair, times=(pair.times[0], pair.times[1] + added), rests=(pair.rests[0], rests))


def test_means_that_whole_steps_confirm_decide_despite_interruptions() -> None:
    """All steps are a step longer except the fastest quarter of one capture."""
    pair = drawn(World(hits=4, hit=0.1), 3)
    short = (pair.captures[1] == 1) & (np.arange(len(pair.times[1])) % 4 == 0)
    added = STEP_NS * np.where(short, 0.1, 1.0)
    rests = pair.rests[1].copy()
    rests[0] += added
    clocked = at_one_pace(
        replace(pair, times=(pair.times[0], pair.times[1] + added), rests=(pair.rests[0], rests)), OPTIONS.alpha
    )
    assert part_of(EstimateKind.UNINTERRUPTED, clocked, OPTIONS).verdict is Verdict.INCONCLUSIVE
    found = program_part(clocked, OPTIONS)
    assert (found.verdict, found.of) == (Verdict.SLOWER, EstimateKind.MEANS)


@pytest.mark.parametrize(("seed", "verdict"), [(12, Verdict.PROBABLY_SLOWER), (15, Verdict.INCONCLUSIVE)])
def test_whole_steps_alone_give_no_direction_but_confirm_probably(seed: int, verdict: Verdict) -> None:
    clocked = at_one_pace(drawn(World(change=0.03, steps=8), seed), OPTIONS.alpha)
    assert part_of(EstimateKind.UNINTERRUPTED, clocked, OPTIONS).verdict is Verdict.INCONCLUSIVE
    assert part_of(EstimateKind.STEPS, clocked, OPTIONS).verdict in (Verdict.SLOWER, Verdict.PROBABLY_SLOWER)
    found = program_part(clocked, OPTIONS)
    assert (found.verdict, found.of) == (verdict, EstimateKind.MEANS)


@pytest.mark.parametrize(("seed", "verdict"), [(10, Verdict.SLOWER), (4, Verdict.INCONCLUSIVE)],
                         ids=["whole steps and means are longer", "they are shorter"])  # fmt: skip
def test_on_an_overloaded_machine_all_estimates_must_agree(seed: int, verdict: Verdict) -> None:
    clocked = at_one_pace(longer_rests(OVERLOADED, seed, (0.5, 1.0, 0.45)), OPTIONS.alpha)
    assert part_of(EstimateKind.UNINTERRUPTED, clocked, OPTIONS).verdict is Verdict.SLOWER
    assert program_part(clocked, OPTIONS).verdict is verdict


def test_uninterrupted_steps_without_a_trace_in_whole_steps_do_not_decide() -> None:
    """All steps lose equal time to other processes; the fastest steps of the baseline are shorter."""
    pair = drawn(World(hits=400, hit=0.01, between=0.01), 2)
    fast = np.arange(len(pair.times[0])) % 10 < 3
    less = np.where(fast, 0.9 * pair.rests[0], 0.0)
    sides = replace(
        pair, times=(pair.times[0] - less.sum(axis=0), pair.times[1]), rests=(pair.rests[0] - less, pair.rests[1])
    )
    clocked = at_one_pace(sides, OPTIONS.alpha)
    assert part_of(EstimateKind.UNINTERRUPTED, clocked, OPTIONS).verdict is Verdict.SLOWER
    found = program_part(clocked, OPTIONS)
    assert (found.verdict, found.of) == (Verdict.INCONCLUSIVE, EstimateKind.STEPS)
