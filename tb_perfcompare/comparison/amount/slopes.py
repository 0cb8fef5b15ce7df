"""How values of a step grow with its amount of work: robust slopes within captures."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Floats, Ints, row_medians, unique

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
