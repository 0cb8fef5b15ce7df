"""Waits for the device expose host work, but do not make additional calls."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare

NAMES = ("mm", "relu", "add", "layer_norm", "gelu", "softmax")


def training(*, waits: int = 0, slices: int = 0, checks: int = 0, each: int = 40) -> TraceBuilder:
    """Ten steps of twenty operators, half of them of `each` us, whose kernels hide the host, which waits for the
    device `waits` times per step, after `checks` operators each, and then `slices` small operators."""
    trace, at = TraceBuilder(), 0
    for number in range(10):
        begin, host, device = at, at, at + 20
        for place in range(20):
            name, length = NAMES[place % len(NAMES)], each if place % 2 else 40
            trace.op(f"aten::{name}", host, host + length)
            device = max(device, host + 35)
            trace.kernel("gemm", device, device + 90 + (number + place) % 3, launch=(host + 10, host + 20))
            device += 95
            host += length + 2
            if place < waits:
                for _ in range(checks):
                    trace.op("aten::isfinite", host, host + 15)
                    host += 16
                trace.op("aten::copy_", host, device + 5)
                trace.call("cudaStreamSynchronize", host + 2, device + 3)
                host = device + 6
        host = max(host, device if waits else host)
        for _ in range(slices):
            trace.op("aten::slice", host, host + 8)
            host += 9
        at = max(host, device) + 2
        trace.step(number, begin, at - 1)
    return trace


@pytest.mark.parametrize(
    ("waits", "slices", "checks", "rule"),
    [
        (12, 0, 0, "synchronization"), (2, 200, 0, "operators_changed"), (2, 4, 0, "synchronization"),
        (12, 0, 3, "synchronization"),
    ],
)  # fmt: skip
def test_additional_calls_are_no_waits(waits: int, slices: int, checks: int, rule: str) -> None:
    first = compare(training(), training(waits=waits, slices=slices, checks=checks)).findings[0]
    assert first.rule == rule, first.sentence


def test_waits_expose_slower_calls_that_would_else_be_hidden() -> None:
    found = compare(training(), training(waits=12, each=70)).findings
    (share,) = [one.share for one in found if one.rule == "synchronization"]
    assert share is not None and share > 0.9


def test_waits_in_a_replaced_operator_are_told_with_it() -> None:
    """Rows are picked by a loop over their indices."""

    def indexed(*picks: str) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for number in range(10):
            begin = at
            for name in ("aten::embedding", *picks, "aten::linear"):
                trace.op(name, at, at + 20)
                trace.kernel("gemm", at + 8, at + 12, launch=(at + 2, at + 6))
                if name == "aten::item":
                    trace.call("cudaStreamSynchronize", at + 8, at + 18)
                at += 22
            at += number % 3
            trace.step(number, begin, at - 1)
        return trace

    (only,) = compare(indexed("aten::gather"), indexed(*["aten::item", "aten::select"] * 8)).findings
    assert only.sentence.endswith(
        "1 aten::gather → 8 aten::item (waiting for the device), 8 aten::select."
    )


def test_operators_whose_exposed_time_alone_changed_are_not_named() -> None:
    """What follows the slower operators is no longer hidden by the device, which waits for these."""

    def launching(each: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for number in range(10):
            host, device = at, at
            for name in NAMES:
                for _ in range(3):
                    trace.op(f"aten::{name}", host, host + each)
                    device = max(device, host + 20)
                    trace.kernel("gemm", device, device + 80 + number % 3, launch=(host + 5, host + 10))
                    host, device = host + each, device + 85
                trace.op("aten::copy", host, host + 150)
                host += 150
            trace.step(number, at, host)
            at = max(host, device) + 1
        return trace

    for sides, grew in (((20, 90), "grew"), ((90, 20), "shrank")):
        (cpu,) = [one for one in compare(*map(launching, sides)).findings if one.rule == "host_time"]
        assert f"own time, hidden or not, {grew} most in aten::add (" in cpu.sentence
        assert "aten::copy" not in cpu.sentence and cpu.subject == "CPU Exec"


def test_waits_do_not_explain_the_new_operators_around_them() -> None:
    """A step that the host makes long already, with more work that waits for the device now and then."""

    def measured(checks: int) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(8):
            begin = host = 20_000 * number
            for name in (*("aten::mm",) * 20, *("aten::sort", "aten::index", "aten::cumsum", "aten::item") * checks):
                trace.op(name, host, host + 60)
                trace.kernel(name[6:], host + 30, host + 50, launch=(host + 10, host + 20))
                host += 62
                if name == "aten::item":
                    trace.call("cudaStreamSynchronize", host - 8, host - 4)
            trace.step(number, begin, host)
        return trace

    first, *_ = compare(measured(0), measured(40)).findings
    assert first.rule == "operators_changed" and first.share is not None and first.share > 0.9
