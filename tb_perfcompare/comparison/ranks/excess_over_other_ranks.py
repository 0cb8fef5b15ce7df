"""What one rank does beyond the others: they are its controls, step by step.

Ranks of one job share its noise, so a rank is held against the middle one of the others in the same step.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints


def beyond_others(values: Ints) -> Ints:
    """(r, j) values of r ranks in j steps -> (r, j) value minus the median of the other ranks in the step, half
    nanoseconds rounded towards zero. Needs two ranks."""
    ranks = len(values)
    order = np.argsort(values, axis=0, kind="stable")
    place = np.argsort(order, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    # of the others in order, the middle one or two; those behind the rank itself have moved up by one
    low, high = (ranks - 2) // 2, (ranks - 1) // 2
    below = np.take_along_axis(ordered, np.where(low < place, low, low + 1), axis=0)
    above = np.take_along_axis(ordered, np.where(high < place, high, high + 1), axis=0)
    twice = (values - below) + (values - above)
    found: Ints = np.sign(twice) * (np.abs(twice) // 2)
    return found
