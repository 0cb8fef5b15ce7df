"""Work by family of operators, and the time without a model by reason; the rows add up to all time of operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Table, table_of
from tb_perfcompare.comparison.work.row_work import OPERATOR_WORK, Key, RowWork, has_work, row_work
from tb_perfcompare.comparison.work.work_columns import Made, notes_of, own_columns, pair_columns
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.summary.summary import Summary

BY_FAMILY = "work_by_family"
"""Name of the table."""

NO_WORK = "no operator has a model of its work; record with record_shapes=True"

_TITLE = "Work by family of operators"
_MAX_REASONS = 8
_OTHER = "no model: other reasons"
_SHOWN = ("flops", "moved_bytes", "flop_rate", "byte_rate", "roof_share")
_FAMILY = columns.key("family", "Family", "operator family, or the reason why the work of its calls is unknown")
_WHAT = "Self device time of the operators' own launches, or self host time in traces without device work"
_CLOSES = "The rows add up to all device work launched in the steps; in a trace without device work to host self time."


def work_by_family(sides: Sequence[Summary], peaks: Sequence[DevicePeaks | None]) -> Table | None:
    """Table of one run or of two sides, the row with the most time first; None if no work is known."""
    if not any(map(has_work, sides)):
        return None
    families = _families(sides)
    names = sorted({*families.values()})
    places: dict[Key, int] = {(name,): index for index, name in enumerate(names)}
    works, calls = list[RowWork](), list[Floats]()
    for side, own in zip(sides, peaks, strict=True):
        works.append(row_work(side, lambda key: (families[key],), places, len(places), own))
        calls_of = np.zeros(len(places))
        if (table := side.groups.get(OPERATOR_WORK)) is not None:
            np.add.at(calls_of, [places[(families[key],)] for key in table.keys], table.calls.sum(axis=1))
        calls.append(calls_of / max(len(side.steps), 1))
    times = [work.whole_ns / max(work.steps, 1) / 1000 for work in works]
    made: list[Made] = [(_FAMILY, tuple(names))]
    if len(works) == 1:
        made.append((columns.count("calls", "Calls", f"calls, {columns.PER_STEP}"), calls[0]))
        made.append((columns.time("time_us", "Time", f"{_WHAT}; {columns.PER_STEP}"), times[0]))
        made += own_columns(works[0], _SHOWN)
    else:
        made += zip(columns.calls("Calls"), calls, strict=True)
        made += zip(columns.triple("", "", _WHAT), (*times, times[1] - times[0]), strict=True)
        made += pair_columns(works[0], works[1], _SHOWN)
    ranked = np.argsort(-np.max(times, axis=0), kind="stable").tolist()
    return table_of(BY_FAMILY, _TITLE, made, ranked, (_CLOSES, *notes_of(*works)))


def _families(sides: Sequence[Summary]) -> dict[Key, str]:
    """Key of the group -> its row: the family, or the reason why there is no model; reasons with little time share a
    row."""
    time: dict[str, int] = {}
    tables = [side.groups[OPERATOR_WORK] for side in sides if OPERATOR_WORK in side.groups]
    for table in tables:
        for key, total in zip(table.keys, table.measures_ns["total"].sum(axis=1).tolist(), strict=True):
            if key[4]:
                time[key[4]] = time.get(key[4], 0) + total
    large = set(sorted(time, key=lambda reason: (-time[reason], reason))[:_MAX_REASONS])
    return {
        key: key[3] if not key[4] else f"no model: {key[4]}" if key[4] in large else _OTHER
        for table in tables for key in table.keys
    }  # fmt: skip
