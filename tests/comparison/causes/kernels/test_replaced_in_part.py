"""Some calls of an operator launch another kernel."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of


def convolutions(other: int, *, kept: int = 6) -> TraceBuilder:
    """Steps of six convolutions: the first `kept` launch the usual kernel, the last `other` another one."""
    trace, device = TraceBuilder(), 0.0
    for step in range(12):
        at = device
        device += 20
        for number in range(6):
            begin = at + 12 * number
            trace.op("aten::conv2d", begin, begin + 11, dims=[[8, 64, 56, 56]])
            kernels = [("implicit_gemm", 50)] * (number < kept) + [("direct_convolution", 110)] * (number >= 6 - other)
            for place, (name, us) in enumerate(kernels):
                us += step % 3
                trace.kernel(name, device, device + us, launch=(begin + 1 + 5 * place, begin + 5 + 5 * place))
                device += us + 1
        trace.step(step, at, device)
        device += 5
    return trace


def test_a_kernel_that_replaced_another_in_some_calls_is_named() -> None:
    found = compare(convolutions(0), convolutions(2, kept=4))
    change = finding_of(found, "kernel_replaced")
    assert change.sentence.startswith("A different kernel does the work: +120 µs per step; aten::conv2d launches")
    assert "direct_convolution (222 µs, 2 per step) instead of implicit_gemm (102 µs, 2 per step)" in change.sentence
    opposite = finding_of(compare(convolutions(2, kept=4), convolutions(0)), "kernel_replaced")
    assert opposite.change_us == -change.change_us


@pytest.mark.parametrize("kept", [5, 6])
def test_a_kernel_beside_others_replaced_none(kept: int) -> None:
    """Two calls launch a new kernel, and the old one runs as often, or once less."""
    sides = convolutions(0), convolutions(2, kept=kept)
    assert not {"kernel_replaced"} & {*rules_of(compare(*sides)), *rules_of(compare(*sides[::-1]))}
