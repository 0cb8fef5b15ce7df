"""Restores the summary of a saved baseline, under the run, worker and span it is loaded as."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import MarkerMissing, SelectionError
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.saved.baseline import SavedSummary
from tb_perfcompare.model.summary.summary import Summary


def saved_summary(saved: SavedSummary, origin: Origin, window: str, marker: str = "") -> Summary:
    """Returns the saved summary with the names of `origin`.

    Raises SelectionError if it was saved with other step windows, MarkerMissing if with another step marker.
    """
    facts = saved.facts
    if window != facts.window:
        raise SelectionError(
            f"{origin.source} is a baseline with {facts.window} windows, and {window} windows were asked for",
            hint=f"add --step-window {facts.window}, or save it again with --step-window {window}",
        )
    iterations = saved.summary.iterations
    if marker and iterations is not None and marker not in (iterations.chosen.asked_as, iterations.chosen.origin):
        raise MarkerMissing(
            f"{origin.source} is a baseline with steps by {iterations.chosen.asked_as}, and {marker} was asked for",
            hint=f"add --step-marker {iterations.chosen.asked_as!r}, or save it again with --step-marker {marker!r}",
        )
    (capture,) = saved.summary.captures
    named = replace(capture, run=origin.run, worker=origin.worker, span=origin.span)
    summary = replace(saved.summary, source=origin.source, captures=(named,))
    if facts.version == __version__:
        return summary
    message = f"saved by tb_perfcompare {facts.version}; this is {__version__}, which may read the run differently"
    return replace(summary, notes=(*summary.notes, Note(NoteCode.OTHER_VERSION, message)))
