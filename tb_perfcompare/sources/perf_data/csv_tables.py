"""Reads `*_perf_data.csv` and `*_counters_data.csv` into tables of cycles and counters (docs/inputs/perf_data.md).

    cycle,pid,hostname,beta_pct,function_name,metric_name,device,func_type,mu_pct,...
    3,944615,,6.3106,void gemm<64>(float*),gpu_frequency,GPU 7,gpu_compute,115500.0000,...

Tracers of inference servers write them (LatencyPrism's deep-dive tables). Columns not named here are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.errors import InputChanged, InputError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.cycles import CounterTable, CycleRecording, CycleTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.perf_data.file_names import counters_paths
from tb_perfcompare.sources.recognition.format_sniffers import PERF_DATA_COLUMNS
from tb_perfcompare.sources.storage.csv_columns import CsvColumns, read_csv_columns
from tb_perfcompare.sources.storage.file_systems import file_system, is_address
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.storage.one_state import one_state
from tb_perfcompare.sources.storage.text_file import TextFile, open_text

MAX_DIGITS = 17

_EXACT_DIGITS = 15
"""Decimals of up to this many digits are read identically by every parser, if the power of ten is exact."""

_DECIMAL = regex(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*")


def published_numbers(texts: Sequence[str], numbers: Floats) -> Floats:
    """(rows,) these decimals as pandas 2 reads them.

    `found` are the nearest doubles; it is returned itself if no number differs.
    """
    out = numbers
    for row, text in enumerate(texts):
        if len(text) > _EXACT_DIGITS and np.isfinite(numbers[row]):
            value = published_number(text)
            if value is not None and value != numbers[row]:
                if out is numbers:
                    out = numbers.copy()
                out[row] = value
    return out


def published_number(text: str) -> float | None:
    """One decimal as pandas 2 reads it; None if it is not a decimal or its power of ten is no double."""
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    whole, decimals = match[2], match[3] or ""
    digits = (whole + decimals)[:MAX_DIGITS]
    number = 0.0
    for digit in digits:
        number = number * 10.0 + int(digit)
    power = int(match[4] or 0) + max(len(whole) - MAX_DIGITS, 0) - max(len(digits) - len(whole), 0)
    if abs(power) > 308:
        return None
    number = number * float(f"1e{power}") if power > 0 else number / float(f"1e{-power}")
    return -number if match[1] == "-" else number


REQUIRED = PERF_DATA_COLUMNS
OPTIONAL = (
    "anchor_name", "duration", "instances_count", "interpolation_status", "func_type", "sigma_pct", "cycle_start_ts",
    "hostname",
)  # fmt: skip

_NO_SAMPLE = "**"


def read_cycles(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None
) -> CycleRecording:
    """Reads one table and the counters file next to it.

    An unusable counters file only adds a note: the table alone contains everything that is compared.
    Raises InputError, UnrecognisedFormat or CorruptInput with file, line and column.
    """
    with open_text(path, fs=fs, report=report, want_hash=want_hash, name=name or fs.basename(path)) as file:
        table = _read_table(file)
    counters, notes = _companion_counters(path, fs, report)
    return CycleRecording(file.facts(), table, counters, notes)


def read_perf_data(path: str) -> CycleTable:
    """Reads one table. Raises InputError, UnrecognisedFormat or CorruptInput with file, line and column."""
    with one_state(LOCAL) as fs, open_text(path, fs=fs) as file:
        return _read_table(file)


def _read_table(file: TextFile) -> CycleTable:
    strings = StringTable()
    blocks = [_rows(columns, strings) for columns in read_csv_columns(file, REQUIRED, OPTIONAL)]
    return CycleTable(source=file.name, strings=strings, **_joined(blocks))


_TEXTS = {
    "function_name": "function", "metric_name": "metric", "device": "device", "anchor_name": "anchor",
    "func_type": "kind", "hostname": "host",
}  # fmt: skip
_OPTIONAL_NUMBERS = {
    "duration": "duration_us", "instances_count": "instances", "sigma_pct": "sigma_pct", "cycle_start_ts": "start_us",
}  # fmt: skip
"""Column -> member of a CycleTable."""


def _rows(columns: CsvColumns, strings: StringTable) -> dict[str, NDArray[Any]]:
    """Members of a CycleTable."""
    arrays: dict[str, NDArray[Any]] = {
        "cycle": columns.integers("cycle"),
        "pid": columns.integers("pid"),
        "beta_pct": columns.numbers("beta_pct"),
        "mu_pct": (mu := columns.numbers("mu_pct", missing=math.nan)),
        "published_mu_pct": published_numbers(columns.raw("mu_pct"), mu),
        "cycle_us": columns.numbers("anchor_dur_us"),
    }
    arrays |= {member: columns.texts(name, strings) for name, member in _TEXTS.items() if name in columns}
    for name, member in _OPTIONAL_NUMBERS.items():
        if name in columns:
            arrays[member] = columns.numbers(name, missing=math.nan)
    if "interpolation_status" in columns:
        marks = columns.raw("interpolation_status")
        arrays["interpolated"] = np.array([mark == _NO_SAMPLE for mark in marks], dtype=np.bool_)
    return arrays


def _joined(blocks: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def read_counters(path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent) -> CounterTable:
    """Reads the samples of the counters. Raises the same errors as `read_perf_data`."""
    strings = StringTable()
    with open_text(path, fs=fs, report=report) as file:
        blocks: list[dict[str, NDArray[Any]]] = [
            {
                "counter": columns.texts("counter_name", strings),
                "time_us": columns.numbers("timestamp"),
                "value": columns.numbers("value", missing=math.nan),
            }
            for columns in read_csv_columns(file, ("counter_name", "timestamp", "value"))
        ]
    samples = _joined(blocks)
    usable = (samples["counter"] >= 0) & np.isfinite(samples["value"])
    return CounterTable(path, tuple(strings.texts), *(column[usable] for column in samples.values()))


def companion_counters(path: str) -> CounterTable | None:
    """The counters file of the same recording, from the same directory; None if there is none or it is unusable."""
    with one_state(file_system(path)) as fs:
        return _companion_counters(path, fs, silent)[0]


def _companion_counters(path: str, fs: FileSystem, report: Reporter) -> tuple[CounterTable | None, tuple[Note, ...]]:
    """(counters or None, notes on why an existing file cannot be used)."""
    for counters in counters_paths(path):
        try:
            fs.stat(counters)
            return read_counters(counters, fs=fs, report=report), ()
        except InputChanged:
            raise
        except InputError as error:
            place = f"{error.place}: " if error.place else ""
            why = f"{place}{error.reason}; {error.hint}"
        except OSError as error:
            if isinstance(error, FileNotFoundError) or is_address(counters):  # stores may not say "missing"
                continue
            why = error.strerror or str(error)
        message = f"the samples of the counters are left out: {why}"
        return None, (Note(NoteCode.COUNTERS_UNUSABLE, message, fs.basename(counters)),)
    return None, ()
