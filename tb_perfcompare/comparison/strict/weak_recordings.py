"""Weaknesses that show in the recordings. Each check returns a sentence, or None if it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tb_perfcompare.comparison.result.wording import percent_text, signed_time, time_text
from tb_perfcompare.comparison.strict.findings import SIGNIFICANT_SCORE
from tb_perfcompare.comparison.strict.report import strict_report
from tb_perfcompare.comparison.strict.work import device_work, incomplete_cycles, same_launches, work_per_cycle
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.recordings.cycles import HOST, NO_COUNTER, NO_TEXT, CycleTable
from tb_perfcompare.number_text import number

_LITTLE_IN_COMMON = 0.5
_RELATED, _MAX_RELATED = 0.3, 0.9
_CLEAR_CHANGE = 0.1
_SMALL_CHANGE = 0.01
_MIN_DRIFT_CYCLES = 4


def different_anchors(normal: CycleTable, abnormal: CycleTable) -> str | None:
    """Cycles of the two sides are delimited by different functions."""
    ours, theirs = normal.anchors(), abnormal.anchors()
    if not ours or not theirs or ours == theirs:
        return None
    return (
        f"cycles of the normal side are calls of {', '.join(ours)}, those of the abnormal side of {', '.join(theirs)}: "
        "their lengths and shares do not compare"
    )


def _not_comparable(normal: CycleTable, abnormal: CycleTable) -> str | None:
    anchors = different_anchors(normal, abnormal)
    common = same_launches(device_work(work_per_cycle(normal)), device_work(work_per_cycle(abnormal)))
    if common is None or common >= _LITTLE_IN_COMMON:
        return anchors
    launches = f"only {percent_text(common)} of the launches per cycle are common to both sides"
    return f"{anchors}; {launches}" if anchors else launches


def _incomplete(normal: CycleTable, abnormal: CycleTable) -> str | None:
    missing = incomplete_cycles(normal), incomplete_cycles(abnormal)
    if not any(missing):
        return None
    return (
        f"{missing[0]} and {missing[1]} cycles have fewer launches than the others of their side and were kept; they "
        "widen the deviation that every Z-score divides by"
    )


def _share_against_time(normal: CycleTable, abnormal: CycleTable) -> str | None:
    """The cycle's length changed, and with it the shares: a share falls if the cycle grows for another reason."""
    lengths = normal.cycle_lengths_us().mean(), abnormal.cycle_lengths_us().mean()
    if lengths[0] <= 0 or lengths[1] <= 0 or abs(lengths[1] / lengths[0] - 1) < _SMALL_CHANGE:
        return None
    ours, theirs = work_per_cycle(normal), work_per_cycle(abnormal)
    against = sum(
        (theirs[key].time_us - ours[key].time_us)
        * (theirs[key].time_us / lengths[1] - ours[key].time_us / lengths[0]) < 0
        for key in ours.keys() & theirs.keys()
    )  # fmt: skip
    if not against:
        return None
    return (
        "the mean cycle changed, and with it every share; functions that moved one way in time and the other way in "
        f"share: {against}"
    )


def _uncalibrated(normal: CycleTable, abnormal: CycleTable) -> str | None:
    """Odd against even cycles of one recording, between which nothing changed, already score above the threshold."""
    odd = np.unique(normal.cycle, return_inverse=True)[1] % 2 == 0
    if odd.all():
        return None
    report = strict_report(normal.rows(odd), normal.rows(~odd), ("odd", "even"))
    over = int((report.score > SIGNIFICANT_SCORE).sum())
    if not over:
        return None
    return (
        f"odd against even cycles of the normal side alone score above {SIGNIFICANT_SCORE:g} in {over} rows (largest "
        f"{report.score.max():,.0f}): the threshold has no null calibration"
    )


def _dependent_cycles(normal: CycleTable, abnormal: CycleTable) -> str | None:
    related = [_neighbour_correlation(table.cycle_lengths_us()) for table in (normal, abnormal)]
    if max(related) < _RELATED:
        return None
    strongest = min(max(related), _MAX_RELATED)
    factor = ((1 + strongest) / (1 - strongest)) ** 0.5
    ranks = " and ".join(number(correlation, most=2) for correlation in related)
    return (
        f"cycles resemble their neighbours (rank correlation {ranks}): the recording drifts, and p-values that take "
        f"cycles as independent are too small, as if deviations were {number(factor)} times smaller"
    )


def _means_only(normal: CycleTable, abnormal: CycleTable) -> str | None:
    ours, theirs = normal.cycle_lengths_us(), abnormal.cycle_lengths_us()
    if ours.mean() <= 0 or np.median(ours) <= 0:
        return None
    mean = theirs.mean() / ours.mean() - 1
    median = np.median(theirs) / np.median(ours) - 1
    if abs(mean - median) < _SMALL_CHANGE:
        return None
    changes = [percent_text(float(change), signed=True) for change in (mean, median)]
    return f"the headline is a mean: it changed by {changes[0]}, the median by {changes[1]}"


def _no_link(normal: CycleTable, abnormal: CycleTable) -> str | None:
    ours, theirs = (
        sum(work.time_us for work in device_work(work_per_cycle(table)).values()) for table in (normal, abnormal)
    )
    step = abnormal.cycle_lengths_us().mean() - normal.cycle_lengths_us().mean()
    if not ours or abs(theirs / ours - 1) < _CLEAR_CHANGE or abs(theirs - ours) <= 2 * abs(step):
        return None
    return (
        f"device time per cycle went from {time_text(ours)} to {time_text(theirs)} but the mean cycle changed by only "
        f"{signed_time(step)}: most of the change is hidden behind other work, which the shares do not say"
    )


def _device_names(normal: CycleTable, abnormal: CycleTable) -> str | None:
    ours, theirs = (
        {table.strings[code] for code in np.unique(table.device).tolist() if code >= 0} - {HOST}
        for table in (normal, abnormal)
    )
    if ours == theirs:
        return None
    return (
        f"devices are part of a row's key and differ ({', '.join(sorted(ours)) or 'none'} against "
        f"{', '.join(sorted(theirs)) or 'none'}): the same kernel counts as gone and as new"
    )


def _interpolated(normal: CycleTable, abnormal: CycleTable) -> str | None:
    if normal.interpolated is None or abnormal.interpolated is None:
        return None
    marks = np.concatenate([
        marked[(table.metric != NO_TEXT) & (table.metric != table.strings.find(NO_COUNTER))]
        for table, marked in ((normal, normal.interpolated), (abnormal, abnormal.interpolated))
    ])  # fmt: skip
    share = float(marks.mean()) if len(marks) else 0.0
    if not share:
        return None
    return f"{percent_text(share)} of the rows with a counter hold no sample of it: their mu is interpolated"


def _neighbour_correlation(lengths_us: Floats) -> float:
    """Correlation of the ranks of neighbouring cycles, -1..1; 0 with too few cycles."""
    if len(lengths_us) < _MIN_DRIFT_CYCLES:
        return 0.0
    ranks = np.unique(lengths_us, return_inverse=True)[1].astype(np.float64)
    centred = ranks - ranks.mean()
    squares = float((centred * centred).sum())
    return float((centred[:-1] * centred[1:]).sum()) / squares if squares else 0.0


WEAK_RECORDINGS: Mapping[int, Callable[[CycleTable, CycleTable], str | None]] = {
    1: _not_comparable, 2: _incomplete, 3: _share_against_time, 7: _uncalibrated, 10: _dependent_cycles,
    13: _means_only, 14: _no_link, 16: _device_names, 17: _interpolated,
}  # fmt: skip
"""Number in docs/method/strict.md -> check."""
