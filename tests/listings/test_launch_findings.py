"""Findings about launches with utilization: lost throughput, replaced kernels, shifted bottlenecks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.summary.summary import METRIC_SETTING, Summary
from tests.comparison.compare import compare
from tests.listings.drawn import column, drawn, listings, sentences, side

OPPOSITE = {
    "tensor_cores_lost": "tensor_cores_gained", "tensor_cores_gained": "tensor_cores_lost",
    "utilization_lost": "utilization_gained", "utilization_gained": "utilization_lost",
    "bound_shift": "bound_shift", "kernel_time": "kernel_time",
}  # fmt: skip


def rules(a: Summary, b: Summary) -> dict[str, Finding]:
    return {finding.rule: finding for finding in compare(a, b).findings}


def test_a_kernel_at_half_its_throughput_is_a_finding() -> None:
    got = rules(drawn("scan 100 .0 .8, rest 100 .0 .1"), drawn("scan 200 .0 .4, rest 100 .0 .1"))
    assert got["utilization_lost"].sentence == (
        "The same kernel is slower: scan +100 µs (100 → 200 µs per launch, 1 call); "
        "lower DRAM throughput (80.0 % → 40.0 %)."
    )
    assert (got["utilization_lost"].delta_us, got["utilization_lost"].share) == (100.0, 1.0)
    assert [e.row for e in got["utilization_lost"].evidence if e.table == "kernels"] == ["scan"]


def test_kernel_time_is_what_kernels_with_their_own_finding_leave() -> None:
    got = rules(drawn("scan 100 .0 .8, sort 100 .0 .1"), drawn("scan 200 .0 .4, sort 200 .0 .1"))
    assert got["kernel_time"].sentence == "Remaining kernel time: +100 µs; sort +100 µs (1 call)."
    assert (got["utilization_lost"].share, got["kernel_time"].share) == (0.5, 0.5)


def test_higher_throughput_is_a_finding() -> None:
    got = rules(drawn("scan 200 .2 .4, rest 100 .0 .1"), drawn("scan 100 .4 .8, rest 100 .0 .1"))
    assert got["utilization_gained"].sentence == (
        "The same kernel is faster: scan −100 µs (200 → 100 µs per launch, 1 call); "
        "higher DRAM throughput (40.0 % → 80.0 %) and higher tensor utilization (20.0 % → 40.0 %)."
    )


def test_lower_throughput_counts_time_per_launch_alone() -> None:
    got = rules(drawn("scan 100 .0 .8, scan 100 .0 .8"), drawn("scan 200 .0 .4, scan 200 .0 .4, scan 200 .0 .4"))
    assert got["utilization_lost"].delta_us == 250.0  # (200 - 100) x (2 + 3) / 2; the rest is the third call
    assert "2 → 3 calls" in got["utilization_lost"].sentence
    assert "scan +400 µs" in got["kernel_time"].sentence  # 250 is not nearly all of 400


def test_a_kernel_replaced_by_one_without_tensor_cores() -> None:
    layer = "norm 10 .0 .7, {}, act 10 .0 .7"
    before = drawn(",".join([layer.format("gemm_tn 22 .62 .2")] * 3))
    after = drawn(",".join([layer.format("sgemm 61 .0 .1")] * 3))
    got = rules(before, after)
    assert got["tensor_cores_lost"].sentence == (
        "Tensor cores are no longer used: +117 µs (66.0 → 183 µs); sgemm replaces gemm_tn in 3 launches; "
        "tensor pipe 62.0 % → 0 %."
    )
    assert "kernel_time" not in got
    place = next(e.row for e in got["tensor_cores_lost"].evidence if e.table == "launches")
    assert int(place) in column(compare(before, after).tables["launches"], "place")
    swapped = rules(after, before)["tensor_cores_gained"]
    assert swapped.sentence.startswith("Tensor cores are now used: −117 µs")
    assert swapped.sentence.endswith("tensor pipe 0 % → 62.0 %.")


def test_a_kernel_that_keeps_its_name_and_loses_tensor_cores() -> None:
    got = rules(drawn("gemm 100 .5 .2, rest 50 .0 .1"), drawn("gemm 300 .0 .2, rest 50 .0 .1"))
    assert got["tensor_cores_lost"].sentence.startswith("Tensor cores are no longer used: gemm +200 µs")
    assert "utilization_lost" not in got


def test_kernel_names_show_tensor_cores_only_without_measurements() -> None:
    named, plain = "volta_h884gemm", "volta_sgemm"
    unmeasured = rules(drawn(f"{named} 100 - .2, rest 100 .0 .1"), drawn(f"{plain} 200 - .2, rest 100 .0 .1"))
    assert "recognized by kernel name" in unmeasured["tensor_cores_lost"].sentence
    measured = rules(drawn(f"{named} 100 .5 .2, rest 100 .0 .1"), drawn(f"{plain} 200 .5 .2, rest 100 .0 .1"))
    assert "tensor_cores_lost" not in measured


def test_figures_of_different_metrics_are_not_compared() -> None:
    before, after = drawn("scan 100 .4 .8, rest 100 .0 .1"), drawn("scan 200 .0 .4, rest 100 .0 .1")
    elapsed, active = ((METRIC_SETTING + "tensor_active", name) for name in ("elapsed", "active"))
    assert "tensor_cores_lost" in rules(replace(before, environment=(elapsed,)), replace(after, environment=(elapsed,)))
    got = rules(replace(before, environment=(elapsed,)), replace(after, environment=(active,)))
    assert set(got) == {"utilization_lost"}
    assert "lower DRAM throughput (80.0 % → 40.0 %)" in got["utilization_lost"].sentence


def test_different_programs_have_no_replaced_kernels() -> None:
    before = drawn("a 9, gemm_tn 100 .6 .2, b 9, c 9, d 9, e 9, f 9, g 9")
    after = drawn("h 9, i 9, k 9, a 9, sgemm 300 .0 .1, l 9, m 9, n 9, o 9, p 9, q 9, r 9, s 9, t 9, u 9, v 9, w 9")
    assert column(compare(before, after).tables["launches"], "status").count("both") == 1
    assert "tensor_cores_lost" not in rules(before, after)


def test_a_single_replaced_launch_is_no_cause() -> None:
    """sgemm takes the place of one of five products, and runs in four other places."""
    before = drawn("a 1, gemm_tn 100 .6 .2, b 1, x1 5 .0 .1, c 1, x2 5 .0 .1, d 1, x3 5 .0 .1, e 1, x4 5 .0 .1, f 1")
    one = "sgemm 5 .0 .1"
    after = drawn(f"a 1, sgemm 300 .0 .1, b 1, {one}, c 1, {one}, d 1, {one}, e 1, {one}, f 1")
    assert "tensor_cores_lost" not in rules(before, after)


def test_time_that_moved_between_bound_classes_is_a_finding() -> None:
    got = rules(drawn("gemm 600 .8 .1, copy 400 .0 .7"), drawn("gemm 100 .8 .1, copy 1000 .0 .7, scan 300 .0 .1"))
    assert got["bound_shift"].sentence == (
        "Bottlenecks shifted: 500 µs moved between bound classes; memory-bound +600 µs (40.0 % → 71.4 % of the time); "
        "tensor-bound −500 µs (60.0 % → 7.14 % of the time); bound by neither +300 µs (0 % → 21.4 % of the time)."
    )
    assert (got["bound_shift"].delta_us, got["bound_shift"].share) == (500.0, None)


def test_uniform_growth_shifts_no_bottleneck() -> None:
    assert "bound_shift" not in rules(drawn("gemm 600 .8 .1, copy 400 .0 .7"), drawn("gemm 900 .8 .1, copy 600 .0 .7"))


def test_pooled_listings_have_findings_about_kernels() -> None:
    before, after = "scan 100 .0 .8, rest 100 .0 .1", "scan 200 .0 .4, rest 100 .0 .1"
    got = rules(pool([drawn(before), drawn(before)]), pool([drawn(after), drawn(after)]))
    assert "lower DRAM throughput (80.0 % → 40.0 %)" in got["utilization_lost"].sentence


def test_findings_are_ranked_by_size_except_causes_and_moved_time() -> None:
    before = drawn("gemm_tn 100 .6 .2, scan 100 .0 .8, rest 1000 .0 .1")
    got = compare(before, drawn("sgemm 500 .0 .2, scan 200 .0 .4, rest 1000 .0 .1"))
    assert [(finding.rule, finding.delta_us) for finding in got.findings] == [
        ("tensor_cores_lost", 400.0), ("utilization_lost", 100.0), ("bound_shift", 200.0),
    ]  # fmt: skip
    assert len({finding.sentence for finding in got.findings}) == len(sentences(got))


def test_a_figure_that_one_side_did_not_measure_is_no_cause() -> None:
    before = drawn("gemm 100 .5 .2, scan 100 .7 .8, rest 100 .0 .1")
    for tensor, dram in (("-", "-"), ("-", ".8")):
        after = drawn(f"gemm 300 {tensor} {dram.replace('8', '2')}, scan 100 {tensor} {dram}, rest 100 {tensor} -")
        assert set(rules(before, after)) == {"kernel_time"}
        assert "gemm +200 µs" in rules(before, after)["kernel_time"].sentence


def test_a_kernel_measured_on_one_side_only_is_judged_by_its_name_on_both() -> None:
    got = rules(drawn("gemm 100 .5 .2, rest 50 .0 .1"), drawn("gemm 300 - .2, rest 50 .0 .1"))
    assert "tensor_cores_lost" not in got


def test_kernels_that_all_changed_by_one_ratio_have_no_finding_each() -> None:
    """A lower clock lowers the utilization of every kernel."""
    got = rules(
        drawn("gemm 100 .50 .20, scan 90 .0 .80, copy 80 .0 .90, sort 70 .0 .40"),
        drawn("gemm 125 .40 .16, scan 113 .0 .64, copy 100 .0 .72, sort 87 .0 .32"),
    )
    assert "utilization_lost" not in got
    assert "kernels ×1.25 per launch across the board" in got["kernel_time"].sentence


def test_a_sentence_does_not_call_one_name_new_and_gone() -> None:
    """A profiler wrote whole names on one side, and those of the functions on the other."""
    full = side([("void gemm<half>(half*, int)", 100_000, 0.5, 0.5), ("rest", 10_000, 0.1, 0.1)])
    base = side([("gemm", 300_000, 0.5, 0.5), ("rest", 10_000, 0.1, 0.1)])
    assert rules(full, base)["kernel_time"].sentence == (
        "Kernel time: +200 µs (110 → 310 µs); gemm is new (300 µs, 1 call); offset by "
        "void gemm<half>(half*, int) is gone (100 µs, 1 call)."
    )


@given(listings(), listings())
def test_swapped_sides_have_the_opposite_findings(a: Summary, b: Summary) -> None:
    forward, swapped = compare(a, b).findings, compare(b, a).findings
    # the floor of kernel_time is a share of the baseline
    own = [{(f.rule, f.delta_us or 0) for f in side if f.rule != "kernel_time"} for side in (forward, swapped)]
    assert own[1] == {(OPPOSITE[rule], -delta) for rule, delta in own[0]}
