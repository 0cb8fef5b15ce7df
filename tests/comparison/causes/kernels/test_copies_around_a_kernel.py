"""Layout copies around a kernel are reported once, as copies, and change nothing about what the kernel itself is."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.work_pictures import calls

BEFORE = """
    4x aten::convolution_backward[8,64] | sm90_xmma_wgrad_bf16_tensorop 400
    aten::mm[8,8]                       | ampere_sgemm_64x64_nn 900
"""
AFTER = """
    4x aten::convolution_backward[8,64] | nchwToNhwcKernel 500; sm80_xmma_wgrad_bf16_tensorop 480; nhwcToNchwKernel 500
    aten::mm[8,8]                       | ampere_sgemm_64x64_nn 900
"""


def test_copies_around_a_tensor_core_kernel_are_no_loss_of_tensor_cores() -> None:
    a, b = (summary(calls(text, steps=8)) for text in (BEFORE, AFTER))
    there, back = (compare_summaries(*sides, CompareOptions(resamples=200)).findings for sides in ((a, b), (b, a)))
    causes = [[(one.rule, round(one.delta_us or 0)) for one in found] for found in (there, back)]
    assert causes[0] == [("layout_copies", 4000), ("kernel_replaced", 320)]
    assert causes[1] == [("layout_copies", -4000), ("kernel_replaced", -320)]
