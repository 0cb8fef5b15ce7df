"""Sizes that are no multiples of 8 are a cause where work is done in blocks, not where rows are looked up."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.work_pictures import calls


@pytest.mark.parametrize(("operator", "is_cause"), [("aten::mm", True), ("fbgemm::lookup_rowwise", False)])
def test_only_operators_that_compute_in_blocks_pay_for_odd_sizes(operator: str, is_cause: bool) -> None:
    before, after = (
        summary(calls(f"4x {operator}[512,{size}] | work {us}\naten::relu[64] | relu 500", steps=8))
        for size, us in ((1024, 300), (1023, 500))
    )
    rules = {one.rule for one in compare_summaries(before, after, CompareOptions(resamples=200)).findings}
    assert ("alignment_lost" in rules) == is_cause
