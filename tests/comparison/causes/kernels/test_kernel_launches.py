"""A kernel that is launched otherwise is not slower."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of


def copies(small_us: int, large: int) -> TraceBuilder:
    """Eight steps of a product and of 20 copies by one kernel: `large` copies of 600 us in large grids, the others of
    `small_us`."""
    trace, at = TraceBuilder(), 0
    for step in range(8):
        begin = at
        trace.kernel("gemm", at + 5, at + 3000 + step % 3, launch=(at, at + 2))
        at += 3010
        for place in range(20):
            us = 600 if place < large else small_us
            trace.kernel("copy", at, at + us, launch=(at - 4, at - 2), grid=[9000 if place < large else 60, 1, 1])
            at += us + 5
        trace.op("aten::copy_", begin, at)
        trace.step(step, begin, at)
    return trace


@pytest.mark.parametrize(
    ("before", "after", "is_slower"),
    [((20, 0), (60, 0), True), ((20, 0), (20, 1), False), ((20, 1), (50, 1), True)],
    ids=["all launches", "one large launch instead of a small one", "small launches"],
)
def test_a_kernel_is_slower_if_its_launches_are(
    before: tuple[int, int], after: tuple[int, int], is_slower: bool
) -> None:
    assert ("kernel_slower" in rules_of(compare(copies(*before), copies(*after)))) is is_slower


def test_without_shapes_larger_launches_are_said() -> None:
    few, many = copies(20, 0), copies(20, 10)
    there, back = finding_of(compare(few, many), "kernel_slower"), finding_of(compare(many, few), "kernel_faster")
    assert "launched in other sizes, e.g. grid [60, 1, 1] block [" in there.sentence
    assert "launched in other sizes, e.g. grid [9000, 1, 1] block [" in back.sentence
    assert there.look_at == back.look_at == "the sizes of inputs (record with record_shapes=True)"
