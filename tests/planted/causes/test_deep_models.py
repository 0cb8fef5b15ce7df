"""A layer or two more of many: a few per cent more calls, every one of them counted."""

from __future__ import annotations

import pytest

from tests.planted.programs import CONV, NORM, RELU, Program
from tests.planted.sides import causes, compared, first, side

DEEP = Program(layers=(CONV, NORM, RELU), repeats=32, steps=6)


@pytest.mark.parametrize("vendor", ["cuda", "cpu"])
def test_two_blocks_more_of_thirty_two(vendor: str) -> None:
    before, after = DEEP.on(vendor), DEEP.on(vendor).changed(repeats=34)
    found = compared(side(before, 1), side(after, 2))
    assert first(found).rule == "more_calls"
    assert "aten::conv2d 32 → 34 times per step" in first(found).sentence
    assert first(compared(side(after, 2), side(before, 1))).rule == "fewer_calls"


def test_one_operator_called_once_more() -> None:
    once_more = Program(layers=(*(CONV, NORM, RELU) * 32, CONV), repeats=1, steps=6)
    found = compared(side(DEEP.changed(repeats=1, layers=(CONV, NORM, RELU) * 32), 1), side(once_more, 2))
    assert causes(found) == ["more_calls"]
    assert "; aten::conv2d 32 → 33" in first(found).sentence
