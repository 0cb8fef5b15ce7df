"""Without input shapes, the launches of a device show whether both sides do the same work."""

from __future__ import annotations

from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare

LAYERS = 6
PACES = (1.0, 1.3)
"""Pace of the host in two captures."""

NO_SHAPES = "no input shapes on both sides: record with record_shapes=True"


def step_of(
    trace: TraceBuilder, at: float, pace: float, *, batch: int, launches: bool, optimizer: int, evaluated: int
) -> float:
    """Draws a step that begins at `at`, returns its end. A layer is a product, whose grid does not depend on the batch,
    and two elementwise kernels; `optimizer` kernels work on parameters, `evaluated` calls are the program's fault."""

    def launch(operator: str, kernel: str, length: float, us: float, grid: int) -> None:
        nonlocal at
        trace.op(operator, at, at + length * pace)
        ids = {"grid": [grid, 1, 1]} if launches else {"grid": [], "block": []}
        trace.kernel(kernel, at + 20 * pace, at + 20 * pace + us, launch=(at + 5, at + 10), **ids)
        at += length * pace + 5

    for layer in range(LAYERS):
        launch("aten::mm", "persistent_gemm", 80 + layer, 40 * batch, 132)
        launch("aten::add", "add_kernel", 60, 4 * batch, 64 * batch)
        launch("aten::gelu", "gelu_kernel", 70, 4 * batch, 32 * batch)
    for _ in range(optimizer):
        launch("aten::add_", "add_parameters", 40, 2, 8)
    for _ in range(evaluated):
        trace.op("aten::equal", at, at + 100 * pace)
        at += 105 * pace
    return at + 30 * pace


@cache
def side(
    factor: float = 1.0, *, batch: int = 1, launches: bool = True, optimizer: int = 0, evaluated: int = 0,
    host_only: bool = False,
) -> Summary:  # fmt: skip
    """Two captures of eight steps; the host takes `factor` times as long."""
    captures = []
    for number, pace in enumerate(PACES if factor == 1.0 else PACES[::-1]):
        trace, at = TraceBuilder(), 0.0
        for step in range(8):
            wobble = 1 + 0.004 * ((7 * step + number) % 5 - 2)
            begin = at
            if host_only:
                for name in ("aten::mm", "aten::add", "aten::gelu"):
                    trace.op(name, at, at + 100 * pace * factor * wobble)
                    at += 105 * pace * factor * wobble
            else:
                at = step_of(
                    trace, at, pace * factor * wobble, batch=batch, launches=launches, optimizer=optimizer,
                    evaluated=evaluated,
                )  # fmt: skip
            trace.step(step, begin, at)
        captures.append(capture(trace, f"{factor} {number} {batch} {evaluated}"))
    return pool(captures)


def program(found: Comparison) -> tuple[float, float]:
    assert found.headline.program is not None, found.headline.unsplit
    return found.headline.program.low, found.headline.program.high


def test_a_slower_host_is_no_change_of_the_program() -> None:
    found = compare(side(), side(1.5))
    low, high = program(found)
    assert low <= 0 <= high < 0.05
    assert found.headline.machine is not None and found.headline.machine.estimate > 0.4
    assert found.headline.verdict is not Verdict.SLOWER or found.headline.basis is Basis.MACHINE


def test_an_additional_operator_is_the_program() -> None:
    found = compare(side(), side(1.01, evaluated=8))
    low, _ = program(found)
    assert low > 0.2
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)


@pytest.mark.parametrize(
    "candidate",
    [side(1.01, batch=2), side(1.01, launches=False)],
    ids=["other launches", "launches are not recorded"],
)
def test_without_the_same_launches_nothing_shows_the_same_work(candidate: Summary) -> None:
    found = compare(side(), candidate)
    assert (found.headline.program, found.headline.unsplit) == (None, NO_SHAPES)


def test_long_products_in_a_grid_of_the_device_do_not_hide_a_larger_batch() -> None:
    """Products and small kernels on parameters take 95 % of the time and of the launches, alike on both sides."""
    found = compare(side(batch=8, optimizer=300), side(1.01, batch=9, optimizer=300))
    assert found.headline.unsplit == NO_SHAPES


def test_without_a_device_nothing_shows_the_size_of_inputs() -> None:
    found = compare(side(host_only=True), side(1.01, host_only=True))
    assert found.headline.unsplit == NO_SHAPES
