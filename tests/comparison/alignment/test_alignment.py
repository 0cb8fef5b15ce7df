"""Matching the work of two runs: drawn pairs, and the alignment table."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.alignment.alignment import Alignment, align
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, notes_of, rows_of
from tests.work_pictures import calls


def aligned(a: str, b: str, *, steps: tuple[int, int] = (2, 2)) -> Alignment:
    found = align(summary(calls(a, steps=steps[0])), summary(calls(b, steps=steps[1])))
    assert found is not None
    return found


def drawn(found: Alignment) -> list[str]:
    """`operator shape: rule, confidence`, and below it `kind, confidence: kernels -> kernels`."""
    lines = []
    for match in found.matches:
        lines.append(f"{match.operator} {match.input_shape}".strip() + f": {match.rule}, {match.confidence}")
        for kernel in match.kernels:
            sides = [" + ".join(run.name for run in runs) for runs in (kernel.baseline, kernel.candidate)]
            sure = "" if kernel.kind == "no counterpart" else f", {kernel.confidence}"
            lines.append(f"  {kernel.kind}{sure}: {' -> '.join(sides).strip()}")
    return lines


def compared(a: str, b: str, vendors: tuple[str, str] = ("cuda", "cuda")) -> Comparison:
    return compare(*(calls(text, vendor=vendor) for text, vendor in zip((a, b), vendors, strict=True)))


def matched(of: Comparison) -> tuple[str, str]:
    found = check_of(of, "matched")
    return found.status, found.detail


# -- kernels ----------------------------------------------------------------------------------------------------------


def test_one_kernel_on_each_side_of_the_same_operator_is_renamed() -> None:
    assert drawn(aligned("aten::mm[4,4] | cutlass 10", "aten::mm[4,4] | Cijk 7")) == [
        "aten::mm [[4, 4]]: same place, certain",
        "  renamed, certain: cutlass -> Cijk",
    ]


def test_kernels_of_the_same_name_match_before_the_rest() -> None:
    found = aligned("aten::mm[4] | copy 2; cutlass 10; Memset 1", "aten::mm[4] | Cijk 7; copy 2")
    assert drawn(found) == [
        "aten::mm [[4]]: same place, certain",
        "  same name, certain: copy -> copy",
        "  renamed, certain: cutlass -> Cijk",
        "  no counterpart: Memset (Device) ->",
    ]


def test_several_kernels_become_one_by_fusion_and_one_becomes_several_by_a_split() -> None:
    several, one = "aten::gelu[8] | mul 3; tanh 4; add 3", "aten::gelu[8] | fused_gelu 5"
    assert drawn(aligned(several, one))[1:] == ["  fused, likely: mul + tanh + add -> fused_gelu"]
    assert drawn(aligned(one, several))[1:] == ["  split, likely: fused_gelu -> mul + tanh + add"]


def test_kernels_that_alternate_for_one_are_renamed_not_fused() -> None:
    """The number of launches is the same: the call decides which kernel runs."""
    a = "aten::mm[4] | small 3\naten::mm[4] | large 8"
    b = "2x aten::mm[4] | Cijk 5"
    assert drawn(aligned(a, b))[1:] == ["  renamed, certain: small + large -> Cijk"]


def test_the_same_function_with_other_template_arguments_is_renamed() -> None:
    a = "aten::add[8] | void vectorized<4, add<float>>(int) 3; void reduce<4>(int) 2"
    b = "aten::add[8] | void reduce<512>(int) 2; void vectorized<8, add<float>>(int) 3"
    assert drawn(aligned(a, b))[1:] == [
        "  renamed, likely: void vectorized<4, add<float>>(int) -> void vectorized<8, add<float>>(int)",
        "  renamed, likely: void reduce<4>(int) -> void reduce<512>(int)",
    ]


def test_as_many_kernels_launched_as_often_correspond_in_order() -> None:
    a = "aten::conv2d[8] | to_nhwc 2; conv 20; to_nchw 2"
    b = "aten::conv2d[8] | pack 3; igemm 24; unpack 3"
    assert drawn(aligned(a, b))[1:] == [
        "  renamed, likely: to_nhwc -> pack",
        "  renamed, likely: conv -> igemm",
        "  renamed, likely: to_nchw -> unpack",
    ]


def test_kernels_in_the_same_position_that_take_very_different_shares_are_matched_weakly() -> None:
    found = aligned("aten::conv2d[8] | first 2; second 20", "aten::conv2d[8] | one 20; two 2")
    assert drawn(found)[1:] == ["  renamed, weak: first -> one", "  renamed, weak: second -> two"]


def test_sequences_are_cut_where_their_shares_of_the_time_agree() -> None:
    a = "aten::attention[8] | scale 10; qk 50; softmax 20; v 20"
    b = "aten::attention[8] | prepare 10; flash 90"
    assert drawn(aligned(a, b))[1:] == ["  renamed, weak: scale -> prepare", "  fused, weak: qk + softmax + v -> flash"]


def test_kernels_without_a_known_order_match_as_a_group() -> None:
    """Without shapes the calls may differ, so that the order of kernels is unknown."""
    a = "aten::conv2d | a1 5; a2 50; a3 5"
    b = "aten::conv2d | b1 30; b2 30"
    assert drawn(aligned(a, b))[1:] == ["  same operator, other kernels, likely: a1 + a2 + a3 -> b1 + b2"]


def test_copies_in_one_direction_match_whatever_memory_a_vendor_names() -> None:
    a = "aten::copy_[8] | Memcpy DtoH (Device -> Pageable) 5; Memcpy HtoD (Pageable -> Device) 4"
    b = "aten::copy_[8] | Memcpy HtoD (Host -> Device) 4; Memcpy DtoH (Device -> Host) 5"
    assert drawn(aligned(a, b))[1:] == [
        "  renamed, likely: Memcpy DtoH (Device -> Pageable) -> Memcpy DtoH (Device -> Host)",
        "  renamed, likely: Memcpy HtoD (Pageable -> Device) -> Memcpy HtoD (Host -> Device)",
    ]


# -- operators --------------------------------------------------------------------------------------------------------


def test_an_operator_of_one_vendor_is_matched_at_its_parent() -> None:
    a = "aten::conv2d[8] > aten::_convolution[8] > aten::cudnn_convolution[8] | cudnn 10"
    b = "aten::conv2d[8] > aten::_convolution[8] > aten::miopen_convolution[8] | im2col 5; Cijk 7"
    assert drawn(aligned(a, b)) == [
        "aten::_convolution [[8]]: below the same operator and shape, certain",
        "  split, likely: cudnn -> im2col + Cijk",
    ]


def test_another_way_to_compute_an_operator_is_matched_as_a_whole() -> None:
    """A product of the same shape elsewhere keeps its own match."""
    a = "aten::sdpa[8] > aten::flash[8] | flash_fwd 20\naten::bmm[8] | gemm 5"
    b = "aten::sdpa[8] > aten::bmm[8] | gemm 9; softmax 4\naten::bmm[8] | gemm 5"
    assert drawn(aligned(a, b)) == [
        "aten::bmm [[8]]: same place, certain",
        "  same name, certain: gemm -> gemm",
        "aten::sdpa [[8]]: below the same operator and shape, certain",
        "  split, likely: flash_fwd -> gemm + softmax",
    ]


def test_an_extra_wrapper_on_one_side_does_not_matter() -> None:
    found = aligned("aten::linear[8] > aten::addmm[8] | gemm 10", "aten::addmm[8] | gemm 9")
    assert drawn(found)[0] == "aten::addmm [[8]]: operator and shape, certain"


def test_operators_that_differ_only_in_a_library_name_match() -> None:
    a = "CudnnBatchNormBackward | bn_bw 10"
    b = "NativeBatchNormBackward | MLUBatchNormBackward 12"
    assert drawn(aligned(a, b)) == [
        "BatchNormBackward: another library's operator, likely",
        "  renamed, likely: bn_bw -> MLUBatchNormBackward",
    ]


def test_other_shapes_in_the_same_place_correspond_in_order() -> None:
    """A larger batch changes every shape."""
    a = "aten::linear[8,3] > aten::mm[8,3] | gemm 10\naten::linear[8,5] > aten::mm[8,5] | gemv 3"
    b = "aten::linear[16,3] > aten::mm[16,3] | gemm 19\naten::linear[16,5] > aten::mm[16,5] | gemv 5"
    found = aligned(a, b)
    assert [line for line in drawn(found) if not line.startswith(" ")] == [
        "aten::mm [[16, 3]] / [[8, 3]]: same place, other shape, certain",
        "aten::mm [[16, 5]] / [[8, 5]]: same place, other shape, certain",
    ]


def test_calls_are_counted_per_step() -> None:
    found = aligned("3x aten::mm[4] | gemm 10", "3x aten::mm[4] | gemm 10", steps=(2, 5))
    assert drawn(found)[0] == "aten::mm [[4]]: same place, certain"
    assert found.matches[0].calls == (6, 15)


def test_a_place_called_more_often_is_the_same_place() -> None:
    found = aligned("3x aten::mm[4] | gemm 10", "4x aten::mm[4] | gemm 10")
    assert drawn(found)[0] == "aten::mm [[4]]: same place, different number of calls, certain"


def test_without_step_markers_the_calls_of_most_operators_give_the_units_of_work() -> None:
    def unmarked(times: int) -> Summary:
        trace = calls(f"{times}x aten::mm | gemm 5\n{2 * times}x aten::add | add 2\n7x aten::copy_ | copy 1", steps=1)
        trace.events = [event for event in trace.events if not event.name.startswith("ProfilerStep")]
        return summary(trace)

    found = align(unmarked(2), unmarked(6))
    assert found is not None
    assert found.units == (1, 3)
    assert {match.operator: match.rule for match in found.matches} == {
        "aten::mm": "same place",
        "aten::add": "same place",
        "aten::copy_": "same place, different number of calls",
    }


def test_without_shapes_the_match_is_likely_and_with_the_same_kernels_certain() -> None:
    assert drawn(aligned("aten::mm | cutlass 10", "aten::mm | Cijk 7"))[0] == "aten::mm: same place, likely"
    assert drawn(aligned("aten::mm | gemm 10", "aten::mm | gemm 7"))[0] == "aten::mm: same place, certain"


def test_shapes_of_one_side_alone_are_ignored() -> None:
    found = aligned("aten::mm[4] | cutlass 10\naten::mm[8] | cutlass 20", "2x aten::mm | Cijk 7")
    assert not found.has_shapes
    assert drawn(found) == ["aten::mm: same place, likely", "  renamed, likely: cutlass -> Cijk"]


def test_work_of_one_side_alone_has_no_counterpart() -> None:
    found = aligned("aten::mm[4] | gemm 10\naten::norm[4] | norm 3", "aten::mm[4] | gemm 10\naten::relu[4] | relu 4")
    assert drawn(found)[2:] == [
        "aten::norm [[4]]: no counterpart, certain",
        "  no counterpart: norm ->",
        "aten::relu [[4]]: no counterpart, certain",
        "  no counterpart: -> relu",
    ]
    assert (found.matched_ns(0), found.alone_ns(0)) == (20_000, 6_000)
    assert (found.matched_ns(1), found.alone_ns(1)) == (20_000, 8_000)


def test_the_same_kernel_below_other_operators_is_a_weak_match_and_not_counted() -> None:
    found = aligned("aten::add[4] | add 10", "CompiledFunction[4] | add 10")
    assert drawn(found) == [
        "CompiledFunction / aten::add: same kernel, other operators, weak",
        "  same name, certain: add -> add",
    ]
    assert (found.matched_ns(0), found.weak_ns(0), found.kernels_ns(0)) == (0, 20_000, 20_000)


def test_a_match_by_name_alone_is_weak_and_not_counted() -> None:
    found = aligned("2x aten::mm[4] | cutlass 10", "3x aten::mm[8] | Cijk 10")
    assert drawn(found) == ["aten::mm [[4]] / [[8]]: below the same operator, weak", "  renamed, weak: cutlass -> Cijk"]
    assert (found.matched_ns(0), found.weak_ns(0), found.kernels_ns(0)) == (0, 40_000, 0)


def test_a_data_parallel_wrapper_around_everything_is_ignored() -> None:
    found = aligned(*(f"DistributedDataParallel.forward > aten::{name} | {name} 10" for name in "ab"))
    assert [match.rule for match in found.matches] == ["no counterpart", "no counterpart"]


def test_work_without_operators_is_matched_by_the_names_of_kernels() -> None:
    found = aligned("| gemm 10\n| cutlass 5", "| gemm 8\n| Cijk 5")
    assert drawn(found) == [
        "(no operator): same kernel, no operator known, certain",
        "  same name, certain: gemm -> gemm",
        "(no operator): no counterpart, certain",
        "  no counterpart: cutlass ->",
        "(no operator): no counterpart, certain",
        "  no counterpart: -> Cijk",
    ]
    assert found.has_operators == (False, False)
    assert found.matched_ns(0) == 0


def test_captures_of_one_side_are_matched_together() -> None:
    one = summary(calls("aten::mm[4] | cutlass 10"))
    two = [summary(calls("aten::mm[4] | Cijk 7"), span=span) for span in ("1", "2")]
    found = align(one, pool(two))
    assert found is not None
    assert drawn(found)[0] == "aten::mm [[4]]: same place, certain"
    assert found.matches[0].time_ns == (20_000, 28_000)


def test_without_device_work_on_one_side_there_is_no_alignment() -> None:
    host_only = TraceBuilder(vendor="cpu")
    host_only.op("aten::mm", 0, 100)
    assert align(summary(host_only), summary(calls("aten::mm | gemm 10"))) is None


# -- what is shown ----------------------------------------------------------------------------------------------------

NVIDIA = """
    aten::conv2d[8] > aten::cudnn_convolution[8] | cudnn_conv 10
    2x aten::mm[4]                               | cutlass 20; Memset 1
    aten::add[4]                                 | add 3
    aten::norm[4]                                | norm 2
"""
AMD = """
    aten::conv2d[8] > aten::miopen_convolution[8] | im2col 6; Cijk_conv 7
    2x aten::mm[4]                                | Cijk 15
    aten::add[4]                                  | add 5
"""


def test_a_row_has_the_kernels_of_both_sides_and_the_confidence_of_the_match() -> None:
    got = rows_of(compared(NVIDIA, AMD).tables["alignment"])
    mm = got["aten::mm"]
    assert (mm["baseline_us"], mm["candidate_us"], mm["delta_us"]) == (42, 30, -12)
    assert mm["change"] == pytest.approx(-12 / 42)
    assert (mm["baseline_calls"], mm["candidate_calls"]) == (2, 2)
    assert (mm["baseline_kernels"], mm["candidate_kernels"]) == ("cutlass ×2; Memset (Device) ×2", "Cijk ×2")
    assert (mm["kind"], mm["confidence"], mm["kernel_confidence"], mm["status"]) == (
        "renamed", "certain", "certain", "both",
    )  # fmt: skip
    assert mm["baseline_kernel_share"] == pytest.approx(40 / 42)
    assert (got["aten::conv2d"]["kind"], got["aten::conv2d"]["kernel_confidence"]) == ("split", "likely")
    assert got["aten::add"]["kind"] == "same name"
    norm = got["aten::norm"]
    assert (norm["baseline_us"], norm["candidate_us"], norm["candidate_calls"]) == (2, None, None)
    assert (norm["kind"], norm["confidence"], norm["status"]) == ("no counterpart", "", "removed")


def test_the_times_of_a_side_sum_to_its_device_work() -> None:
    got = compared(NVIDIA, AMD)
    for side in ("baseline_us", "candidate_us"):
        total = {name: sum(row[side] or 0 for row in rows_of(table).values()) for name, table in got.tables.items()
                 if name in ("alignment", "kernels", "memcpy", "memset")}  # fmt: skip
        assert 2 * total["alignment"] == pytest.approx(sum(total.values()))


def test_an_extra_kernel_makes_the_row_other_kernels() -> None:
    found = rows_of(compared("aten::mm[4] | gemm 5; split 1", "aten::mm[4] | gemm 5").tables["alignment"])
    assert found["aten::mm"]["kind"] == "same operator, other kernels"


def test_the_check_has_the_matched_share_and_warns_below_95_percent() -> None:
    add = "\naten::add[4] | add 30"
    status, detail = matched(compared("aten::mm[4] | cutlass 10" + add, "aten::mm[4] | Cijk 9" + add))
    assert status == "ok"
    assert detail == (
        "100 % of the device time is matched by operator and input shape; 76 % is in kernels of the same name, "
        "24 % in kernels with a counterpart of another name"
    )
    status, detail = matched(compared(NVIDIA, AMD.replace("aten::add[4]", "aten::sub[4]")))
    assert status == "warn"
    assert "; weakly matched: " in detail and "; without a counterpart: " in detail
    _, detail = matched(compared("aten::mm[4] | gemm 10", "aten::mm[4] | gemm 10\naten::norm[4] | norm 30"))
    assert detail == (
        "25 % of the device time is matched by operator and input shape; 40 % is in kernels of the same name (baseline "
        "100 %, candidate 25 %); without a counterpart: 0 % of the baseline, 75 % of the candidate"
    )


def test_other_kernel_names_for_matched_work_warn_instead_of_failing() -> None:
    found = check_of(compared("aten::mm[4] | cutlass 10", "aten::mm[4] | Cijk 9"), "kernels")
    assert (found.status, found.detail.rpartition("; ")[2]) == ("warn", "their work is matched by operator")
    assert check_of(compared("aten::mm[4] | cutlass 10", "aten::bmm[4] | Cijk 9"), "kernels").status == "fail"


def test_the_check_warns_without_recorded_operators() -> None:
    status, detail = matched(compared("| gemm 10\n| cutlass 10", "| gemm 10\n| Cijk 10"))
    assert status == "warn"
    assert detail.startswith(
        "no device work is linked to an operator: of the device time 50 % is in kernels of the same name"
    )


def test_different_device_kinds_have_a_note_with_the_matched_share() -> None:
    got = compared(NVIDIA, AMD, vendors=("cuda", "rocm"))
    (note,) = notes_of(got, NoteCode.MATCHED_WORK)
    assert note.startswith("NVIDIA A100-SXM4-40GB against AMD Instinct MI300X: 96 % of the device time is")
    same = compared(NVIDIA, NVIDIA)
    assert NoteCode.MATCHED_WORK not in {note.code for note in same.notes}


def test_the_kernel_table_names_the_matched_kernel_of_the_other_side() -> None:
    got = rows_of(compared(NVIDIA, AMD).tables["kernels"])
    assert got["cutlass"]["matched_with"] == "Cijk (renamed, certain)"
    assert got["cudnn_conv"]["matched_with"] == "Cijk_conv and 1 more (split, likely)"
    assert got["im2col"]["matched_with"] == "cudnn_conv (split, likely)"
    assert got["add"]["matched_with"] == ""
    assert got["norm"]["matched_with"] == ""
