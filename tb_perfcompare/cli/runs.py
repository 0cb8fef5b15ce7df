"""List runs, workers and spans below a log directory, with device, steps, size and notes.

Reads new and changed files; --names-only reads none.
"""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.arguments import add_options
from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import new_workspace, strict_listing
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.formats import FORMATS, TRACE
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.render.formats import render_table
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.sources.discover import OTHER_NAMES
from tb_perfcompare.sources.run_entries import RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader
from tb_perfcompare.units import Better
from tb_perfcompare.workspace.disk_cache.known_runs import SpanFacts
from tb_perfcompare.workspace.inputs.run_files import span_file
from tb_perfcompare.workspace.listing.describe import runs_dict
from tb_perfcompare.workspace.listing.index import Listing

_COLUMNS = (
    columns.key("run", "Run", "directory below the log directory"),
    columns.key("worker", "Worker", "process"),
    columns.key("span", "Span", "profiling window"),
    columns.text("format", "Format", "format, recognized from file names and contents"),
    columns.text("device", "Device", "device that did the work"),
    columns.text("steps", "Steps", "compared steps of the recorded ones"),
    columns.text("steps_by", "Steps by", "marker of the steps: profiler.step(), or a repetition found in the trace"),
    columns.time("step_us", "Mean step", "mean step time"),
    columns.number("bytes", "Size", "bytes", "size of the file as stored", better=Better.NONE),
    columns.text("problems", "Notes", "how the file was read, and its problems"),
)

_UNMARKED = ("whole recording", "none marked")

_FactsByFile = dict[tuple[str, int], SpanFacts | InputError]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with runs below it")
    parser.add_argument("--names-only", action="store_true", help="list names and sizes without reading the files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_options(parser, "step-marker", "scheduler")


def run(arguments: argparse.Namespace, console: Console) -> int:
    with new_workspace([arguments.logdir], arguments.scheduler) as workspace:
        listing = strict_listing(workspace, arguments.logdir)
        spans = [(run, worker, span) for run in listing.runs for worker in run.workers for span in worker.spans]
        facts_by_file: _FactsByFile = {}
        if not arguments.names_only:
            files = [span_file(*span) for span in spans]
            results = workspace.facts(files, report=console.progress, marker=arguments.step_marker)
            facts_by_file = {(file.path, file.part): answer for file, answer in zip(files, results, strict=True)}
    if arguments.json:
        listed = runs_dict(listing, [arguments.logdir], lambda _run, _worker, span: _details(span, facts_by_file))
        console.answer(json_document(listed))
    else:
        rows = tuple(_row(run, worker, span, facts_by_file) for run, worker, span in spans)
        table = Table(
            "runs", f"Runs below {arguments.logdir}", _COLUMNS, rows, (*_notes(listing), *_reader(facts_by_file))
        )
        console.answer(render_table(table, "text", terminal=console.screen))
    return 0


def _row(run: RunEntry, worker: WorkerEntry, span: SpanEntry, facts_by_file: _FactsByFile) -> tuple[Cell, ...]:
    names = (run.name, worker.name, span.label, FORMATS[run.format].title)
    facts = facts_by_file.get((span.file.path, span.file.part))
    if facts is None or isinstance(facts, InputError):
        return (*names, None, None, None, None, span.file.bytes, "" if facts is None else _reason(facts))
    steps, by, device = facts["steps"], facts["steps"]["by"], facts["device"]
    counted = f"{steps['admitted']} of {steps['count']}" if steps["marked"] else _UNMARKED[by is None]
    steps_by = None if by is None else by["name"] or None
    problems = "; ".join(note["message"] for note in facts["problems"] if note["code"] != NoteCode.NO_DEVICE_EVENTS)
    return (
        *names, device["name"] or device["word"], counted, steps_by, facts["mean_step_us"], span.file.bytes, problems,
    )  # fmt: skip


def _details(span: SpanEntry, facts_by_file: _FactsByFile) -> SpanFacts:
    answer = facts_by_file.get((span.file.path, span.file.part))
    if isinstance(answer, InputError):
        return {"error": {"code": answer.code, "message": str(answer)}}
    return answer or {}


def _reason(error: InputError) -> str:
    return f"{error.place}: {error.reason}" if error.place else error.reason


def _reader(facts_by_file: _FactsByFile) -> tuple[str, ...]:
    """Note on a reader of traces that is slower than the native one."""
    traces = any(not isinstance(facts, InputError) and facts["format"] == TRACE for facts in facts_by_file.values())
    slow = "traces are read in Python, about five times slower than by the compiled reader (docs/guide/installing.md)"
    return (slow,) if traces and active_reader() != "native" else ()


def _notes(listing: Listing) -> tuple[str, ...]:
    nothing = f"no runs: a run is a directory with <worker>[.<number>].pt.trace.json[.gz] files; {OTHER_NAMES}"
    return (*(() if listing.runs else (nothing,)), *(note.sentence for note in listing.problems))
