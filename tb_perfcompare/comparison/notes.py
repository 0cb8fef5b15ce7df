"""The notes of a comparison: what its verdict and its tables do not say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.judged import Judged, headline_of_steps
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS, noun_of, p_text, percent_text, time_text
from tb_perfcompare.comparison.statistics.drift import drift, two_groups
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.note import ONE_SIDE, Note, NoteCode
from tb_perfcompare.model.summary.summary import INCOMPLETE, Summary
from tb_perfcompare.model.summary.tables import StepTable

_MANY_INCOMPLETE = 0.2
"""Share of incomplete steps above which the verdict over all steps is reported as well."""


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
        f"two groups of {noun}: {groups.low_count} around {time_text(groups.low_ns / 1000)} and "
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
            message = f"{capture.worker}/{capture.span}: {noun}s are {how} from {noun} {label} on ({p_text(changed.p)})"
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
    if headline.basis is not Basis.RECORDED or headline.verdict is Verdict.WITHHELD or not _many_incomplete(a, b):
        return []
    other = headline_of_steps(_with_incomplete(a), _with_incomplete(b), judged.options)
    noun = f"{noun_of(a.metric)}s"
    shift = f", the typical change {percent_text(other.shift.estimate, signed=True)}" if other.shift is not None else ""
    stays = "stays" if other.verdict is headline.verdict else "would be"
    message = (
        f"with the incomplete {noun} as well, {other.n[0]} and {other.n[1]} of them, the verdict {stays} "
        f'"{VERDICT_WORDS[other.verdict]}"{shift}'
    )
    return [Note(NoteCode.STEPS_DROPPED, message)]


def _many_incomplete(*sides: Summary) -> bool:
    """Whether a side lost so many steps that the verdict over all steps has to be reported too."""
    for side in sides:
        lost = sum(step.reason == INCOMPLETE for step in side.dropped)
        if lost > _MANY_INCOMPLETE * (len(side.steps) + lost):
            return True
    return False


def _with_incomplete(summary: Summary) -> Summary:
    """Returns the side with its incomplete steps in their places. Valid for step times only: nothing else is added
    for them."""
    incomplete = [step for step in summary.dropped if step.reason == INCOMPLETE]
    steps = summary.steps
    captures = [*steps.capture.tolist(), *(step.capture for step in incomplete)]
    labels = [*steps.label, *(step.label for step in incomplete)]
    order = sorted(range(len(labels)), key=lambda place: (captures[place], _number(labels[place]), place))
    total = np.concatenate([steps.total_ns, np.array([step.total_ns for step in incomplete], dtype=np.int64)])
    start = np.concatenate([steps.start_ns, np.zeros(len(incomplete), dtype=np.int64)])
    unknown = np.zeros(len(labels), dtype=np.int64)
    all_steps = StepTable(np.array(captures, dtype=np.int32), tuple(labels), start, total, unknown, unknown)
    return replace(summary, steps=all_steps.only(np.array(order)))


def _number(label: str) -> tuple[int, int]:
    """Sort key of a step label: "3 (2)" is the second step 3, hence (5, 2); labels without a number come first."""
    number, _, again = label.partition(" ")
    if not number.isdecimal():
        return (1, 0)
    return int(number) + 2, int(again.strip("()")) if again.strip("()").isdecimal() else 1
