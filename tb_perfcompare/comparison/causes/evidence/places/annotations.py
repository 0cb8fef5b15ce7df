"""Annotations of the program in which time changed."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.host_time import HOST
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import short
from tb_perfcompare.model.names.collective_names import is_collective_annotation
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.ranges import is_loader, is_optimizer, is_step, is_wrapper
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, CPU_EXEC
from tb_perfcompare.model.summary.groups import CRITICAL_PATH

MAIN_SHARE = 0.5
"""Share of the time that must be in an annotation."""

ON_PATH = 0.5
"""Share of an annotation's own time that must be on the critical path for it to be on the step's thread."""

WHOLE_STEP = 0.9
"""Share of the step, on both sides, from which an annotation does not tell where in the step."""

_OF_LIBRARIES = (is_step, is_loader, is_optimizer, is_wrapper, is_collective_annotation, is_compiled)

_LIBRARIES = ("autograd::", "torch::", "torch.")


def annotations_around(context: RuleContext, explains: Mapping[Part, float]) -> list[str]:
    """Annotations that contain most of the host's part of this time, innermost first. Recordings do not say which calls
    an annotation contains, but by how much the time inside changed: only what is left of all changes can be elsewhere.
    """
    us = fsum(explains.values())
    sign = 1 if us > 0 else -1
    host = fsum(part for (category, _), part in explains.items() if category in HOST)
    found = []
    for name, own_us, whole in context.once(_annotations):
        calls = host - explains.get((CPU_EXEC, name), 0.0)
        elsewhere = context.once(_changes)[sign] - max(sign * own_us, 0.0) - sign * (whole.delta_us - own_us)
        if sign * calls - max(elsewhere, 0.0) >= MAIN_SHARE * abs(us) > 0:
            found.append((max(whole.us_a, whole.us_b), name))
    return [name for _, name in sorted(found)]


def mostly_in(context: RuleContext, explains: Mapping[Part, float]) -> str:
    """Clause on the innermost annotation of the program that contains most of this time: ", mostly in postprocess"; ""
    if none does. A range of a library says less than the operators in it, and one around all of the step nothing."""
    steps = (context.ledger.baseline / context.unit, context.ledger.candidate / context.unit)
    whole = {name: (amount.us_a, amount.us_b) for name, _, amount in context.once(_annotations)}
    for name in annotations_around(context, explains):
        of_step = all(us >= WHOLE_STEP * step for us, step in zip(whole[name], steps, strict=True))
        if not (of_step or name.startswith(_LIBRARIES) or any(test(name) for test in _OF_LIBRARIES)):
            return f", mostly in {short(name)}"
    return ""


def _annotations(context: RuleContext) -> list[tuple[str, float, Amount]]:
    """(name, change of its own exposed time, its time with all that runs inside), microseconds per step. Only those
    whose own time is mostly on the critical path: an annotation of another thread contains none of the step's calls.
    """
    rows, whole = context.entities(CPU_EXEC), context.own_times(CPU_EXEC)
    number, path = context.numbers.of(rows.key), context.columns(CRITICAL_PATH)
    of_path = path.joined.parts[0]
    on_path = np.bincount(of_path, path.us_a + path.us_b, max(number.max(initial=-1), of_path.max(initial=-1)) + 1)
    own = (rows.baseline + rows.candidate).astype(np.float64) / context.unit
    is_operator = np.isin(number, context.columns("operators", "host_total").joined.parts[0])
    chosen = np.flatnonzero(~is_operator & (own > 0) & (on_path[number] >= ON_PATH * own))
    return [(row.path[1], row.delta / context.unit, whole[row.path[1]]) for row in rows.of_rows(chosen)]


def _changes(context: RuleContext) -> dict[int, float]:
    """Sums of all increases (1) and of all decreases (-1) of the ledger's entities, microseconds per step."""
    delta = [us for category in CATEGORY_LABELS for us in context.entities(category).delta.tolist()]
    return {sign: fsum(max(sign * us, 0) for us in delta) / context.unit for sign in (1, -1)}
