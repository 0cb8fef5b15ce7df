"""Without input shapes, single captures on the CPU have to differ by more than those of one program do."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.headline import Verdict
from tests.build import TraceBuilder
from tests.comparison.compare import judge, sequence

LENGTHS = (1000, 1010, 990, 1005, 995, 1002, 998, 1008)



@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(1.06, Verdict.INCONCLUSIVE), (1.105, Verdict.PROBABLY_SLOWER), (1.2, Verdict.SLOWER)],
)
def test_a_direction_lies_beyond_a_tenth(ratio: float, verdict: Verdict) -> None:
    one, two = recorded(1.0), recorded(ratio)
    found, back = judge(one, two).headline, judge(two, one).headline
    assert (found.verdict, back.verdict.way) == (verdict, -verdict.way)
    assert ("two captures of one program often differ by 10 %" in found.reason) is (verdict is not Verdict.SLOWER)


def test_a_device_varies_less() -> None:
    one, two = recorded(1.0, "cuda"), recorded(1.06, "cuda")
    for trace in (one, two):
        trace.kernel("gemm", 0, 10)
    assert judge(one, two).headline.verdict is Verdict.SLOWER


def recorded(times: float, vendor: str = "cpu") -> TraceBuilder:
    """Eight steps of one operator without shapes."""
    return sequence([[("aten::mm", round(us * times))] for us in LENGTHS], vendor=vendor)
