"""How the time of a step grows with its amount of work, by one curve for both sides, as the machine's pace scales it in
each capture; and how values of a step do, by robust slopes within captures."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, CaptureIndex, Floats, Ints, SidePair, median, row_medians, unique

_ROUNDS, _HALVINGS = 12, 8
"""Rounds of the fit at most, and halvings of a round's step at most, until the curve is positive everywhere."""

_HUBER = 1.345
"""Deviations from which a step counts less (Huber 1964): 95 % efficient for normal noise."""

_PARABOLA = 5
"""Different amounts from which the curve is a parabola; below it is a straight line."""


def along_curve(values: SidePair, amounts: SidePair, captures: Captures, level: float) -> SidePair | None:
    """(n,), (m,) values moved along the curve to the amount `level`: v + p (1 - f(x)), with p the median of v / f in
    the step's capture, and f a parabola with f(level) = 1, fitted to v / p by least relative squares (Gauss-Newton),
    long steps counting less. Sides with other amounts are on the same curve. None without a positive curve."""
    value, amount = np.concatenate(values), np.concatenate(amounts)
    capture = np.concatenate([captures[0], captures[1] + 1 + captures[0].max(initial=0)])
    members = [np.flatnonzero(capture == which) for which in unique(capture).tolist()]
    different = unique(amount)
    x = (amount - level) / max(float(different[-1] - different[0]), 1.0)
    base = np.stack([x, x * x] if len(different) >= _PARABOLA else [x], axis=1)
    bend = np.zeros(base.shape[1])
    for _ in range(_ROUNDS):
        curve = 1 + base @ bend
        pace = _of_captures(value / curve, members)
        if (pace <= 0).any():
            return None
        apart = value / (pace * curve) - 1
        usual = max(MAD_TO_SIGMA * median(np.abs(apart)), 1e-9)
        weight = np.minimum(1.0, _HUBER * usual / np.maximum(np.abs(apart), 1e-12))
        step = _fitted(base / curve[:, None], apart, weight, members)
        for _ in range(_HALVINGS):
            if (1 + base @ (bend + step) > 0).all():
                break
            step = step / 2
        else:
            return None
        bend = bend + step
    curve = 1 + base @ bend
    moved = value + _of_captures(value / curve, members) * (1 - curve)
    return moved[: len(values[0])], moved[len(values[0]) :]


def _fitted(base: Floats, apart: Floats, weight: Floats, members: list[Ints]) -> Floats:
    """(k,) coefficients of (n, k) columns that fit the deviations best, apart from a constant in each capture."""
    columns, rest = base.copy(), apart.copy()
    for own in members:
        columns[own] -= np.average(columns[own], axis=0, weights=weight[own])
        rest[own] -= np.average(rest[own], weights=weight[own])
    root = np.sqrt(weight)
    out: Floats = np.asarray(np.linalg.lstsq(columns * root[:, None], rest * root, rcond=None)[0], dtype=np.float64)
    return out


def _of_captures(values: Floats, members: list[Ints]) -> Floats:
    """(n,) median of the capture of each value."""
    out = np.empty(len(values))
    for own in members:
        out[own] = median(values[own])
    return out


MIN_STEPS = 6
"""Steps from which a capture has a slope of its own, as the machine differs between captures."""

_ALL_PAIRS = 40
"""Steps of a capture up to which every pair of steps counts; of more, each step and the one half of them further on in
order of amount."""


def slopes(values: Floats, amount: Floats, capture: CaptureIndex) -> Floats:
    """(r, n) values of n steps -> (r, n) slope against (n,) amounts, that of the step's capture: the median over pairs
    of its steps (Theil 1950, Sen 1968), so that single long steps do not count. Captures with few steps, or with one
    amount, take the median over the pairs of all captures; without any pair it is 0."""
    out = np.zeros(values.shape)
    own = {which: _of_pairs(values, amount, np.flatnonzero(capture == which)) for which in unique(capture).tolist()}
    every = np.concatenate(list(own.values()), axis=1)
    together = row_medians(every) if every.shape[1] else np.zeros(len(values))
    for which, pair_slopes in own.items():
        inside = capture == which
        enough = pair_slopes.shape[1] and int(inside.sum()) >= MIN_STEPS
        out[:, inside] = (row_medians(pair_slopes) if enough else together)[:, None]
    return out


def explained(values: Floats, amount: Floats, capture: CaptureIndex) -> float:
    """Share of the variation of (n,) values within captures that the amount explains: 1 less the square of the ratio of
    the median deviations with and without it; 0 if they do not vary."""
    rest = values - slopes(values[None, :], amount, capture)[0] * amount
    before, after = _deviation(values, capture), _deviation(rest, capture)
    return 1.0 - (after / before) ** 2 if before > 0 else 0.0


def _of_pairs(values: Floats, amount: Floats, steps: Ints) -> Floats:
    """(r, p) slopes between pairs of these steps of different amounts."""
    order = steps[np.argsort(amount[steps], kind="stable")]
    if len(order) <= _ALL_PAIRS:
        low, high = np.triu_indices(len(order), 1)
    else:
        low = np.arange(len(order) - len(order) // 2)
        high = low + len(order) // 2
    low, high = order[low], order[high]
    run = amount[high] - amount[low]
    apart = run > 0
    pair_slopes: Floats = (values[:, high[apart]] - values[:, low[apart]]) / run[apart]
    return pair_slopes


def _deviation(values: Floats, capture: CaptureIndex) -> float:
    """Median distance of the values from the median of their capture."""
    apart = np.zeros(len(values))
    for which in unique(capture).tolist():
        inside = capture == which
        apart[inside] = np.abs(values[inside] - row_medians(values[None, inside])[0])
    return float(row_medians(apart[None, :])[0])
