"""How often program and machine are judged right, measured in worlds with a known truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tb_perfcompare.comparison.pace.captures_apart import captures_apart
from tb_perfcompare.comparison.pace.clocked import Clocked, by_one_pace
from tb_perfcompare.comparison.pace.decide import outcome
from tb_perfcompare.comparison.pace.machine import machine_part
from tb_perfcompare.comparison.pace.pace import PaceRows, pace_of
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.program_estimate import ProgramPart
from tb_perfcompare.comparison.pace.uninterrupted_steps import steps_alone, uninterrupted_steps
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.verdict.rules import settle
from tb_perfcompare.model.summary.split_time import SplitTime
from tests.simulation.worlds import Drawn, World, drawn

OPTIONS = CompareOptions()
DECIDED = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}
SURE = {Verdict.SLOWER, Verdict.FASTER}


@dataclass(frozen=True, slots=True)
class PairVerdicts:
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


def verdicts_on(pair: Drawn) -> PairVerdicts:
    """The product's rules on one pair; the pace counts whatever share of the step it covers."""
    clocked = at_one_pace(pair, OPTIONS.alpha)
    program, machine = program_part(clocked, OPTIONS), machine_part(clocked, OPTIONS)
    whole = tuple(np.rint(side).astype(np.int64) for side in pair.times)
    recorded = settle((whole[0], whole[1]), pair.captures, OPTIONS)
    verdict, _ = outcome(recorded.verdict, program, machine, clocked, OPTIONS)
    if verdict is Verdict.INCONCLUSIVE and (alone := steps_alone(_parts(pair), pair.captures)):
        apart = captures_apart(alone, program.estimate.theta, OPTIONS)
        verdict = verdict if apart is None else apart.verdict
    return PairVerdicts(recorded.verdict, program.verdict, machine.verdict, verdict, *_interval(program),
                recorded.estimate.theta_high - recorded.estimate.theta_low)  # fmt: skip


def at_one_pace(pair: Drawn, alpha: float) -> Clocked:
    """The steps with their pace, and as if nothing had interrupted them."""
    found = pace_of("host", pair.rows, pair.captures, pair.times, "operators", alpha)
    assert isinstance(found, PaceRows)
    uninterrupted = uninterrupted_steps(_parts(pair), pair.rows, pair.captures, alpha)
    return replace(by_one_pace(pair.times, pair.captures, found.pace), uninterrupted=uninterrupted)


def _parts(pair: Drawn) -> tuple[SplitTime, SplitTime]:
    return pair.parts(0), pair.parts(1)


def _interval(part: ProgramPart) -> tuple[float, float, float]:
    return part.estimate.theta, part.estimate.theta_low, part.estimate.theta_high


@lru_cache(maxsize=256)
def rates(world: World, pairs: int) -> Rates:
    """Of so many pairs of one world."""
    every = [verdicts_on(drawn(world, seed)) for seed in range(pairs)]
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
    "busy": {"hits": 6, "hit": 0.15},
    "very busy": {"hits": 12, "hit": 0.3},
}
"""What is otherwise in the worlds of three captures, half of the step covered, captures ±5 %."""


TWO_BUSY = World(captures=2, between=0.15, hits=12, hit=0.3)
"""Two captures a side on a very busy machine."""


def hard(name: str, **changed: object) -> World:
    return replace(World(), **HARD[name], **changed)


LAYOUTS = ((1, 0.5), (1, 0.9), (2, 0.5), (3, 0.5), (3, 0.9), (5, 0.5))
BETWEEN = (0.01, 0.05, 0.15)
EQUAL_PAIRS, CHANGED_PAIRS = 400, 100


def parts_tables() -> str:
    """The tables of rates.md; minutes."""
    head = " | ".join(f"captures ±{100 * between:g} %" for between in BETWEEN)
    lines = [
        "Simulated programs of 24 rows that follow the machine's speed to varying degrees, as does the rest;",
        "10 steps per capture (`tests/simulation/worlds.py`), in %. Directions where nothing differs: as recorded",
        "/ program / machine / verdict; and how often the program's interval contains the truth:",
        "",
        f"| captures a side, covered | {head} | interval contains |",
        f"|---|{'---|' * (len(BETWEEN) + 1)}",
    ]
    for captures, covered in LAYOUTS:
        world_rates = [rates(World(captures, covered, between), EQUAL_PAIRS) for between in BETWEEN]
        cells = [f"{_of(r.recorded)} / {_of(r.program)} / {_of(r.machine)} / {_of(r.either)}" for r in world_rates]
        held = f"{_of(min(r.holds for r in world_rates))} to {_of(max(r.holds for r in world_rates))}"
        lines.append(f"| {captures}, {covered:.0%} | {' | '.join(cells)} | {held} |")
    lines += [
        "",
        'Called slower without "probably" where the candidate does 10 % more work, as recorded / program:',
        "",
        f"| captures a side, covered | {head} |",
        f"|---|{'---|' * len(BETWEEN)}",
    ]
    for captures, covered in LAYOUTS:
        world_rates = [rates(World(captures, covered, between, change=0.1), CHANGED_PAIRS) for between in BETWEEN]
        cells = [f"{_of(r.slower_recorded)} / {_of(r.slower)}" for r in world_rates]
        lines.append(f"| {captures}, {covered:.0%} | {' | '.join(cells)} |")
    lines += [
        "",
        "Three captures a side, half of the step covered, captures ±5 %, with one difference: false directions of the",
        "program, then called slower at +10 %, as recorded / program:",
        "",
        "| difference | false | slower at +10 % |",
        "|---|---|---|",
    ]
    for name in HARD:
        equal, more = rates(hard(name), EQUAL_PAIRS), rates(hard(name, change=0.1), CHANGED_PAIRS)
        lines.append(f"| {name} | {_of(equal.program)} | {_of(more.slower_recorded)} / {_of(more.slower)} |")
    worst = max(
        rates(World(captures, covered, exponents=unlike, candidate_machine=factor), CHANGED_PAIRS).program
        for factor in (1.22, 2.5) for covered in (0.5, 0.9) for unlike in (0.15, 0.3) for captures in (1, 3, 5)
    )  # fmt: skip
    lines += [
        "",
        "The candidate's machine slower throughout (×1.22 or ×2.5), its program equal, rows alike within ±0.15 or",
        "±0.3, 1, 3 or 5 captures a side, 50 or 90 % covered: false directions of the program in at most "
        f"{_of(worst)} %.",
    ]
    equal, more = rates(TWO_BUSY, EQUAL_PAIRS), rates(replace(TWO_BUSY, change=0.6), CHANGED_PAIRS)
    lines += [
        "",
        "Two captures a side of ±15 % on a very busy machine, half of the step covered: slower or probably slower",
        f"where the candidate does 60 % more work in {_of(more.right)} %, by the program's interval alone in",
        f"{_of(more.program)} %; directions where nothing differs in {_of(equal.either)} %.",
    ]
    return "\n".join(lines) + "\n"


def _of(share: float) -> str:
    return f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"
