"""Many tests at once: Benjamini-Hochberg q values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def q_values(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """(g,) p values of one family -> (g,) q: rejecting all with q <= x keeps the expected share of false ones at x.

    q_(i) = min over j >= i of p_(j) g / j (Benjamini and Hochberg 1995); NaN stays NaN and is no member of the family.
    """
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if not len(tested):
        return q
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
