"""General findings: the largest changes of the ledger as sentences, each with its entities and its confidence.

There is a finding for every category whose change is material (CompareOptions.material_*) and clear. Definitions:
docs/method/findings.md.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.evidence.general_rules import (
    GENERAL,
    MAIN_SHARE,
    TABLES,
    GrownFunction,
    grown_function,
    python_time,
)
from tb_perfcompare.comparison.causes.evidence.host_time import only_exposed
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import moved_into_ranges
from tb_perfcompare.comparison.causes.evidence.places.recurring_steps import recurrence
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import repeatability
from tb_perfcompare.comparison.causes.general_change import Change, Known
from tb_perfcompare.comparison.causes.general_sentences import (
    MOVED,
    amount_text,
    clauses_of_category,
    entity_clauses,
    moved_range,
    moved_text,
    moved_us,
    not_named,
)
from tb_perfcompare.comparison.causes.loader_sentences import loads_itself
from tb_perfcompare.comparison.result.finding import WITHIN_SPREAD, Evidence, Finding, share_of
from tb_perfcompare.comparison.result.headline import Basis
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, EntityRows, LedgerRow, columns_of
from tb_perfcompare.model.names.ranges import LOADER_NAME
from tb_perfcompare.model.summary.categories import (
    CATEGORY_LABELS,
    CPU_EXEC,
    NOT_SPLIT,
    OTHER,
    PROFILER_WORK,
    StepCategory,
)

MIN_REST_SHARE = 0.25
"""Share of a category's change that other causes must leave for the rest to be reported."""

BACKED = 0.5
"""What other causes leave of a category is only reported if entities without a finding changed by at least this
share of it."""

COUNTED = 0.5
"""Share of a change within the spread of the steps that one-sided calls must explain for it to be reported, and fewest
calls per step of a one-sided Python function."""

COUNTED_ALONE = "certain: calls are counted"
"""Confidence if one Python function that only one side calls makes most of the change."""


def find_causes(
    context: RuleContext, detected: DetectedCauses, named: Collection[str] = frozenset()
) -> tuple[Finding, ...]:  # fmt: skip
    """General findings, largest |delta| first; none for identical runs. They are about what the detected causes leave
    unexplained, if it matters. Entities that are `named` elsewhere are not repeated. A ratio that all kernels share is
    called uniform only if inputs are the same."""
    known = Known(context, detected, named)
    rests = ((row, _rest_us(row, known)) for row in context.ledger.heads)
    changes = [_change(row, rest_us, known) for row, rest_us in rests if rest_us]
    least_us = MAIN_SHARE * abs(context.delta_us)
    # a remainder without a name tells nothing
    told = [change for change in changes if change.whole or change.has_name or abs(change.delta_us) >= least_us]
    findings = [_moved(change, known) or _finding(change, known) for change in told]
    findings = [finding for finding in findings if abs(finding.change_us) >= context.least_us]
    findings.sort(key=lambda finding: -abs(finding.change_us))
    return tuple(findings[: context.options.top_findings])


def _rest_us(row: LedgerRow, known: Known) -> float:
    """What causes leave of a category's change; 0 unless it is material, clear and not explained."""
    label, delta_us = row.path[0], row.delta / known.unit
    explained_us = known.detected.explained.get(label, 0.0)
    if label == CPU_EXEC:
        explained_us += sum(moved_us(known).values())
    rest_us = delta_us - explained_us
    least_us = max(known.context.least_us, MIN_REST_SHARE * max(abs(delta_us), abs(explained_us)))
    if abs(rest_us) < least_us or not rest_us or _is_of_pace(label, explained_us, rest_us, known):
        return 0.0
    unnamed = columns_of(label, known.context.ledger.entities(label))
    if explained_us:
        unnamed = unnamed.of_rows(not_named(unnamed, known.named))
        if not _is_unexplained(rest_us, unnamed, known):
            return 0.0
    is_told = known.is_clear(label, rest_us) or _is_counted(label, unnamed, rest_us, known)
    return rest_us if is_told or _every(label, rest_us, known) else 0.0


def _every(label: str, delta_us: float, known: Known) -> str:
    """Steps with most of a category's change, if these recur: "every 3rd step". They need no significant times."""
    return recurrence(*known.sides, StepCategory(CATEGORY_LABELS.index(label)), delta_us)[0]


def _change(row: LedgerRow, rest_us: float, known: Known) -> Change:
    """What causes leave of a category's change: `rest_us`."""
    category, whole = StepCategory(CATEGORY_LABELS.index(row.path[0])), rest_us == row.delta / known.unit
    entities = columns_of(row.path[0], known.context.ledger.entities(row.path[0]))
    if category is StepCategory.CPU_EXEC:
        not_slower = known.context.once(only_exposed) | known.context.once(moved_into_ranges).keys()
        entities = entities.of_rows(not_named(entities, not_slower))
    moved = _same_direction(rest_us, entities)
    if category is StepCategory.OTHER:
        moved &= _python(entities)
    is_python = category is StepCategory.OTHER and bool(moved.any())
    same_way = entities.of_rows(np.flatnonzero(moved))
    if not whole:
        same_way = same_way.of_rows(not_named(same_way, known.named))
    if category is StepCategory.CPU_EXEC and sum(same_way.delta.tolist()) / rest_us < BACKED * known.unit:
        same_way = same_way.of_rows(np.arange(0))
    least = MAIN_SHARE * abs(rest_us) * known.unit
    against = entities.of_rows(np.flatnonzero(_same_direction(-rest_us, entities)))[:2]
    return Change(
        category, row, rest_us, whole, same_way,
        main=[entity for entity in same_way[:3] if abs(entity.delta) >= least],
        opposed=[entity for entity in against if abs(entity.delta) >= least and entity.path[1] not in known.named],
        is_python=is_python,
        inside=_grown_function(category, rest_us, known, is_python=is_python),
    )  # fmt: skip


def _grown_function(
    category: StepCategory, delta_us: float, known: Known, *, is_python: bool
) -> GrownFunction | None:  # fmt: skip
    """The Python function that makes most of a change between operators, or of loading in the main process; None if
    another finding explains it."""
    if is_python:
        function = grown_function(*known.sides, delta_us)
        return None if function is None or function.name in known.named else function
    if category is StepCategory.DATALOADER and loads_itself(known, delta_us):
        return grown_function(*known.sides, delta_us, LOADER_NAME)
    return None


def _is_of_pace(category: str, explained_us: float, rest_us: float, known: Known) -> bool:
    """Whether causes explain all that the program changed at equal machine speed: then the rest is the machine's."""
    paced = known.context.paced.get(category)
    if paced is None or not explained_us or known.context.headline.basis is not Basis.PROGRAM:
        return False
    left_us = paced.us - explained_us
    return left_us * rest_us <= 0 or abs(left_us) < known.context.least_us


def _is_counted(category: str, entities: EntityRows, delta_us: float, known: Known) -> bool:
    """Whether kernels or operators that only one side calls make half of a change, or a Python function most of it.
    They do not need significant times, but annotations, which programs rename, do."""
    one_sided = (entities.status != STATUSES.index("both")) & ((entities.calls[0] != 0) | (entities.calls[1] != 0))
    if category == OTHER:
        return _is_of_new_function(delta_us, known)
    if category == CPU_EXEC:
        operators = known.context.columns("operators", "host_total").joined.parts[0]
        one_sided &= np.isin(known.context.numbers.of(entities.key), operators)
    part = sum(entities.delta[one_sided].tolist()) / known.unit / delta_us
    return bool(part >= COUNTED)


def _is_of_new_function(delta_us: float, known: Known) -> bool:
    """Whether a Python function that most steps of one side call, and none of the other, makes most of a change. Not if
    another function is gone in return, which may have been renamed."""
    function = grown_function(*known.sides, delta_us)
    if function is None or not function.is_one_sided or max(function.calls) < COUNTED:
        return False
    here, there = (python_time(side, "") for side in (known.sides if function.calls[0] else known.sides[::-1]))
    return all(one.us < BACKED * abs(delta_us) for name, one in there.items() if name not in here)


def _is_unexplained(rest_us: float, unnamed: EntityRows, known: Known) -> bool:
    """Whether entities that no cause names changed by a substantial part of what causes leave. If not, two causes
    explain the same time, and nothing is left."""
    if not len(unnamed) or NOT_SPLIT in unnamed.key:
        return True
    backing = sum(unnamed.delta[_same_direction(rest_us, unnamed)].tolist())
    return bool(abs(backing) >= BACKED * abs(rest_us) * known.unit)


def _same_direction(delta_us: float, rows: EntityRows) -> NDArray[np.bool_]:
    """(n,) whether an entity's time changed in that direction."""
    moved = rows.delta > 0 if delta_us > 0 else rows.delta < 0
    named: NDArray[np.bool_] = moved & np.array([key != NOT_SPLIT for key in rows.key], dtype=bool)
    return named


def _python(rows: EntityRows) -> NDArray[np.bool_]:
    """(n,) flags of Python functions, if both sides recorded any: the only names for time between operators."""
    calls_a, calls_b = (calls != 0 for calls in rows.calls)
    functions = (calls_a | calls_b) & np.array([key != PROFILER_WORK for key in rows.key], dtype=bool)
    recorded = bool((calls_a & functions).any() and (calls_b & functions).any())
    return functions if recorded else np.zeros(len(rows), dtype=bool)


def _moved(change: Change, known: Known) -> Finding | None:
    """Finding on code that moved into (out of) an annotated range: what it takes longer in all. None if none did."""
    name = moved_range(change, known)
    if not name:
        return None
    us = change.delta_us + moved_us(known)[name]
    return Finding(
        GENERAL[change.category].names[0], name, change.row.path[0], us,
        share_of(us * known.unit, known.context.ledger.delta), moved_text(name, change, known),
        (Evidence("categories", change.row.path[0]), Evidence("ledger", f"{CPU_EXEC} / {name}")), COUNTED_ALONE, MOVED,
    )  # fmt: skip


def _finding(change: Change, known: Known) -> Finding:
    label, context = change.row.path[0], known.context
    detail, look_at, further = clauses_of_category(change, known)
    evidence = [Evidence("categories", label)]
    for entity in change.main or change.same_way[:1]:
        evidence.append(Evidence("ledger", " / ".join(entity.path)))
        if change.category in TABLES:
            evidence.append(Evidence(TABLES[change.category], entity.path[1]))
    confidence = COUNTED_ALONE if change.is_one_sided else repeatability(
        context.p_values.get(label), context.headline.verdict, context.options.alpha,
        apart=label in context.clear.apart, too_few=label in context.clear.too_few,
        paced=context.paced.get(label) if change.whole else None,
    )  # fmt: skip
    if confidence.startswith(WITHIN_SPREAD) and (every := _every(label, change.delta_us, known)):
        confidence = f"recurs in {every}"
    return Finding(
        rule=GENERAL[change.category].names[0],
        subject=change.main[0].path[1] if change.main else label,
        category=label,
        delta_us=change.delta_us,
        share=share_of(change.delta_us * known.unit, context.ledger.delta),
        sentence="; ".join([amount_text(change, known), *entity_clauses(change, known), *filter(None, detail)]) + ".",
        evidence=(*evidence, *further),
        confidence=confidence,
        look_at=look_at,
    )
