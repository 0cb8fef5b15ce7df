"""Rules of the general findings, one per category, and words and figures that other rules share with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule import Recorded, Rule
from tb_perfcompare.comparison.result.ledger_rows import EntityRows
from tb_perfcompare.comparison.result.wording import numbers_text, short
from tb_perfcompare.model.names.python_frames import is_of_program, python_frame
from tb_perfcompare.model.names.ranges import MODULE_PREFIX
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.groups import PYTHON_DEPTH, PYTHON_OPERATORS, PYTHON_TIME
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


def _general(name: str, subject: str, look_at: str = "", tables: tuple[str, ...] = ()) -> Rule:
    return Rule((name,), subject, tables=tables, look_at=look_at, recorded=Recorded.TIMES)


_OF_DEVICE = ("kernels",)
"""Table without which device work was not recorded."""


GENERAL = {
    StepCategory.KERNEL: _general("kernel_time", "kernel time", tables=_OF_DEVICE),
    StepCategory.MEMCPY: _general(
        "memcpy_time", "memory copies", "copy sizes, pinned memory, .to(device) and .cpu() inside the step",
        tables=_OF_DEVICE,
    ),
    StepCategory.MEMSET: _general("memset_time", "memory sets", "buffers cleared in every step", tables=_OF_DEVICE),
    StepCategory.COMMUNICATION: _general(
        "communication_time", "exposed communication", "which collectives, and what overlaps with them"
    ),
    StepCategory.RUNTIME: _general("runtime_time", "device runtime calls", tables=_OF_DEVICE),
    StepCategory.DATALOADER: _general(
        "data_loader", "data loader wait", "num_workers, prefetch_factor, pin_memory, decoding and storage"
    ),
    StepCategory.CPU_EXEC: _general("host_time", "CPU time"),
    StepCategory.OTHER: _general(
        "unrecorded_time",
        "untraced host time (no events recorded)",
        "Python code between operators, other threads of the program (GIL), other load on the machine",
    ),
}
"""Category -> rule for its remaining time; the rule's meaning is the subject of the sentence."""


def category_words(label: str) -> str:
    """Words for a category in a sentence: "untraced host time" for Other."""
    return GENERAL[StepCategory(CATEGORY_LABELS.index(label))].meaning.partition(" (")[0]


PYTHON = "Python code outside operators"
"""Subject for Other if Python functions were recorded."""

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

UTILIZATION_CHANGE = 0.05
"""Change of a kernel's tensor-pipe or DRAM utilization, as a fraction of the peak, from which it is mentioned."""


INSIDE = 0.8
"""Share of a change of Python code that a function must make, with those that it calls, for the change to be inside."""

PYTHON_SHARE = 0.5
"""Share of a range's change that Python code must make for the change to be inside a function: the range's operators
take the rest (0.6 of a data loader's change in a recording, 0.98 in another)."""

WHOLE_STEP = 0.9
"""A function that makes this share of the step's operator calls on both sides does not tell where in the step."""

FUNCTIONS = "these functions and the code that calls them"
"""What to look at if Python functions were recorded."""


MANY_CALLS = 1000
"""Least change of the recorded calls of Python functions per step for their recording to be mentioned: 0.2 µs each in a
recording."""

RECORDED = "record again without with_stack=True for their real time"
"""What to look at if their recording takes time."""


def more_recorded(functions: EntityRows) -> float:
    """Change of the recorded calls of these functions per step; 0 for less than MANY_CALLS."""
    more: float = sum(functions.calls[1].tolist()) - sum(functions.calls[0].tolist())
    return more if abs(more) >= MANY_CALLS else 0.0


def has_stacks(side: Summary) -> bool:
    """Whether Python functions were recorded, or requested."""
    return ("profiler.with_stack", "true") in side.environment or any(
        category == StepCategory.OTHER and python_frame(key) is not None
        for category, key in zip(side.owned.category.tolist(), side.owned.key, strict=True)
    )


@dataclass(frozen=True, slots=True)
class GrownFunction:
    """A Python function, its calls per step on both sides, and the function of the program that calls it, "" if it is
    one itself or if that is not known."""

    name: str
    calls: tuple[float, float]
    caller: str

    @property
    def is_one_sided(self) -> bool:
        """Whether only one side calls it. Of a module, whose number depends on those before it, that says nothing."""
        return not all(self.calls) and not self.name.startswith(MODULE_PREFIX)

    @property
    def clause(self) -> str:
        """Clause on it: "inside <built-in function sleep> (0 → 1 calls per step), called in train.py(12): fetch"."""
        moved = f" ({numbers_text(*self.calls)} calls per step)" if call_count_changed(*self.calls) else ""
        return f"inside {short(self.name)}{moved}{f', called in {short(self.caller)}' if self.caller else ''}"


def grown_function(
    baseline: Summary, candidate: Summary, delta_us: float, within: str = ""
) -> GrownFunction | None:  # fmt: skip
    """The innermost Python function that, with the functions that it calls, makes most of a change of the Python code
    in this annotated range, or outside of ranges; None if there is none, or if a side recorded none."""
    return _innermost((baseline, candidate), within, lambda one: one.us, delta_us, shared=bool(within))


def function_of_calls(
    baseline: Summary, candidate: Summary, calls: tuple[float, float]
) -> GrownFunction | None:  # fmt: skip
    """The innermost Python function that, with the functions that it calls, makes most of the change of operator calls
    (`calls`, per step); None as for grown_function, or if it makes nearly all calls of the step."""
    summaries = baseline, candidate
    found = _innermost(summaries, None, lambda one: one.operators, calls[1] - calls[0], shared=True)
    made = () if found is None else (side.get(found.name, _NO_TIME).operators for side in _times(summaries, None))
    is_step = all(part >= WHOLE_STEP * whole for part, whole in zip(made, calls, strict=False))
    return None if is_step else found


def recounted_function(baseline: Summary, candidate: Summary, more_calls: float) -> str:
    """The outermost Python function that is called another number of times and makes, with those that it calls, most
    of the change of operator calls; "" if there is none, or if a side recorded none."""
    sides = _times((baseline, candidate), None)
    depths = _holding(sides, lambda one: one.operators, more_calls, shared=True)
    recounted = [
        name for name in depths if call_count_changed(*(side.get(name, _NO_TIME).calls for side in sides))
    ]  # fmt: skip
    return min(recounted, key=lambda name: (depths[name], name), default="")


def _innermost(
    summaries: tuple[Summary, Summary], within: str | None, measure: Callable[[PythonTime], float], delta: float, *,
    shared: bool,
) -> GrownFunction | None:  # fmt: skip
    """The innermost function that makes most of a change, but first those that only one side calls for nothing else: a
    hook is called in many places, at any depth. Not one whose operators the other side calls elsewhere: it took code
    over. None if there is none."""
    sides, (calls_a, calls_b), functions = _times(summaries, within), map(_operator_calls, summaries), []
    for name, depth in _holding(sides, measure, delta, shared=shared).items():
        in_sides = [found.get(name, _NO_TIME) for found in sides]
        calls = [one.calls or _calls_owned(side, name) for one, side in zip(in_sides, summaries, strict=True)]
        caller = "" if is_of_program(name) else in_sides[1 if delta > 0 else 0].caller
        function = GrownFunction(name, (calls[0], calls[1]), caller)
        operators = max(one.operators for one in in_sides)
        if not function.is_one_sided or INSIDE * operators <= abs(calls_b - calls_a):
            is_all_new = function.is_one_sided and INSIDE * max(map(measure, in_sides)) <= abs(delta)
            functions.append((is_all_new, depth, name, function))
    return max(functions)[-1] if functions else None


def _operator_calls(side: Summary) -> float:
    """Operator calls per step."""
    return float(side.groups["operators"].calls.sum()) / len(side.steps) if "operators" in side.groups else 0.0


def _times(summaries: tuple[Summary, Summary], within: str | None) -> Sequence[Mapping[str, PythonTime]]:
    """Python functions of both sides; none if a side recorded none."""
    recorded = all(PYTHON_TIME in side.groups for side in summaries)
    return [python_time(side, within) if recorded else {} for side in summaries]


def _holding(
    sides: Sequence[Mapping[str, PythonTime]], measure: Callable[[PythonTime], float], delta: float, *, shared: bool
) -> dict[str, float]:
    """Function -> depth, for those that make most of a change, with those that they call. `shared`: that make most of
    what Python code makes of it, as other code may make up to half of it."""
    before, after = sides
    both = {name: (before.get(name, _NO_TIME), after.get(name, _NO_TIME)) for name in before.keys() | after.keys()}
    grown = {name: (measure(two) - measure(one)) * math.copysign(1, delta) for name, (one, two) in both.items()}
    most = min(max(grown.values(), default=0.0), abs(delta))
    least = INSIDE * (most if shared else abs(delta))
    inner = {name: max(one.depth for one in both[name]) for name, part in grown.items() if part >= least}
    return inner if most >= PYTHON_SHARE * abs(delta) > 0 else {}


def _calls_owned(side: Summary, function: str) -> float:
    """Calls per step of a function that has too little time for PYTHON_TIME."""
    owned = side.owned
    return sum(
        float(calls.sum()) / len(side.steps)
        for category, key, calls in zip(owned.category.tolist(), owned.key, owned.calls, strict=True)
        if category == StepCategory.OTHER and key == function
    )


class PythonTime(NamedTuple):
    """Time and calls per step of a Python function, and operator calls in it; its depth, and the caller that has most
    of its time."""

    us: float
    calls: float
    operators: float
    depth: float
    caller: str


_NO_TIME = PythonTime(0.0, 0.0, 0.0, 0.0, "")


def python_time(side: Summary, within: str | None) -> dict[str, PythonTime]:
    """Python function -> what is known of its calls within a range, outside of ranges ("") or anywhere (None)."""
    table, steps = side.groups[PYTHON_TIME], len(side.steps)
    times: dict[str, PythonTime] = {}
    time, calls = table.measures_ns["total"].sum(axis=1) / steps / 1000, table.calls.sum(axis=1) / steps
    each = table.facts.get(PYTHON_OPERATORS, np.zeros(len(table)))  # saved by earlier versions without it
    figures = (time, calls, each * calls, table.facts[PYTHON_DEPTH])
    rows = zip(*(figure.tolist() for figure in figures), table.keys, strict=True)
    for us, count, operators, depth, (name, caller, around) in sorted(rows, key=lambda row: (-row[0], row[4])):
        if within in (None, around):
            known = times.get(name, PythonTime(0.0, 0.0, 0.0, depth, caller))
            times[name] = PythonTime(
                known.us + us, known.calls + count, known.operators + operators, min(known.depth, depth), known.caller
            )
    return times


def kernel_fact(summary: Summary, kernel: str, fact: str) -> float | None:
    """Figure of the kernel in the table "kernels", None if not recorded."""
    table = summary.groups.get("kernels")
    if table is None or fact not in table.facts or (kernel,) not in table.keys:
        return None
    value = float(table.facts[fact][table.keys.index((kernel,))])
    return value if np.isfinite(value) else None
