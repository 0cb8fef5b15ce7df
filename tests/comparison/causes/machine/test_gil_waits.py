"""Waits for the GIL: pauses of the main thread that last as long as Python's switch interval, wherever they occur."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.comparison import Comparison
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare

NAMES = ("conv2d", "batch_norm", "relu", "linear", "mul", "add", "mean", "sum")


def training(
    pauses_us: tuple[float, ...] = (), *, places: int = 8, within: int = 0, leaf: bool = False, call: bool = False
) -> TraceBuilder:
    """Ten steps of eight operators, each with one inside. The first `places` operators are followed by a pause, the
    first `within` of these start with it instead; with `leaf` the inner operator takes that time, with `call` a device
    API call starts in it."""
    trace, at, count = TraceBuilder() if call else TraceBuilder(vendor="cpu"), 0.0, 0
    for number in range(10):
        begin = at
        for place, name in enumerate(NAMES):
            pause = pauses_us[count % len(pauses_us)] if pauses_us and place < places else 0.0
            count += 1
            inner = 0.0 if place >= within or leaf else pause
            took = 40.0 + 3 * place + (number + place) % 3 + (pause if leaf else 0.0)
            trace.op(f"aten::{name}", at, at + inner + took + 10, dims=[[64, 64]])
            trace.op(f"aten::{name}_out", at + inner + 5, at + inner + took, dims=[[64, 64]])
            at += inner + took + 10
            if call:
                trace.call("cudaDeviceSynchronize", at + 1, at + 1 + pause / 2)
            at += 4.0 if inner or leaf else pause + 4.0
        trace.step(number, begin, at)
        at += 5
    trace.op("aten::item", at, at + 10)  # pauses end with the next operator
    return trace


def rules(of: Comparison) -> list[str]:
    return [finding.rule for finding in of.findings]


SWITCHES = (5100.0, 5200.0, 10300.0, 5150.0, 15500.0)


@pytest.mark.parametrize("within", [0, 3, 8])
def test_pauses_of_a_switch_interval_are_waits_for_the_gil(within: int) -> None:
    result = compare(training(), training(SWITCHES, within=within))
    (finding,) = result.findings
    assert finding.rule == "gil_waits"
    assert finding.sentence.startswith("Waits for Python's GIL: +66.0 ms per step; 0 → 8 pauses per step of 5 ms")
    assert finding.share == pytest.approx(1, abs=0.01)


def test_an_improvement_mirrors_it() -> None:
    (finding,) = compare(training(SWITCHES), training()).findings
    assert finding.sentence.startswith("Fewer waits for Python's GIL: −66.0 ms per step; 8 → 0 pauses")


def test_as_many_waits_on_both_sides_are_no_cause() -> None:
    assert "gil_waits" not in rules(compare(training(SWITCHES), training(SWITCHES)))


@pytest.mark.parametrize(
    "candidate",
    [
        training((4100.0, 5200.0, 7300.0, 6100.0, 9700.0)),  # Python code of any length
        training((30300.0,)),  # more intervals than a thread waits
        training((10100.0, 20300.0)),  # ticks of a kernel
        training((5100.0,), places=4),  # a loop that sleeps, between the same operators
        training(SWITCHES, leaf=True),  # work of operators
        training(SWITCHES, call=True),  # the device
    ],
    ids=["lengths", "long", "ticks", "places", "work", "device"],
)
def test_other_pauses_are_not(candidate: TraceBuilder) -> None:
    assert "gil_waits" not in rules(compare(training(), candidate))


def test_seven_waits_are_too_few() -> None:
    def few(count: int) -> TraceBuilder:
        return training((*(5100.0,) * count, *(0.0,) * (80 - count)))

    assert "gil_waits" not in summary(few(7)).groups
    assert "gil_waits" in summary(few(8)).groups


def test_waits_add_up_by_operator_and_step() -> None:
    group = summary(training((5100.0,), within=3)).groups["gil_waits"]
    assert {key[0]: calls.tolist() for key, calls in zip(group.keys, group.calls, strict=True)} == {
        "(nothing recorded)": [5] * 10, "aten::conv2d": [1] * 10, "aten::batch_norm": [1] * 10, "aten::relu": [1] * 10,
    }  # fmt: skip


def test_operators_that_wait_do_not_make_the_pace() -> None:
    table = compare(training(), training(SWITCHES, within=4)).tables["common_work"]
    why = {row[1]: row[3] for row in table.rows}
    assert why["aten::conv2d"] == "not used: waits for Python's GIL"
    assert why["aten::mul"] == "used"


def test_pauses_of_other_threads_do_not_count() -> None:
    candidate = training()
    for number in range(60):  # a loader that polls
        candidate.op(f"aten::op{number % 6}", 5_200.0 * number, 5_200.0 * number + 50, thread=77)
    assert "gil_waits" not in summary(candidate).groups


def test_only_waits_within_steps_count_up_to_their_end() -> None:
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for number in range(10):
        trace.step(number, at, at + 7_000)  # the second pause lasts longer, the third starts later
        for name in NAMES[:6]:
            trace.op(f"aten::{name}", at, at + 100)
            at += 5_200
    group = summary(trace).groups["gil_waits"]
    assert group.calls.tolist() == [[2] * 10]
    assert group.measures_ns["total"].tolist() == [[5_100_000 + 1_700_000] * 10]


def test_waits_of_the_loader_are_its_time() -> None:
    def loading(pause_us: float) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0.0
        for number in range(10):
            begin = at
            for name in NAMES:  # each item of the batch is made by another operator
                trace.op(f"aten::{name}", at + pause_us + 20, at + pause_us + 60 + number % 3)
                at += pause_us + 70
            trace.loader(begin, at)
            trace.op("aten::mm", at + 5, at + 400)
            trace.step(number, begin, at + 410)
            at += 420
        return trace

    assert rules(compare(loading(1.0), loading(5150.0))) == ["gil_waits"]


def test_waits_while_the_device_works_cost_nothing() -> None:
    def on_device(pause_us: float) -> TraceBuilder:
        trace, at = TraceBuilder(), 0.0
        for number in range(10):
            begin = at
            trace.kernel("gemm", begin + 30, begin + 20_030 + number % 3, launch=(begin + 5, begin + 15))
            for name in NAMES:
                trace.op(f"aten::{name}", at, at + 60)
                at += 60 + pause_us
            at = max(at, begin + 20_050)
            trace.step(number, begin, at)
            at += 10
        return trace

    result = compare(on_device(4.0), on_device(5150.0))
    (finding,) = result.findings
    assert finding.rule == "gil_waits"
    assert finding.delta_us == pytest.approx(result.headline.delta, rel=0.05)  # 22 of 41 ms


def test_no_wait_is_lost_in_a_long_recording() -> None:
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for number in range(16_400):  # rows are looked at in pieces of 16,384
        trace.op(f"aten::{NAMES[number % 8]}", at, at + 1)
        at += 5_100.0 if 16_378 <= number < 16_390 else 2.0
    trace.step(1, 0.0, at)
    assert summary(trace).groups["gil_waits"].calls.sum() == 12
