"""The facts that a list of runs shows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.summary import Summary

SpanFacts = dict[str, Any]
"""As `tb-perfcompare runs --json` prints it."""


def span_facts(summary: Summary) -> SpanFacts:
    """Format, device, steps (all, those that are compared, what delimits them), mean step time, notes."""
    # a list that shows kept facts imports none of it
    from tb_perfcompare.comparison.result.plain_values import as_plain, device_dict, iterations_dict

    return {
        "format": summary.format,
        "device": device_dict(summary.device),
        "steps": {
            "count": len(summary.steps) + len(summary.dropped),
            "admitted": len(summary.steps),
            "marked": summary.marked,
            "by": iterations_dict(summary.iterations),
        },
        "mean_step_us": mean_step_us(summary),
        "problems": as_plain(summary.notes),
    }


def mean_step_us(summary: Summary) -> float | None:
    """None where steps have no time."""
    if not summary.is_timed or not len(summary.steps):
        return None
    return float(summary.steps.total_ns.mean()) / 1000
