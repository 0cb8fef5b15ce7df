"""The order in which captures were recorded."""

from __future__ import annotations

from tb_perfcompare.model.summary.summary import Summary


def in_turns(baseline: Summary, candidate: Summary) -> bool | None:
    """False where all captures of one side began after all of the other; None where clocks do not tell."""
    starts = []
    for side in (baseline, candidate):
        times = []
        for number, capture in enumerate(side.captures):
            own = side.steps.start_ns[side.steps.capture == number]
            if capture.clock_zero_ns is None or not len(own):
                return None
            times.append(capture.clock_zero_ns + int(own.min()))
        starts.append(times)
    one, two = starts
    if not one or not two:
        return None
    return not (max(one) < min(two) or max(two) < min(one))
