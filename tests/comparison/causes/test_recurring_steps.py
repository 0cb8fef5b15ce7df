"""A finding says if its time falls in every k-th step."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence


def program(period: int = 0, pause: int = 0, first: int = 1, steps: int = 20) -> TraceBuilder:
    """Steps of 1 ms, with a pause in every `period`-th."""
    return sequence(
        [
            [("aten::mm", 900 + 3 * (7 * step % 5)),
             ("", 40 + step % 4 + (pause if period and step % period == first else 0))]
            for step in range(steps)
        ],
        vendor="cpu",
    )  # fmt: skip


@pytest.mark.parametrize(("period", "clause"), [(2, "in every 2nd step, +801"), (3, "in every 3rd step, +799")])
def test_the_sentence_gives_the_period_of_a_pause_and_its_length(period: int, clause: str) -> None:
    plain, pausing = program(), program(period, 800)
    for a, b, text in ((plain, pausing, clause), (pausing, plain, clause.replace("+", "−"))):
        assert f"; mostly {text} µs in each" in finding_of(compare(a, b), "unrecorded_time").sentence


def test_pauses_in_every_step_in_irregular_steps_or_on_both_sides_have_no_period() -> None:
    some = sequence(
        [[("aten::mm", 900), ("", 40 + (800 if step in (1, 2, 5, 9, 11, 16) else step % 4))] for step in range(20)],
        vendor="cpu",
    )  # fmt: skip
    for a, b in ((program(), program(1, 300, first=0)), (program(), some), (program(3, 500), program(3, 900))):
        assert not any("mostly in every" in finding.sentence for finding in compare(a, b).findings)
