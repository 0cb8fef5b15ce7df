"""Operator tables: calls, self and total time on host and device, by name and by name + input shape."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations, sum_by_target
from tb_perfcompare.analysis.columns.nesting import nest, with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize, gather, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import (
    EventIndex,
    Ints,
    Ints32,
    StepIndex,
    max_by_target,
    min_by_target,
    places_of,
    unique_places,
)
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.input_shapes import argument_text, types_in_one_spelling
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import Coded, TextPool, column, keys
from tb_perfcompare.quick_dataclass import dataclass

_NO_CALL, _NO_TEXT = np.iinfo(np.int64).max, TextPool([""])


def _host_total(timeline: InterpretedTrace) -> Ints:
    forest = timeline.host
    return forest.end_ns - gather(timeline.events.start_ns, forest.row)


def _host_api(timeline: InterpretedTrace, node_of: Ints32) -> Ints:
    calls = outermost_calls(timeline)
    owner = gather(node_of, gather(timeline.operator, calls))
    return scatter_add(owner, len(timeline.host.row), value=(timeline.events.dur_ns, calls))[:, 0]


def _host_self(timeline: InterpretedTrace, total: Ints, api: Ints) -> Ints:
    """Computes host_self in place of `total`."""
    total -= timeline.host.inside
    total -= api
    return np.maximum(total, 0, out=total)


def host_self_times(timeline: InterpretedTrace, node_of: Ints32) -> Ints:
    """(h,) Host time of each forest row without the spans of its children and its outermost API calls, at least zero.

    `node_of` as from forest_rows.
    """
    return _host_self(timeline, _host_total(timeline), _host_api(timeline, node_of))


def forest_rows(timeline: InterpretedTrace) -> Ints32:
    """(n + 1,) Forest row of each event, -1 without one; the last entry is for no event."""
    return places_of(timeline.host.row, len(timeline.events) + 1)


def device_self_times(timeline: InterpretedTrace, node_of: Ints32) -> Ints:
    """(h,) Device work launched by each forest row's own API calls. `node_of` as from forest_rows."""
    work = rows_where(timeline.is_device)
    owner = gather(node_of, gather(timeline.operator, work))
    return scatter_add(owner, len(timeline.host.row), value=(timeline.events.dur_ns, work))[:, 0]


def outermost_calls(timeline: InterpretedTrace) -> Ints32:
    """Returns API calls outside other API calls of their thread: runtimes call drivers, cnnl calls cnrt."""
    events = timeline.events
    rows = rows_where(timeline.is_api)
    nesting = nest(timeline.lane, events.start_ns, events.dur_ns, events.correlation, rows=rows)
    return nesting.order[nesting.parent < 0]


def operator_tables(timeline: InterpretedTrace, step: StepIndex, steps: int) -> dict[str, GroupTable]:
    """Returns {"operators": ..., "operators_by_shape": ..., "operators_by_type": ...}.

    `step` (n,) is each event's step or -1.
    """
    forest, events = timeline.host, timeline.events
    counts = gather(timeline.is_operator & (step >= 0), forest.row)
    shown = rows_where(counts)
    rows = gather(forest.row, shown)
    of = gather(forest.row, gather(forest.top, shown))
    names, labels = operator_names(events, rows)
    parts: list[tuple[Ints32, int]] = [(names, len(labels))]
    arguments: list[tuple[str, str, TextPool]] = []
    for kind, of_key, argument in (("shape", "input_shape", "input_dims"), ("type", "input_type", "input_type")):
        if argument in events.args:
            number_of, texts = argument_texts(events, argument, of)
            parts.append((number_of, len(texts)))
            arguments.append((kind, of_key, TextPool(texts)))
    groups_of, of_row = number_combinations(parts)
    groups = Groups(of_row, len(groups_of[0]), (step, rows), steps)
    del parts, names, of, of_row  # frees memory for the next steps
    sums = _sums(timeline, shown, groups)
    tables = {"operators": sums.table(groups_of[0], labels)}
    for (kind, of_key, of_texts), numbers in zip(arguments, groups_of[1:], strict=True):
        tables[f"operators_by_{kind}"] = sums.table(groups_of[0], labels, of_key, (numbers, of_texts))
    return tables


def operator_names(events: EventTable, rows: EventIndex) -> tuple[Ints32, Ints32]:
    """Returns ((r,) index of each row's operator, indices of the operators' keys in OperatorKeys.pool).

    Operators are in order of the first code with their key.
    """
    used, place = factorize(gather(events.name, rows), len(events.strings))
    number, labels = operator_keys_of(events.strings).numbered(used)
    return gather(number, place), labels


def argument_texts(events: EventTable, argument: str, rows: EventIndex) -> tuple[Ints32, list[str]]:
    """Returns ((r,) index of each row's text, the display texts); 0 means that the argument is missing."""
    if argument not in events.args:
        return np.zeros(len(rows), dtype=np.int32), [""]
    codes = np.asarray(events.args[argument].dense(len(events), -1), dtype=np.int32)
    codes += 1
    used, place = factorize(gather(codes, rows), len(events.strings) + 1)
    number, texts = numbered_texts(events.strings, used, is_types=argument == "input_type")
    return gather(number, place), texts


def numbered_texts(strings: StringTable, codes: Ints, *, is_types: bool = False) -> tuple[Ints32, list[str]]:
    """Returns ((c,) index of each code's display text, the display texts); equal display texts share an index.

    `codes` ascend; a code is the index of a text + 1, and 0 means "", whose index is 0. Texts are in order of
    occurrence. Types (`is_types`) are in one spelling.
    """
    stated = codes[1:] if len(codes) and codes[0] == 0 else codes
    shown = [argument_text(strings[code]) for code in (stated - 1).tolist()]
    if is_types:
        shown = list(map(types_in_one_spelling, shown))
    texts = list(dict.fromkeys(("", *shown)))
    index = dict(zip(texts, range(len(texts)), strict=True))
    number = np.zeros(len(codes), dtype=np.int32)
    number[len(codes) - len(stated) :] = list(map(index.__getitem__, shown))
    return number, texts


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Table values by the finest groups: (g, s) matrices, (g,) extremes, (g,) rank of the first raw name."""

    timeline: InterpretedTrace
    calls: Ints
    measures_ns: dict[str, Ints]
    low: Ints
    high: Ints
    first_name: Ints

    def table(self, name: Ints, labels: Ints32, of_key: str = "", texts: Coded | None = None) -> GroupTable:
        """Builds the table by name, or by name and text.

        `name` (g,) are indices into `labels`, which are in OperatorKeys.pool; `texts` are the groups' second keys.
        """
        number, pool = (0, _NO_TEXT) if texts is None else texts
        used, into = unique_places(name * len(pool) + number)
        label, text = np.divmod(used, len(pool))
        strings = self.timeline.events.strings
        count = len(used)
        names, low = operator_keys_of(strings).pool, min_by_target(self.low, into, count)
        parts = [(labels[label], names), (text, pool)]
        return GroupTable(
            key_columns=("name",) if texts is None else ("name", of_key),
            keys=keys(*parts[: 1 if texts is None else 2]),
            names=column(strings.in_order()[min_by_target(self.first_name, into, count)], names),
            calls=sum_by_target(self.calls, into, count),
            measures_ns={name: sum_by_target(matrix, into, count) for name, matrix in self.measures_ns.items()},
            min_ns=np.where(low == _NO_CALL, 0, low),
            max_ns=max_by_target(self.high, into, count),
        )


def _sums(timeline: InterpretedTrace, shown: Ints32, groups: Groups) -> _Sums:
    forest = timeline.host
    merged = gather(forest.merged, shown)
    any_merged = merged.any()
    counted = np.where(merged, np.int32(-1), groups.of_row) if any_merged else None
    total = _host_total(timeline)
    low, high = groups.span(gather(total, shown), ~merged if any_merged else slice(None))
    host_total = groups.matrix((total, shown), counted)
    node_of = forest_rows(timeline)
    api = _host_api(timeline, node_of)
    host_api = groups.matrix((api, shown))
    host_self = groups.matrix((_host_self(timeline, total, api), shown))
    del total, api  # frees memory for the next steps
    measures = {"host_self": host_self, "host_total": host_total, "host_api": host_api}
    launched = device_self_times(timeline, node_of)
    del node_of
    measures["device_self"] = groups.matrix((launched, shown))
    below = with_descendants(forest.parent, forest.depth, launched)
    del launched
    measures["device_total"] = groups.matrix((below, shown), counted)
    del below
    events = timeline.events
    names = gather(events.name, gather(forest.row, shown))
    return _Sums(
        timeline,
        calls=groups.matrix(None, counted),
        measures_ns=measures,
        low=low,
        high=high,
        first_name=min_by_target(gather(events.strings.ranks(), names), groups.of_row, groups.count),
    )
