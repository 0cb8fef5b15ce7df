"""Many tests at once: Benjamini-Hochberg q values, and Benjamini-Yekutieli's."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Floats


def q_values(p: Floats, *, any_dependence: bool = False) -> Floats:
    """(g,) p values of one family -> (g,) q: rejecting all with q <= x keeps the expected share of false ones at x.

    q_(i) = min over j >= i of p_(j) g / j (Benjamini and Hochberg 1995); NaN stays NaN and is no member of the family.
    That holds for rows that are independent or move together; with `any_dependence` for all rows, times
    1 + 1/2 + ... + 1/g (Benjamini and Yekutieli 2001).
    """
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if not len(tested):
        return q
    order = tested[np.argsort(p[tested], kind="stable")]
    places = np.arange(1, len(order) + 1)
    scaled = p[order] * len(order) / places * ((1 / places).sum() if any_dependence else 1.0)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
