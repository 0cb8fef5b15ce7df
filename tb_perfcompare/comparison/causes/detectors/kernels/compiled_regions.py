"""torch.compile: regions that run compiled, graph breaks between them, recompilations of one region.

The host records them whatever the device: `Torch-Compiled Region: 2/1` is the region of frame 2, recompiled once
after its guards failed; `## Call CompiledFxGraph ##` runs its graph, `CompiledFunction` is the operator autograd
sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.more_calls import calls_alike
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow, largest_of
from tb_perfcompare.comparison.result.wording import and_others, many, number_text, numbers_text, short
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.names.compiled_names import COMPILED_REGION, COMPILED_REGIONS, is_compiled
from tb_perfcompare.model.summary.categories import CPU_EXEC, NOTHING_RECORDED, OTHER
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import listed
from tb_perfcompare.quick_dataclass import dataclass

_MAX_IDS_NAMED, _MAX_GONE_NAMED = 6, 3


@dataclass(frozen=True, slots=True)
class _Regions:
    """per_step: compiled regions that run in a step, or graphs or functions if regions have no events; ids: ids of
    the regions, "frame/compilation"."""

    per_step: float
    ids: tuple[str, ...]

    @property
    def again(self) -> int:
        """Number of recompilations."""
        return len(self.ids) - self.frames

    @property
    def frames(self) -> int:
        """Number of frames, each of which has one or more regions."""
        return len({text.partition("/")[0] for text in self.ids})

    @property
    def text(self) -> str:
        """Regions in words: "2 compiled regions per step (0/0, 1/0)"."""
        suffix = f" ({listed(self.ids, _MAX_IDS_NAMED)})" if self.ids else ""
        noun = "compiled region" if self.per_step == 1 else "compiled regions"
        return f"{number_text(self.per_step)} {noun} per step{suffix}"


def regions_clause(context: RuleContext) -> str:
    """Clause on regions: "; compiled regions per step 2 → 0 (0/0, 1/0)"; "" if neither side has any."""
    a, b = regions = _regions_of_both(context)
    if not a.per_step and not b.per_step:
        return ""
    ids = max(regions, key=lambda side: len(side.ids)).ids
    suffix = f" ({', '.join(ids[:_MAX_IDS_NAMED])})" if ids else ""
    return f"; compiled regions per step {numbers_text(a.per_step, b.per_step)}{suffix}"


def is_compiled_on_one_side(context: RuleContext) -> bool:
    """Whether one side runs compiled regions and the other none."""
    a, b = _regions_of_both(context)
    return (a.per_step > 0) != (b.per_step > 0)


def compiled_on_one_side(context: RuleContext) -> Iterator[Cause]:
    """One side runs compiled regions, the other none: they replaced the operators that only the other side has. Used
    by compilation_rules if no generated kernels were recorded."""
    if not is_compiled_on_one_side(context):
        return
    a, b = _regions_of_both(context)
    gained = b.per_step > 0
    rows = _moved(context)
    explained: dict[Part, float] = {(CPU_EXEC, row.path[1]): row.delta / context.unit for row in rows}
    rest = sum(row.delta for row in context.entities(OTHER) if row.path[1] == NOTHING_RECORDED) / context.unit
    if context.baseline.device.kind == context.candidate.device.kind == "cpu" and (rest < 0) == gained:
        # Python between operators disappears with them; more of it has another cause
        explained[OTHER, NOTHING_RECORDED] = rest
    delta = fsum(explained.values())
    word, other = ("candidate", "baseline") if gained else ("baseline", "candidate")
    again = b.again if gained else a.again
    compiled_again = f", {many(again, 'recompilation')}" if again else ""

    def sentence(own: Explains) -> str:
        return (
            f"{'More' if gained else 'Less'} code is compiled: {change_text(own)} per step; the {word} runs "
            f"{(b if gained else a).text}{compiled_again}, the {other} none{_operators_clause(context, gained)}."
        )

    yield cause(
        context, REGIONS_LOST, _largest_compiled(rows), CPU_EXEC, delta, sentence,
        (Evidence("ledger", f"{CPU_EXEC} / {_largest_compiled(rows)}"),),
        name=REGIONS_LOST.names[gained], explains=explained,
    )  # fmt: skip


def graph_break_rules(context: RuleContext) -> Iterator[Cause]:
    """Both sides are compiled, but into more (fewer) frames, one for each graph break, or with more recompilations.
    Without ids: more (fewer) regions while operators stay the same."""
    a, b = _regions_of_both(context)
    if not a.per_step or not b.per_step:
        return
    more_regions: float = b.frames - a.frames or b.again - a.again
    if not more_regions and not a.ids and not b.ids and calls_alike(context):
        more_regions = round(b.per_step - a.per_step, 6)
    if not more_regions:
        return
    rows = _moved(context)
    explained: dict[Part, float] = {(CPU_EXEC, row.path[1]): row.delta / context.unit for row in rows}
    delta = fsum(explained.values())
    what = "recompilations" if a.ids and a.frames == b.frames else "graph breaks"
    again = "" if not (a.again or b.again) else f"; recompilations {a.again} → {b.again}"

    def sentence(own: Explains) -> str:
        return (
            f"{'More' if more_regions > 0 else 'Fewer'} {what}: {change_text(own)} per step; {a.text} → {b.text}{again}"
            f"{_operators_clause(context, more_regions < 0)}."
        )

    yield cause(
        context, GRAPH_BREAKS, _largest_compiled(rows), CPU_EXEC, delta, sentence,
        (Evidence("ledger", f"{CPU_EXEC} / {_largest_compiled(rows)}"),),
        name=GRAPH_BREAKS.names[0 if more_regions > 0 else 1], explains=explained,
    )  # fmt: skip


def _moved(context: RuleContext) -> list[LedgerRow]:
    """Ledger rows of compiled code and of operators whose number of calls changed."""
    return [
        row for row in context.entities(CPU_EXEC)
        if row.status != "both" or is_compiled(row.path[1]) or call_count_changed(*row.calls)
    ]  # fmt: skip


def _operators_clause(context: RuleContext, gained: bool) -> str:
    """Clause on operators: "; operator calls 1,204 → 504 per step, gone: aten::gelu, aten::layer_norm"; "" if
    unchanged."""
    operators = context.amounts("operators", "host_total")
    calls = [sum(getattr(operator, side) for operator in operators.values()) for side in ("calls_a", "calls_b")]
    here, there = ("us_a", "calls_b") if gained else ("us_b", "calls_a")
    alone = [key for key, amount in operators.items() if not getattr(amount, there) and not is_compiled(key[0])]
    alone.sort(key=lambda key: (is_backward(key[0]), -getattr(operators[key], here), key))
    if calls[0] == calls[1] and not alone:
        return ""
    names = ", ".join(short(key[0]) for key in alone[:_MAX_GONE_NAMED])
    suffix = f", {'gone' if gained else 'new'}: {names}{and_others(len(alone) - _MAX_GONE_NAMED)}" if alone else ""
    return f"; operator calls {numbers_text(*calls)} per step{suffix}"


def _largest_compiled(rows: list[LedgerRow]) -> str:
    compiled = [row for row in rows if is_compiled(row.path[1])] or rows
    return largest_of(compiled).path[1] if compiled else CPU_EXEC


def _regions_of_both(context: RuleContext) -> tuple[_Regions, _Regions]:
    rows = context.entities(CPU_EXEC)
    regions = np.array([key.startswith(COMPILED_REGION) for key in rows.key], dtype=bool)
    compiled = regions if regions.any() else np.array([is_compiled(key) for key in rows.key], dtype=bool)
    of = rows.picked(compiled)
    ids = [_ids(side) for side in context.sides]
    a, b = (_Regions(sum(row.calls[side] for row in of), ids[side]) for side in (0, 1))
    return a, b


def _ids(summary: Summary) -> tuple[str, ...]:
    regions = dict(summary.environment).get(COMPILED_REGIONS, "")
    return tuple(dict.fromkeys(text for text in regions.split(", ") if text))


_LOOK_AT = "torch.compile: graph breaks and recompilations (TORCH_LOGS=graph_breaks,recompiles)"
_COUNTED = "certain: compiled regions are counted"

REGIONS_LOST = Rule(
    names=("compilation_lost", "compilation_gained"),
    meaning="eager code instead of compiled",
    when="No generated kernels: one side runs compiled regions, the other none",
    tables=("operators",),
    look_at=_LOOK_AT,
    confidence=_COUNTED,
    rank=2,
)
GRAPH_BREAKS = Rule(
    names=("more_graph_breaks", "fewer_graph_breaks"),
    meaning="both sides are compiled, into other regions",
    when="Ids of compiled regions show more frames or recompilations on one side. Without ids: `CompiledFxGraph` or "
    "`CompiledFunction` runs more often, operators do not",
    tables=("operators",),
    look_at=_LOOK_AT,
    confidence=_COUNTED,
    find=graph_break_rules,
    rank=0,
)
