"""Programs on machines whose pace changes: step times and rows of the same work with a known truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.model.summary.split_time import SplitTime, split_time

Floats = NDArray[np.float64]

STEP_NS = 1e8
ROWS, NAMES, RESTS = 24, 16, 4


@dataclass(frozen=True, slots=True)
class World:
    """What the two sides have in common and how they differ; deviations are of ln(time).

    captures       of each side
    covered        share of the step that rows of the same work take
    between        deviation of the machine between captures; by_capture: how it is distributed
    within, rho    deviation of the machine's pace between steps, and its autocorrelation; in_time: the same between
                   captures
    exponents      deviation of how far rows follow the pace (1: wholly)
    rest_exponent  mean of how far the rest of the step does, and its deviation
    row_noise      deviation of a row between captures of one machine
    change         work that the candidate has more, as a fraction of the step
    candidate_machine  factor on the candidate's pace in all captures
    candidate_between  factor on the candidate's `between`
    drift          how much slower the machine becomes from the first capture to the last, in a straight line
    balanced       captures take turns as in A B B A instead of A B A B
    hits, hit      how often other programs take the core in a step, and for how long on average, as a fraction of it
    """

    captures: int = 3
    covered: float = 0.5
    between: float = 0.05
    by_capture: str = "normal"
    within: float = 0.02
    rho: float = 0.3
    in_time: float = 0.0
    exponents: float = 0.15
    rest_exponent: float = 0.9
    rest_deviation: float = 0.25
    row_noise: float = 0.02
    steps: int = 10
    change: float = 0.0
    candidate_machine: float = 1.0
    candidate_between: float = 1.0
    drift: float = 0.0
    balanced: bool = False
    hits: float = 2
    hit: float = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Rows of the same work, the step times of both sides in ns, the capture of every step, and what else steps are
    made of: (p, n), (p, m) ns."""

    rows: WorkRows
    times: tuple[Floats, Floats]
    captures: Captures
    rests: tuple[Floats, Floats]

    def parts(self, side: int) -> SplitTime:
        """Rows and rest of a side as the ledger splits its steps."""
        keys = [("CPU Exec", name, "", shape) for name, shape in self.rows.keys]
        keys += [("Other", "(nothing recorded)", f"after {number}", "") for number in range(len(self.rests[side]))]
        time = np.rint(np.concatenate([self.rows.time_ns[side], self.rests[side]])).astype(np.int64)
        row, step = np.nonzero(time)
        return split_time(keys, row, step, time[row, step], (row < len(self.rows)).astype(np.int64))


def drawn(world: World, seed: int) -> Drawn:
    """One pair of runs."""
    random = np.random.default_rng([seed, world.captures, world.steps])
    shares = 1 / np.arange(1, ROWS + 1) ** 0.8
    shares *= world.covered / shares.sum()
    exponents = 1 + world.exponents * random.standard_normal(ROWS)
    rests = world.rest_exponent + world.rest_deviation * random.standard_normal(RESTS)
    paces = _paces(world, random)
    sides = [
        _side(world, random, shares, exponents, rests, paces[number], world.change if number else 0.0)
        for number in (0, 1)
    ]
    keys = tuple((f"aten::op{number % NAMES:02}", f"[{number}]") for number in range(ROWS))
    capture = np.repeat(np.arange(world.captures, dtype=np.int32), world.steps)
    calls = np.ones((ROWS, len(capture)))
    rows = WorkRows(keys, (calls, calls), (sides[0][0], sides[1][0]))
    return Drawn(rows, (sides[0][1], sides[1][1]), (capture, capture), (sides[0][2], sides[1][2]))


def _paces(world: World, random: np.random.Generator) -> tuple[Floats, Floats]:
    """ln of the machine's pace in each step of the two sides, captures alternate."""
    count = 2 * world.captures
    levels = _levels(world, random, count)
    for place in range(1, count):
        levels[place] = world.in_time * levels[place - 1] + math.sqrt(1 - world.in_time**2) * levels[place]
    levels *= world.between
    line = world.drift * np.arange(count) / max(count - 1, 1)
    places = np.arange(count).reshape(-1, 2)
    if world.balanced:
        places[1::2] = places[1::2, ::-1]
    steps = random.standard_normal((count, world.steps))
    for place in range(1, world.steps):
        steps[:, place] = world.rho * steps[:, place - 1] + math.sqrt(1 - world.rho**2) * steps[:, place]
    first, second = places.T
    one = ((levels + line)[first, None] + world.within * steps[first]).ravel()
    other = ((world.candidate_between * levels + line)[second, None] + world.within * steps[second]).ravel()
    return one, other + math.log(world.candidate_machine)


def _levels(world: World, random: np.random.Generator, count: int) -> Floats:
    if world.by_capture == "heavy":
        return random.standard_t(2, count) / 2
    if world.by_capture == "skewed":
        return random.standard_exponential(count) - 1
    if world.by_capture == "two speeds":
        return np.where(random.random(count) < 0.5, 1.0, -1.0)
    if world.by_capture == "random walk":
        return random.standard_normal(count).cumsum() / 2
    if world.by_capture == "slow start":
        return random.standard_normal(count) + 8 * np.exp(-np.arange(count) / 2)
    return random.standard_normal(count)


def _side(
    world: World, random: np.random.Generator, shares: Floats, exponents: Floats, rests: Floats, pace: Floats,
    change: float,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """((rows, steps) time of the rows, (steps,) step times, (parts, steps) time of the rest)."""
    steps = len(pace)
    noise = 0.03 * (1 + 0.02 / np.sqrt(shares))[:, None]
    own = np.repeat(world.row_noise * random.standard_normal((ROWS, world.captures)), world.steps, axis=1)
    rows = shares[:, None] * np.exp(exponents[:, None] * pace + own + noise * random.standard_normal((ROWS, steps)))
    portions = np.full(RESTS, (1 - world.covered) / RESTS)
    portions_of = np.concatenate([portions, [change]])
    follows = np.concatenate([rests, [1.0]])
    apart = np.repeat(world.row_noise * random.standard_normal((RESTS + 1, world.captures)), world.steps, axis=1)
    rest = portions_of[:, None] * np.exp(
        follows[:, None] * pace + apart + 0.03 * random.standard_normal((RESTS + 1, steps))
    )
    # other programs take the core for a while, in proportion to the time somebody is there to be interrupted
    time = np.concatenate([rows, rest])
    for step in range(steps):
        for _ in range(random.poisson(world.hits)):
            hit = random.choice(len(time), p=time[:, step] / time[:, step].sum())
            time[hit, step] += random.exponential(world.hit)
    return STEP_NS * time[:ROWS], STEP_NS * time.sum(axis=0), STEP_NS * time[ROWS:]
