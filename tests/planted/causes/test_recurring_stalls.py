"""A stall that some steps of every capture have is the program's, however short the typical step stays."""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path

import pytest

import tb_perfcompare
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tests.build import TraceBuilder

OPERATORS, OPERATOR_US, STALL_US = 12, 1500.0, 8000.0
CAPTURES, STEPS = 3, 12


def record(
    folder: Path, seed: int, stalled: str = "", every: int = STEPS + 1, slices: tuple[int, int] = (0, 0),
    gap_us: float = 10.0, within: int = STEPS + 1, loader_us: float = 200.0, slower: Collection[int] = (),
    by: float = 1.0, **recorded: int,
) -> Path:  # fmt: skip
    """Three captures on a machine that varies by 1 %: 20 ms steps of a loader and twelve operators. Every so many steps
    one is 8 ms longer, where it is `stalled`: in the loader, or in a gap. Others take as many `slices` of 15 ms in
    every step, from the one number to the other; or one `within` an operator in every so many steps. `slower` operators
    take `by` times as long; `recorded` are options of the profiler."""
    drawn = random.Random(seed)
    for capture in range(CAPTURES):
        trace, step_start_us, speed = TraceBuilder(vendor="cpu"), 0.0, 1 + drawn.gauss(0, 0.01)
        trace.properties.update(recorded)

        def vary(us: float, speed: float = speed) -> float:
            return us * speed * (1 + drawn.gauss(0, 0.01))

        for step in range(STEPS):
            stall_us = STALL_US if step % every == every - 1 else 0.0
            now_us = step_start_us + 5
            loaded = now_us + vary(loader_us) + (stall_us if stalled == "loader" else 0.0)
            trace.loader(now_us, loaded)
            now_us = loaded + gap_us + (stall_us if stalled == "gap" else 0.0)
            lost = drawn.choices(range(OPERATORS), k=drawn.randint(*slices))
            for operator in range(OPERATORS):
                now_us += 15_000.0 * lost.count(operator)
                inside = step % within == within - 1 and operator == step % OPERATORS
                end = now_us + vary(OPERATOR_US * (by if operator in slower else 1)) + (STALL_US if inside else 0.0)
                trace.op(f"aten::op{operator}", now_us, end, dims=[[64, operator + 1]])
                now_us = end + 20
            trace.step(step + 1, step_start_us, now_us)
            step_start_us = now_us
        trace.write(folder / f"worker0.{1_700_000_000_000 + capture}.pt.trace.json")
    return folder


def headline(folder: Path, stalled: str, every: int) -> Headline:
    return tb_perfcompare.compare(record(folder / "a", 1), record(folder / "b", 2, stalled, every)).headline


@pytest.mark.parametrize("stalled", ["loader", "gap"])
@pytest.mark.parametrize(("every", "low", "high"), [(3, 0.12, 0.16), (6, 0.06, 0.08)])
def test_it_makes_the_program_slower(tmp_path: Path, stalled: str, every: int, low: float, high: float) -> None:
    found = headline(tmp_path, stalled, every)
    assert found.verdict is Verdict.SLOWER and found.program is not None
    assert low < found.program.low < found.program.estimate < found.program.high < high
    assert "means of the captures" in found.method


def test_without_one_the_program_is_the_same(tmp_path: Path) -> None:
    assert headline(tmp_path, "", 3).verdict is Verdict.SAME


def test_exchanging_the_sides_negates_it(tmp_path: Path) -> None:
    sides = record(tmp_path / "a", 1), record(tmp_path / "b", 2, "loader", 3)
    there, back = (tb_perfcompare.compare(*pair).headline.program for pair in (sides, sides[::-1]))
    assert there is not None and back is not None
    for one, other in ((there.estimate, back.estimate), (there.low, back.high), (there.high, back.low)):
        assert (1 + one) * (1 + other) == pytest.approx(1, abs=1e-12)


def test_slices_that_others_take_of_every_step_are_not_the_programs(tmp_path: Path) -> None:
    """Steps of both sides take several times as long as alone, and those of one side lose more: a busy machine."""
    sides = record(tmp_path / "a", 1, slices=(1, 3)), record(tmp_path / "b", 2, slices=(3, 6))
    found = tb_perfcompare.compare(*sides).headline
    assert found.recorded is not None and found.recorded.verdict is Verdict.SLOWER
    assert found.verdict is Verdict.INCONCLUSIVE and found.program is not None
    assert -0.03 < found.program.low < found.program.high < 0.03


def long_gaps(folder: Path, seed: int, stalled: str, every: int, within: int) -> Path:
    """A third of the step is a gap."""
    return record(folder, seed, stalled, every, gap_us=9000.0, within=within)


def test_slices_that_fall_on_operators_and_on_gaps_by_their_time_are_not_the_programs(tmp_path: Path) -> None:
    """Of both sides operators in six steps are interrupted, of one side gaps in three more."""
    sides = long_gaps(tmp_path / "a", 1, "gap", 4, within=2), long_gaps(tmp_path / "b", 2, "", 4, within=2)
    assert tb_perfcompare.compare(*sides).headline.verdict is Verdict.INCONCLUSIVE


def test_pauses_beside_few_slices_are_the_programs(tmp_path: Path) -> None:
    sides = long_gaps(tmp_path / "a", 1, "", 3, within=7), long_gaps(tmp_path / "b", 2, "gap", 3, within=7)
    assert tb_perfcompare.compare(*sides).headline.verdict is Verdict.SLOWER
