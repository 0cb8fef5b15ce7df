"""Classifies the lines of a file of saved answers by structure, and groups them into runs.

A new run starts whenever a kind of answer occurs a second time.
"""

from __future__ import annotations

import functools
import re
from dataclasses import field
from typing import Any

import msgspec

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.answers import AnswerKind
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.recognition.format_sniffers import ANSWER, REMEMBERED_FILES
from tb_perfcompare.sources.storage.blocks import Blocks, read_head
from tb_perfcompare.sources.storage.filesystem import FileStat, FileSystem
from tb_perfcompare.sources.storage.one_state import open_listed

MAX_BYTES = 32 << 20
"""Maximum size: answers are a few hundred kilobytes; a larger file is something else."""

PIE_KEYS = ("device_total_time", "device_self_time", "host_total_time", "host_self_time")
_TENSOR_CORE_ROWS = {"Using Tensor Cores", "Not Using Tensor Cores"}
_OPERATOR_SORTS = ("device_self_duration", "host_self_duration")
KERNEL_TIME = "Total Duration (us)"
_OBJECTS = regex(rb"^[^\S\n]*\{.*", re.MULTILINE)
"""Lines that begin a JSON object."""
_MAX_NOTES = 20
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One decoded answer and its line number, starting at 1."""

    number: int
    answer: dict[str, Any]


@dataclass(slots=True)
class RawRun:
    """The answers of one run, and notes on its unusable lines.

    `notes` has one for each of the first _MAX_NOTES lines; `omitted` counts the others.
    """

    lines: dict[AnswerKind, Line] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    omitted: int = 0

    def note(self, note: Note) -> None:
        """Adds the note, or counts it in `omitted` if there are enough."""
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(note)
        else:
            self.omitted += 1

    def all_notes(self, path: str) -> list[Note]:
        """The notes, with a final one for the counted lines."""
        if not self.omitted:
            return self.notes
        message = f"{self.omitted} more lines cannot be used: left out; save those answers again"
        return [*self.notes, Note(NoteCode.DROPPED_EVENTS, message, path)]


def why_not_answers(name: str, head: bytes) -> str:
    """Why a file with these first (uncompressed) bytes holds no saved answers, "" if it does. The name is ignored."""
    text = _without_mark(head)
    if not text.strip():
        return "empty"
    for line in _OBJECTS.findall(text):  # few of the thousand lines of a trace's head
        if ANSWER.match(line):
            return ""
        if line.rstrip().endswith(b"}"):
            value, problem = _decoded(line)
            if not problem and kind_of(value) is not None:
                return ""
    return "no line is an answer of torch-tb-profiler (overview, operation or kernel), each on one line"


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def count_runs(file: FileStat, fs: FileSystem) -> int:
    """Number of runs in the file: 0 if it holds no saved answers or cannot be read.

    Cached for an unchanged file, because directories are listed repeatedly. Raises InputChanged.
    """
    try:
        with open_listed(file, fs) as opened:
            if why_not_answers("", read_head(opened)):
                return 0
        with open_listed(file, fs) as opened, Blocks(opened) as blocks:
            data = read_whole(blocks)
    except OSError:
        return 0
    # A file of only damaged answers, or an oversized one, is listed too: reading it reports what is wrong.
    return 1 if data is None else max(len(split_runs(data, "")), 1)


def read_whole(blocks: Blocks) -> bytes | None:
    """All bytes of a file, None if there are more than MAX_BYTES."""
    parts = []
    for block in blocks:
        parts.append(block)
        if blocks.raw_bytes > MAX_BYTES:
            return None
    return b"".join(parts)


def kind_of(value: Any) -> AnswerKind | None:
    """Kind of a decoded answer, None for anything else."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("steps"), dict):
        return AnswerKind.OVERVIEW
    if any(key in value for key in PIE_KEYS):
        return AnswerKind.OPERATOR_PIES
    total, metadata = value.get("total"), value.get("metadata")
    if isinstance(total, dict) and isinstance(total.get("rows"), list):
        names = {row[0] for row in total["rows"] if isinstance(row, list) and row and isinstance(row[0], str)}
        return AnswerKind.TENSOR_CORE_PIE if names and names <= _TENSOR_CORE_ROWS else AnswerKind.KERNEL_PIE
    return _table_kind(metadata, value.get("data")) if isinstance(metadata, dict) else None


def _table_kind(metadata: dict[str, Any], data: Any) -> AnswerKind | None:
    if isinstance(data, list) and metadata.get("sort") in _OPERATOR_SORTS:
        rows = [row for row in data if isinstance(row, dict)]
        if any("call_stack" in row for row in rows):
            return None
        shapes = any("input_shape" in row for row in rows)
        return AnswerKind.OPERATORS_BY_SHAPE if shapes else AnswerKind.OPERATORS
    if isinstance(data, dict) and isinstance(data.get("columns"), list):
        names = [column.get("name") for column in data["columns"] if isinstance(column, dict)]
        if metadata.get("sort") == KERNEL_TIME or KERNEL_TIME in names:
            return AnswerKind.KERNELS_BY_OPERATOR if "Operator" in names else AnswerKind.KERNELS
    return None


def split_runs(data: bytes, path: str) -> list[RawRun]:
    """Runs of a file's content; `path` is the file's name in notes. A line that is no answer adds a note to its run."""
    runs = [RawRun()]
    lines = _without_mark(data).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value, problem = _decoded(line)
        if problem:
            runs[-1].note(_not_json(number, problem, path, at_end=number == len(lines)))
            continue
        kind = kind_of(value)
        if kind is None:
            if value is not None:  # the profiler answers `null` if it has nothing to show
                what = f"line {number}: {_described(value)}"
                message = f"{what} is not one of the answers that are compared: left out; nothing to do"
                runs[-1].note(Note(NoteCode.DROPPED_EVENTS, message, path))
            continue
        if kind in runs[-1].lines:
            runs.append(RawRun())
        runs[-1].lines[kind] = Line(number, value)
    return runs if runs[0].lines else []


def first_problem(data: bytes) -> str:
    """Describes what is wrong with the first line of a file without any answer."""
    for number, line in enumerate(_without_mark(data).split(b"\n"), start=1):
        if line.strip():
            _, problem = _decoded(line)
            return f"line {number}: not JSON ({problem})" if problem else f"line {number} is not an answer"
    return "it is empty"


def _without_mark(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf")


def _decoded(line: bytes) -> tuple[Any, str]:
    """(value of a line, ""), or (None, what is wrong)."""
    try:
        return msgspec.json.decode(line), ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return None, str(error)


def _not_json(number: int, problem: str, path: str, *, at_end: bool) -> Note:
    code = NoteCode.TRUNCATED if at_end else NoteCode.DROPPED_EVENTS
    return Note(code, f"line {number}: not JSON ({problem}): left out; save that answer again", path)


_JSON_TYPES = {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list"}


def _described(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(str(key)[:_LONGEST_SHOWN] for key in list(value)[:4])
        return f"an object with {keys}" if keys else "an empty object"
    return _JSON_TYPES.get(type(value), "a value")
