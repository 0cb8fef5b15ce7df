"""Kernels by module and by data type."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarized, summary
from tests.build import TraceBuilder
from tests.strategies import traces

ENGINE = "autograd::engine::evaluate_function: "
TABLES = ("kernels_by_module", "kernels_by_type")


def network(gemm_us: float = 40, types: tuple[str, str] = ("float", "c10::Half")) -> TraceBuilder:
    """Net_0 with Linear_0 inside, its backward pass, and a kernel without a launch."""
    trace = TraceBuilder()
    trace.step(1, 0, 600)
    trace.python("nn.Module: Net_0", 10, 200, number=1, module=0)
    trace.python("nn.Module: Linear_0", 20, 120, number=2, parent=1, module=0)
    trace.op("aten::linear", 30, 60, **{"Input type": [types[0], types[0]]})
    trace.kernel("gemm", 310, 310 + gemm_us, launch=(40, 45))
    trace.op("aten::relu", 130, 140)
    trace.kernel("relu", 400, 410, launch=(132, 135))
    trace.op(f"{ENGINE}AddmmBackward0", 210, 260)
    trace.op("aten::mm", 220, 250, **{"Input type": [types[1], types[1]]})
    trace.kernel("gemm", 420, 425, launch=(230, 235))
    trace.op("aten::sum", 270, 280)
    trace.kernel("lost", 500, 507)
    return trace


def total_us(of: Summary, table: str) -> dict[tuple[str, ...], float]:
    group = of.groups[table]
    times = group.measures_ns["total"].sum(axis=1)
    return {tuple(key): ns / 1000 for key, ns in zip(group.keys, times.tolist(), strict=True)}


def test_a_kernel_is_split_by_the_module_that_launched_it() -> None:
    assert total_us(summary(network()), "kernels_by_module") == {
        ("gemm", "Linear_0"): 40,
        ("gemm", "(backward, outside modules)"): 5,
        ("relu", "Net_0"): 10,
        ("lost", "(outside modules)"): 7,
    }


@pytest.mark.parametrize("half", ["c10::Half", "struct c10::Half"])
def test_a_kernel_is_split_by_the_types_of_its_operator(half: str) -> None:
    assert total_us(summary(network(types=("float", half))), "kernels_by_type") == {
        ("gemm", "['float', 'float']"): 40,
        ("gemm", "['c10::Half', 'c10::Half']"): 5,
        ("relu", ""): 10,
        ("lost", ""): 7,
    }


@given(traces())
def test_modules_types_and_launches_of_a_kernel_sum_to_it(trace: TraceBuilder) -> None:
    of = summarized(trace)
    for name in (*TABLES, "kernels_by_launch"):
        split, whole = of.groups.get(name), of.groups.get("kernels")
        if split is None or whole is None:
            continue
        for key in whole.keys:
            rows = [at for at, part in enumerate(split.keys) if part[0] == key[0]]
            at = list(whole.keys).index(key)
            assert np.array_equal(split.measures_ns["total"][rows].sum(axis=0), whole.measures_ns["total"][at])
            assert np.array_equal(split.calls[rows].sum(axis=0), whole.calls[at])


def test_splits_are_compared_by_row() -> None:
    sides = summary(network()), summary(network(50, ("float", "float")))
    found = compare_summaries(*sides, CompareOptions(resamples=200))
    for name, key in zip(TABLES, (("gemm", "Linear_0"), ("gemm", "['float', 'float']")), strict=True):
        table = found.tables[name]
        at = {column.name: place for place, column in enumerate(table.columns)}
        row = next(row for row in table.rows if row[:2] == key)
        assert row[at["delta_us"]] == (10 if name == "kernels_by_module" else 15)
        assert sum(row[at["delta_us"]] or 0 for row in table.rows if row[at["status"]] == "both") == pytest.approx(
            10 if name == "kernels_by_module" else 15
        )


@pytest.mark.parametrize(
    ("name", "hint"), [("kernels_by_module", "with_stack=True"), ("kernels_by_type", "record_shapes=True")]
)
def test_a_split_that_was_not_recorded_has_a_reason(name: str, hint: str) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 20)
    trace.kernel("gemm", 30, 40, launch=(12, 15))
    drawn = summary(trace)
    assert name not in drawn.groups
    assert hint in drawn.absent[name]
