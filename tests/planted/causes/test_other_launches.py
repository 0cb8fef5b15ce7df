"""Other inputs where no shapes were recorded: the launches of the kernels tell."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.comparison.result.comparison import Comparison
from tests.build import TraceBuilder
from tests.planted.sides import causes, compared, first, summary

KERNELS = ("gemm", "batch_norm", "relu", "softmax", "loss")


def recording(
    blocks: Sequence[float] = (1.0,), us: float = 1.0, seed: int = 0, only: str = "", but: str = "",
    us_but: float | None = None, registers: Sequence[int | None] = (32,), tile: str = "",
) -> TraceBuilder:  # fmt: skip
    """Eight steps of five kernels; `blocks` scale the grids, from step to step in turns, or those of `only` one kernel,
    or of all `but` some; `us` scales all times, `us_but` theirs. The product's kernel has another `tile`."""
    trace = TraceBuilder()
    now = 1000.0
    for step in range(8):
        begin = now
        for number, name in enumerate(KERNELS):
            other = name in but.split()
            scale = blocks[step % len(blocks)] if only in ("", name) and not other else 1.0
            length = 100 + 25 * (name == "batch_norm") + (7 * step + 3 * number + seed) % 5
            length *= us if us_but is None or not other else us_but
            trace.op("aten::mm" if name == "gemm" else f"aten::{name}", now, now + 20)
            grid = (round(64 * scale * (number + 1)), 1, 1)
            of_all = {"registers per thread": 32 if only and only != name else registers[step % len(registers)]}
            span = now + 25, now + 25 + length
            kernel = f"{name}_kernel{tile * (name == 'gemm')}"
            trace.kernel(kernel, *span, launch=(now + 10, now + 15), grid=grid, **of_all)
            now += length + 30
        trace.step(step, begin, now)
    return trace


def compared_traces(one: TraceBuilder, two: TraceBuilder) -> Comparison:
    return compared(summary(one), summary(two))


def test_a_larger_batch() -> None:
    comparison = compared_traces(recording(), recording([1.5], us=1.45, seed=1))
    assert causes(comparison) == ["workload_changed"]
    assert "launch ×1.50 the threads" in first(comparison).sentence
    assert "grid [128, 1, 1] block [256, 1, 1] → grid [192, 1, 1] block [256, 1, 1]" in first(comparison).sentence


def test_a_smaller_batch() -> None:
    comparison = compared_traces(recording([1.5], us=1.45, seed=1), recording())
    assert causes(comparison) == ["workload_changed"]
    assert "launch ×0.667 the threads" in first(comparison).sentence


def test_a_slower_clock_leaves_the_launches_as_they_are() -> None:
    assert causes(compared_traces(recording(), recording(us=1.45, seed=1))) == ["device_pace"]


def test_one_kernel_that_is_tuned_otherwise_is_no_other_work() -> None:
    assert "workload_changed" not in causes(compared_traces(recording(), recording([4.0], us=1.2, only="gemm")))


def test_smaller_tiles_are_no_other_work() -> None:
    """Kernels of Triton with other constants use other numbers of registers; each thread does less."""
    smaller = recording([16.0], us=1.45, seed=1, registers=[16])
    assert "workload_changed" not in causes(compared_traces(recording(), smaller))


def test_a_kernel_with_smaller_tiles_was_compiled_otherwise() -> None:
    others = "batch_norm relu softmax loss"
    smaller = recording([16.0], us=2.0, us_but=1.0, seed=1, only="gemm", but=others, registers=[16])
    finding = first(compared_traces(recording(), smaller))
    assert finding.rule == "kernel_slower"
    assert "; compiled otherwise (32 → 16 registers per thread); " in finding.sentence
    assert finding.look_at.startswith("the kernel's tile or block size")


def test_a_kernel_that_keeps_some_of_its_variants_was_not_compiled_otherwise() -> None:
    """Registers of some launches may be unknown."""
    one, two = recording([1.0, 2.0], registers=[32, 16]), recording([1.5, 3.0], us=1.45, registers=[32, None])
    assert causes(compared_traces(one, two)) == ["workload_changed"]


def test_larger_inputs_may_choose_another_product_kernel() -> None:
    larger, tuned = (recording(blocks, us=1.45, seed=1, tile="_64x64") for blocks in ([1.5], [1.0]))
    comparison = compared_traces(recording(), larger)
    assert causes(comparison) == ["workload_changed"]
    assert "kernels with 81.0 % of the device time launch ×1.50 the threads" in first(comparison).sentence
    assert "workload_changed" not in causes(compared_traces(recording(), tuned))


def test_lengths_that_vary_from_step_to_step_may_differ_by_chance() -> None:
    one, two = (1.0, 0.5, 1.5, 2.0, 0.7, 0.9, 1.2, 1.1), (1.9, 1.3, 0.8, 2.5, 1.6, 1.4, 0.6, 2.1)
    assert "workload_changed" not in causes(compared_traces(recording(one), recording(two, us=1.2)))


def test_larger_inputs_of_varying_lengths_are_no_slower_device() -> None:
    lengths = (1.0, 0.5, 1.5, 2.0, 0.7, 0.9, 1.2, 1.1)
    comparison = compared_traces(recording(lengths), recording([3 * one for one in lengths], us=3.0, seed=1))
    assert causes(comparison) == []
    assert "; the typical kernel launches ×3.00 the threads." in comparison.findings[0].sentence


def test_the_example_is_a_kernel_that_changed() -> None:
    comparison = compared_traces(recording(), recording([1.5], us=1.45, seed=1, but="batch_norm"))
    assert causes(comparison) == ["workload_changed"]
    assert "_kernel grid [" in first(comparison).sentence
    assert "batch_norm_kernel" not in first(comparison).sentence


def test_kernels_with_a_fixed_grid_take_as_much_longer() -> None:
    """Those that work in as many blocks as the device runs at once, on an H100 nearly all matrix products."""
    comparison = compared_traces(recording(), recording([1.5], us=1.45, seed=1, but="gemm softmax loss"))
    assert causes(comparison) == ["workload_changed"]


def test_wider_layers_leave_kernels_with_a_fixed_grid_as_they_are() -> None:
    comparison = compared_traces(recording(), recording([1.5], us=1.45, seed=1, but="gemm softmax loss", us_but=1.0))
    assert "workload_changed" not in causes(comparison)
