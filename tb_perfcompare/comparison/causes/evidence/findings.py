"""General findings: the largest changes of the ledger as sentences, each with its entities and its confidence.

There is a finding for every category whose change is material (CompareOptions.material_*) and clear. Definitions:
docs/method/findings.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.evidence.cause import Recorded, Rule
from tb_perfcompare.comparison.causes.evidence.gaps_around import place_clause
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.recurring_steps import recurring_clause
from tb_perfcompare.comparison.causes.evidence.responsible_operator import responsible_operator
from tb_perfcompare.comparison.causes.evidence.significant_categories import (
    PacedChange,
    SignificantCategories,
    repeatability,
    significant_categories,
)
from tb_perfcompare.comparison.result.finding import Evidence, Finding, share_of
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, EntityRows, Ledger, LedgerRow, columns_of
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import (
    calls_text,
    many,
    numbers_text,
    percent_text,
    ratio_text,
    short,
    short_apart,
    signed_time,
    time_text,
    times_text,
)
from tb_perfcompare.comparison.statistics.uniform_ratio import uniform_ratio
from tb_perfcompare.model.names.python_frames import python_frame
from tb_perfcompare.model.summary.python_time import DEPTH
from tb_perfcompare.model.summary.python_time import TABLE as PYTHON_TIME
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOT_SPLIT, PROFILER_WORK, StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass

_PYTHON_NEEDED = "`with_stack` names Python functions"


def _general(name: str, subject: str, look_at: str, needs: str = "", tables: tuple[str, ...] = ()) -> Rule:
    return Rule((name,), subject, needs=needs, tables=tables, look_at=look_at, recorded=Recorded.TIMES)


_OF_DEVICE = ("kernels",)
"""Table without which device work was not recorded."""


GENERAL = {
    StepCategory.KERNEL: _general(
        "kernel_time", "kernel time", "these kernels and the operators that launch them", tables=_OF_DEVICE
    ),
    StepCategory.MEMCPY: _general(
        "memcpy_time", "memory copies", "copy sizes, pinned memory, .to(device) and .cpu() inside the step",
        tables=_OF_DEVICE,
    ),
    StepCategory.MEMSET: _general("memset_time", "memory sets", "buffers cleared in every step", tables=_OF_DEVICE),
    StepCategory.COMMUNICATION: _general(
        "communication_time", "exposed communication", "which collectives, and what overlaps with them"
    ),
    StepCategory.RUNTIME: _general(
        "runtime_time", "device runtime calls", "these calls and the operators that issue them", tables=_OF_DEVICE
    ),
    StepCategory.DATALOADER: _general(
        "data_loader", "data loader wait", "num_workers, prefetch_factor, pin_memory, decoding and storage"
    ),
    StepCategory.CPU_EXEC: _general("host_time", "CPU time", "these operators and the Python code around them"),
    StepCategory.OTHER: _general(
        "unrecorded_time",
        "untraced host time (no events recorded)",
        "Python code between operators, other threads of the program (GIL), other load on the machine",
        _PYTHON_NEEDED,
    ),
}
"""Category -> rule for its remaining time; the rule's meaning is the subject of the sentence."""


def category_words(label: str) -> str:
    """Words for a category in a sentence: "untraced host time" for Other."""
    return GENERAL[StepCategory(CATEGORY_LABELS.index(label))].meaning.partition(" (")[0]


PYTHON = "Python code outside operators"
"""Subject for Other if Python functions were recorded."""

_FUNCTIONS = "these functions and the code that calls them"
"""What to look at then."""

TABLES = {
    StepCategory.KERNEL: "kernels",
    StepCategory.MEMCPY: "memcpy",
    StepCategory.MEMSET: "memcpy",
    StepCategory.COMMUNICATION: "communication",
    StepCategory.CPU_EXEC: "operators",
}
"""Table that holds the rows of a category's entities."""

MAIN_SHARE = 0.25
"""Share of its category's change from which an entity is named in a sentence."""

UTILISATION_CHANGE = 0.05
"""Change of a kernel's tensor-pipe or DRAM utilisation, as a fraction of the peak, from which it is mentioned."""

MIN_REST_SHARE = 0.25
"""Share of a category's change that other causes must leave for the rest to be reported."""


AS_LONG = 0.25
"""Operators take as long as before if their own time changed by less than this share of the change of exposed CPU
time."""

BACKED = 0.5
"""What other causes leave of a category is only reported if entities without a finding changed by at least this
share of it."""

_NO_TIME = (0.0, 0.0, 0.0)

INSIDE = 0.8
"""Share of a change of Python code that a function must make, with those that it calls, for the change to be inside."""

FEW_STEPS, MAX_WAITS = 0.25, 0.75
"""If at most this share of the steps has at least that share of all waiting for data, the sentence says so."""

COUNTED = 0.5
"""Share of a change within the spread of the steps that one-sided calls must explain for it to be reported."""

DOUBLED = 2
"""Ratio of the mean steps from which the wait for data is reported even within the spread of the steps. Workers may
hand over several batches at once, so that few steps wait, and those long."""

DATA_LOADER = CATEGORY_LABELS[StepCategory.DATALOADER]

_BEYOND_THE_MARGIN = (Verdict.SLOWER, Verdict.FASTER)


@dataclass(frozen=True, slots=True)
class _Books:
    """Data for the findings. `unit`: ledger integers per microsecond and step; `named_elsewhere`: kernels with their
    own findings; `clear`: categories that differ beyond their spread; `machine_us`: the machine's part of the step's
    change."""

    ledger: Ledger
    baseline: Summary
    candidate: Summary
    p_values: Mapping[str, float | None]
    verdict: Verdict
    alpha: float
    unit: int
    named_elsewhere: frozenset[str]
    clear: SignificantCategories
    machine_us: float
    same_inputs: bool
    paced: Mapping[str, PacedChange]

    @property
    def per(self) -> str:
        """ " per step", or "" for a source without a clock."""
        return " per step" if self.baseline.metric == "step_time" else ""

    def is_clear(self, category: str, delta_us: float) -> bool:
        """Whether the category's times per step differ beyond their spread or are too few to test, or whether the
        category makes a substantial part, without the machine's, of a change of the step that does; of the wait for
        data, of one that doubles the mean."""
        if category in self.clear.names:
            return True
        step_us = self.ledger.delta / self.unit - self.machine_us
        part = delta_us / step_us if step_us else 0.0
        differs = self.verdict in _BEYOND_THE_MARGIN or self.verdict.way * self.ledger.delta > 0
        shorter, longer = sorted((self.ledger.baseline, self.ledger.candidate))
        waits_long = category == DATA_LOADER and longer >= DOUBLED * shorter
        return (differs or waits_long) and part >= MAIN_SHARE


def find_causes(
    ledger: Ledger,
    baseline: Summary,
    candidate: Summary,
    p_values: Mapping[str, float | None],
    verdict: Verdict,
    options: CompareOptions,
    named_elsewhere: frozenset[str] = frozenset(),
    explained: Mapping[str, float] | None = None,
    machine_us: float = 0.0,
    *,
    same_inputs: bool = True,
    paced: Mapping[str, PacedChange] | None = None,
) -> tuple[Finding, ...]:
    """General findings, largest |delta| first; none for identical runs. They are about what causes leave
    unexplained, if it matters: `explained` is what causes explain of each category in microseconds per step,
    `machine_us` the machine's part of all, `paced` the changes at equal machine speed. Kernels `named_elsewhere` are
    not repeated. A ratio that all kernels share is called uniform only with `same_inputs`."""
    clear = significant_categories(baseline, candidate, p_values, options.alpha)
    unit = ledger.denominator * 1000
    books = _Books(
        ledger, baseline, candidate, p_values, verdict, options.alpha, unit, named_elsewhere, clear, machine_us,
        same_inputs, paced or {},
    )  # fmt: skip
    shorter_us = min(ledger.baseline, ledger.candidate) / books.unit
    threshold = max(options.material_fraction * shorter_us, options.material_ns / 1000)
    findings = []
    for row in ledger.heads:
        delta_us, explained_us = row.delta / books.unit, (explained or {}).get(row.path[0], 0.0)
        rest_us = delta_us - explained_us
        if abs(rest_us) < max(threshold, MIN_REST_SHARE * max(abs(delta_us), abs(explained_us))) or not rest_us:
            continue
        below = columns_of(row.path[0], ledger.entities(row.path[0]))
        unnamed = below.of_rows(_not_named(below, named_elsewhere)) if explained_us else below
        if explained_us and not _is_unexplained(rest_us, unnamed, books):
            continue
        if not books.is_clear(row.path[0], rest_us) and not _is_counted(unnamed, rest_us, books):
            continue
        moved, against = _same_direction(rest_us, below), _same_direction(-rest_us, below)
        if row.path[0] == CATEGORY_LABELS[StepCategory.OTHER]:
            moved &= _python(below)
        same_way, other_way = (below.of_rows(np.flatnonzero(rows)) for rows in (moved, against))
        findings.append(_finding(row, same_way, books, rest_us, other_way))
    findings.sort(key=lambda finding: -abs(finding.delta_us or 0.0))
    return tuple(findings[: options.top_findings])


def _is_counted(entities: EntityRows, delta_us: float, books: _Books) -> bool:
    """Whether entities that only one side calls make half of a change. They do not need significant times."""
    alone = entities.status != STATUSES.index("both")
    called = (entities.calls[0] != 0) | (entities.calls[1] != 0)
    one_sided = sum(entities.delta[alone & called].tolist())
    part = one_sided / books.unit / delta_us
    return bool(part >= COUNTED)


def _is_unexplained(rest_us: float, unnamed: EntityRows, books: _Books) -> bool:
    """Whether entities that no cause names changed by a substantial part of what causes leave. If not, two causes
    explain the same time, and nothing is left."""
    if not len(unnamed) or NOT_SPLIT in unnamed.key:
        return True
    backing = sum(unnamed.delta[_same_direction(rest_us, unnamed)].tolist())
    return bool(abs(backing) >= BACKED * abs(rest_us) * books.unit)


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


def _finding(row: LedgerRow, same_way: EntityRows, books: _Books, delta_us: float, against: EntityRows) -> Finding:
    """Finding on a category. `same_way`: its entities that changed in its direction, largest first (none if a source
    does not split categories); `against`: those that changed in the other; `delta_us`: what other causes leave of
    the change."""
    label = row.path[0]
    category = StepCategory(CATEGORY_LABELS.index(label))
    whole = delta_us == row.delta / books.unit
    subject = PYTHON if category is StepCategory.OTHER and same_way else GENERAL[category].meaning
    if whole:
        amounts = f" ({times_text(row.baseline / books.unit, row.candidate / books.unit)})"
        sentence = f"{subject[0].upper()}{subject[1:]}: {signed_time(delta_us)}{books.per}{amounts}"
    else:
        sentence = f"Remaining {subject}: {signed_time(delta_us)}{books.per}"
        same_way = same_way.of_rows(_not_named(same_way, books.named_elsewhere))
    least = MAIN_SHARE * abs(delta_us) * books.unit
    named = [e for e in same_way[:3] if abs(e.delta) >= least]  # the largest come first
    evidence = [Evidence("categories", label)]
    clauses: list[str] = _inside(books, delta_us, named) if subject == PYTHON else []
    opposed = [
        entity for entity in against[:2]
        if abs(entity.delta) >= least and entity.path[1] not in books.named_elsewhere
    ]  # fmt: skip
    names = [entity.path[1] for entity in (*(named or same_way[:1]), *opposed)]
    shown = dict(zip(names, short_apart(*names), strict=True))
    if len(same_way):
        elsewhere = books.named_elsewhere if category is StepCategory.KERNEL else frozenset()
        clauses += [_entity_clause(entity, shown, books) for entity in named if entity.path[1] not in elsewhere]
        if not named and same_way[0].path[1] not in elsewhere:
            clauses += [f"spread over many entries, largest: {_entity_clause(same_way[0], shown, books)}"]
        rest = _not_named(same_way, elsewhere)
        clauses += _one_sided_clauses(same_way.of_rows(rest[rest >= max(len(named), 1)]), least, books)
        for entity in named or same_way[:1]:
            evidence.append(Evidence("ledger", " / ".join(entity.path)))
            if category in TABLES:
                evidence.append(Evidence(TABLES[category], entity.path[1]))
    offsets = " and ".join(_entity_clause(entity, shown, books) for entity in opposed)
    clauses += [f"offset by {offsets}"] if opposed else []
    if whole and category is StepCategory.OTHER:
        clauses += filter(None, [place_clause(books.baseline, books.candidate, delta_us)])
    hidden = _hidden(books, delta_us) if category is StepCategory.CPU_EXEC else []
    clauses += hidden
    recurring = recurring_clause(books.baseline, books.candidate, category, delta_us) if books.per else ""
    if recurring:
        clauses.append(recurring)
    elif category is StepCategory.DATALOADER:
        clauses += _few_steps_clause(books.candidate if delta_us > 0 else books.baseline)
    if category is StepCategory.RUNTIME:
        behind = responsible_operator(books.baseline, books.candidate, delta_us)
        if behind:
            clauses.append(behind[1])
            evidence.append(Evidence("operators", behind[0]))
    if category is StepCategory.KERNEL and books.same_inputs:
        uniform = uniform_ratio(books.baseline.groups.get("kernels"), books.candidate.groups.get("kernels"))
        if uniform is not None:
            pace = ratio_text(uniform)
            clauses.append(f"kernels {pace} per launch across the board, as from another clock or device")
    return Finding(
        rule=GENERAL[category].names[0],
        subject=named[0].path[1] if named else label,
        category=label,
        delta_us=delta_us,
        share=share_of(delta_us * books.unit, books.ledger.delta),
        sentence="; ".join([sentence, *clauses]) + ".",
        evidence=tuple(evidence),
        confidence=_confidence(label, books, whole=whole),
        look_at="the device work that runs at the same time" if hidden
        else _FUNCTIONS if subject == PYTHON
        else _look_at(category, books),
    )


def _hidden(books: _Books, delta_us: float) -> list[str]:
    """Clause if operators take as long as before: then the device hides another part of their time."""
    totals = []
    for side in (books.baseline, books.candidate):
        operators = side.groups.get("operators")
        if not side.device.count or operators is None:
            return []
        totals.append(float(operators.measures_ns["host_self"].sum()) / len(side.steps) / 1000)
    if (totals[1] - totals[0]) * np.sign(delta_us) >= AS_LONG * abs(delta_us):
        return []
    more = "less" if delta_us > 0 else "more"
    return [f"{more} of it is hidden behind device work: in all, operators take {times_text(*totals)}"]


def _inside(books: _Books, delta_us: float, named: list[LedgerRow]) -> list[str]:
    """Clause on the innermost Python function that, with the functions that it calls, makes most of the change: "inside
    train.py(12): log (0 → 24 calls per step)"; none if it is named anyway."""
    before, after = (_python_time(side) for side in (books.baseline, books.candidate))
    most = {
        name: max(depth_a, depth_b)
        for name in before.keys() | after.keys()
        for (us_a, _, depth_a), (us_b, _, depth_b) in [(before.get(name, _NO_TIME), after.get(name, _NO_TIME))]
        if (us_b - us_a) * np.sign(delta_us) >= INSIDE * abs(delta_us)
    }
    name = max(most, key=lambda name: (most[name], name), default="")
    if not name or any(entity.path[1] == name for entity in named):
        return []
    calls = before.get(name, _NO_TIME)[1], after.get(name, _NO_TIME)[1]
    moved = f" ({numbers_text(*calls)} calls{books.per})" if call_count_changed(*calls) else ""
    return [f"inside {short(name)}{moved}"]


def _python_time(side: Summary) -> dict[str, tuple[float, float, float]]:
    """Python function -> us and calls per step, and depth."""
    table, steps = side.groups.get(PYTHON_TIME), len(side.steps)
    if table is None:
        return {}
    time, calls = table.measures_ns["total"].sum(axis=1) / steps / 1000, table.calls.sum(axis=1) / steps
    figures = zip(time.tolist(), calls.tolist(), table.facts[DEPTH].tolist(), strict=True)
    return {key[0]: of_key for key, of_key in zip(table.keys, figures, strict=True)}


def _few_steps_clause(side: Summary) -> list[str]:
    """Clause if a few steps contain most of the waiting for data: several workers hand over several batches at once."""
    waits = side.owned.by_category()[StepCategory.DATALOADER]
    few = int(FEW_STEPS * len(waits))
    longest = np.sort(waits)[::-1][:few]
    if not few or not waits.any() or longest.sum() < MAX_WAITS * waits.sum():
        return []
    count = int((np.cumsum(longest) < MAX_WAITS * waits.sum()).sum()) + 1
    return [f"{percent_text(longest[:count].sum() / waits.sum())} of it in {count} of {many(len(waits), 'step')}"]


def _look_at(category: StepCategory, books: _Books) -> str:
    """What to look at; with the recording option that would show more, if a side lacks it."""
    plain = GENERAL[category].look_at
    if "Python code" not in plain:
        return plain
    sides = (("baseline", books.baseline), ("candidate", books.candidate))
    without = [name for name, side in sides if not has_stacks(side)]
    if not without:
        return plain
    who = "" if len(without) == 2 else f"the {without[0]} "
    first, comma, rest = plain.partition(", ")
    return f"{first} (record {who}with with_stack=True){comma}{rest}"


def has_stacks(side: Summary) -> bool:
    """Whether Python functions were recorded, or requested."""
    return ("profiler.with_stack", "true") in side.environment or any(
        category == StepCategory.OTHER and python_frame(key) is not None
        for category, key in zip(side.owned.category.tolist(), side.owned.key, strict=True)
    )


def _not_named(rows: EntityRows, named_elsewhere: frozenset[str]) -> NDArray[np.int64]:
    return np.flatnonzero(np.array([key not in named_elsewhere for key in rows.key], dtype=bool))


def _one_sided_clauses(rest: EntityRows, least: float, books: _Books) -> list[str]:
    """Clauses on many small one-sided entities, if together they make a quarter of the change."""
    out = []
    for status, words, side in (("added", "are new", 1), ("removed", "are gone", 0)):
        group = np.flatnonzero(rest.status == STATUSES.index(status))
        total = sum(abs(rest.delta[group]).tolist())
        if len(group) > 1 and total >= least:
            calls = sum(rest.calls[side][group].tolist())
            out.append(f"{len(group)} others {words} ({_time(total, books)} in total, {calls_text(calls, books.per)})")
    return out


def _time(amount: int, books: _Books) -> str:
    return time_text(amount / books.unit)


def _entity_clause(entity: LedgerRow, shown: Mapping[str, str], books: _Books) -> str:
    """Clause on an entity, under its name in `shown`."""
    delta_us = entity.delta / books.unit
    name = shown[entity.path[1]]
    calls_a, calls_b = entity.calls
    if entity.status == "added":
        return f"{name} is new ({_time(entity.candidate, books)}, {calls_text(calls_b, books.per)})"
    if entity.status == "removed":
        return f"{name} is gone ({_time(entity.baseline, books)}, {calls_text(calls_a, books.per)})"
    if not calls_a and not calls_b:
        how = "called outside the steps"
    elif calls_a == calls_b:
        how = f"{calls_text(calls_a, books.per)} on both sides"
    else:
        how = f"{numbers_text(calls_a, calls_b)} calls{books.per}"
        by_count = abs(entity.count_effect) >= abs(entity.rate_effect)
        how += ", mostly from the number of calls" if by_count else ", mostly from time per call"
    return f"{name} {signed_time(delta_us)} ({how}{_utilisation(entity.path[1], books)})"


def _utilisation(kernel: str, books: _Books) -> str:
    """Clause on utilisation: "; DRAM 62% → 31%" if a kernel's utilisation was measured and moved."""
    out = ""
    for fact, word in (("tensor_active", "tensor pipe"), ("dram_active", "DRAM")):
        x, y = (kernel_fact(side, kernel, fact) for side in (books.baseline, books.candidate))
        if x is not None and y is not None and abs(y - x) >= UTILISATION_CHANGE:
            out += f"; {word} {percent_text(x)} → {percent_text(y)}"
    return out


def kernel_fact(summary: Summary, kernel: str, fact: str) -> float | None:
    """Figure of the kernel in the table "kernels", None if not recorded."""
    table = summary.groups.get("kernels")
    if table is None or fact not in table.facts or (kernel,) not in table.keys:
        return None
    value = float(table.facts[fact][table.keys.index((kernel,))])
    return value if np.isfinite(value) else None


def _confidence(label: str, books: _Books, *, whole: bool) -> str:
    """`whole`: the finding is on all of the category's change, as that at equal machine speed is."""
    p, apart, too_few = books.p_values.get(label), label in books.clear.apart, label in books.clear.too_few
    paced = books.paced.get(label) if whole else None
    return repeatability(p, books.verdict, books.alpha, apart=apart, too_few=too_few, paced=paced)
