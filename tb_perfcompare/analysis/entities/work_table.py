"""Work of operators from their recorded shapes: calls, time, FLOPs and bytes per step.

Rows are by operator, input shape, data type and family. Their times are disjoint: an operator counts with the device
work that its own API calls launched, or with its host self time in a trace without device work. Docs:
docs/method/work.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations, sum_by_target
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.entities.call_arguments import call_arguments
from tb_perfcompare.analysis.entities.counted_calls import CountedCalls, counted_calls
from tb_perfcompare.analysis.entities.known_work import KnownWork, kernel_work, records_work
from tb_perfcompare.analysis.entities.modules import ModuleCalls
from tb_perfcompare.analysis.entities.operators import device_self_times, forest_rows, host_self_times, numbered_texts
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Ints, Ints32, StepIndex, min_by_target, places_of
from tb_perfcompare.model.summary.groups import CALL_ARGUMENTS
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import Coded, TextPool, column, keys

NO_OPERATOR = "launched by no recorded operator"

_NO_SHAPE = TextPool([""])


def work_tables(
    timeline: InterpretedTrace, step: StepIndex, steps: int, modules: ModuleCalls | None
) -> dict[str, GroupTable]:
    """Returns "operator_work", "kernel_work", "module_work" and "call_arguments"; empty if the trace has neither shapes
    nor stated work.

    "operator_work" is by (operator, input shape, data type, family, reason); the others have the kernel or the
    innermost module instead of the operator, and "" as shape. Per step: calls and, as measures, "total" (ns), "flops"
    and "bytes".
    The last key column says why there is no model; FLOPs and bytes are zero then. `modules` are the module calls of
    steps.
    """
    events = timeline.events
    if "input_dims" not in events.args and not records_work(events):
        return {}
    on_device, node_of = bool(timeline.is_device.any()), forest_rows(timeline)
    if on_device:
        time, other_ns = _device_times(timeline, node_of, step, steps)
    else:
        time, other_ns = host_self_times(timeline, node_of), None
    counted = counted_calls(timeline, node_of, step, time, nested=not on_device)
    groups = Groups(counted.kind, len(counted.name), (step, counted.row), steps)
    calls, spent = groups.matrix(), groups.matrix((counted.time, counted.node))
    operator, shape = _operator_keys(timeline, counted)
    tables = {"operator_work": _table(operator, shape, counted.work, (calls, spent, calls), other_ns)}
    arguments = call_arguments(events.strings, operator, shape, counted.arguments, calls, spent)
    if arguments is not None:
        tables[CALL_ARGUMENTS] = arguments
    if on_device:
        tables["kernel_work"] = _of_kernels(timeline, node_of, step, steps, counted)
    if modules is not None:
        module, names = modules.of_operators(timeline)
        inside = np.flatnonzero(module[counted.node] >= 0)
        inner = replace(counted, node=counted.node[inside], row=counted.row[inside], kind=counted.kind[inside])
        used, group = numbered_pairs(module[inner.node], len(names), inner.kind, len(inner.name))
        module_at, kind = np.divmod(used, max(len(inner.name), 1))
        groups = Groups(group, len(used), (step, inner.row), steps)
        calls, spent = groups.matrix(), groups.matrix((inner.time, inner.node))
        of_module, work = (module_at, TextPool(names)), inner.work.of(kind)
        tables["module_work"] = _table(of_module, _no_shape(module_at), work, (calls, spent, calls))
    return tables


def _of_kernels(
    timeline: InterpretedTrace, node_of: Ints32, step: StepIndex, steps: int, counted: CountedCalls
) -> GroupTable:
    """Builds the table of kernels; its times sum to that of the table of kernels."""
    forest = timeline.host
    call = places_of(counted.node, len(forest.row) + 1)
    call_of = gather(np.append(gather(call, forest.top), np.int32(-1)), node_of)
    name, work, matrices = kernel_work(timeline, step, steps, call_of, counted.kind, counted.work, NO_OPERATOR)
    return _table(name, _no_shape(name[0]), work, matrices)


def _no_shape(name: AnyInts) -> Coded:
    return np.zeros(len(name), dtype=np.int32), _NO_SHAPE


def _device_times(
    timeline: InterpretedTrace, node_of: Ints32, step: StepIndex, steps: int
) -> tuple[Ints, Ints]:
    """Returns ((h,) device work that each operator launched itself, (s,) device work without an operator of a step).

    Merged operators count as part of the operator around them.
    """
    forest, events = timeline.host, timeline.events
    time = device_self_times(timeline, node_of)
    if forest.merged.any():
        time = scatter_add(forest.top, len(time), value=time)[:, 0]
    counts = gather(timeline.is_operator & (step >= 0), forest.row)[forest.top]
    work = rows_where(timeline.is_device & (step >= 0))
    node = node_of[gather(timeline.operator, work)]
    orphan = work[(node < 0) | ~np.append(counts, False)[node]]
    place = np.zeros(len(orphan), dtype=np.int32)
    return time, scatter_add(place, 1, (step, orphan), steps, (events.dur_ns, orphan))[0]


def _operator_keys(timeline: InterpretedTrace, counted: CountedCalls) -> tuple[Coded, Coded]:
    """Returns the operator and input shape of each kind."""
    strings = timeline.events.strings
    keys_of = operator_keys_of(strings)
    number, places = keys_of.numbered(counted.name)
    used, at = factorize(counted.dims, len(strings) + 1)
    shape, shapes = numbered_texts(strings, used)
    return (places[number], keys_of.pool), (shape[at], TextPool(shapes))


def _table(
    name: Coded, shape: Coded, work: KnownWork, matrices: tuple[Ints, Ints, Ints], other_ns: Ints | None = None
) -> GroupTable:
    """Builds a table from g groups of calls, given the first key columns of each.

    matrices  (g, s) calls, time, and calls whose work counts
    other_ns  (s,) time of an additional row for work without an operator, if any
    """
    calls, time, done = matrices
    flops, moved = done * work.one[:, :1], done * work.one[:, 1:]
    models = work.models
    codes = [(name[0], len(name[1])), (shape[0], len(shape[1])), (work.model, len(models))]
    parts, into = number_combinations([(code.astype(np.int32), size) for code, size in codes])
    rows = len(parts[0])
    first = min_by_target(np.arange(len(into)), into, rows)
    sums = [sum_by_target(matrix, into, rows) for matrix in (calls, time, flops, moved)]
    order = np.flatnonzero(sums[0].any(axis=1))
    order = order[np.argsort(first[order], kind="stable")]
    summed = [matrix[order] for matrix in sums]
    names, shapes, model_of = (part[order] for part in parts)
    pools = name[1], shape[1]
    if other_ns is not None and other_ns.any():
        zeros = np.zeros_like(other_ns)
        summed = [
            np.vstack([matrix, row]) for matrix, row in zip(summed, (zeros, other_ns, zeros, zeros), strict=True)
        ]
        pools = TextPool([*pools[0].texts, ""]), TextPool([*pools[1].texts, ""])
        names, shapes = np.append(names, len(name[1])), np.append(shapes, len(shape[1]))
        model_of = np.append(model_of, len(models))
        models = (*models, ("", "", NO_OPERATOR))
    of_models = (TextPool([texts[part] for texts in models]) for part in range(3))
    return GroupTable(
        key_columns=("name", "input_shape", "data_type", "family", "reason"),
        keys=keys((names, pools[0]), (shapes, pools[1]), *((model_of, pool) for pool in of_models)),
        names=column(names, pools[0]),
        calls=summed[0],
        measures_ns={"total": summed[1], "flops": summed[2], "bytes": summed[3]},
    )
