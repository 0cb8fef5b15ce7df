"""The part of a change that uninterrupted steps do not show, where no common work shows the machine's pace."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import chain

import numpy as np

from tb_perfcompare.comparison.pace.step_cells import Cells, fastest_calls
from tb_perfcompare.comparison.pace.uninterrupted_steps import StepsAlone
from tb_perfcompare.comparison.result.finding import Interruptions
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory

MOST_KEPT = 1 / 3
"""Share of the step's change (logarithms) that uninterrupted steps show at most, if interruptions explain the rest:
0.44 or more in 64 recorded pairs of a changed program that got a direction, two of them of several ranks; 0.33 or less
in four pairs of equal programs with one side interrupted."""

MOST_OF_ONE = 0.5
"""Share of the time lost that one part of a step may have, of what exceeds its share of an uninterrupted step: the
program itself stalls in one place, other processes interrupt whatever runs."""

_Part = tuple[str, ...]


def interruptions(alone: StepsAlone) -> Interruptions | None:
    """Returns what interruptions explain of the change of the mean step; None if uninterrupted steps changed, too, or
    if one part of the step lost most of the time."""
    lost, uninterrupted = dict[_Part, list[float]](), dict[_Part, list[float]]()
    logs: list[tuple[float, float]] = []  # ln of a step as recorded, and of an uninterrupted one
    for sign, cells, keys in zip((-1.0, 1.0), alone.cells, alone.keys, strict=True):
        recorded, fastest = _parts(cells)
        logs.append((_mean_log(recorded), _mean_log(fastest)))
        times = [(each.mean(axis=1) / 1000).tolist() for each in (recorded - fastest, fastest)]
        for row, lost_us, fastest_us in zip(cells.named.tolist(), *times, strict=True):
            lost.setdefault(tuple(keys[row]), []).append(sign * lost_us)
            uninterrupted.setdefault(tuple(keys[row]), []).append(fastest_us)
    change, kept = (two - one for one, two in zip(*logs, strict=True))
    whole = math.fsum(chain.from_iterable(lost.values()))
    if abs(kept) > MOST_KEPT * abs(change) or whole * change <= 0:
        return None
    step = math.fsum(chain.from_iterable(uninterrupted.values()))
    places = _summed(uninterrupted, _place)
    for place, us in _summed(lost, _place).items():
        share = places[place] / step
        if abs(us / whole) > share + MOST_OF_ONE * (1 - share):
            return None
    return Interruptions(kept, _summed(lost, lambda key: key[:2]))


def _place(key: _Part) -> _Part:
    """One place of the program: an operator on any inputs, or the time between two operators."""
    return key if key[0] == CATEGORY_LABELS[StepCategory.OTHER] else key[:2]


def _summed(parts: Mapping[_Part, list[float]], key_of: Callable[[_Part], _Part]) -> dict[_Part, float]:
    grouped: dict[_Part, list[float]] = {}
    for key, values in parts.items():
        grouped.setdefault(key_of(key), []).extend(values)
    return {key: math.fsum(values) for key, values in grouped.items()}


def _parts(of: Cells) -> tuple[Floats, Floats]:
    """(p, k) ns per step of each part in each capture: as recorded, and with calls as in its fastest quarter of the
    steps."""
    numbers = np.arange(len(of.capture))
    found = fastest_calls(of, np.ones(len(numbers), dtype=bool))
    captures, counts = np.unique(of.capture, return_counts=True)
    place = np.searchsorted(captures, of.capture[of.step])
    recorded, fastest = np.zeros((2, len(of.named), len(captures)))
    np.add.at(recorded, (of.part, place), of.calls * of.each_ns / counts[place])
    fastest[found.part, found.place] = found.calls * found.each_ns
    return recorded, fastest


def _mean_log(parts: Floats) -> float:
    """Mean over the captures of ln of the sum of their parts."""
    return float(np.log(np.maximum(parts.sum(axis=0), 1.0)).mean())
