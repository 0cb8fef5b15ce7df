"""Sentences separate more work from the same work at another rate."""

from __future__ import annotations

from tb_perfcompare.model.device_peaks import parse_peak
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def training(us: float, kernel: str = "sgemm", rows: int = 1024, kind: str = "float") -> TraceBuilder:
    """Eight steps of a product of `us` µs on the device and a constant second operator."""
    trace = TraceBuilder()
    length = us + 400
    for step in range(8):
        start = length * step
        trace.step(step + 1, start, start + length)
        types = {"Input type": [kind, kind]}
        trace.op("aten::mm", start + 100, start + 150, dims=[[rows, 1024], [1024, 1024]], **types)
        trace.kernel(kernel, start + 160, start + 160 + us + step / 10, launch=(start + 105, start + 115))
        trace.op("aten::relu", start + 200, start + 250, dims=[[rows, 1024]], **{"Input type": [kind]})
        trace.kernel("relu", start + us + 300, start + us + 350 + step / 10, launch=(start + 205, start + 215))
    return trace


def sentences(a: TraceBuilder, b: TraceBuilder, *peaks: str) -> str:
    found = compare(a, b, peaks=tuple(map(parse_peak, peaks)))
    return "\n".join(finding.sentence for finding in found.findings)


def test_a_slower_kernel_does_the_same_work_at_a_lower_rate() -> None:
    text = sentences(training(200), training(1200))
    assert "on [1024, 1024] × [1024, 1024] the same work at 10.7 TFLOP/s → 1.79 TFLOP/s" in text
    assert "(55.0 % → 9.17 % of peak), no longer compute-bound" in text


def test_a_replaced_kernel_is_reported_with_its_rate() -> None:
    text = sentences(training(200), training(1200, "other_gemm"))
    assert "launches other_gemm" in text and "the same work at 10.7 TFLOP/s" in text


def test_more_work_at_the_same_rate() -> None:
    text = sentences(training(200), training(400, rows=2048))
    assert "100 % more FLOPs at the same rate (10.7 TFLOP/s), compute-bound" in text


def attention(us: float, *, causal: bool) -> TraceBuilder:
    """Eight steps with an attention of `us` µs."""
    trace = TraceBuilder()
    values = ["", "", "", "", "", "1024", "1024", "0.", str(causal), "False"]
    arguments = {"Input type": ["c10::Half"] * 3 + [""] * 2 + ["Scalar"] * 5, "Concrete Inputs": values}
    for step in range(8):
        start = 5000 * step
        trace.step(step + 1, start, start + us + 400)
        dims = [[4, 1024, 16, 64]] * 3 + [[]] * 7
        trace.op("aten::_flash_attention_forward", start + 100, start + 150, dims=dims, **arguments)
        trace.kernel("attention", start + 160, start + 160 + us + step / 10, launch=(start + 105, start + 115))
    return trace


def test_the_same_bytes_with_more_flops_are_more_work() -> None:
    """Without the causal mask attention does twice the FLOPs on the same tensors."""
    text = sentences(attention(400, causal=True), attention(800, causal=False), "memory=20")
    assert "the same work" not in text and "with other arguments (is_causal: True → False)" in text
    assert "99.8 % more FLOPs at the same rate (21.5 TFLOP/s)" in text
    assert "-bound" not in text


def test_the_other_device_may_have_another_ridge() -> None:
    """171 FLOP per byte lie above the ridge of an A100 in fp32 (9.6) and below that with 50 GB/s (390)."""
    text = sentences(training(200), training(600, "other_gemm"), "candidate:memory=50")
    assert "of peak), compute-bound → memory-bound" in text


def test_near_the_ridge_the_sentence_names_no_bound() -> None:
    """171 FLOP per byte; the ridge is at 195."""
    text = sentences(training(200), training(1200), "memory=100")
    assert "of peak)" in text and "-bound" not in text


def test_work_far_below_the_roof_has_no_bound() -> None:
    text = sentences(training(2000), training(9000))
    assert "of peak)" in text and "-bound" not in text


def test_a_rate_above_the_fp32_peak_means_tensor_cores() -> None:
    """The kernel name does not show tensor cores, but 71.6 TFLOP/s exceed the fp32 peak of 19.5."""
    fast, slow = training(30, "my_gemm"), training(400, "sgemm")
    assert "Tensor cores are no longer used" in sentences(fast, slow)
    assert "Tensor cores are now used" in sentences(slow, fast)
    assert "Tensor cores" not in sentences(training(200, "my_gemm"), slow)


def test_an_unchanged_rate_is_not_mentioned() -> None:
    assert "rate" not in sentences(training(200), training(202))
