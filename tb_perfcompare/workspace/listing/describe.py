"""Listings as values for JSON, for `tb-perfcompare runs|pairs --json` and api/runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.model.note import Note
from tb_perfcompare.sources.run_entries import RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader
from tb_perfcompare.workspace.listing.index import Listing

RUNS_SCHEMA = "tb_perfcompare.runs/1"
PAIRS_SCHEMA = "tb_perfcompare.pairs/1"

SpanDetails = Callable[[RunEntry, WorkerEntry, SpanEntry], dict[str, Any]]


def runs_dict(listing: Listing, roots: Iterable[str], details: SpanDetails | None = None) -> dict[str, Any]:
    """All runs with workers, spans and files, and the reader used for traces; `details` adds keys to each span."""
    return {
        "schema": RUNS_SCHEMA,
        "version": __version__,
        "roots": list(roots),
        "runs": [run_dict(run, details) for run in listing.runs],
        "pairs": [asdict(pair) for pair in listing.pairs],
        "problems": [problem_dict(note) for note in listing.problems],
        "reader": active_reader(),
        "points": len(listing.points),
    }


def pairs_dict(listing: Listing) -> dict[str, Any]:
    """Only the suggested pairs, with the listing's problems."""
    return {
        "schema": PAIRS_SCHEMA,
        "version": __version__,
        "pairs": [asdict(pair) for pair in listing.pairs],
        "problems": [problem_dict(note) for note in listing.problems],
    }


def run_dict(run: RunEntry, details: SpanDetails | None = None) -> dict[str, Any]:
    return {
        "run": run.name,
        "format": run.format,
        "workers": [
            {
                "worker": worker.name,
                "rank": worker.rank,
                "spans": [_span(span) | (details(run, worker, span) if details else {}) for span in worker.spans],
            }
            for worker in run.workers
        ],
    }


def _span(span: SpanEntry) -> dict[str, Any]:
    files = [{"name": file.name, "bytes": file.bytes, "modified": file.mtime_ns / 1e9} for file in span.files]
    return {"span": span.label, "files": files}


class ProblemDict(TypedDict):
    """A file or folder that could not be read, and why."""

    path: Annotated[str, "what could not be read, below the log directory"]
    message: Annotated[str, "reason"]


def problem_dict(note: Note) -> ProblemDict:
    """A note on something that could not be listed."""
    return {"path": note.where, "message": note.message}
