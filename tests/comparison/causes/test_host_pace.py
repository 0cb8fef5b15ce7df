"""All operators take longer by one ratio: a slower machine, fewer threads, or larger inputs."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of


def program(us: int, *, shapes: bool) -> TraceBuilder:
    """Ten steps of twelve operators of `us`."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(10):
        begin = at
        for name in range(12):
            trace.op(f"aten::op{name}", at, at + us + (number + name) % 3, dims=[[64, name + 1]] if shapes else None)
            at += us + 4
        trace.step(number, begin, at)
        at += 5
    return trace


@pytest.mark.parametrize(
    ("shapes", "readings"),
    [
        (True, "(the machine or its number of threads)."),
        (False, "(the machine, its number of threads, or the size of inputs: shapes are not recorded)."),
    ],
)
def test_the_sentence_says_what_it_can_be(shapes: bool, readings: str) -> None:
    sides = (program(us, shapes=shapes) for us in (300, 600))
    assert finding_of(compare(*sides), "host_pace").sentence.endswith(readings)
