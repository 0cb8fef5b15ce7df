"""Partners of kernels that only one side has, as a column of the table of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.kernel_matches import ONE_BY_ONE, SAME, WEAK
from tb_perfcompare.comparison.alignment.table import MAX_NAMED, with_more
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import ColumnRows, Table, cells_of

_MATCHED_WITH = columns.text(
    "matched_with", "Matched with",
    "for a kernel on one side only: the other side's kernels that do its work, from the alignment", shown=False,
)  # fmt: skip


def with_partners(tables: Mapping[str, Table], alignment: Alignment) -> dict[str, Table]:
    """Adds a column to the table of kernels: the counterparts of kernels that only one side has."""
    table = tables.get("kernels")
    if table is None:
        return dict(tables)
    assert isinstance(table.rows, ColumnRows)
    cells: tuple[str, ...] = ("",) * len(table.rows)
    if partners := _partners(alignment):
        names, statuses = (cells_of(table.rows, index) for index in (0, table.places["status"]))
        cells = tuple(partners.get((str(name), str(side)), "") for name, side in zip(names, statuses, strict=True))
    rows = ColumnRows((*table.rows.columns, cells), len(cells))
    return {**tables, "kernels": replace(table, columns=(*table.columns, _MATCHED_WITH), rows=rows)}


def _partners(alignment: Alignment) -> dict[tuple[str, str], str]:
    """(kernel, status of its row) -> its partners, those with the most time first."""
    partners_of: dict[tuple[str, str], dict[tuple[str, str, str], int]] = {}
    for match, kernel in alignment.kernel_matches():
        if kernel.kind not in ONE_BY_ONE or kernel.kind == SAME:
            continue
        sure = WEAK if match.confidence == WEAK else kernel.confidence
        for side, status in ((0, "removed"), (1, "added")):
            others = kernel.runs(1 - side)
            most = max(others, key=lambda run: (run.time_ns, run.name))
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            for run in kernel.runs(side):
                names = most.name + more
                here = partners_of.setdefault((run.name, status), {})
                here[names, kernel.kind, sure] = here.get((names, kernel.kind, sure), 0) + run.time_ns
    return {key: _texts(partners) for key, partners in partners_of.items()}


def _texts(partners: Mapping[tuple[str, str, str], int]) -> str:
    ranked = sorted(partners, key=lambda each: (-partners[each], each))
    shown = [f"{names} ({kind}, {sure})" for names, kind, sure in ranked[:MAX_NAMED]]
    return with_more(shown, len(ranked))
