"""Reads saved answers of torch-tb-profiler: JSON lines, one answer of its HTTP routes each (docs/inputs/answers.md).

    {"steps": {"columns": [...], "rows": [["0", 576891, "<div ...>Total: 6286787us ...", ...]]}, "performance": ...}
    {"device_total_time": {"title": ..., "columns": [...], "rows": [["aten::add_", 78968], ...]}, ...}
    {"metadata": {"sort": "device_self_duration", ...}, "data": [{"name": "aten::add_", "calls": 653, ...}]}
    {"metadata": {"sort": "Total Duration (us)"}, "data": {"columns": [...], "rows": [[...]]}}
    {"total": {"columns": [...], "rows": [["void gemm(...)", 96916], ...]}}

Unusable lines, answers and rows are left out; a note states the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tb_perfcompare.errors import CorruptInput, InputError
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.answers import AnswerKind, AnswersRecording
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.answers.lines import MAX_BYTES, RawRun, first_problem, read_whole, split_runs
from tb_perfcompare.sources.answers.rows import Parsed, Unusable, kernel_rows, operator_rows, overview_rows, pie_rows
from tb_perfcompare.sources.storage.blocks import opened_blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

_REMEDY = "save that answer again"
_MAX_REASONS = 4
_NO_OVERVIEW: Mapping[str, Any] = {
    "steps": (), "average_ns": None, "devices": (), "environment": (), "recommendations": (),
}  # fmt: skip
T = TypeVar("T")


def read_answers(
    path: str,
    *,
    fs: FileSystem = LOCAL,
    report: Reporter = silent,
    want_hash: bool = True,
    name: str | None = None,
    part: int = 1,
) -> AnswersRecording:
    """Reads the answers about the `part`-th run of a file. `name` replaces the path in facts and notes.

    Raises InputError if the file cannot be read or has no such run, CorruptInput if nothing in it is usable.
    """
    shown = name or fs.basename(path)
    with opened_blocks(path, fs, report, shown=path, want_hash=want_hash) as (blocks, tell):
        tell(0)
        data = read_whole(blocks)
    if data is None:
        message = f"more than {MAX_BYTES >> 20} MiB: too much for saved answers"
        raise InputError(path, message, hint="give the trace itself")
    runs = split_runs(data, shown)
    if not runs:
        raise CorruptInput(path, f"no usable answer: {first_problem(data)}", hint=_REMEDY)
    if not 1 <= part <= len(runs):
        message = f"holds {many(len(runs), 'run')}, not {part}"
        raise InputError(path, message, hint=f"give a number from 1 to {len(runs)}")
    tell(len(runs[part - 1].lines))
    recording = _Reading(shown, runs[part - 1]).recording(FileFacts(shown, blocks.stored_bytes, blocks.sha256, part))
    if not recording.steps and not recording.operators and not recording.operators_by_shape and not recording.kernels:
        reasons = [note.message for note in recording.notes[:_MAX_REASONS]]
        why = "; ".join(reasons) or "pies alone, which have no numbers of calls"
        hint = "save the answer of overview, operation/table or kernel/table"
        raise CorruptInput(path, f"nothing that can be compared: {why}", hint=hint)
    return recording


class _Reading:
    """Parses the answers of one run into typed rows."""

    def __init__(self, shown: str, run: RawRun) -> None:
        self._shown = shown
        self._lines = run.lines
        self._notes = run.all_notes(shown)

    def recording(self, file: FileFacts) -> AnswersRecording:
        overview = self._parsed(AnswerKind.OVERVIEW, overview_rows) or _NO_OVERVIEW
        operators = self._parsed(AnswerKind.OPERATORS, operator_rows)
        by_shape = self._parsed(AnswerKind.OPERATORS_BY_SHAPE, operator_rows)
        kernels = self._parsed(AnswerKind.KERNELS, kernel_rows)
        if kernels is None:
            kernels = self._parsed(AnswerKind.KERNELS_BY_OPERATOR, kernel_rows)
        pies: dict[str, dict[str, int]] = {}
        for kind in (AnswerKind.OPERATOR_PIES, AnswerKind.KERNEL_PIE):
            pies |= self._parsed(kind, pie_rows) or {}
        return AnswersRecording(
            file=file,
            answers={kind: line.answer for kind, line in self._lines.items()},
            operators=operators,
            operators_by_shape=by_shape,
            kernels=kernels,
            pies=pies,
            notes=tuple(self._notes),
            **overview,
        )

    def _parsed(self, kind: AnswerKind, parse: Callable[[dict[str, Any]], Parsed[T]]) -> T | None:
        """Parses one answer; None if it is missing or unusable. Adds a note about anything left out."""
        line = self._lines.get(kind)
        if line is None:
            return None
        rows: T | None = None
        try:
            rows, problem = parse(line.answer)
        except Unusable as error:
            problem = f"{error}: left out"
        if problem:
            message = f"line {line.number}, {kind.value}: {problem}; {_REMEDY}"
            self._notes.append(Note(NoteCode.DROPPED_EVENTS, message, self._shown))
        return rows
