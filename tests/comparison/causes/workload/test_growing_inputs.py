"""Inputs that grow from step to step: a list that is kept and concatenated."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence

WIDTHS = [512 + 128 * step for step in range(10)]
MIXED = [640, 1280, 512, 1536, 896, 1664, 768, 1408, 1024, 1152]


def program(widths: list[int]) -> TraceBuilder:
    """Steps of a reduction over `widths` columns, and of other operators."""
    others = [(f"aten::op{number}", 100, [[64, 64]]) for number in range(8)]
    return sequence(
        [[*others, *[("aten::logsumexp", width // 2, [[128, width], []])] * 2] for width in widths],
        gap=5, vendor="cpu",
    )  # fmt: skip


CONSTANT = program([256] * 10)


@pytest.mark.parametrize(("widths", "grow"), [(WIDTHS, True), (MIXED, False), (WIDTHS[::-1], False)])
def test_inputs_that_grow_are_said_to(widths: list[int], grow: bool) -> None:
    for pair, side in (((CONSTANT, program(widths)), "candidate"), ((program(widths), CONSTANT), "baseline")):
        found = finding_of(compare(*pair), "workload_changed")
        text = f"; inputs grow from step to step, e.g. aten::logsumexp 65,536 → 212,992 elements in the {side}."
        assert found.sentence.endswith(text) == grow
        assert found.look_at.endswith("; a schedule of lengths or sizes (curriculum)") == grow


def test_inputs_that_grow_on_both_sides_are_no_difference() -> None:
    found = compare(program(WIDTHS), program([2 * width for width in WIDTHS]))
    assert all("grow from step to step" not in finding.sentence for finding in found.findings)


def test_five_steps_are_too_few() -> None:
    found = compare(program([256] * 5), program(WIDTHS[:5]))
    assert all("grow from step to step" not in finding.sentence for finding in found.findings)
