"""Compares the two processes of a strict report as `diff` does."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.analysis.cycles.summarize_cycles import summarize_cycles
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.cycles import CycleRecording
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side
from tb_perfcompare.workspace.jobs.summary_jobs import origin_of, read_recording, shown_error, with_step_range


def of_tables(sides: tuple[Side, Side], pair: ProcessPair, options: CompareOptions, report: Reporter) -> Comparison:
    """Compares two recorded per-cycle tables, each narrowed to the rows of one process. Raises InputError."""
    first, second = (
        _of_process(side, pid, options, report) for side, pid in zip(sides, (pair.normal, pair.abnormal), strict=True)
    )
    return compare_summaries(first, second, options)


def of_worker(side: Side, worker: str) -> Side:
    """Returns the side with only the files of one worker."""
    return replace(side, files=tuple(file for file in side.files if file.worker == worker))


def read_table(file: CaptureFile, report: Reporter = silent) -> CycleRecording:
    """Reads one per-cycle table with its counters file. Raises InputError, naming the file as it is shown."""
    try:
        recording = read_recording(file, report)
    except InputError as error:
        raise shown_error(error, file) from error
    assert isinstance(recording, CycleRecording)
    return recording


def _of_process(side: Side, pid: int, options: CompareOptions, report: Reporter) -> Summary:
    (file,) = side.files
    recording = read_table(file, report)
    table = recording.table
    try:
        summary = summarize_cycles(replace(recording, table=table.of_pid(pid)), origin_of(file), options.window)
    except InputError as error:
        raise shown_error(error, file) from error
    return with_step_range(summary, side.steps)
