"""Reads per-launch kernel listings: one line per launch, in execution order.

    Kernel                                    Latency Tensor   DRAM
    elementwise_kernel                |       7456   0.01   0.23
    Kernel                            |      29344   0.15   0.32

The header is the line without `|` (`Kernel` is also the name of a real kernel). Latency is in nanoseconds; Tensor and
DRAM are fractions of the peak of the tensor pipe and of the memory, `-` or `nan` if not measured. Names longer than
the column are truncated and end in `...`.
"""

from __future__ import annotations

import math
from array import array

import numpy as np

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.names.kernel_names import CUT
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.ncu.launch_file import LaunchFile, read_launch_file
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.storage.text_file import has_python_only_digits

READER = "kernel_listing/python"

MAX_UTILIZATION = 1.5
"""Hardware counters may slightly exceed the peak; anything above this is not a fraction."""

MAX_UNUSABLE = 0.05
"""Largest share of a column of fractions that may be damaged."""

_LONGEST_LINE = 1 << 16
_NOT_MEASURED = frozenset({"-", "nan", "NaN", "n/a", "N/A"})


def read_listing(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None
) -> LaunchRecording:
    """Reads the launches of one listing. Damaged lines are dropped, counted and reported by line number; utilization
    that is not a fraction is counted and reported, and counts as not measured.

    Raises InputError if the file cannot be opened, CorruptInput (with the line) if no line can be read.
    """
    return read_launch_file(path, _read, fs, report, want_hash, name)


def _read(file: LaunchFile) -> LaunchRecording:
    strings = StringTable()
    names, dur = array("i"), array("q")
    tensor, dram = columns = _Fractions("Tensor"), _Fractions("DRAM")
    seen_header = False
    for lines in file.lines(_LONGEST_LINE):
        for number, line in enumerate(lines, file.last + 1):
            if not line.strip():
                continue
            if not seen_header and "|" not in line:
                seen_header = True
                continue
            launch = _launch(line)
            if isinstance(launch, str):
                file.drop(number, launch)
                continue
            names.append(strings.intern(launch[0]))
            dur.append(launch[1])
            for column, text in zip(columns, launch[2:], strict=True):
                column.add(text, number)
        file.taken = len(dur)
    if not len(dur):
        place = file.first or f"line {file.last or 1}: no launch"
        hint = "lines are `name | latency_ns tensor dram`"
        raise CorruptInput(file.name, "no launch could be read", place=place, hint=hint)
    cut = sum(text.endswith(CUT) for text in strings.texts)
    notes = []
    if cut:
        message = f"{many(cut, 'kernel name')} {'is' if cut == 1 else 'are'} cut: different kernels may share a row"
        notes.append(Note(NoteCode.CUT_NAMES, message, file.name))
    notes += [Note(NoteCode.DROPPED_EVENTS, column.problem, file.name) for column in columns if column.problem]
    launches = np.array(names, np.int32), np.array(dur, np.int64), tensor.usable(), dram.usable()
    return file.recording(LaunchTable(strings, *launches), READER, ("line", "lines"), notes)


class _Fractions:
    """A column of utilization. Where more than MAX_UNUSABLE of it is no fraction, it has another unit, such as percent,
    and none of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._values = array("d")
        self._unusable = 0
        self._first = 0

    def add(self, text: str, line: int) -> None:
        value = _fraction(text)
        if value is None:
            self._unusable += 1
            self._first = self._first or line
        self._values.append(math.nan if value is None else value)

    def usable(self) -> Floats:
        """(launches,) fractions, NaN if not measured or not usable."""
        values = np.array(self._values, np.float64)
        return np.full(len(values), math.nan) if self._is_in_another_unit else values

    @property
    def problem(self) -> str:
        """What is not used, "" for nothing."""
        if not self._unusable:
            return ""
        of = f"{self._unusable:,} of {many(len(self._values), 'launch', 'launches')}"
        rest = "; the column is not used" if self._is_in_another_unit else ""
        return f"{self._name} is not a fraction from 0 to 1 for {of}, the first: line {self._first}{rest}"

    @property
    def _is_in_another_unit(self) -> bool:
        return self._unusable > MAX_UNUSABLE * len(self._values)


def _launch(line: str) -> tuple[str, int, str, str] | str:
    """(name, latency, text of tensor and of DRAM), or the reason why the line is damaged."""
    name, bar, figures = line.rpartition("|")
    values = figures.split()
    if not bar or not name.strip():
        return "no `name |`"
    if len(values) != 3:
        return f"{many(len(values), 'figure')} instead of 3"
    dur = _nanoseconds(values[0])
    if dur is None:
        return "latency is not a whole number of nanoseconds"
    return name.strip(), dur, values[1], values[2]


def _nanoseconds(text: str) -> int | None:
    """Parses a non-negative whole number; None for anything else."""
    if has_python_only_digits(text):
        return None
    if text.isdecimal() and len(text) <= 18:
        return int(text)
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if math.isfinite(value) and 0 <= value < 2**62 and value == int(value) else None


def _fraction(text: str) -> float | None:
    """Parses a utilization; NaN if not measured; None for anything else."""
    if text in _NOT_MEASURED:
        return math.nan
    try:
        value = float("" if has_python_only_digits(text) else text)
    except ValueError:
        return None
    return value if 0 <= value <= MAX_UTILIZATION else None
