"""The facts that a list of runs shows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.outline import Outline

SpanFacts = dict[str, Any]
"""As `tb-perfcompare runs --json` prints it."""


def span_facts(outline: Outline) -> SpanFacts:
    """Format, device, steps (all, those that are compared, what delimits them), mean step time, notes."""
    # a list that shows kept facts imports none of it
    from tb_perfcompare.comparison.result.plain_values import as_plain, device_dict, iterations_dict

    return {
        "format": outline.format,
        "device": device_dict(outline.device),
        "steps": {
            "count": outline.steps + outline.dropped,
            "admitted": outline.steps,
            "marked": outline.marked,
            "by": iterations_dict(outline.iterations),
        },
        "mean_step_us": outline.mean_step_us,
        "problems": as_plain(outline.notes),
    }
