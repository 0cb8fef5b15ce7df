"""Without input shapes, the launches of a device show whether both sides do the same work; the host's pace shows in
what it launches."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.pace.select import KERNELS, same_launches
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare, sequence

LAYERS = 6
PACES = (1.0, 1.3)
"""Pace of the host in two captures."""

NO_SHAPES = "record both sides with record_shapes=True"


@dataclass(frozen=True)
class Step:
    """What a step does. A layer is a product, whose grid does not depend on the batch, and two elementwise kernels of
    `elementwise` µs; `optimizer` kernels of so many `names` work on parameters; `checks` launch a kernel each. No
    kernel has more `blocks`. The host prepares each batch by six operators of `prepared` µs, or the `device` does. It
    waits `waits` µs for a kernel."""

    batch: int = 1
    elementwise: int = 4
    blocks: int = 10_000
    optimizer: int = 0
    names: int = 1
    checks: int = 0
    waits: int = 0
    prepared: int = 0
    device: bool = False
    shapes: bool = False
    vendor: str = "cuda"
    lengths: tuple[int, int] = (LAYERS, LAYERS)


def draw(trace: TraceBuilder, at: float, pace: float, layers: int, step: Step) -> float:
    """Draws a step that begins at `at`, returns its end."""

    def launch(operator: str, kernel: str, length: float, us: float, grid: int) -> None:
        nonlocal at
        trace.op(operator, at, at + length * pace, dims=[[step.batch, 8]] if step.shapes else None)
        start = at + 20 * pace
        trace.kernel(kernel, start, start + us, launch=(at + 5, at + 10), grid=[min(grid, step.blocks), 1, 1])
        at += length * pace + 5

    for number in range(6 if step.prepared else 0):
        length = step.prepared * step.batch * pace
        if step.device:
            launch(f"aten::prepare_{number}", "prepare_kernel", length / pace, 2, 10)
        else:
            trace.op(f"aten::prepare_{number}", at, at + length)
            at += length + 2
    for layer in range(layers):
        launch("aten::mm", "persistent_gemm", 80 + layer % 4, 40 * step.batch, 132)
        launch("aten::add", "add_kernel", 60, step.elementwise * step.batch, 64 * step.batch)
        launch("aten::gelu", "gelu_kernel", 70, step.elementwise * step.batch, 32 * step.batch)
    for number in range(step.optimizer):
        launch("aten::add_", f"add_parameters_{number % step.names}", 40, 2, 8)
    for _ in range(step.checks):
        launch("aten::equal", "equal_kernel", 100, 60, 300)
    if step.waits:
        launch("aten::sum", "reduce_kernel", 40, step.waits, 300)
        trace.call("cudaStreamSynchronize", at, at + step.waits)
        at += step.waits
    return at + 30 * pace


@cache
def side(factor: float = 1.0, step: Step = Step()) -> Summary:
    """Two captures of eight steps; the host takes `factor` times as long."""
    captures = []
    for number, pace in enumerate(PACES if factor == 1.0 else PACES[::-1]):
        trace, at = TraceBuilder(vendor=step.vendor), 0.0
        drawn = random.Random(31 * number + int(100 * factor))
        for place in range(8):
            wobble = 1 + 0.004 * ((7 * place + number) % 5 - 2)
            begin = at
            at = draw(trace, at, pace * factor * wobble, drawn.randint(*step.lengths), step)
            trace.step(place, begin, at)
        captures.append(capture(trace, f"{factor} {number} {step}"))
    return pool(captures)


def on_the_host(factor: float) -> TraceBuilder:
    """Eight steps of operators without a device."""
    names = ("aten::mm", "aten::add", "aten::gelu")
    return sequence([[(name, 100 * factor + step % 3) for name in names] for step in range(8)])


def program(found: Comparison) -> tuple[float, float]:
    assert found.headline.program is not None, found.headline.unsplit
    return found.headline.program.low, found.headline.program.high


def test_a_slower_host_is_no_change_of_the_program() -> None:
    found = compare(side(), side(1.5))
    low, high = program(found)
    assert low <= 0 <= high < 0.05
    assert found.headline.machine is not None and found.headline.machine.estimate > 0.4
    assert found.headline.verdict is not Verdict.SLOWER or found.headline.basis is Basis.MACHINE


@pytest.mark.parametrize("swapped", [False, True])
def test_additional_operators_are_the_program(swapped: bool) -> None:
    sides = (side(), side(1.01, Step(checks=8)))
    found = compare(*(sides[::-1] if swapped else sides))
    low, high = program(found)
    assert high < -0.2 if swapped else low > 0.2
    assert found.headline.basis is Basis.PROGRAM
    assert found.headline.verdict is (Verdict.FASTER if swapped else Verdict.SLOWER)


def test_where_the_number_of_layers_is_drawn_the_host_is_slower_at_equal_amount_of_work() -> None:
    found = compare(side(1.0, Step(lengths=(3, 12))), side(1.5, Step(lengths=(3, 12))))
    low, high = program(found)
    assert found.headline.amount is not None
    assert low <= 0 <= high < 0.1


@pytest.mark.parametrize("shapes", [False, True])
def test_a_host_that_launches_larger_kernels_takes_as_long(shapes: bool) -> None:
    found = compare(side(1.0, Step(shapes=shapes)), side(1.5, Step(shapes=shapes, batch=2)))
    low, high = program(found)
    assert low <= 0 <= high < 0.05
    assert [pace.of for pace in found.headline.paces if not pace.unusable] == ["host"]


@pytest.mark.parametrize("device", [False, True])
def test_what_the_host_computes_itself_takes_longer_for_a_larger_batch(device: bool) -> None:
    """Also if the device did it on one side."""
    found = compare(side(1.0, Step(prepared=300, device=device)), side(1.01, Step(prepared=300, batch=2)))
    low, _ = program(found)
    assert low > 0.2


def test_where_the_amount_varies_other_launches_leave_the_pace_open() -> None:
    found = compare(side(1.0, Step(lengths=(3, 12))), side(1.01, Step(lengths=(3, 12), batch=2)))
    assert (found.headline.program, found.headline.unsplit) == (None, NO_SHAPES)


def test_without_launches_alike_counts_of_calls_decide_nothing() -> None:
    assert compare(side(), side(1.01, Step(batch=2, checks=8))).headline.counted is None


LONG = Step(batch=8, elementwise=1, optimizer=300, waits=4000)
PARAMETERS = Step(batch=8, elementwise=9, optimizer=60, names=30, waits=4000)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Step(waits=4000), Step(batch=2, waits=4000)),
        (LONG, replace(LONG, batch=9)),
        (PARAMETERS, replace(PARAMETERS, batch=9)),
        (Step(vendor="mlu", waits=4000), Step(vendor="mlu", waits=4000)),
    ],
    ids=[
        "twice the batch", "most of the time in products, whose grid is the device's",
        "most names of kernels are the optimizer's", "launches that do not depend on the inputs",
    ],
)  # fmt: skip
def test_without_the_same_launches_nothing_shows_the_pace_of_the_device(one: Step, other: Step) -> None:
    found = compare(side(1.0, one), side(1.01, other))
    assert (found.headline.program, found.headline.unsplit) == (None, NO_SHAPES)


def test_launches_of_one_block_show_a_size_only_if_kernels_change_alike() -> None:
    """A loop over inputs of any size is one block, and takes longer than others on larger ones."""
    step = replace(LONG, blocks=1)
    assert compare(side(1.0, step), side(1.01, step)).headline.program is not None
    found = compare(side(1.0, step), side(1.01, replace(step, batch=16)))
    assert (found.headline.program, found.headline.unsplit) == (None, NO_SHAPES)


def test_without_a_device_nothing_shows_the_size_of_inputs() -> None:
    assert compare(on_the_host(1.0), on_the_host(1.01)).headline.unsplit == NO_SHAPES


def test_a_kernel_without_launches_in_the_steps_is_no_launch() -> None:
    whole = side()
    table = whole.groups[KERNELS]
    calls = table.calls.copy()
    calls[0] = 0
    none = replace(whole, groups={**whole.groups, KERNELS: replace(table, calls=calls)})
    assert same_launches((none, none)) > 0.9
    assert same_launches((whole, whole)) == 1.0


@pytest.mark.parametrize(("checks", "calls"), [
    (0, "the same 18 operator calls per step"), (2, "operator calls per step 18 → 20, 18 in common"),
])  # fmt: skip
def test_between_two_kinds_of_device_the_operator_calls_tell_if_it_is_the_same_program(checks: int, calls: str) -> None:
    found = compare(side(), side(1.0, Step(vendor="rocm", checks=checks)))
    assert found.headline.unsplit == f"different kinds of device; {calls}"
