"""How often program and machine are told right, measured in worlds with a known truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tb_perfcompare.comparison.pace.clocked import by_one_pace
from tb_perfcompare.comparison.pace.decide import outcome
from tb_perfcompare.comparison.pace.machine import machine_part
from tb_perfcompare.comparison.pace.pace import PaceRows, pace_of
from tb_perfcompare.comparison.pace.program import ProgramPart, program_part
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.verdict.rules import settle
from tests.simulation.worlds import Drawn, World, drawn

OPTIONS = CompareOptions()
DECIDED = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}
SURE = {Verdict.SLOWER, Verdict.FASTER}


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one pair: of the step time as recorded, of the program, of the machine, and in the end."""

    recorded: Verdict
    program: Verdict
    machine: Verdict
    whole: Verdict
    theta: float
    low: float
    high: float
    width_recorded: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of all pairs."""

    recorded: float
    program: float
    machine: float
    either: float
    slower_recorded: float
    slower: float
    same: float
    holds: float
    right: float


def told(pair: Drawn) -> Told:
    """The product's rules on one pair; the pace counts whatever share of the step it covers."""
    found = pace_of("host", pair.rows, pair.captures, pair.times, "operators", OPTIONS.alpha)
    assert isinstance(found, PaceRows)
    clocked = by_one_pace(pair.times, pair.captures, found.pace)
    program, machine = program_part(clocked, OPTIONS), machine_part(clocked, OPTIONS)
    whole = tuple(np.rint(side).astype(np.int64) for side in pair.times)
    recorded = settle((whole[0], whole[1]), pair.captures, OPTIONS)
    verdict, _ = outcome(recorded.verdict, program, machine, clocked, OPTIONS)
    return Told(recorded.verdict, program.verdict, machine.verdict, verdict, *_interval(program),
                recorded.estimate.theta_high - recorded.estimate.theta_low)  # fmt: skip


def _interval(part: ProgramPart) -> tuple[float, float, float]:
    return part.estimate.theta, part.estimate.theta_low, part.estimate.theta_high


@lru_cache(maxsize=256)
def rates(world: World, pairs: int) -> Rates:
    """Of so many pairs of one world."""
    every = [told(drawn(world, seed)) for seed in range(pairs)]
    truth = math.log1p(world.change)

    def share(count: int) -> float:
        return count / pairs

    return Rates(
        recorded=share(sum(one.recorded in DECIDED for one in every)),
        program=share(sum(one.program in DECIDED for one in every)),
        machine=share(sum(one.machine in SURE for one in every)),
        either=share(sum(one.whole in DECIDED for one in every)),
        slower_recorded=share(sum(one.recorded is Verdict.SLOWER for one in every)),
        slower=share(sum(one.program is Verdict.SLOWER for one in every)),
        same=share(sum(one.whole is Verdict.SAME for one in every)),
        holds=share(sum(one.low <= truth <= one.high for one in every)),
        right=share(sum(one.whole in (Verdict.SLOWER, Verdict.PROBABLY_SLOWER) for one in every)),
    )


HARD: dict[str, dict[str, object]] = {
    "t with 2 df": {"by_capture": "heavy"},
    "skewed": {"by_capture": "skewed"},
    "alike in time, 0.9": {"in_time": 0.9},
    "candidate 3x as unsteady": {"candidate_between": 3.0},
    "steps rho 0.7": {"rho": 0.7},
    "exponents ±0.3": {"exponents": 0.3},
    "rest does not follow": {"rest_exponent": 0.0, "rest_deviation": 0.0},
    "rest follows 1.5": {"rest_exponent": 1.5},
    "rows 5 %": {"row_noise": 0.05},
    "8 steps": {"steps": 8},
    "20 steps": {"steps": 20},
}
"""What is otherwise in the worlds of three captures, half of the step covered, captures ±5 %."""


def hard(name: str, **changed: object) -> World:
    return replace(World(), **HARD[name], **changed)  # type: ignore[arg-type]
