"""Weaknesses that show in the report's own figures. Each check returns a sentence, or None if it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.comparison.strict.findings import SIGNIFICANT_P, key_findings
from tb_perfcompare.comparison.strict.report import MIN_DEVIATION, StrictReport
from tb_perfcompare.model.recordings.cycles import NO_COUNTER
from tb_perfcompare.number_text import number, p_value

_LARGE_Z = 100.0
_FEW_CYCLES = 10


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
