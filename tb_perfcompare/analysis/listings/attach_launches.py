"""Adds the utilization of kernels from a listing to a trace of the same program.

No time, call count or share of the ledger changes: kernels gain facts, and device time is classified by what limits it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.listings.launches import NOT_MEASURED, LaunchFigures, launch_figures, metric_settings
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.arrays import Nanoseconds
from tb_perfcompare.model.formats import FORMATS
from tb_perfcompare.model.names.kernel_names import KernelForms, cut_prefixes, is_cut, kernel_forms, tails
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.summary.summary import BOUND_CLASSES, Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.number_text import listed, percent

_MAX_NAMED = 3
"""Number of kernels named in a note."""


def attach_launches(summary: Summary, recording: LaunchRecording) -> Summary:
    """Adds the recording's figures to the summary's kernels.

    A kernel gets the mean over its matching launches, weighted by time; `bound_ns` splits its time in the proportions
    of these launches. Kernels without launches get no figures, and their time is "not measured". Raises SelectionError
    if the summary is not of a trace.
    """
    if summary.metric != "step_time":
        raise SelectionError(
            f"{summary.source} is not a trace and has its own figures", hint="attach listings and exports to traces"
        )
    where = recording.file.path
    kernels = summary.groups.get("kernels")
    if kernels is None:
        note = Note(NoteCode.ATTACHED_LAUNCHES, "the trace has no kernels that could get figures", where)
        return replace(summary, notes=(*summary.notes, note))
    matches = match_names([key[0] for key in kernels.keys], recording.launches.strings.texts)
    figures = launch_figures(recording.launches, matches)
    time = kernels.measures_ns["total"].sum(axis=1)
    return replace(
        summary,
        groups={**summary.groups, "kernels": replace(kernels, facts={**kernels.facts, **figures.facts()})},
        bound_ns=_bound_times(time, figures.class_ns),
        environment=(*summary.environment, ("launches.file", where), *metric_settings(recording)),
        notes=(*summary.notes, *recording.notes, *_notes(summary, recording, kernels, matches, figures)),
    )


def _bound_times(time_ns: Nanoseconds, class_ns: Nanoseconds) -> dict[str, int]:
    """Nanoseconds per class, which sum to the kernels' time: rounding is along the running sum."""
    out = [0] * len(BOUND_CLASSES)
    for time, classes in zip(time_ns.tolist(), class_ns.tolist(), strict=True):
        total = sum(classes)
        if not total:
            out[NOT_MEASURED] += time
            continue
        running = assigned = 0
        for place, part in enumerate(classes):
            running += part
            upto = time * running // total
            out[place] += upto - assigned
            assigned = upto
    return dict(zip(BOUND_CLASSES, out, strict=True))


def _notes(
    summary: Summary, recording: LaunchRecording, kernels: GroupTable, matches: Sequence[Sequence[int]],
    figures: LaunchFigures,
) -> list[Note]:  # fmt: skip
    """Notes on the share of time with figures, on kernels that share figures, and on differing devices."""
    path, title = recording.file.path, FORMATS[recording.format].title
    known = figures.known
    time = kernels.measures_ns["total"].sum(axis=1)
    share = time[known].sum() / time.sum() if time.sum() else 0.0
    number = f"{int(known.sum())} of {len(known)} kernels"
    message = f"{percent(share)} of the kernel time has figures of the {title} ({number})"
    dur = np.bincount(
        recording.launches.name, weights=recording.launches.dur_ns, minlength=len(recording.launches.strings)
    )
    used = np.zeros(len(dur), dtype=bool)
    used[[code for codes in matches for code in codes]] = True
    timed = dur > 0
    if (timed & ~used).any():
        rest = dur[~used].sum() / dur.sum()
        count = int((timed & ~used).sum())
        message += f"; {count} of its {int(timed.sum())} names, {percent(rest)} of its time, are not in the trace"
    notes = [Note(NoteCode.ATTACHED_LAUNCHES, message, path)]
    sharing: dict[int, list[int]] = {}
    for row, codes in enumerate(matches):
        for code in codes:
            sharing.setdefault(code, []).append(row)
    common = {code: rows for code, rows in sharing.items() if len(rows) > 1}
    if common:
        largest = sorted(common, key=lambda code: -int(time[common[code]].sum()))
        names = (f"{recording.launches.strings[code]} ({len(common[code])})" for code in largest)
        rows = {row for rows in common.values() for row in rows}
        message = (
            f"{len(rows)} kernels have a figure in common with others, because the {title} has one name for them: "
            f"{listed(names, _MAX_NAMED)}"
        )
        notes.append(Note(NoteCode.SHARED_FIGURES, message, path))
    trace = dict(summary.environment).get("device.compute_capability", "")
    if trace and recording.compute_capability and trace != recording.compute_capability:
        message = (
            f"the {title} was measured on compute capability {recording.compute_capability}, the trace on {trace}: "
            "its figures may not hold here"
        )
        notes.append(Note(NoteCode.ATTACHED_LAUNCHES, message, path))
    return notes


def match_names(kernels: Sequence[str], listed: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Returns, for each kernel, the indices of the listed names that match it, by the first way that succeeds:

    name       equal names, blanks squeezed
    signature  equal functions and template arguments, ignoring differences between demanglers
    function   one of the two has only the function's name, with or without its namespaces
    cut        the name begins with a truncated listed name; of several, the longest

    Complete names with different template arguments are different kernels and never match.
    """
    ways = _Listed(listed).ways

    def first_match(forms: KernelForms) -> tuple[int, ...]:
        return next((tuple(codes) for find in ways if (codes := find(forms))), ())

    return tuple(first_match(kernel_forms(kernel)) for kernel in kernels)


class _Listed:
    """The listed names, indexed by each of their forms."""

    def __init__(self, listed: Sequence[str]) -> None:
        self._keys: dict[str, list[int]] = {}
        self._full: dict[str, list[int]] = {}
        self._short: dict[str, list[int]] = {}
        self._functions: dict[str, list[int]] = {}
        self._cut: dict[str, list[int]] = {}
        for code, name in enumerate(listed):
            if is_cut(name):
                for prefix in filter(None, cut_prefixes(name)):
                    self._cut.setdefault(prefix, []).append(code)
                continue
            forms = kernel_forms(name)
            self._keys.setdefault(forms.key, []).append(code)
            self._full.setdefault(forms.full, []).append(code)
            (self._short if forms.is_short else self._functions).setdefault(forms.function, []).append(code)
        self._lengths = sorted({len(prefix) for prefix in self._cut}, reverse=True)
        self.ways: tuple[Callable[[KernelForms], list[int]], ...] = (
            lambda forms: self._keys.get(forms.key, []),
            lambda forms: self._full.get(forms.full, []),
            self._by_function,
            self._by_prefix,
        )

    def _by_function(self, forms: KernelForms) -> list[int]:
        if forms.is_short:  # the trace's name is the short one
            return self._functions.get(forms.function, [])
        return next((self._short[tail] for tail in tails(forms.function) if tail in self._short), [])

    def _by_prefix(self, forms: KernelForms) -> list[int]:
        """Returns the truncated names with the longest prefix that matches."""
        if not self._lengths:
            return []
        texts = dict.fromkeys((forms.key, forms.full, *tails(forms.full.partition("<")[0])))
        for length in self._lengths:
            fitting = {text[:length] for text in texts if len(text) >= length}
            codes = {code for prefix in fitting for code in self._cut.get(prefix, ())}
            if codes:
                return sorted(codes)
        return []
