"""How often an experiment that looks after each round is wrong, and how many rounds it takes, in worlds with a known
truth. A round is one capture of each side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tb_perfcompare.comparison.pace.clocked import Clocked, by_captures, by_means
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centers, middle_half
from tb_perfcompare.comparison.verdict.rules import settle
from tb_perfcompare.experiment.stopping import FIRST_LOOK, FIRST_WITHOUT_PACE, planned_levels
from tests.simulation.parts import at_one_pace
from tests.simulation.tables import percent
from tests.simulation.worlds import Drawn, Floats, World, drawn

ROUNDS = 10
OPTIONS = CompareOptions()
LEVELS = planned_levels(ROUNDS, OPTIONS.alpha)
USUAL = (OPTIONS.alpha,) * ROUNDS
"""Of looks that each count as the only one."""

DECIDED = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}
SETTLED = {Verdict.SLOWER, Verdict.FASTER, Verdict.SAME}

WORLDS: dict[str, World] = {
    "captures ±1 %": World(between=0.01),
    "captures ±5 %": World(),
    "captures ±15 %": World(between=0.15),
    "drift +10 %": World(drift=0.1),
    "drift +30 %, steps ρ 0.7": World(drift=0.3, rho=0.7),
    "random walk": World(by_capture="random walk"),
    "slow start, +40 %": World(by_capture="slow start"),
    "alike in time, 0.9": World(in_time=0.9),
    "two speeds, ±5 %": World(by_capture="two speeds"),
    "t with 2 df": World(by_capture="heavy"),
    "skewed": World(by_capture="skewed"),
}
WORLDS = {name: replace(world, captures=ROUNDS, balanced=True) for name, world in WORLDS.items()}
CHANGES = (0.02, 0.05, 0.1)


@dataclass(frozen=True, slots=True)
class Ended:
    """One experiment: the round it stopped at, the verdict then (of the program where it is told apart), and
    whether any look gave a direction."""

    rounds: int
    verdict: Verdict
    directed: bool


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is known after some rounds: observations at one pace, or as recorded where no pace is known."""

    times: tuple[Floats, Floats]
    captures: Captures
    clocked: Clocked | None
    alpha: float

    def verdict(self) -> Verdict:
        """That which the product stops by."""
        options = replace(OPTIONS, alpha=self.alpha)
        if self.clocked is not None:
            return program_part(self.clocked, options).verdict
        one, two = (np.rint(side).astype(np.int64) for side in self.times)
        return settle((one, two), self.captures, options).verdict

    def may_be_directed(self) -> bool:
        """False where the interval over captures of no estimate, beyond which every verdict's interval reaches,
        excludes zero."""
        if self.clocked is None:
            return self._apart((np.log(self.times[0]), np.log(self.times[1])), self.captures)
        every = [self.clocked, by_means(self.clocked)]
        if self.clocked.uninterrupted is not None:
            every.append(by_captures(self.clocked.uninterrupted))
        return any(self._apart(one.at_pace, one.captures) for one in every)

    def _apart(self, logs: tuple[Floats, Floats], captures: Captures) -> bool:
        one, two = (centers(side[None, :], at, middle_half) for side, at in zip(logs, captures, strict=True))
        between = between_captures(one, two, self.alpha, shared=self.clocked is not None)
        assert between is not None
        return bool(between.p[0] <= self.alpha)


def _looked(pair: Drawn, rounds: int, steps: int, alpha: float, *, split: bool) -> _Looked:
    """The first rounds; without `split` as if no pace were known."""
    some = rounds * steps
    times = pair.times[0][:some], pair.times[1][:some]
    captures: Captures = (pair.captures[0][:some], pair.captures[1][:some])
    if not split:
        return _Looked(times, captures, None, alpha)
    every = pair.rows
    rows = WorkRows(every.keys, _some(every.calls, some), _some(every.time_ns, some))
    looked = Drawn(rows, times, captures, _some(pair.rests, some))
    return _Looked(times, captures, at_one_pace(looked, alpha), alpha)


def ended(world: World, seed: int, *, split: bool, levels: tuple[float, ...] = LEVELS) -> Ended:
    """One experiment that stops when the verdict is settled."""
    pair = drawn(world, seed)
    directed = False
    for rounds in _looks(world, split=split):
        verdict = _looked(pair, rounds, world.steps, levels[rounds - 1], split=split).verdict()
        directed = directed or verdict in DECIDED
        if verdict in SETTLED or rounds == world.captures:
            return Ended(rounds, verdict, directed)
    raise AssertionError


def _looks(world: World, *, split: bool) -> range:
    return range(FIRST_LOOK if split else FIRST_WITHOUT_PACE, world.captures + 1)


@lru_cache(maxsize=256)
def false_alarms(world: World, experiments: int, *, split: bool, levels: tuple[float, ...] = LEVELS) -> float:
    """Share of experiments in which any look gives a direction."""

    def alarms(seed: int) -> bool:
        pair = drawn(world, seed)
        return any(
            _looked(pair, rounds, world.steps, levels[rounds - 1], split=split).may_be_directed()
            for rounds in _looks(world, split=split)
        ) and ended(world, seed, split=split, levels=levels).directed

    return sum(map(alarms, range(experiments))) / experiments


@lru_cache(maxsize=256)
def called_slower(world: World, experiments: int, *, split: bool) -> tuple[float, float]:
    """(share of experiments that end with slower, mean number of rounds until they end)."""
    every = [ended(world, seed, split=split) for seed in range(experiments)]
    slower = sum(experiment.verdict is Verdict.SLOWER for experiment in every) / experiments
    return slower, sum(experiment.rounds for experiment in every) / experiments


EXPERIMENTS, CHANGED_EXPERIMENTS = 1_000, 100
SHOWN = ("captures ±1 %", "captures ±5 %", "drift +10 %")


def sequential_tables() -> str:
    """The tables of rates.md; half an hour."""
    naive = false_alarms(WORLDS["captures ±5 %"], EXPERIMENTS, split=False, levels=USUAL)
    lines = [
        f"In turns A B B A, at most {ROUNDS} rounds of one capture of ten steps a side, half of the step covered;",
        f"{EXPERIMENTS:,} experiments of each kind. Nothing differs: experiments in which any look gives a direction,",
        "in per cent, with program and machine separated and with no pace known",
        f"({percent(naive)} there if each look used 5 %, captures ±5 %):",
        "",
        "| world | program | no pace known |",
        "|---|---|---|",
    ]
    for name, world in WORLDS.items():
        shares = [percent(false_alarms(world, EXPERIMENTS, split=split)) for split in (True, False)]
        lines.append(f"| {name} | {' | '.join(shares)} |")
    lines += [
        "",
        f"The candidate does more work, {CHANGED_EXPERIMENTS} of each kind: called slower, in per cent (mean number of",
        "rounds), program / no pace known:",
        "",
        f"| world | {' | '.join(f'+{100 * change:g} %' for change in CHANGES)} |",
        f"|---|{'---|' * len(CHANGES)}",
    ]
    for name in SHOWN:
        cells = []
        for change in CHANGES:
            world = replace(WORLDS[name], change=change)
            both = [called_slower(world, CHANGED_EXPERIMENTS, split=split) for split in (True, False)]
            cells.append(" / ".join(f"{percent(slower)} ({rounds:.1f})" for slower, rounds in both))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _some(pair: tuple[np.ndarray, np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    return pair[0][:, :count], pair[1][:, :count]
