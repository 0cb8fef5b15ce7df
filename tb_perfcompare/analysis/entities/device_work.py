"""Tables of device work: kernels, copies and sets, collectives."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import is_one_of, used_codes
from tb_perfcompare.analysis.columns.grouping import Groups, argument_values, number_combinations
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.entities.collectives import message_table, messages_of
from tb_perfcompare.analysis.entities.operators import forest_rows, numbered_texts
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Floats, Ints, StepIndex, is_of, weighted_means
from tb_perfcompare.model.device import uses_tensor_cores
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.input_shapes import argument_text
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.groups import DURATION_TABLES, PER_OCTAVE, duration_class
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import Coded, TextPool
from tb_perfcompare.model.texts import column as texts_of_column
from tb_perfcompare.model.texts import keys as texts_of_rows

MAX_CELLS = 4_000_000
"""Maximum number of launch counts by name, duration class and step."""


def device_tables(
    timeline: InterpretedTrace,
    step: StepIndex,
    steps: int,
    *,
    module_of: Callable[[EventIndex], Coded] | None = None,
    durations: bool = False,
) -> dict[str, GroupTable]:
    """Returns the tables that have rows.

    "kernels", "kernels_by_launch" (by name and launch properties), "kernels_by_operator", "kernels_by_type" (input
    types of that operator), "memcpy" (copies and sets by kind), "communication", BY_MESSAGE; with `module_of`, which
    names the modules of device work, "kernels_by_module"; with `durations` also DURATION_TABLES, for the names with
    most time.
    """
    events, category = timeline.events, timeline.events.category
    kernels = _Work(timeline, is_of(category, Category.KERNEL), step, steps)
    copies = _Work(timeline, is_one_of(category, (Category.MEMCPY, Category.MEMSET)), step, steps)
    collectives = _Work(timeline, is_of(timeline.role, StepCategory.COMMUNICATION), step, steps)
    measured = {name: argument_values(events, name, kernels.rows, np.nan) for name in ("blocks_per_sm", "occupancy")}
    tables = {
        "kernels": kernels.table(measured=measured, tensor_cores=True),
        "memcpy": copies.table(summed="bytes"),
        "communication": collectives.table(added=collectives.messages()),
    }
    launch = launch_texts(events, kernels.rows)
    if launch is not None:
        measured |= {name: kernels.numbers_in_texts(name) for name in ("registers", "shared_memory")}
        tables["kernels_by_launch"] = kernels.table("launch", launch, measured=measured, tensor_cores=True)
    by_message = message_table(timeline, step, steps)
    if by_message is not None:
        tables[BY_MESSAGE] = by_message
    below = operator_texts(timeline, kernels.rows)
    if below is not None:
        tables["kernels_by_operator"] = kernels.table("operator", below)
    types = type_texts(timeline, kernels.rows)
    if types is not None:
        tables["kernels_by_type"] = kernels.table("input_type", types)
    if module_of is not None:
        tables["kernels_by_module"] = kernels.table("module", module_of(kernels.rows))
    if durations:
        for name, work in (("kernels", kernels), ("memcpy", copies), ("communication", collectives)):
            tables[DURATION_TABLES[name]] = work.durations()
    return {name: table for name, table in tables.items() if len(table)}


def operator_texts(timeline: InterpretedTrace, rows: EventIndex) -> Coded | None:
    """Returns the operator that launched each row, "" for none; None if no row has one."""
    operator = timeline.operator[rows]
    if not (operator >= 0).any():
        return None
    events = timeline.events
    name = np.where(operator >= 0, events.name[operator], -1)
    used, at = factorize(name + 1, len(events.strings) + 1)
    none = ("",) if used[0] == 0 else ()
    keys = operator_keys_of(events.strings)
    number, places = keys.numbered(used[len(none) :] - 1, none)
    texts = TextPool(list(map(keys.pool.texts.__getitem__, places.tolist())))
    return np.concatenate([np.zeros(len(none), dtype=np.int64), number])[at], texts


def type_texts(timeline: InterpretedTrace, rows: EventIndex) -> Coded | None:
    """Returns the input types of the operator that launched each row, as in the table of operators.

    "" if they were not recorded; None if no row has any.
    """
    events, forest, operator = timeline.events, timeline.host, timeline.operator[rows]
    if "input_type" not in events.args or not (operator >= 0).any():
        return None
    counted = gather(forest.row, gather(forest.top, gather(forest_rows(timeline), operator[operator >= 0])))
    code = np.zeros(len(rows), dtype=np.int64)
    code[operator >= 0] = 1 + argument_values(events, "input_type", counted, -1)
    used, at = factorize(code, len(events.strings) + 1)
    number, texts = numbered_texts(events.strings, used, is_types=True)
    return (number[at], TextPool(texts)) if number.any() else None


class _Work:
    """The events of one kind that start in a step, grouped by name.

    rows   (r,) rows of the events
    group  (r,) index of each row's name
    """

    def __init__(self, timeline: InterpretedTrace, chosen: Flags, step: StepIndex, steps: int) -> None:
        events = timeline.events
        self._timeline, self._steps, self._step_of = timeline, steps, step
        self.rows = np.flatnonzero(chosen & (step >= 0))
        self._step, self._dur = step[self.rows], events.dur_ns[self.rows]
        name, ranks = events.name[self.rows], events.strings.ranks()
        used = used_codes(name, len(events.strings))
        number_of = np.zeros(len(events.strings), dtype=np.int64)
        index: dict[str, int] = {}
        self._raw: list[str] = []
        for code in used[np.argsort(ranks[used])].tolist():
            text = events.strings[code]
            number_of[code] = index.setdefault(kernel_key(text), len(index))
            if len(index) > len(self._raw):
                self._raw.append(text)
        self._keys = list(index)
        self.group = number_of[name]

    def numbers_in_texts(self, argument: str) -> Floats:
        """(r,) Values of an argument that is stored as JSON text, NaN where absent."""
        strings = self._timeline.events.strings
        text = argument_values(self._timeline.events, argument, self.rows, -1)
        number = np.full(len(strings) + 1, np.nan)  # the last entry is for no text
        for code in used_codes(text[text >= 0], len(strings)).tolist():
            with contextlib.suppress(ValueError):
                number[code] = float(strings[code])
        return number[text]

    def table(
        self,
        column: str = "",
        second_key: Coded | None = None,
        *,
        measured: Mapping[str, Floats] = MappingProxyType({}),
        tensor_cores: bool = False,
        summed: str = "",
        added: Mapping[str, Ints] = MappingProxyType({}),
    ) -> GroupTable:
        """Builds a table by name, or by name and `column`: the text that `second_key` gives for each row.

        Facts: means of `measured` (r,) weighted by duration, whether names indicate tensor cores, the sum of the
        argument `summed`. `added` are further measures by name.
        """
        group: AnyInts = self.group
        name: AnyInts = np.arange(len(self._keys), dtype=np.int32)
        parts = [(name, TextPool(self._keys))]
        if second_key is not None:
            number, texts = second_key
            used, group = numbered_pairs(group, len(name), number, len(texts))
            name, at = np.divmod(used, max(len(texts), 1))
            parts = [(name, TextPool(self._keys)), (at, texts)]
        groups = Groups(group, len(name), self._step, self._steps)
        low, high = groups.span(self._dur)
        facts = {of: weighted_means(values, self._dur, group, len(name)) for of, values in measured.items()}
        marks = self._timeline.vendor.tensor_cores
        if tensor_cores and marks:
            uses = np.array([uses_tensor_cores(key, marks) for key in self._keys], dtype=np.float64)
            facts["tensor_cores"] = uses[name]
        if summed:
            facts[summed] = self._sum(summed, group, len(name))
        return GroupTable(
            key_columns=("name",) if second_key is None else ("name", column),
            keys=texts_of_rows(*parts),
            names=texts_of_column(name, TextPool(self._raw)),
            calls=groups.matrix(),
            measures_ns={"total": groups.matrix(self._dur), **added},
            min_ns=low,
            max_ns=high,
            facts=facts,
        )

    def durations(self) -> GroupTable:
        """Builds the table by name and duration class, for the names with most time: about MAX_CELLS counts."""
        max_names = max(1, MAX_CELLS // (PER_OCTAVE * max(1, self._steps)))
        total = np.bincount(self.group, weights=self._dur, minlength=len(self._keys))
        largest = np.zeros(len(self._keys), dtype=np.bool_)
        largest[np.argsort(-total, kind="stable")[:max_names]] = True
        chosen = np.zeros(len(self._timeline.events), dtype=np.bool_)
        chosen[self.rows[largest[self.group]]] = True
        work = self if largest.all() else _Work(self._timeline, chosen, self._step_of, self._steps)
        used, at = np.unique(duration_class(work._dur), return_inverse=True)
        return work.table("duration", (at, TextPool(list(map(str, used.tolist())))))

    def messages(self) -> dict[str, Ints]:
        """Returns measures of the messages of collectives, by name."""
        messages = messages_of(self._timeline, self.rows)
        return messages.measures(self.group, self._step, self._steps, len(self._keys), self._dur)

    def _sum(self, argument: str, group: AnyInts, groups: int) -> Floats:
        """(groups,) Sum of an argument over the calls; NaN for groups in which no call records it."""
        value = argument_values(self._timeline.events, argument, self.rows, -1.0)
        has = value >= 0
        total = np.bincount(group[has], weights=value[has], minlength=groups)
        return np.where(np.bincount(group[has], minlength=groups) > 0, total, np.nan)


_COLUMNS = ("grid", "block", "kernel_type", "dim", "dim_x", "dim_y", "dim_z", "tasktopo")


def launch_texts(events: EventTable, rows: EventIndex) -> Coded | None:
    """Returns (index of each row's text, texts), "" for kernels without properties; None if no row has any."""
    if not any(column in events.args for column in _COLUMNS):
        return None
    width = len(events.strings) + 1
    columns = [column for column in _COLUMNS if column in events.args]
    keys = [(argument_values(events, column, rows, -1) + 1, width) for column in columns]
    stated, at = number_combinations(keys)
    values = {column: _values(events.strings, used) for column, used in zip(columns, stated, strict=True)}
    absent: list[str | None] = [None] * len(stated[0])
    launches = [_text(*row) for row in zip(*(values.get(column, absent) for column in _COLUMNS), strict=True)]
    number = {text: at for at, text in enumerate(dict.fromkeys(launches))}
    if not any(number):
        return None
    return np.array([number[text] for text in launches], dtype=np.int64)[at], TextPool(list(number))


def _text(
    grid: str | None, block: str | None, kind: str | None, dim: str | None, x: str | None, y: str | None, z: str | None,
    tasktopo: str | None,
) -> str:  # fmt: skip
    """Formats `grid [64, 1, 1] block [256, 1, 1]` or `UNION1 [4, 1, 1]`.

    A launch from a graph (tasktopo) is mentioned without its number, which differs between recordings.
    """
    parts = []
    if grid:
        parts.append(f"grid {grid}")
    if block:
        parts.append(f"block {block}")
    if kind:
        parts.append(kind)
    if dim:
        parts.append(dim)
    elif dim is None and (x or y or z):
        parts.append(f"[{x or 1}, {y or 1}, {z or 1}]")
    if tasktopo and tasktopo != "0":
        parts.append("in a tasktopo")
    return " ".join(parts)


def _values(strings: StringTable, codes: Ints) -> list[str | None]:
    """Decodes JSON texts to Python's spelling. A code is the text's index + 1; 0 gives None."""
    value: dict[int, str | None] = {code: _decoded(strings[code - 1]) for code in {*codes.tolist()} if code > 0}
    return list(map(value.get, codes.tolist()))


def _decoded(text: str) -> str:
    shown = argument_text(text)
    if not (text.startswith('"') and shown.startswith("[")):
        return shown
    try:
        return str(json.loads(shown))  # MLUs write dimensions as a JSON string
    except ValueError:
        return text
