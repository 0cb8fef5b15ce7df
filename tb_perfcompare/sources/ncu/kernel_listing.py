"""Reads per-launch kernel listings: one line per launch, in the order the launches ran.

    Kernel                                    Latency Tensor   DRAM
    elementwise_kernel                |       7456   0.01   0.23
    Kernel                            |      29344   0.15   0.32

The header is the line without `|` (`Kernel` is also the name of a real kernel); Latency is in nanoseconds, Tensor and
DRAM are fractions of the peak of the tensor pipe and of the memory, `-` or `nan` where not measured. Names longer than
the column are cut and end in `...`.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np

from tb_perfcompare.errors import CorruptInput, unreadable
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.names.kernel_names import CUT
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.recordings.recording import ReadStats
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.storage.blocks import Blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.storage.text_file import is_pythons_own

READER = "kernel_listing/python"

MOST_UTILISATION = 1.5
"""Hardware counters may exceed the peak a little; anything above this is not a fraction."""

_LONGEST_LINE = 1 << 16
_NOT_MEASURED = frozenset({"-", "nan", "NaN", "n/a", "N/A"})


def read_listing(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None
) -> LaunchRecording:
    """The launches of one listing. Torn lines are dropped, counted and named by line number.

    Raises InputError when the file cannot be opened, CorruptInput (with the line) when no line can be read.
    """
    shown = name or fs.basename(path)
    try:
        size = fs.stat(path).bytes
        with fs.open(path) as file, Blocks(file, want_hash=want_hash) as blocks:
            return _Reading(shown, size, blocks, report).read()
    except OSError as error:
        raise unreadable(path, error) from error


class _Reading:
    """One pass over one file; numbers go to flat arrays as they come."""

    def __init__(self, name: str, size: int, blocks: Blocks, report: Reporter) -> None:
        self._name, self._size, self._blocks, self._report = name, size, blocks, report
        self._strings = StringTable()
        self._names = array("i")
        self._dur = array("q")
        self._tensor = array("d")
        self._dram = array("d")
        self._torn: Counter[str] = Counter()
        self._first_torn = ""

    def read(self) -> LaunchRecording:
        number = 0
        seen_header = False
        for number, line in enumerate(self._lines(), 1):
            if not line.strip():
                continue
            if not seen_header and "|" not in line:
                seen_header = True
                continue
            reason = self._take(line)
            if reason:
                self._torn[reason] += 1
                self._first_torn = self._first_torn or f"line {number}: {reason}"
        if not len(self._dur):
            place = self._first_torn or f"line {number or 1}: no launch"
            raise CorruptInput(
                self._name, "no launch could be read", place=place, hint="lines are `name | latency_ns tensor dram`"
            )
        return self._recording()

    def _take(self, line: str) -> str:
        """Stores one launch; the reason if the line is torn."""
        name, bar, figures = line.rpartition("|")
        values = figures.split()
        if not bar or not name.strip():
            return "no `name |`"
        if len(values) != 3:
            return f"{len(values)} figures instead of 3"
        dur, tensor, dram = _nanoseconds(values[0]), _fraction(values[1]), _fraction(values[2])
        if dur is None:
            return "latency is no whole number of nanoseconds"
        if tensor is None or dram is None:
            return "utilisation is no fraction"
        self._names.append(self._strings.intern(name.strip()))
        self._dur.append(dur)
        self._tensor.append(tensor)
        self._dram.append(dram)
        return ""

    def _lines(self) -> Iterator[str]:
        rest = b""
        for block in self._blocks:
            stored = self._blocks.stored_bytes
            self._report(Progress("reading", self._name, stored, self._size, len(self._dur)))
            *lines, rest = (rest + block).split(b"\n")
            yield from map(_text, lines)
            rest = rest[:_LONGEST_LINE]
        if rest:
            yield _text(rest)

    def _recording(self) -> LaunchRecording:
        cut = sum(text.endswith(CUT) for text in self._strings.texts)
        torn = sum(self._torn.values())
        notes = []
        if self._blocks.damage:
            notes.append(Note(NoteCode.TRUNCATED, f"{self._blocks.damage}; the lines before are used", self._name))
        if torn:
            notes.append(
                Note(NoteCode.DROPPED_EVENTS, f"{torn} lines dropped, the first: {self._first_torn}", self._name)
            )
        if cut:
            message = f"{cut} kernel names are cut: different kernels may share a row"
            notes.append(Note(NoteCode.CUT_NAMES, message, self._name))
        launches = LaunchTable(
            self._strings,
            np.array(self._names, dtype=np.int32),
            np.array(self._dur, dtype=np.int64),
            np.array(self._tensor, dtype=np.float64),
            np.array(self._dram, dtype=np.float64),
        )
        return LaunchRecording(
            FileFacts(self._name, self._blocks.stored_bytes, self._blocks.sha256),
            launches,
            cut,
            ReadStats(
                len(launches) + torn, len(launches), dict(self._torn), {}, self._blocks.stored_bytes,
                not self._blocks.damage, READER,
            ),
            tuple(notes),
        )  # fmt: skip


def _text(line: bytes) -> str:
    """A line without its end and without a byte order mark."""
    return line.decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff")


def _nanoseconds(text: str) -> int | None:
    """A whole, non-negative number; None for anything else."""
    if is_pythons_own(text):
        return None
    if text.isdecimal() and len(text) <= 18:
        return int(text)
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if math.isfinite(value) and 0 <= value < 2**62 and value == int(value) else None


def _fraction(text: str) -> float | None:
    """A utilisation; NaN where not measured; None for anything that is none."""
    if text in _NOT_MEASURED:
        return math.nan
    try:
        value = float("" if is_pythons_own(text) else text)
    except ValueError:
        return None
    return value if 0 <= value <= MOST_UTILISATION else None
