"""Regressions: sentences that were false on some recording."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, judge, sequence

OPTIONS = CompareOptions(resamples=200)


def all_sentences(of: Comparison) -> str:
    checks = [check.detail for check in of.comparability]
    findings = [f"{finding.sentence} {finding.look_at}" for finding in of.findings]
    return "\n".join([of.headline.reason, *checks, *findings, *(note.message for note in of.notes)])


def unlinked(kernel: str, vendor: str = "cuda") -> Summary:
    """Operators on the host, and kernels without a recorded launch."""
    trace = TraceBuilder(vendor=vendor)
    for number in range(2):
        trace.step(number, 1000 * number, 1000 * number + 900)
        trace.op("aten::mm", 1000 * number + 10, 1000 * number + 500)
        trace.kernel(kernel, 1000 * number + 20, 1000 * number + 400)
    return summary(trace)


def test_operators_without_linked_kernels_still_count_as_recorded() -> None:
    found = all_sentences(compare(unlinked("gemm"), unlinked("Cijk", "rocm")))
    assert "no operators were recorded" not in found
    assert "no device work is linked to an operator" in found


def rank(vendor: str, worker: str) -> Summary:
    trace = TraceBuilder(vendor=vendor)
    for number in range(2):
        trace.step(number, 1000 * number, 1000 * number + 900)
        trace.op("aten::mm", 1000 * number + 10, 1000 * number + 500)
        if vendor != "cpu":
            start = 1000 * number
            trace.kernel("gemm", start + 100, start + 300, launch=(start + 20, start + 30))
    return summary(trace, worker=worker)


def test_a_rank_without_device_work_keeps_the_device_of_the_job() -> None:
    mixed = pool([rank("cpu", "rank0"), rank("cuda", "rank1")])
    whole = pool([rank("cuda", "rank0"), rank("cuda", "rank1")])
    assert (mixed.device.kind, mixed.device.name) == ("cuda", whole.device.name)
    device = check_of(judge(mixed, whole), "device_kind")
    assert device.detail.startswith("same device: NVIDIA")


def stacked(flag: bool | None, extra: float = 0) -> Summary:
    """Growing untraced host time, with with_stack as given."""
    trace = TraceBuilder(vendor="cpu")
    if flag is not None:
        trace.properties["with_stack"] = int(flag)
    for number in range(8):
        at = 2000 * number
        trace.step(number, at, at + 1000 + extra + number % 2)
        trace.op("aten::mm", at + 10, at + 500)
    return summary(trace)


@pytest.mark.parametrize(
    ("one", "two", "advice"),
    [
        (True, True, "Python code between operators, other threads of the program (GIL), other load on the machine"),
        (False, False, "Python code between operators (record with with_stack=True), other threads of the program"),
        (True, False, "Python code between operators (record the candidate with with_stack=True), other threads"),
    ],
)
def test_a_finding_does_not_ask_for_a_profiler_option_that_was_on(one: bool, two: bool, advice: str) -> None:
    assert advice in all_sentences(compare(stacked(one), stacked(two, 500)))


@pytest.mark.parametrize(
    ("table", "flag", "plain"),
    [
        ("modules", "with_stack", "no nn.Module calls"),
        ("operators_by_shape", "record_shapes", "no input shapes"),
        ("memory", "profile_memory", "no memory events"),
    ],
)
def test_an_absent_table_does_not_ask_for_a_profiler_option_that_was_on(table: str, flag: str, plain: str) -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mm", 0, 100)
    assert summary(trace).absent[table].startswith(f"{plain}; record with ")
    trace.properties[flag] = 1
    assert summary(trace).absent[table] == f"{plain}, though {flag}=True was on"


def wild(shift: float) -> TraceBuilder:
    """Steps between 1 and 4,000 ms."""
    lengths = (1e3, 4e6, 2e3, 3e6, 5e3, 1e6, 8e3, 2e6)
    return sequence(([("aten::mm", us / 2), ("", us * shift - us / 2)] for us in lengths), vendor="cpu")


def test_millions_of_steps_are_not_advised() -> None:
    got = compare(wild(1), wild(1.01))
    assert got.headline.certainty is not None
    assert got.headline.certainty.steps_needed is None
    assert "steps per side would resolve" not in all_sentences(got)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_headline_says_that_only_the_slower_side_recorded_an_option(swapped: bool) -> None:
    def steps(us: int, **options: int) -> TraceBuilder:
        trace = sequence([[("aten::mm", us + number % 3)] * 4 for number in range(12)], gap=2, vendor="cpu")
        trace.properties |= {"with_stack": 0, "record_shapes": 0, **options}
        return trace

    plain, stacks = steps(100), steps(130, with_stack=1)
    sentence = compare(*((stacks, plain) if swapped else (plain, stacks))).headline.sentence
    assert sentence.endswith(f"; only the {'baseline' if swapped else 'candidate'} recorded with_stack.")
    for faster in (steps(70, with_stack=1), steps(130, record_shapes=1)):
        pair = (plain, faster) if faster.properties["with_stack"] else (stacks, faster)
        assert "recorded" not in compare(*pair).headline.sentence
