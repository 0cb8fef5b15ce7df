"""Properties of each table, and the meaning of a column: measure, side and statistic.

The meaning is parsed from the column's name (`baseline_x_us`, `candidate_x_us`, `x_delta_us`, `x_shift_low_us`, `x_q`).
No other file parses column names.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypedDict

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS, WITH_CALLERS

LEDGER = "ledger"
"""Name by which the ledger is requested as a table."""


class TableFacts(TypedDict):
    """Properties of a table."""

    per_step: Annotated[bool, "whether rows have a time for each step"]
    callers: Annotated[bool, "whether traces record the callers of rows, or related rows of other tables"]
    adds_up: Annotated[bool, "whether rows can be summed: they neither overlap nor are means"]
    categories: Annotated[Sequence[str], "ledger categories in which a row's name is an entry"]


_NOT_ADDED_UP = ("call_tree", "ranks", "kernel_metrics", "iteration_kinds")


def table_facts(name: str) -> TableFacts:
    """Returns the properties of the table with this name: those of its record if it is a table of groups."""
    spec = TABLE_SPECS.get(name)
    if spec is None:
        return {"per_step": False, "callers": False, "adds_up": name not in _NOT_ADDED_UP, "categories": []}
    return {
        "per_step": True, "callers": name in WITH_CALLERS, "adds_up": spec.adds_up, "categories": list(spec.categories)
    }  # fmt: skip


VALUE, DELTA, CHANGE, P, Q, RATIO, SHARE = "value", "delta", "change", "p", "q", "ratio", "share"
EFFECTS = ("count_effect", "rate_effect", "mix_effect", "same_shape_effect", "time_effect", "work_effect",
           "speed_effect", "exposed_work_effect", "exposed_speed_effect")  # fmt: skip
"""Prefixes of columns that hold one part of a difference."""

_SIDES = {"baseline": "baseline", "normal": "baseline", "candidate": "candidate", "abnormal": "candidate"}
_SIDED = regex(rf"(?P<side>{'|'.join(_SIDES)})(?:_(?P<measure>.*))?")
_STATISTIC = regex(r"(?:(?P<measure>.*)_)?(?P<statistic>shift(?:_low|_high)?(?=_us$)|p|q|z|effect_size)(?:_us)?")
_CHANGE = regex(r"(?:(?P<measure>.*)_)?change")
_TEST = regex(r"[pu]_(?P<measure>beta|mu|holm)")
_UNIT = regex(r"_?us$")


class Meaning(NamedTuple):
    """Measure, side and statistic of a column.

    `measure` is "" for the table's main measure; `side` is baseline, candidate, or "" for both or neither.
    `statistic` is value, delta, ratio, share (of the difference), shift, shift_low, shift_high, change (in a word),
    p, q, z, effect_size, or one of EFFECTS.
    """

    measure: str
    side: str
    statistic: str


@functools.lru_cache(maxsize=1024)
def meaning(name: str, role: str, kind: str) -> Meaning:
    for effect in EFFECTS:
        if name == f"{effect}_us":
            return Meaning("", "", effect)
    if match := _TEST.fullmatch(name):
        return Meaning(match["measure"], "", P)
    if match := _STATISTIC.fullmatch(name):
        return Meaning(match["measure"] or "", "", match["statistic"])
    if kind == "text" and (match := _CHANGE.fullmatch(name)):
        return Meaning(match["measure"] or "", "", CHANGE)
    if role == "percent":
        return Meaning("", "", SHARE if name == "share" else RATIO)
    if role == "delta":
        return Meaning("_".join(part for part in _UNIT.sub("", name).split("_") if part != "delta"), "", DELTA)
    if match := _SIDED.fullmatch(name):
        return Meaning(_UNIT.sub("", match["measure"] or ""), _SIDES[match["side"]], VALUE)
    side = role if role in ("baseline", "candidate") else ""
    return Meaning(_UNIT.sub("", name.removesuffix("_a").removesuffix("_b") if side else name), side, VALUE)
