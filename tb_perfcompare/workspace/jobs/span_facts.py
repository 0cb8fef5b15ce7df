"""The facts that a list of runs shows about a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.outline import Outline

SpanFacts = dict[str, Any]
"""JSON object as `tb-perfcompare runs --json` prints it."""


def span_facts(outline: Outline) -> SpanFacts:
    """Returns format, device, steps (recorded, compared, what delimits them), mean step time and notes."""
    # imported here: a list of runs whose facts are all cached does without
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
