"""Properties of each table, and the meaning of a column: measure, side and statistic, parsed from its name
(`baseline_x_us`, `candidate_x_us`, `x_delta_us`, `x_shift_low_us`, `x_q`). No other file parses column names. The page
orders the tables itself (frontend/src/views.ts)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypedDict

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.summary.categories import COMMUNICATION, CPU_EXEC, KERNEL, MEMCPY, MEMSET

LEDGER = "ledger"
"""Name by which the ledger is requested as a table."""


class TableFacts(TypedDict):
    """Properties of a table."""

    per_step: Annotated[bool, "whether rows have a time for each step"]
    callers: Annotated[bool, "whether traces record the callers of rows, or related rows of other tables"]
    adds_up: Annotated[bool, "whether rows can be summed: they neither overlap nor are means"]
    categories: Annotated[Sequence[str], "ledger categories in which a row's name is an entry"]


def _facts(*categories: str, per_step: bool = False, callers: bool = False, adds_up: bool = True) -> TableFacts:
    return {"per_step": per_step, "callers": callers, "adds_up": adds_up, "categories": list(categories)}


def _entities(*categories: str) -> TableFacts:
    return _facts(*categories, per_step=True, callers=True)


TABLES = {
    "operators": _entities(CPU_EXEC),
    "operators_by_shape": _entities(),
    "operators_by_type": _entities(),
    "modules": _entities(),
    "kernels": _entities(KERNEL, COMMUNICATION),
    "kernels_by_operator": _entities(KERNEL, COMMUNICATION),
    "kernels_by_launch": _entities(),
    "kernels_by_module": _entities(),
    "kernels_by_type": _entities(),
    "communication": _entities(COMMUNICATION),
    "communication_by_message": _facts(per_step=True),
    "memcpy": _entities(MEMCPY, MEMSET),
    "device_timeline": _facts(per_step=True, adds_up=False),
    "critical_path": _facts(per_step=True),
    "functions": _facts(per_step=True),
    "call_tree": _facts(adds_up=False),
    "ranks": _facts(adds_up=False),
    "work_by_family": _facts(),
    "kernel_metrics": _facts(adds_up=False),
    "iteration_kinds": _facts(adds_up=False),
}
"""Properties by table. Tables that are not listed have the defaults: cells that add up, and nothing else."""


def table_facts(name: str) -> TableFacts:
    """Returns the properties of the table with this name."""
    return TABLES.get(name) or _facts()


VALUE, DELTA, SHIFT, CHANGE, P, Q, RATIO, SHARE = "value", "delta", "shift", "change", "p", "q", "ratio", "share"
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
    """Returns the meaning of a column from its name, role and kind."""
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
