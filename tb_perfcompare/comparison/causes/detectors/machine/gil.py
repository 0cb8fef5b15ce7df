"""Waits for Python's GIL, which another thread of the program holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from tb_perfcompare.comparison.causes.evidence.amounts import total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import exposed_growth
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import number_text
from tb_perfcompare.model.summary.categories import CPU_EXEC, DATA_LOADER, NOTHING_RECORDED, OTHER
from tb_perfcompare.model.summary.groups import GIL_WAITS as GIL_WAITS_TABLE
from tb_perfcompare.model.summary.summary import Summary


def gil_rules(context: RuleContext) -> Iterator[Cause]:
    """Waits for the GIL, within operators and between them."""
    before, after = (_gil_waits(side) for side in context.sides)
    loaders = {*context.entities(DATA_LOADER).key}
    category_of = {
        name: OTHER if name == NOTHING_RECORDED else DATA_LOADER if name in loaders else CPU_EXEC
        for name in sorted({*before, *after})
    }
    own: dict[Part, float] = {
        (category, name): after.get(name, _NO_WAIT).us - before.get(name, _NO_WAIT).us
        for name, category in category_of.items()
    }
    grown = math.fsum(own.values())
    if abs(grown) < context.least_us:
        return
    if context.candidate.device.count:  # waits while the device works cost nothing
        wholes = total_by_key((category, us) for (category, _), us in own.items())
        shares = {of: min(1.0, max(0.0, context.exposed(of) / us)) if us else 0.0 for of, us in wholes.items()}
        own = {part: us * shares[part[0]] for part, us in own.items()}
    explained = exposed_growth(context, own, grown)
    delta = math.fsum(explained.values())
    if abs(delta) < context.least_us:
        return
    calls = [math.fsum(waits.calls for waits in side.values()) for side in (before, after)]

    def sentence(own: Explains) -> str:
        return (
            f"{'Waits' if delta > 0 else 'Fewer waits'} for Python's GIL: {change_text(own)} per step; "
            f"{' → '.join(map(number_text, calls))} pauses per step of 5 ms or a multiple, Python's switch interval; "
            f"another thread {'runs' if delta > 0 else 'no longer runs'} Python code."
        )

    yield cause(
        context, GIL_WAITS, "categories", OTHER, delta, sentence, (Evidence("categories", OTHER),), explains=explained,
    )  # fmt: skip


class _Waits(NamedTuple):
    """Microseconds and number of waits per step."""

    us: float
    calls: float


_NO_WAIT = _Waits(0.0, 0.0)


def _gil_waits(side: Summary) -> dict[str, _Waits]:
    """Operator, or NOTHING_RECORDED -> waits for the GIL in it; empty if nothing looks like one."""
    group, steps = side.groups.get(GIL_WAITS_TABLE), len(side.steps)
    if group is None:
        return {}
    totals = group.measures_ns["total"].sum(axis=1) / steps / 1000, group.calls.sum(axis=1) / steps
    return {key[0]: _Waits(*row) for key, *row in zip(group.keys, *(column.tolist() for column in totals), strict=True)}


GIL_WAITS = Rule(
    names=("gil_waits",),
    meaning="the main thread waits for Python's GIL, which another thread of the program holds",
    when="At least 8 times, in 5 places, the main thread starts and ends nothing for 5 ms (Python's switch interval) "
    "or a multiple",
    tables=("operators",),
    look_at="threads of the program that run Python code: loaders, loggers, metrics, monitors; run them in a process "
    "of their own",
    confidence="likely: pauses last whole switch intervals",
    find=gil_rules,
    rank=2,
)
