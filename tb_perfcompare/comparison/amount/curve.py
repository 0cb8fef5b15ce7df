"""How the time of a step grows with its amount of work, by one curve for both sides: the machine's pace scales it in
each capture."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.model.arrays import Floats, Ints, median, unique

Pair = tuple[Floats, Floats]

_ROUNDS = 8
_HUBER, _MAD_TO_SIGMA = 1.345, 1.4826
"""Deviations from which a step counts less (Huber 1964): 95 % efficient for normal noise."""

_PARABOLA = 5
"""Different amounts from which the curve is a parabola; below it is a straight line."""


def along_curve(values: Pair, amounts: Pair, captures: Captures, level: float) -> Pair | None:
    """(n,), (m,) values moved along the curve to the amount `level`: v + p (f(level) - f(x)), with f a parabola fitted
    to v / p by least relative squares, long steps counting less, and p the median of v / f in the step's capture. Sides
    with other amounts are on the same curve, so none is extrapolated. None without a positive curve."""
    value, amount = np.concatenate(values), np.concatenate(amounts)
    capture = np.concatenate([captures[0], captures[1] + 1 + captures[0].max(initial=0)])
    different = unique(amount)
    middle, half = (different[0] + different[-1]) / 2, max(float(different[-1] - different[0]) / 2, 1.0)
    powers = 3 if len(different) >= _PARABOLA else 2

    def at(amounts: Floats) -> Floats:
        out: Floats = np.power(((amounts - middle) / half)[:, None], np.arange(powers))
        return out

    members = [np.flatnonzero(capture == which) for which in unique(capture).tolist()]
    weight: Floats = np.ones(len(value))
    curve: Floats = np.ones(len(value))
    base = at(amount)
    for _ in range(_ROUNDS):
        pace = _of_captures(value / curve, members)
        if (pace <= 0).any():
            return None
        root = np.sqrt(weight) / curve
        fitted = np.linalg.lstsq(base * root[:, None], value / pace * root, rcond=None)[0]
        coefficients = np.asarray(fitted, dtype=np.float64)
        curve = base @ coefficients
        if (curve <= 0).any():
            return None
        apart = np.abs(value / pace / curve - 1)
        usual = max(_MAD_TO_SIGMA * median(apart), 1e-9)
        weight = np.minimum(1.0, _HUBER * usual / np.maximum(apart, 1e-12))
    pace = _of_captures(value / curve, members)
    moved = value + pace * (float((at(np.array([level])) @ coefficients)[0]) - curve)
    return moved[: len(values[0])], moved[len(values[0]) :]


def _of_captures(values: Floats, members: list[Ints]) -> Floats:
    """(n,) median of the capture of each value."""
    out = np.empty(len(values))
    for own in members:
        out[own] = median(values[own])
    return out
