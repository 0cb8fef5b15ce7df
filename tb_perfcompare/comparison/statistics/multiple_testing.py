"""Corrections for many rows: the false discovery rate, and Holm's method."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Floats


def holm(p: Floats) -> Floats:
    """(g,) p values of one family -> Holm's: the largest p_(i) (g - i + 1) up to a row's place, at most 1."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def q_values(p: Floats) -> Floats:
    """(g,) p values of one family -> (g,) q: rejecting all with q <= x keeps the expected share of false rejections at
    x.

    q_(i) = min over j >= i of p_(j) g / j (Benjamini and Hochberg 1995); NaN stays NaN and is not counted in the
    family. Valid for rows that are independent or positively dependent.
    """
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if not len(tested):
        return q
    order = tested[np.argsort(p[tested], kind="stable")]
    places = np.arange(1, len(order) + 1)
    scaled = p[order] * len(order) / places
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
