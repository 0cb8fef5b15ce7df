"""Workers beside those of a device that recorded their host alone, such as a server's front end: no part of the job."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary


def without_host_alone(summaries: Sequence[Summary]) -> tuple[tuple[Summary, ...], tuple[Note, ...]]:
    """(summaries to pool, a note on each left out): of one capture each. Where some workers recorded work of a device,
    those that recorded none are left out, unless they say that they are ranks of a job."""
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
