"""The notes of a comparison: what its verdict and its tables do not say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.judged import Judged, headline_of_steps
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS, noun_of, p_text, percent_text, time_text
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.statistics.two_groups import two_groups
from tb_perfcompare.comparison.verdict.incomplete import many_incomplete, with_incomplete
from tb_perfcompare.model.note import ONE_SIDE, Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary


def notes_of(judged: Judged, absent: tuple[Note, ...], tables: dict[str, Table]) -> tuple[Note, ...]:
    """All notes: of the sides, of the comparison, and on `tables`; `absent` are those on tables of both sides."""
    sides = dict(zip(SIDES, (judged.baseline, judged.candidate), strict=True))
    notes = [
        replace(note, where=f"{side}: {note.where}" if note.where else side)
        for side, summary in sides.items()
        for note in summary.notes
    ]
    notes += [
        Note(NoteCode.UNEVEN_RANKS, "workers recorded different steps: all of them count as separate samples", side)
        for side, summary in sides.items()
        if observations(summary).uneven
    ]
    notes += [*judged.notes, *absent, *_window_note(judged)]
    if judged.strata is None:  # for steps of several kinds the headline says everything
        notes += _incomplete_note(judged)
        notes += [note for side, summary in sides.items() for note in _groups(side, summary)]
        notes += [note for side, summary in sides.items() for note in _drifts(side, summary)]
    notes += _absent(judged.baseline, judged.candidate, tables)
    return _merged_notes(notes)


def _merged_notes(notes: list[Note]) -> tuple[Note, ...]:
    """Merges equal messages about several files into one note that names them all."""
    places: dict[tuple[NoteCode, str], dict[str, None]] = {}
    for note in notes:
        places.setdefault((note.code, note.message), {})[note.where] = None
    return tuple(Note(code, message, ", ".join(filter(None, where))) for (code, message), where in places.items())


def _absent(baseline: Summary, candidate: Summary, tables: dict[str, Table]) -> list[Note]:
    """Notes on why a table is missing, or has rows of one side only; one note if both sides lack it for the same
    reason."""
    notes = []
    for name in dict.fromkeys([*baseline.absent, *candidate.absent]):
        why = [side.absent.get(name) for side in (baseline, candidate)]
        if why[0] == why[1] and why[0]:
            notes.append(Note(NoteCode.TABLE_ABSENT, why[0], name))
            continue
        where = f"{name}{ONE_SIDE}" if name in tables else name
        notes += [
            Note(NoteCode.TABLE_ABSENT, f"{side}: {reason}", where)
            for side, reason in zip(SIDES, why, strict=True)
            if reason
        ]
    return notes


def _groups(side: str, summary: Summary) -> list[Note]:
    """Note on steps of a side that fall into two groups, which no single shift describes."""
    seen = observations(summary)
    groups = two_groups(seen.means(summary.steps.total_ns), seen.capture) if summary.is_timed else None
    if groups is None:
        return []
    noun = f"{noun_of(summary.metric)}s"
    message = (
        f"its {noun} fall into two groups: {groups.low_count} around {time_text(groups.low_ns / 1000)} and "
        f"{groups.high_count} around {time_text(groups.high_ns / 1000)}"
    )
    return [Note(NoteCode.TWO_GROUPS, message, side)]


def _drifts(side: str, summary: Summary) -> list[Note]:
    """Notes on captures whose step time changed in their course."""
    notes = []
    noun = noun_of(summary.metric)
    for number, capture in enumerate(summary.captures if summary.is_timed else ()):
        steps = np.flatnonzero(summary.steps.capture == number)
        changed = drift(summary.steps.total_ns[steps])
        if changed is not None:
            label, last = (summary.steps.label[int(place)] for place in (steps[changed.start], steps[-1]))
            how = f"{percent_text(abs(changed.shift))} {'longer' if changed.shift > 0 else 'shorter'}"
            message = (
                f"{noun} times changed during {capture.worker}/{capture.span}: from {noun} {label} on they are "
                f"{how} ({p_text(changed.p)})"
            )
            if label.isdecimal() and last.isdecimal():
                message += f"; --{side}-steps {label}-{last} compares that part"
            notes.append(Note(NoteCode.DRIFT, message, side))
    return notes


def _window_note(judged: Judged) -> list[Note]:
    """Note if the other rule for step windows would lead to a different verdict."""
    verdict = judged.headline.verdict
    other = None if verdict is Verdict.WITHHELD else judged.in_other_window
    if other is None or other.verdict is verdict:
        return []
    name = "marker" if judged.baseline.window == "device" else "device"
    message = (
        f'with {name} windows the verdict would be "{VERDICT_WORDS[other.verdict]}" '
        f'instead of "{VERDICT_WORDS[verdict]}" (--step-window {name})'
    )
    return [Note(NoteCode.STEP_WINDOW_MATTERS, message)]


def _incomplete_note(judged: Judged) -> list[Note]:
    """Note if many steps were left out as incomplete: the verdict with them."""
    a, b, headline = judged.baseline, judged.candidate, judged.headline
    if headline.basis is not Basis.RECORDED or headline.verdict is Verdict.WITHHELD or not many_incomplete(a, b):
        return []
    other = headline_of_steps(with_incomplete(a), with_incomplete(b), judged.options)
    noun = f"{noun_of(a.metric)}s"
    shift = f", the typical change {percent_text(other.shift.estimate, signed=True)}" if other.shift is not None else ""
    stays = "stays" if other.verdict is headline.verdict else "would be"
    message = (
        f"with the incomplete {noun} as well, {other.n[0]} and {other.n[1]} of them, the verdict {stays} "
        f'"{VERDICT_WORDS[other.verdict]}"{shift}'
    )
    return [Note(NoteCode.STEPS_DROPPED, message)]
