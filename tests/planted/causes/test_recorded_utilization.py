"""Traces with measured utilization attached: a slower kernel is told with the figure that fell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tb_perfcompare.model.summary.summary import Summary
from tests.planted.faults import BASE, layers, longer
from tests.planted.programs import NORM
from tests.planted.sides import causes, compared, first, side

KERNEL = NORM.forward[0].name


def measured(summary: Summary, **figures: float) -> Summary:
    """The summary with figures on the kernel, as attaching a listing gives them."""
    kernels = summary.groups["kernels"]
    facts = {
        name: np.where([key[0] == KERNEL for key in kernels.keys], value, np.nan) for name, value in figures.items()
    }
    return replace(summary, groups={**summary.groups, "kernels": replace(kernels, facts={**kernels.facts, **facts})})


HEALTHY = side(BASE, 1)
SLOW = side(BASE.changed(layers=layers((NORM, longer(NORM, 3.0)))), 101)


@pytest.mark.parametrize(
    ("before", "after", "rule", "says"),
    [
        ({"dram_active": 0.72}, {"dram_active": 0.31}, "utilization_lost", "lower DRAM throughput (72.0 % → 31.0 %)"),
        ({"tensor_active": 0.6}, {"tensor_active": 0.2}, "utilization_lost", "tensor utilization (60.0 % → 20.0 %)"),
        ({"achieved_occupancy": 0.5}, {"achieved_occupancy": 0.2}, "occupancy_lost", "occupancy (50.0 % → 20.0 %)"),
        ({"dram_active": 0.72}, {"dram_active": 0.71}, "kernel_slower", "other kernels did not change the same way"),
        ({"dram_active": 0.31}, {"dram_active": 0.72}, "kernel_slower", "other kernels did not change the same way"),
        ({"dram_active": 0.72}, {}, "kernel_slower", "other kernels did not change the same way"),
    ],
    ids=["DRAM", "tensor pipe", "occupancy", "the same", "more of it", "on one side only"],
)  # fmt: skip
def test_a_slower_kernel_with_a_figure_that_fell(
    before: dict[str, float], after: dict[str, float], rule: str, says: str
) -> None:
    found = compared(measured(HEALTHY, **before), measured(SLOW, **after))
    assert causes(found) == [rule]
    assert first(found).subject == KERNEL and says in first(found).sentence


def test_exchanging_the_sides_finds_the_figure_that_rose() -> None:
    found = compared(measured(SLOW, dram_active=0.31), measured(HEALTHY, dram_active=0.72))
    assert causes(found) == ["utilization_gained"]
    assert "One kernel is faster" in first(found).sentence
    assert "higher DRAM throughput (31.0 % → 72.0 %)" in first(found).sentence
