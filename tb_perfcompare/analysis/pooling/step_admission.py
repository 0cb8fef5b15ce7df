"""Decides which steps of a trace are compared: complete ones after warm-up. Definition: docs/method/admission.md.

Every step that is left out is listed with its reason, and an option includes them all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.pooling.select import without_steps
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Flags, Ints, Nanoseconds, median, unique
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.names.kinds import kinds_of
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.iterations import PROFILER
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import INCOMPLETE, WARM_UP, Summary
from tb_perfcompare.number_text import listed
from tb_perfcompare.quick_dataclass import dataclass

MODE_COVERS = 0.5
"""Least share of the steps with launches that must have the most frequent launch count for it to be the usual one.

Of several most frequent counts, the smallest; if too few steps have it, the median is the usual count.
"""

MODE_TOLERANCE = 0.02
"""Share of the usual launch count that a complete step may lack, if the usual count is the most frequent one."""

MEDIAN_TOLERANCE = 0.05
"""The same share if the usual count is the median; or three robust deviations, if that is more."""


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """The result of checking launch counts.

    usual       launches of an ordinary step, 0 if no step has any
    least       least launches of a complete step
    incomplete  (s,) bool steps with fewer launches
    unusual     (s,) bool steps with clearly more than usual; these are kept
    """

    usual: float
    least: float
    incomplete: Flags
    unusual: Flags


def admit(launches: Ints) -> Admission:
    """Finds the complete steps by launch counts (s,), each 0 or more. Without launches all steps are complete.

    The usual count occurs among the steps, so at least one step always stays.
    """
    seen = launches[launches > 0]
    if not len(seen):
        none = np.zeros(len(launches), dtype=np.bool_)
        return Admission(0.0, 0.0, none, none)
    values, counts = np.unique(seen, return_counts=True)
    usual, tolerance = float(values[counts.argmax()]), MODE_TOLERANCE
    if counts.max() < MODE_COVERS * len(seen):
        usual = float(median(seen))
        spread = MAD_TO_SIGMA * float(median(np.abs(seen - usual)))
        tolerance = max(MEDIAN_TOLERANCE, 3 * spread / usual)
    least = (1 - tolerance) * usual
    return Admission(usual, max(least, 0.0), launches < least, launches > (1 + tolerance) * usual)


MIN_STEPS = 8
"""Least number of steps of a capture to detect warm-up; fewer do not show what is usual."""

MAX_SHARE = 0.25
"""Largest share of a capture's steps that can be warm-up."""

MIN_OTHERS = 2
"""Least number of other steps needed to drop the first step for its backlog."""

BEGUN_SHARE = 0.1
"""Share of the median step's operator calls below which the last step of a capture counts as only begun."""

_DEVIATIONS = 5 * MAD_TO_SIGMA
_MIN_SHARE = 0.1


def admit_steps(summary: Summary) -> Summary:
    """Drops incomplete and warm-up steps, judged within each capture; returns the same summary if there are none.
    Whether a capture's last step only began is judged against all captures: it may be the capture's only step.

    Only traces with step markers are judged. Completeness is judged by the launches of a step, under either window
    rule, and iterations of several kinds within their own kind.
    """
    if summary.format != TRACE or not summary.marked:
        return summary
    reasons: dict[int, str] = {int(at): INCOMPLETE for at in _only_begun(summary)}
    for capture in unique(summary.steps.capture).tolist():
        places = np.flatnonzero(summary.steps.capture == capture)
        kind = _kinds(summary, places)
        for own in unique(kind):
            alike = places[kind == own]
            admission = admit(summary.steps.launches[alike])
            lost = admission.incomplete & ~_with_less_work(summary, alike, admission)
            reasons |= {int(at): INCOMPLETE for at in alike[lost]}
        total_ns = _of_one_kind(summary.steps.total_ns[places], kind)
        if starts_with_backlog(total_ns, summary.steps.backlog_ns[places]):
            reasons.setdefault(int(places[0]), WARM_UP)
        left = [at for at, place in enumerate(places.tolist()) if place not in reasons]
        reasons |= {int(at): WARM_UP for at in places[left[: leading_warm_up(total_ns[left])]]}
    if not reasons:
        return summary
    reasons |= _on_other_workers(summary, reasons)
    times = Counter((summary.steps.label[at], why) for at, why in sorted(reasons.items()))
    named = (f"{label} ({why}{f', in {n} recordings' if n > 1 else ''})" for (label, why), n in times.items())
    steps = "step" if len(times) == 1 else "steps"
    note = Note(NoteCode.STEPS_DROPPED, f"left out: {steps} {listed(named, 10)}; --all-steps includes them")
    kept = without_steps(summary, reasons)
    return replace(kept, notes=(*kept.notes, note))


def _with_less_work(summary: Summary, steps: Ints, admission: Admission) -> Flags:
    """(k,) which of these steps call as few operators as they have launches: the program did less in them. Lost device
    events leave the operators. The recording may cut off the first and the last step, so that these must call as many
    as another one."""
    operators, launches = summary.groups.get("operators"), summary.steps.launches[steps]
    calls = np.zeros(len(steps)) if operators is None else operators.calls[:, steps].sum(axis=0)
    complete = ~admission.incomplete
    if not calls[complete].all() or not admission.usual:
        return np.zeros(len(steps), dtype=np.bool_)
    per_call = float(median(launches[complete] / calls[complete]))
    less = admission.incomplete & (launches >= admission.least / admission.usual * per_call * calls)
    inner = calls[1:-1][less[1:-1]]
    return less & (calls >= inner.min()) if len(inner) else np.zeros_like(less)


def _only_begun(summary: Summary) -> Ints:
    """Returns the last steps of captures whose loop ended after profiler.step() had begun another step."""
    operators = summary.groups.get("operators")
    marked_by = None if summary.iterations is None else summary.iterations.chosen.origin
    if operators is None or marked_by != PROFILER:
        return np.zeros(0, dtype=np.int64)
    calls = operators.calls.sum(axis=0)
    last = np.flatnonzero(np.diff(summary.steps.capture, append=-1))
    return np.asarray(last[calls[last] < BEGUN_SHARE * float(median(calls))])


def _on_other_workers(summary: Summary, reasons: dict[int, str]) -> dict[int, str]:
    """Returns the same steps on other workers: ranks of one job run a step together, so all or none are dropped."""
    if len(set(job_workers(summary))) < 2:
        return {}
    span_of = job_spans(summary)
    keys = [
        (span_of[capture], label)
        for capture, label in zip(summary.steps.capture.tolist(), summary.steps.label, strict=True)
    ]
    left_out = {keys[at]: why for at, why in reasons.items()}
    return {at: left_out[key] for at, key in enumerate(keys) if key in left_out and at not in reasons}


def _kinds(summary: Summary, places: Ints) -> Ints:
    """(k,) Number of each step's kind."""
    if not summary.steps.text:
        return np.zeros(len(places), dtype=np.int64)
    kinds = kinds_of([summary.steps.text[at] for at in places.tolist()], summary.steps.capture[places].tolist())
    return np.unique(np.array(kinds), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _of_one_kind(total_ns: Nanoseconds, kind: Ints) -> Nanoseconds:
    """(k,) Step times scaled so that each kind's median equals the median of all steps."""
    if not kind.any():
        return total_ns
    middle = np.array([median(total_ns[kind == own]) for own in range(int(kind.max()) + 1)])
    scaled = total_ns / np.maximum(middle[kind], 1) * float(median(total_ns))
    return np.asarray(np.rint(scaled), dtype=np.int64)


def starts_with_backlog(total_ns: Nanoseconds, backlog_ns: Nanoseconds) -> bool:
    """Whether the first of (n,) windows contains work from before the recording.

    It does if it exceeds the median of the others by over a tenth of itself, and over a tenth of it is backlog.
    """
    if len(total_ns) <= MIN_OTHERS:
        return False
    excess = total_ns[0] - float(median(total_ns[1:]))
    return bool(excess > _MIN_SHARE * total_ns[0] and backlog_ns[0] > _MIN_SHARE * total_ns[0])


def leading_warm_up(total_ns: Nanoseconds) -> int:
    """Number of leading steps of (n,) that exceed the median of the rest by five robust deviations and by a tenth."""
    count = len(total_ns)
    if count < MIN_STEPS:
        return 0
    warm = 0
    while warm < int(count * MAX_SHARE):
        rest = total_ns[warm + 1 :]
        middle = float(median(rest))
        spread = float(median(np.abs(rest - middle)))
        if total_ns[warm] <= middle + max(_DEVIATIONS * spread, _MIN_SHARE * middle):
            break
        warm += 1
    return warm
