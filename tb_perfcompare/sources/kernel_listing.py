"""Reads per-launch kernel listings: one line per launch, in the order the launches ran.

    Kernel                                    Latency Tensor   DRAM
    elementwise_kernel                |       7456   0.01   0.23
    Kernel                            |      29344   0.15   0.32

The header is the line without `|` (`Kernel` is also the name of a real kernel); Latency is in nanoseconds, Tensor and
DRAM are fractions of the peak of the tensor pipe and of the memory, `-` or `nan` where not measured. Names longer than
the column are cut and end in `...`.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from tb_perfcompare.errors import CorruptInput, InputError
from tb_perfcompare.model.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.recording import FileFacts, ReadStats
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.filesystem import LOCAL, FileSystem

READER = "kernel_listing/python"

CUT = "..."
MOST_UTILISATION = 1.5
"""Hardware counters may exceed the peak a little; anything above this is not a fraction."""

_CHUNK = 1 << 20
_LONGEST_LINE = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
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
        with fs.open(path) as file:
            return _Reading(shown, size, report, want_hash).read(file)
    except OSError as error:
        hint = "check the path" if isinstance(error, FileNotFoundError) else "check that it is a readable file"
        raise InputError(path, error.strerror or str(error), hint=hint) from error


class _Reading:
    """One pass over one file; numbers go to flat arrays as they come."""

    def __init__(self, name: str, size: int, report: Reporter, want_hash: bool) -> None:
        self._name, self._size, self._report = name, size, report
        self._digest = hashlib.sha256() if want_hash else None
        self._stored = 0
        self._strings = StringTable()
        self._names = array("i")
        self._dur = array("q")
        self._tensor = array("d")
        self._dram = array("d")
        self._torn: Counter[str] = Counter()
        self._first_torn = ""
        self._truncated = False

    def read(self, file: BinaryIO) -> LaunchRecording:
        number = 0
        seen_header = False
        for number, line in enumerate(self._lines(file), 1):
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

    def _lines(self, file: BinaryIO) -> Iterator[str]:
        rest = ""
        for chunk in self._chunks(file):
            text = rest + chunk.decode("utf-8", "replace")
            *lines, rest = text.split("\n")
            yield from (line.rstrip("\r").removeprefix("\ufeff") for line in lines)
            if len(rest) > _LONGEST_LINE:
                rest = rest[:_LONGEST_LINE]
        if rest:
            yield rest

    def _chunks(self, file: BinaryIO) -> Iterator[bytes]:
        """The text's bytes; gzip by its first bytes, damage ends the text."""
        inflate = None
        while data := file.read(_CHUNK):
            if self._digest is not None:
                self._digest.update(data)
            if not self._stored and data.startswith(_GZIP_MAGIC):
                inflate = zlib.decompressobj(31)
            self._stored += len(data)
            self._report(Progress("reading", self._name, self._stored, self._size, len(self._dur)))
            try:
                yield inflate.decompress(data) if inflate is not None else data
            except zlib.error:
                self._truncated = True
                return
        self._truncated |= inflate is not None and not inflate.eof

    def _recording(self) -> LaunchRecording:
        cut = sum(text.endswith(CUT) for text in self._strings.texts)
        torn = sum(self._torn.values())
        notes = []
        if self._truncated:
            notes.append(Note(NoteCode.TRUNCATED, "the gzip data are damaged; the lines before are used", self._name))
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
            FileFacts(self._name, self._stored, self._digest.hexdigest() if self._digest else ""),
            launches,
            cut,
            ReadStats(
                len(launches) + torn, len(launches), dict(self._torn), {}, self._stored, not self._truncated, READER
            ),
            tuple(notes),
        )


def _nanoseconds(text: str) -> int | None:
    """A whole, non-negative number; None for anything else."""
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
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= MOST_UTILISATION else None
