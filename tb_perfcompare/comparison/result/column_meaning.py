"""What a column's name says: of which measure it is, of which side, and which figure. Names are made by one convention
(`baseline_x_us`, `candidate_x_us`, `x_delta_us`, `x_shift_low_us`, `x_q`); here it is read, and nowhere else."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

VALUE, DELTA, SHIFT, CHANGE, P, Q = "value", "delta", "shift", "change", "p", "q"
EFFECTS = ("count_effect", "rate_effect", "mix_effect", "same_shape_effect")
"""Parts of a difference."""

_SIDES = {"baseline": "baseline", "normal": "baseline", "candidate": "candidate", "abnormal": "candidate"}
_SIDED = re.compile(rf"(?P<side>{'|'.join(_SIDES)})(?:_(?P<measure>.*))?")
_STATISTIC = re.compile(
    r"(?:(?P<measure>.*)_)?(?P<statistic>shift(?:_low|_high)?(?=_us$)|change|p|q|z|effect_size)(?:_us)?"
)
_TEST = re.compile(r"[pu]_(?P<measure>beta|mu|holm)")
_UNIT = re.compile(r"_?us$")


class Meaning(NamedTuple):
    """`measure` is "" for a table's main one; `side` is baseline, candidate or "". `statistic`: value, delta, shift,
    shift_low, shift_high, change, p, q, z, effect_size, or one of EFFECTS."""

    measure: str
    side: str
    statistic: str


@functools.lru_cache(maxsize=1024)
def meaning(name: str, role: str) -> Meaning:
    """Of a column with this name and role."""
    for effect in EFFECTS:
        if name == f"{effect}_us":
            return Meaning("", "", effect)
    if found := _TEST.fullmatch(name):
        return Meaning(found["measure"], "", P)
    if found := _STATISTIC.fullmatch(name):
        return Meaning(found["measure"] or "", "", found["statistic"])
    if role == "delta":
        return Meaning("_".join(part for part in _UNIT.sub("", name).split("_") if part != "delta"), "", DELTA)
    if found := _SIDED.fullmatch(name):
        return Meaning(_UNIT.sub("", found["measure"] or ""), _SIDES[found["side"]], VALUE)
    side = role if role in ("baseline", "candidate") else ""
    return Meaning(_UNIT.sub("", name.removesuffix("_a").removesuffix("_b") if side else name), side, VALUE)
