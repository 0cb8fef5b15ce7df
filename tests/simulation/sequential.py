"""How often an experiment that looks after each round is wrong, and how many rounds it takes, in worlds with a known
truth. A round is one capture of each side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tb_perfcompare.comparison.pace.clocked import by_one_pace
from tb_perfcompare.comparison.pace.pace import PaceRows, pace_of
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.verdict.rules import settle
from tb_perfcompare.experiment.stopping import FIRST_LOOK, Plan
from tests.simulation.tables import percent
from tests.simulation.worlds import Drawn, World, drawn

ROUNDS = 10
OPTIONS = CompareOptions()
DECIDED = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}
SETTLED = {Verdict.SLOWER, Verdict.FASTER, Verdict.SAME}

WORLDS: dict[str, World] = {
    "captures ±1 %": World(between=0.01),
    "captures ±5 %": World(),
    "captures ±15 %": World(between=0.15),
    "drift +10 %": World(drift=0.1),
    "drift +30 %, steps ρ 0.7": World(drift=0.3, rho=0.7),
    "alike in time, 0.9": World(in_time=0.9),
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
class SequentialRates:
    """Shares of experiments. any_look: a direction at any look; slower, same: the verdict in the end;
    rounds: mean number until it stopped."""

    any_look: float
    slower: float
    same: float
    rounds: float


def looked(pair: Drawn, rounds: int, steps: int, alpha: float, *, split: bool) -> Verdict:
    """The verdict that the product stops by, on the first rounds; without `split` as if no pace were known."""
    some = rounds * steps
    times = pair.times[0][:some], pair.times[1][:some]
    captures: Captures = (pair.captures[0][:some], pair.captures[1][:some])
    options = replace(OPTIONS, alpha=alpha)
    if not split:
        return settle((_ns(times[0]), _ns(times[1])), captures, options).verdict
    every = pair.rows
    rows = WorkRows(every.keys, _some(every.calls, some), _some(every.time_ns, some))
    found = pace_of("host", rows, captures, times, "operators", alpha)
    assert isinstance(found, PaceRows)
    clocked = by_one_pace(times, captures, found.pace)
    return program_part(clocked, options).verdict


def ended(world: World, seed: int, *, split: bool, naive: bool = False) -> Ended:
    """One experiment that stops when the verdict is settled. `naive`: every look at the usual level."""
    pair = drawn(world, seed)
    plan = Plan(world.captures, OPTIONS.alpha)
    directed = False
    for rounds in range(FIRST_LOOK, world.captures + 1):
        alpha = OPTIONS.alpha if naive else plan.level(rounds)
        verdict = looked(pair, rounds, world.steps, alpha, split=split)
        directed = directed or verdict in DECIDED
        if verdict in SETTLED or rounds == world.captures:
            return Ended(rounds, verdict, directed)
    raise AssertionError


@lru_cache(maxsize=256)
def sequential_rates(world: World, experiments: int, *, split: bool = True, naive: bool = False) -> SequentialRates:
    """Of so many experiments in one world."""
    every = [ended(world, seed, split=split, naive=naive) for seed in range(experiments)]

    def share(chosen: list[bool]) -> float:
        return sum(chosen) / experiments

    return SequentialRates(
        any_look=share([one.directed for one in every]),
        slower=share([one.verdict is Verdict.SLOWER for one in every]),
        same=share([one.verdict is Verdict.SAME for one in every]),
        rounds=sum(one.rounds for one in every) / experiments,
    )


EXPERIMENTS, CHANGED_EXPERIMENTS = 200, 40
SHOWN = ("captures ±1 %", "captures ±5 %", "drift +10 %")
SPLIT = tuple(WORLDS)[:6]
"""Worlds in which program and machine are told apart, which takes longer; tables above have them at one look."""


def sequential_tables() -> str:
    """The tables of docs/method/statistics.md on looking after each round; half an hour."""
    naive = sequential_rates(WORLDS["captures ±5 %"], EXPERIMENTS // 2, split=False, naive=True)
    lines = [
        f"Experiments of at most {ROUNDS} rounds, one capture of ten steps a side each, in turns A B B A, a look after",
        f"each from round {FIRST_LOOK} on; half of the step covered; {EXPERIMENTS} of each kind. Nothing differs:",
        "experiments in which any look gives a direction, in per cent, where program and machine are told apart and",
        f"where no pace is known ({percent(naive.any_look)} there with every look at 5 %, captures ±5 %):",
        "",
        "| world | program | no pace known |",
        "|---|---|---|",
    ]
    for name, world in WORLDS.items():
        shares = [
            percent(sequential_rates(world, EXPERIMENTS, split=split).any_look) if not split or name in SPLIT else "–"
            for split in (True, False)
        ]
        lines.append(f"| {name} | {' | '.join(shares)} |")
    lines += [
        "",
        "The candidate does more work: called slower, and the mean number of rounds until then:",
        "",
        f"| world | {' | '.join(f'+{100 * change:g} %' for change in CHANGES)} |",
        f"|---|{'---|' * len(CHANGES)}",
    ]
    for name in SHOWN:
        found = [sequential_rates(replace(WORLDS[name], change=change), CHANGED_EXPERIMENTS) for change in CHANGES]
        lines.append(f"| {name} | {' | '.join(f'{percent(one.slower)}, {one.rounds:.1f}' for one in found)} |")
    return "\n".join(lines) + "\n"


def _ns(times: np.ndarray) -> np.ndarray:
    return np.rint(times).astype(np.int64)


def _some(pair: tuple[np.ndarray, np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    return pair[0][:, :count], pair[1][:, :count]
