"""Amounts of work that no 64-bit number holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.model.summary.amounts import amounts_of_work
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare


@pytest.mark.parametrize("dims", [[[10**12, 10**12]], [[2**62, 2]], [[3 * 10**9, 10**9]], [[2**40, 2**20]]])
def test_shapes_of_any_size_are_counted_up_to_a_limit(dims: list[list[int]]) -> None:
    """The largest sum is that of four calls; it neither fails nor becomes a small number."""
    made = []
    for rank in range(2):
        trace, at = TraceBuilder(vendor="cpu", rank=rank, world_size=2), 0
        for step in range(1, 5):
            begin = at
            for call in range(4):
                trace.op("aten::mm", at, at + 100 + call, dims=dims)
                at += 300
            trace.step(step, begin, at)
            at += 3
        made.append(capture(trace, "0", f"w{rank}"))
    job = pool(made)
    elements = amounts_of_work(job)[1]
    assert (elements == min(4 * int(np.prod(dims[0], dtype=object)), 2**62)).all()
    assert compare(job, job).findings == ()


def test_flops_beyond_the_limit_do_not_wrap() -> None:
    trace = TraceBuilder(vendor="cpu")
    for step in range(3):
        trace.op("aten::mm", step * 100, step * 100 + 50, dims=[[8, 8], [8, 8]])
        trace.step(step, step * 100, step * 100 + 60)
    side = summary(trace)
    work = side.groups["operator_work"]
    rows = [work.measures_ns["flops"] * 0 + 2**62] * 3
    many = replace(work, measures_ns={"flops": np.concatenate(rows)})
    assert (amounts_of_work(replace(side, groups={"operator_work": many}))[0] == 2**62).all()
