"""Recording order of the captures."""

from __future__ import annotations

from tb_perfcompare.model.summary.summary import Summary


def in_turns(baseline: Summary, candidate: Summary) -> bool | None:
    """False if all captures of one side began after all of the other; None if the clocks do not say."""
    starts = []
    for side in (baseline, candidate):
        times = []
        for number, capture in enumerate(side.captures):
            starts_ns = side.steps.start_ns[side.steps.capture == number]
            if capture.clock_zero_ns is None or not len(starts_ns):
                return None
            times.append(capture.clock_zero_ns + int(starts_ns.min()))
        starts.append(times)
    baseline_starts, candidate_starts = starts
    if not baseline_starts or not candidate_starts:
        return None
    return not (max(baseline_starts) < min(candidate_starts) or max(candidate_starts) < min(baseline_starts))
