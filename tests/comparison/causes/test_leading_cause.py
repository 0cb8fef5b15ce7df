"""The leading finding: counted changes come before the time that they may explain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.causes.evidence.inputs import elements
from tb_perfcompare.comparison.causes.leading_cause import order_findings
from tb_perfcompare.comparison.causes.minor_findings import without_noise
from tb_perfcompare.comparison.result.finding import WITHIN_SPREAD, Finding
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.verdict.verdict import judge
from tests.build import TraceBuilder
from tests.comparison.compare import compare, sequence


def program(
    *, new_us: int = 0, gap_us: int = 0, product_us: int = 20, steps: int = 8, wobble_us: int = 0,
    new: str = "aten::linalg_vector_norm",
) -> TraceBuilder:  # fmt: skip
    """Steps of ten products, the operator `new` of `new_us` and untraced time of `gap_us`, growing by `wobble_us`."""
    calls = [("aten::mm", product_us), ("", 10)] * 10 + [(new, new_us)] * bool(new_us)
    return sequence([*calls, ("", gap_us + step * wobble_us)] for step in range(steps))


@pytest.mark.parametrize(
    ("gap_us", "first"),
    [
        (80, "operators_changed"),  # Python around new operators, which is theirs
        (800, "unrecorded_time"),  # ten times as long: something else
    ],
)
def test_a_new_operator_explains_the_untraced_time_next_to_it(gap_us: int, first: str) -> None:
    for one, two in ((program(), program(new_us=50, gap_us=gap_us)), (program(new_us=50, gap_us=gap_us), program())):
        found = compare(one, two).findings
        assert [finding.rule for finding in found][:1] == [first]
        assert ("unrecorded_time" in {finding.rule for finding in found}) is (gap_us == 800)


def test_untraced_time_that_is_counted_itself_comes_by_size() -> None:
    """A new Python function around new operators is as certain as they are."""
    compared = compare(program(), program(new_us=50, gap_us=160))
    assert [finding.rule for finding in compared.findings] == ["operators_changed", "unrecorded_time"]
    certain = [replace(finding, confidence="certain: calls are counted") for finding in compared.findings]
    ordered = order_findings(certain, compared.headline)
    assert [finding.rule for finding in ordered] == ["unrecorded_time", "operators_changed"]


def test_a_known_setting_leads_however_small_its_operators_are() -> None:
    found = compare(program(), program(new="aten::_is_any_true", new_us=50, gap_us=800)).findings
    assert [finding.rule for finding in found] == ["operators_changed", "unrecorded_time"]
    assert found[0].look_at.startswith("torch.autograd.set_detect_anomaly()")


def test_more_calls_of_some_operators_lead_only_if_they_are_large_enough() -> None:
    """Those of all operators take their part of the untraced time around them."""

    def called(times: int, detached: int, gap_us: int) -> TraceBuilder:
        calls = [(name, 20) for name in ("aten::mm", "aten::add", "aten::mul", "aten::sub")] * times
        return sequence([*calls, *[("aten::detach", 5)] * detached, ("", gap_us + step % 3)] for step in range(8))

    before = called(4, 2, 100)
    some, every = compare(before, called(4, 20, 2_000)), compare(before, called(8, 4, 4_000))
    assert [finding.rule for finding in some.findings] == ["unrecorded_time", "more_calls"]
    assert [finding.rule for finding in every.findings] == ["more_calls", "unrecorded_time"]


def test_a_new_operator_does_not_explain_less_untraced_time() -> None:
    found = compare(program(gap_us=80), program(new_us=50)).findings
    assert [finding.rule for finding in found][:1] == ["unrecorded_time"]


def test_the_largest_entry_is_a_slower_operator_where_its_calls_are_the_same() -> None:
    found = compare(program(), program(product_us=40)).findings[0]
    assert found.rule == "operator_slower"
    assert "aten::mm +200 µs per step" in found.sentence
    assert "20.0 → 40.0 µs per call" in found.sentence


def test_three_steps_that_do_not_overlap_are_too_few_to_test_and_not_within_their_spread() -> None:
    found = compare(*(program(gap_us=gap_us, steps=3, wobble_us=3) for gap_us in (10, 800)))
    assert found.headline.verdict is Verdict.SLOWER
    assert found.findings[0].rule == "unrecorded_time"
    assert found.findings[0].confidence.startswith("no overlap between the two sides; repeatability unknown: too few")


@pytest.mark.parametrize(
    ("shape", "count"),
    [("[[2, 3], []]", 6), ("[[2, 3], [[4, 4], [5]]]", 27), ("[]", 0), ("[[0, 3]]", 0), ("not a shape", 0), ("3", 0)],
)
def test_tensors_in_lists_are_inputs_too(shape: str, count: int) -> None:
    assert elements(shape) == count


def test_noise_is_no_cause_of_the_program() -> None:
    noise, sure, same_way = (
        Finding("host_time", "", "CPU Exec", us, None, "", (), confidence)
        for us, confidence in ((-9.0, WITHIN_SPREAD), (-5.0, "significant"), (4.0, WITHIN_SPREAD))
    )
    recorded = judge(([1000, 1010], [2000, 2010]), ([0, 0], [0, 0]), CompareOptions())
    slower = replace(recorded, verdict=Verdict.SLOWER, basis=Basis.PROGRAM)
    cause = Finding("more_calls", "", "all", 300.0, None, "", (), "certain: calls are counted")
    assert without_noise([noise, sure, same_way], [], slower) == (sure, same_way)
    assert without_noise([noise, sure, same_way], [cause], slower) == (sure,)
    assert without_noise([noise, sure, same_way], [replace(cause, rule="host_pace")], slower) == (sure, same_way)
    assert without_noise([noise, sure, same_way], [], recorded) == (noise, sure, same_way)


def test_causes_of_the_machine_follow_causes_of_the_program() -> None:
    machine, program = (
        Finding(rule, "", "CPU Exec", us, None, "", (), "certain")
        for rule, us in (("host_interrupted", 9.0), ("more_calls", 5.0))
    )
    recorded = judge(([1000, 1010], [2000, 2010]), ([0, 0], [0, 0]), CompareOptions())
    slower = replace(recorded, verdict=Verdict.SLOWER, basis=Basis.PROGRAM)
    assert order_findings([machine, program], slower) == (program, machine)
    assert order_findings([machine, program], recorded) == (machine, program)
    assert order_findings([machine], slower) == (machine,)


@pytest.mark.parametrize(
    ("verdict", "first"), [(Verdict.INCONCLUSIVE, "tensor_cores_lost"), (Verdict.FASTER, "host_time")]
)
def test_a_counted_cause_leads_before_opposite_time_where_the_program_is_open(verdict: Verdict, first: str) -> None:
    time, counted = (
        Finding(rule, "", "CPU Exec", us, None, "", (), confidence)
        for rule, us, confidence in (
            ("host_time", -9.0, "significant"), ("tensor_cores_lost", 6.0, "certain"),
        )
    )  # fmt: skip
    recorded = judge(([1000, 1010], [1000, 1010]), ([0, 0], [0, 0]), CompareOptions())
    found = order_findings([time, counted], replace(recorded, verdict=verdict, basis=Basis.PROGRAM))
    assert found[0].rule == first


def test_slow_steps_against_the_verdict_come_last() -> None:
    """One step of the faster side is long."""
    steps, fusion = (
        Finding(rule, "", "all", us, None, "", (), "few steps")
        for rule, us in (("slow_steps", -9.0), ("fusion_lost", 5.0))
    )
    recorded = judge(([1000, 1010], [2000, 2010]), ([0, 0], [0, 0]), CompareOptions())
    slower, faster = (replace(recorded, verdict=verdict) for verdict in (Verdict.SLOWER, Verdict.FASTER))
    assert order_findings([steps, fusion], slower) == (fusion, steps)
    assert order_findings([steps, fusion], faster) == (steps, fusion)


def test_time_against_the_program_comes_last() -> None:
    against, program = (
        Finding(rule, "", "Runtime", us, None, "", (), "significant")
        for rule, us in (("runtime_time", -9.0), ("unrecorded_time", 5.0))
    )
    recorded = judge(([1000, 1010], [1000, 1010]), ([0, 0], [0, 0]), CompareOptions())
    slower = replace(recorded, verdict=Verdict.SLOWER, basis=Basis.PROGRAM)
    assert order_findings([against, program], slower) == (program, against)


@pytest.mark.parametrize(
    ("us", "subject", "is_first"),
    [(90.0, "aten::isfinite", True), (40.0, "aten::isfinite", False), (90.0, "aten::cumsum", False)],
)
def test_new_operators_come_before_the_waits_in_them(us: float, subject: str, is_first: bool) -> None:
    """Unless the waits are more than twice as large, as of a single .item()."""
    waits, copies, changed = (
        Finding(rule, of, "all", of_us, None, "", (), "certain")
        for rule, of, of_us in (
            ("synchronization", "aten::isfinite", 100.0), ("layout_copies", "", 95.0),
            ("operators_changed", subject, us),
        )
    )  # fmt: skip
    slower = judge(([1000, 1010], [2000, 2010]), ([0, 0], [0, 0]), CompareOptions())
    found = order_findings([waits, copies, changed], slower)
    assert found == ((changed, waits, copies) if is_first else (waits, copies, changed))
