"""The parts of the ledger's largest entries in a few lines, for reports: which callers and input shapes moved."""

from __future__ import annotations

import re

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import short
from tb_perfcompare.render import numbers

_ENTRIES = 3
_PARTS = 3
_SCALAR = re.compile(r"(?<=\[)\[\], |, \[\](?=[\],])")
"""An argument that is no tensor, inside the shapes of a call."""


def largest_parts(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """(entry, its largest parts and the rest), for the entries with the largest change among those that have parts."""
    ledger = comparison.ledger
    unit = ledger.denominator * 1000
    entries = sorted(ledger.with_parts(), key=lambda entry: (-abs(entry[0].delta), entry[0].path))
    items = []
    for entry, parts in entries[:_ENTRIES]:
        listed = [row for row in parts if row.delta][:_PARTS]
        texts = [_part(row, unit) for row in listed]
        rest = entry.delta - sum(row.delta for row in listed)
        if rest or len(parts) > len(listed) + 1:
            texts.append(f"{numbers.time(rest / unit, signed=True)} all others")
        items.append((f"{entry.path[0]}: {short(entry.name)} {numbers.time(entry.delta / unit, signed=True)}",
                      "; ".join(texts)))  # fmt: skip
    return tuple(items)


def _part(row: LedgerRow, unit: int) -> str:
    mark = numbers.MARKS[row.status]
    name = short(shape_in_brief(row.name))
    return f"{numbers.time(row.delta / unit, signed=True)} {name}" + (f", {mark}" if mark else "")


def shape_in_brief(text: str) -> str:
    """Without the arguments that are no tensors: `aten::mm [[2, 3], [3, 4]]` for `aten::mm [[2, 3], [3, 4], []]`."""
    return _SCALAR.sub("", text)
