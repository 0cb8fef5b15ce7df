"""The same operator on the same shapes does other work on inputs in channels_last layout."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

CONTIGUOUS, CHANNELS_LAST = "[[3072, 1024, 32, 1]]", "[[3072, 1, 96, 3]]"


def network(strides: str, us: int) -> TraceBuilder:
    """Eight steps of four convolutions of `us`, and of twelve other operators that take as long on both sides."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = 5_000 * step
        trace.step(step, at, at + 4 * us + 1_300 + step % 3)
        for call in range(4):
            begin = at + call * (us + 1)
            trace.op("aten::convolution", begin, begin + us, dims=[[8, 3, 32, 32]], **{"Input Strides": strides})
        for call in range(12):
            begin = at + 4 * us + 10 + 100 * call
            trace.op(f"aten::op{call}", begin, begin + 90, dims=[[64, 64]], **{"Input Strides": "[[64, 1]]"})
    return trace


def layouts(*sides: TraceBuilder) -> list[str | None]:
    return [dict(summary(side).environment).get("layout.channels_last") for side in sides]


def test_operators_in_channels_last_layout_are_recorded() -> None:
    assert layouts(network(CONTIGUOUS, 500), network(CHANNELS_LAST, 300)) == [None, "aten::convolution"]


def test_they_say_nothing_about_the_machine_and_the_cause_names_the_layout() -> None:
    a, b = (summary(network(*side)) for side in ((CONTIGUOUS, 500), (CHANNELS_LAST, 300)))
    found = compare_summaries(a, b, CompareOptions(resamples=200))
    refused = [row for row in found.tables["common_work"].rows if row[3] == "not used: other arguments"]
    assert [row[1] for row in refused] == ["aten::convolution"]
    (finding,) = found.findings
    assert (finding.rule, finding.subject) == ("operator_faster", "aten::convolution")
    assert finding.sentence.endswith("; its inputs are now in channels_last layout.")
    assert "strides" not in finding.sentence


def test_kernels_of_operators_on_other_strides_are_not_the_same_work() -> None:
    def steps(strides: str, us: int) -> TraceBuilder:
        trace = TraceBuilder()
        for step in range(8):
            at = 5_000 * step
            trace.step(step, at, at + 4 * us + 1_300 + step % 3)
            for call in range(4):
                begin = at + call * (us + 10)
                trace.op("aten::sqrt", begin, begin + 9, dims=[[64, 32]], **{"Input Strides": strides})
                trace.kernel("elementwise", begin + 8, begin + us, launch=(begin + 2, begin + 4))
        return trace

    found = compare_summaries(
        summary(steps("[[32, 1]]", 300)), summary(steps("[[1, 64]]", 400)), CompareOptions(resamples=200)
    )  # fmt: skip
    rows = [row for row in found.tables["common_work"].rows if row[1] == "elementwise"]
    assert [row[3] for row in rows] == ["not used: other strides of its operator"]
