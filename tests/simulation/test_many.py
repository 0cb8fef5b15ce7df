"""What is simulated by the thousand is what a single pair of runs is told."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.verdict.verdict import judge
from tests.simulation.many import OPTIONS, Captures, Ints, Many, judged
from tests.simulation.series import autoregressive, captured, normal, pair

CLEAR = {Verdict.SLOWER, Verdict.FASTER}
PROBABLE = {Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}


def assert_alike(many: Many, sides: tuple[Ints, Ints], captures: Captures) -> None:
    for row in range(len(sides[0])):
        result = judge((sides[0][row], sides[1][row]), (captures[0], captures[1]), OPTIONS)
        assert result.shift is not None and result.p is not None
        assert (result.verdict in CLEAR) == many.clear[row]
        assert (result.verdict in PROBABLE) == many.probable[row]
        assert (result.verdict is Verdict.SAME) == many.same[row]
        assert result.shift.low == pytest.approx(np.expm1(many.low[row]), rel=1e-9)
        assert result.shift.high == pytest.approx(np.expm1(many.high[row]), rel=1e-9)
        assert result.p == pytest.approx(many.p[row], rel=1e-9)


@pytest.mark.parametrize("draw", [normal, autoregressive(0.5)])
@pytest.mark.parametrize(("steps", "factor"), [(6, 1.0), (20, 1.03), (60, 1.001)])
def test_one_capture_per_side(draw: object, steps: int, factor: float) -> None:
    sides = pair(draw, 12, steps, factor)
    nothing = np.zeros(steps, dtype=np.int32)
    assert_alike(judged(*sides), sides, (nothing, nothing))


@pytest.mark.parametrize("captures", [(1, 2), (2, 2), (3, 3), (2, 5)])
@pytest.mark.parametrize(("between", "factor"), [(0.05, 1.0), (0.001, 1.2), (0.03, 1.2)])
def test_several_captures(captures: tuple[int, int], between: float, factor: float) -> None:
    sides, numbers = captured(12, captures, 6, (between, between), 0.02, factor)
    assert_alike(judged(*sides, numbers), sides, numbers)


def test_same_is_said_of_many_as_of_one() -> None:
    sides, numbers = captured(12, (3, 3), 10, (0.001, 0.001), 0.002)
    many = judged(*sides, numbers)
    assert many.same.any()
    assert_alike(many, sides, numbers)
