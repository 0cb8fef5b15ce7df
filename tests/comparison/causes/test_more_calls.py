"""More calls of the same operators; fewer calls with the sides swapped."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence


def program(products: int, sums: int) -> TraceBuilder:
    return sequence([[("aten::mm", 20)] * products + [("aten::add_", 20)] * sums] * 2, gap=10)


def test_more_calls_are_fewer_calls_after_swapping() -> None:
    # 1 over 3 is not the middle of 1/2 and 1/4
    baseline, candidate = program(1, 1), program(2, 4)
    more = finding_of(compare(baseline, candidate), "more_calls")
    fewer = finding_of(compare(candidate, baseline), "fewer_calls")
    assert (more.subject, more.delta_us) == (fewer.subject, -(fewer.delta_us or 0.0))


def test_equally_many_calls_of_other_operators_are_not_more_calls() -> None:
    baseline, candidate = program(1, 4), program(4, 1)
    for found in (compare(baseline, candidate), compare(candidate, baseline)):
        assert not {"more_calls", "fewer_calls"}.intersection(finding.rule for finding in found.findings)


def test_calls_per_step_that_cancel_out_are_not_more_calls() -> None:
    """1 + 1/3 and 1 - 1/3 calls per step: as floats they differ from 2 in the last digit."""
    product, convolution = ("aten::mm", 20), ("aten::conv2d", 20)
    baseline = sequence([[product, convolution]] * 2, gap=10)
    candidate = sequence([[product, product, convolution], [product, convolution], [product]], gap=10)
    assert not {"more_calls", "fewer_calls"} & {finding.rule for finding in compare(baseline, candidate).findings}


def test_copies_that_grow_with_the_work_are_part_of_more_calls() -> None:
    """Only large copies become more frequent, so that the mean copy is slower."""

    def accumulated(batches: int) -> TraceBuilder:
        calls = [(name, 110) for name in ("aten::linear", "aten::gelu", "aten::mm")] * batches
        calls += [("aten::copy_", 410, [[512, 512], [512, 512]])] * batches
        calls += [("aten::copy_", 2, [[8], [8]]), ("", 1)] * 20
        return sequence(([*calls, ("", step % 2)] for step in range(6)), between=10, vendor="cpu")

    baseline, candidate = accumulated(2), accumulated(4)
    findings = compare(baseline, candidate).findings
    assert findings[0].rule == "more_calls"
    assert not {"layout_copies", "operator_slower"} & {finding.rule for finding in findings}
    assert "operators run more often, typically ×2.00, e.g. " in findings[0].sentence
    assert compare(candidate, baseline).findings[0].rule == "fewer_calls"


def test_different_ratios_of_calls_are_not_more_of_the_same_work() -> None:
    """For example when one operator is written out by others."""

    def called(*times: int) -> TraceBuilder:
        return sequence(
            [[(f"aten::{name}", 20) for name, count in zip("abcde", times, strict=True) for _ in range(count)]] * 4,
            gap=5,
        )

    before, alike, apart = (called(*times) for times in ((4,) * 5, (4, *[8] * 4), (4, 5, 6, 13, 40)))
    assert "4 of 5 operators run more often, typically ×2.00" in compare(before, alike).findings[0].sentence
    assert all("typically" not in finding.sentence for finding in compare(before, apart).findings)


def test_calls_of_a_replaced_operator_that_are_more_calls_count_once() -> None:
    """A loop runs four times as often, and an activation that it no longer calls was written out by what it calls."""
    layer = ["aten::linear", "aten::mm", "aten::add", "aten::mul"]

    def looped(times: int, *activation: str) -> TraceBuilder:
        calls = [(name, 20) for name in ("aten::embedding", *activation, "aten::sum", *layer * times)]
        return sequence(([*calls, ("", step % 3)] for step in range(8)), gap=5, vendor="cpu")

    found = compare(looped(2, "aten::gelu"), looped(8, "aten::mul", "aten::tanh", "aten::mul")).findings
    assert {finding.rule for finding in found} == {"more_calls", "operator_replaced"}
    assert sum(finding.share or 0.0 for finding in found) <= 1.01


def test_a_pause_between_calls_that_are_as_many_is_not_theirs() -> None:
    """A model is traced before each request, which runs it twice."""

    def served(times: int, pause: int) -> TraceBuilder:
        request = [("aten::randint", 20), ("", pause), ("aten::embedding", 20)]
        model = [(name, 20) for name in ("aten::linear", "aten::gelu", "aten::mm")] * times
        return sequence(([*request, *model, ("", step % 3)] for step in range(8)), gap=5, vendor="cpu")

    untraced, more = compare(served(2, 10), served(4, 3_000)).findings
    assert (untraced.rule, more.rule) == ("unrecorded_time", "more_calls")
    assert "mostly between aten::randint and aten::embedding" in untraced.sentence
    assert more.sentence.startswith("More calls: +150 µs per step, +30.0 µs of it untraced host time between the calls")


def test_smaller_pieces_of_the_same_work_are_told_from_more_work() -> None:
    def accumulated(pieces: int, rows: int) -> TraceBuilder:
        calls = [(name, 50 + 5 * rows, [[rows, 64], [64, 64]]) for name in ("aten::linear", "aten::gelu", "aten::mm")]
        return sequence([calls * pieces + [("aten::add_", 40, [[64, 64]])]] * 8, gap=10, vendor="cpu")

    whole, pieces, more = accumulated(1, 32), accumulated(4, 8), accumulated(4, 32)
    assert "typically ×4.00 with ×0.250 the elements each, e.g. " in compare(whole, pieces).findings[0].sentence
    assert "typically ×0.250 with ×4.00 the elements each, e.g. " in compare(pieces, whole).findings[0].sentence
    assert "typically ×4.00, e.g. " in compare(whole, more).findings[0].sentence
    rows = accumulated(32, 1)
    pairs = ((whole, pieces), (whole, more), (whole, rows), (rows, whole))
    for pair, is_loop in zip(pairs, (False, False, True, True), strict=True):
        assert compare(*pair).findings[0].look_at.startswith("a Python loop over elements") == is_loop


def test_code_between_the_calls_runs_as_often_as_they_do() -> None:
    def accumulated(pieces: int, gap: float) -> TraceBuilder:
        calls = [(name, 50) for name in ("aten::linear", "aten::gelu", "aten::mm")]
        return sequence([[*(calls * pieces), ("", step % 3)] for step in range(8)], gap=gap, vendor="cpu")

    found = compare(accumulated(1, 20), accumulated(4, 20))
    (more,) = found.findings
    assert more.rule == "more_calls" and "µs of it untraced host time between the calls" in more.sentence
    assert 0.95 < (more.share or 0.0) <= 1
    longer = compare(accumulated(1, 20), accumulated(4, 60)).findings
    assert [finding.rule for finding in longer] == ["more_calls", "unrecorded_time"]
