"""Gives both sides the names under which their rows are joined."""

from __future__ import annotations

from tb_perfcompare.comparison.alignment.equivalent_names import join_equivalent_names
from tb_perfcompare.comparison.alignment.renaming import renamed_kernels
from tb_perfcompare.comparison.alignment.truncated_names import join_truncated_names
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.model.names.names import alike_key
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary

_TABLE = "kernels"


def join_alike_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with common names of their kernels, and a note on the number of joined names."""
    joins = alike_names(_kernels(baseline), _kernels(candidate))
    if not joins:
        return baseline, candidate, ()
    pairs = len(set(joins.values()))
    message = f"{many(pairs, 'kernel name')} matched: only numbers or spelling of the build differ"
    note = Note(NoteCode.ALIKE_NAMES, message, _TABLE)
    return renamed_kernels(baseline, joins), renamed_kernels(candidate, joins), (note,)


def alike_names(a: list[str], b: list[str]) -> dict[str, str]:
    """Name on a side -> name that both are compared under; unchanged names are left out."""
    if set(a) == set(b):
        return {}
    groups: dict[str, tuple[set[str], set[str]]] = {}
    for side, names in enumerate((a, b)):
        for name in names:
            groups.setdefault(alike_key(name), (set(), set()))[side].add(name)
    joins = {}
    for one, two in groups.values():
        if len(one) == len(two) == 1 and one != two:
            first, second = sorted(one | two)
            joins[second] = first
    return joins


def _kernels(side: Summary) -> list[str]:
    table = side.groups.get(_TABLE)
    return [key[0] for key in table.keys] if table is not None else []


def with_same_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with all names joined, and notes on what was joined."""
    baseline, candidate, cut = join_truncated_names(baseline, candidate)
    baseline, candidate, alike = join_alike_names(baseline, candidate)
    baseline, candidate, equal = join_equivalent_names(baseline, candidate)
    return baseline, candidate, (*cut, *alike, *equal)
