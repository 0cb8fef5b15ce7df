"""Leaves host-only workers, such as a server's front end, out of a side whose other workers used a device."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary


def without_host_alone(summaries: Sequence[Summary]) -> tuple[tuple[Summary, ...], tuple[Note, ...]]:
    """Returns (summaries to pool, one note per summary left out); each summary has one capture. If any worker recorded
    device work, traces without any are left out, except those recorded in a distributed job."""
    with_device = {summary.captures[0].worker for summary in summaries if summary.has_device}
    kept, notes = [], []
    for summary in summaries:
        capture = summary.captures[0]
        if summary.format != TRACE or not with_device or capture.worker in with_device or summary.is_of_a_job:
            kept.append(summary)
            continue
        message = f"left out: it recorded no device work, other workers did; --worker {capture.worker} compares it"
        notes.append(Note(NoteCode.HOST_ALONE, message, capture.file.path))
    return tuple(kept), tuple(notes)
