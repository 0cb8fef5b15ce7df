"""Weaknesses of the method that show in the recordings, and in the report's own figures. Each check returns a sentence,
or None if it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tb_perfcompare.comparison.result.wording import many, percent_text, signed_time, time_text
from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.comparison.strict.findings import SIGNIFICANT_P, SIGNIFICANT_SCORE, key_findings
from tb_perfcompare.comparison.strict.report import MIN_DEVIATION, StrictReport, strict_report
from tb_perfcompare.comparison.strict.work import device_work, incomplete_cycles, same_launches, work_per_cycle
from tb_perfcompare.model.arrays import Floats, unique
from tb_perfcompare.model.recordings.cycles import HOST, NO_COUNTER, NO_TEXT, CycleTable
from tb_perfcompare.number_text import number, p_value

_LARGE_Z = 100.0
_FEW_CYCLES = 10
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
    related = [_neighbor_correlation(table.cycle_lengths_us()) for table in (normal, abnormal)]
    if max(related) < _RELATED:
        return None
    strongest = min(max(related), _MAX_RELATED)
    factor = ((1 + strongest) / (1 - strongest)) ** 0.5
    ranks = " and ".join(number(correlation, most=2) for correlation in related)
    return (
        f"cycles resemble their neighbors (rank correlation {ranks}): the recording drifts, and p-values that take "
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
        {table.strings[code] for code in unique(table.device).tolist() if code >= 0} - {HOST}
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


def _neighbor_correlation(lengths_us: Floats) -> float:
    """Correlation of the ranks of neighboring cycles, -1..1; 0 with too few cycles."""
    if len(lengths_us) < _MIN_DRIFT_CYCLES:
        return 0.0
    ranks = np.unique(lengths_us, return_inverse=True)[1].astype(np.float64)
    centered = ranks - ranks.mean()
    squares = float((centered * centered).sum())
    return float((centered[:-1] * centered[1:]).sum()) / squares if squares else 0.0


WEAK_RECORDINGS: Mapping[int, Callable[[CycleTable, CycleTable], str | None]] = {
    1: _not_comparable, 2: _incomplete, 3: _share_against_time, 7: _uncalibrated, 10: _dependent_cycles,
    13: _means_only, 14: _no_link, 16: _device_names, 17: _interpolated,
}  # fmt: skip
"""Number in docs/method/strict.md -> check."""


def _lost_rows(report: StrictReport) -> str | None:
    lost = sum(report.lost)
    if not lost:
        return None
    return (
        f"{report.lost[0]} and {report.lost[1]} rows have no counter and were left out; a function that never had one "
        "is missing altogether, and shares are averaged only over cycles with a sample of the row's counter"
    )


def _no_deviation(report: StrictReport) -> str | None:
    flat_beta = (report.beta.normal.sd <= MIN_DEVIATION) & (report.beta.delta != 0)
    flat_mu = (report.log_mu.normal.sd <= MIN_DEVIATION) & (report.log_mu.delta != 0)
    new = (report.cycles[0] == 0) & (report.cycles[1] > 0)
    if not (flat_beta | flat_mu).any():
        return None
    return (
        "a Z-score is 0 where the normal side does not vary: of "
        f"{int((flat_beta & ~new).sum())} changed shares and {int((flat_mu & ~new).sum())} changed counters; "
        f"all rows that exist only on the abnormal side score 0: {int(new.sum())}"
    )


def _exploding_z(report: StrictReport) -> str | None:
    z = np.maximum(np.abs(report.beta.z), np.abs(report.log_mu.z))
    count = int((z > _LARGE_Z).sum())
    if not count:
        return None
    largest = f"largest {number(z.max())}"
    return f"rows with a Z-score beyond {_LARGE_Z:g} because the normal side hardly varies: {count} ({largest})"


def _constants(report: StrictReport) -> str | None:
    counted = np.array([metric != NO_COUNTER for _, metric, _ in report.triplets], dtype=np.bool_)
    undefined = int(np.isnan(report.welch_beta).sum() + np.isnan(report.welch_mu[counted]).sum())
    certain = int(
        sum(
            ((p == 0) & (of.normal.sd == 0) & (of.abnormal.sd == 0)).sum()
            for p, of in ((report.welch_beta, report.beta), (report.welch_mu, report.mu))
        )
    )
    if not undefined and not certain:
        return None
    return f"values constant on both sides: p-values that are undefined {undefined}, that are exactly 0 {certain}"


def _few_cycles(report: StrictReport) -> str | None:
    sizes = [len(side.longest_first_us) for side in report.durations]
    if min(sizes) >= _FEW_CYCLES and not any((cycles < 2).any() for cycles in report.cycles):
        return None
    single = int(((report.cycles[0] < 2) | (report.cycles[1] < 2)).sum())
    least = ""
    if min(sizes) < _FEW_CYCLES:
        least = f"no rank test of so many gives a p below {p_value(smallest_p(*sizes))}; "
    rule = "rows with fewer than two on a side, whose p-values are 1 by rule"
    return f"{sizes[0]} and {many(sizes[1], 'cycle')}; {least}{rule}: {single}"


def _many_tests(report: StrictReport) -> str | None:
    p = report.welch_beta[~np.isnan(report.welch_beta)]
    raw = int((p < SIGNIFICANT_P).sum())
    if not raw:
        return None
    kept = int((q_values(p) < SIGNIFICANT_P).sum())
    return (
        f"{len(p)} shares are tested and no p-value is corrected: {raw} are below {SIGNIFICANT_P:g}, "
        f"{kept} after Benjamini-Hochberg"
    )


def _unequal_ranks(report: StrictReport) -> str | None:
    first, second = (len(side.longest_first_us) for side in report.durations)
    if first == second:
        return None
    return f"section 2 pairs {first} cycles with {second} by rank: equal ranks are different quantiles"


def _over_whole_cycle(report: StrictReport) -> str | None:
    over = np.maximum(report.beta.normal.mean, report.beta.abnormal.mean) > 100
    if not over.any():
        return None
    return (
        "times summed over threads are ranked against times of one device; rows above 100 % of the cycle: "
        f"{int(over.sum())}"
    )


def _ties(report: StrictReport) -> str | None:
    _, counts = np.unique(report.score, return_counts=True)
    tied = int(counts[counts > 1].sum())
    piped = sum(any("|" in text for text in triplet) for triplet in report.triplets)
    if not tied and not piped:
        return None
    broken = f"; {piped} rows have a | in a name and break the Markdown table" if piped else ""
    return f"{tied} rows share their score with another; their order here is fixed, in other reports it is not{broken}"


def _empty_sentences(report: StrictReport) -> str | None:
    same = [
        change.metric
        for finding in key_findings(report)
        for change in finding.counters
        if f"{change.normal:,.2f}" == f"{change.abnormal:,.2f}"
    ]
    return f"{len(same)} counter changes of the key findings vanish in rounding: {', '.join(same)}" if same else None


WEAK_FIGURES: Mapping[int, Callable[[StrictReport], str | None]] = {
    4: _lost_rows, 5: _no_deviation, 6: _exploding_z, 8: _constants, 9: _few_cycles, 12: _many_tests,
    18: _unequal_ranks, 19: _over_whole_cycle, 20: _ties, 21: _empty_sentences,
}  # fmt: skip
"""Number in docs/method/strict.md -> check."""
