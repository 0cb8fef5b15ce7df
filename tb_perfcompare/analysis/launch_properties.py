"""How a kernel was launched, as one text: grid and block on GPUs, kernel type and dimensions on MLUs."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.grouping import argument_of, finest
from tb_perfcompare.analysis.shown_texts import learn, shown_text
from tb_perfcompare.model.events import EventTable

Ints = NDArray[np.int64]

_COLUMNS = ("grid", "block", "kernel_type", "dim", "dim_x", "dim_y", "dim_z", "tasktopo")


def launch_texts(events: EventTable, rows: Ints) -> tuple[Ints, tuple[str, ...]] | None:
    """(text number of each row, texts), "" where a kernel states nothing; None if none of the rows does."""
    if not any(column in events.args for column in _COLUMNS):
        return None
    width = len(events.strings) + 1
    columns = [column for column in _COLUMNS if column in events.args]
    keys = [(np.asarray(argument_of(events, column, rows, -1), dtype=np.int64) + 1, width) for column in columns]
    stated, at = finest(keys)
    learn({events.strings[code] for column in stated for code in (column - 1).tolist() if code >= 0})
    nothing = dict.fromkeys(_COLUMNS, -1)
    index: dict[str, int] = {}
    number = [
        index.setdefault(_text(events, {**nothing, **dict(zip(columns, row, strict=True))}), len(index))
        for row in (np.stack(stated, axis=1) - 1).tolist()
    ]
    if not any(index):
        return None
    return np.array(number, dtype=np.int64)[at], tuple(index)


def _text(events: EventTable, at: dict[str, int]) -> str:
    """`grid [64, 1, 1] block [256, 1, 1]`, `UNION1 [4, 1, 1]`; the graph a kernel was launched from is only named, as
    its number differs between recordings."""
    parts = [f"{column} {value}" for column in ("grid", "block") if (value := _shown(events, at[column]))]
    parts += [value for column in ("kernel_type", "dim") if (value := _shown(events, at[column]))]
    older = [_shown(events, at[f"dim_{axis}"]) for axis in "xyz"]
    if any(older) and at["dim"] < 0:
        parts.append(f"[{', '.join(value or '1' for value in older)}]")
    if _shown(events, at["tasktopo"]) not in ("", "0"):
        parts.append("in a tasktopo")
    return " ".join(parts)


def _shown(events: EventTable, index: int) -> str:
    """The decoded value of a JSON text as Python writes it; "" for none."""
    return "" if index < 0 else _decoded(events.strings[index])


def _decoded(text: str) -> str:
    shown = shown_text(text)
    if not (text.startswith('"') and shown.startswith("[")):
        return shown
    try:
        return str(json.loads(shown))  # an MLU writes its dimensions as a text
    except ValueError:
        return text
