"""Launch properties of a kernel as one text: grid and block on GPUs, kernel type and dimensions on MLUs."""

from __future__ import annotations

import json

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_values, number_combinations
from tb_perfcompare.analysis.columns.shown_texts import shown_texts
from tb_perfcompare.model.arrays import EventIndex, Ints
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.texts import Coded, TextPool

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
    used = [code for code in dict.fromkeys(codes.tolist()) if code > 0]
    raw = [strings[code - 1] for code in used]
    value: dict[int, str | None] = dict(zip(used, map(_decoded, raw, shown_texts(raw)), strict=True))
    return list(map(value.get, codes.tolist()))


def _decoded(text: str, shown: str) -> str:
    if not (text.startswith('"') and shown.startswith("[")):
        return shown
    try:
        return str(json.loads(shown))  # MLUs write dimensions as a JSON string
    except ValueError:
        return text
