"""Steps that call the same operators on inputs of another order of size are other pieces of work."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def model(
    tokens: int, *, shapes: bool = True, device: bool = False, gemm: str = "gemm", slower: float = 1, pause: float = 0
) -> Summary:
    """Eight steps of four layers; time grows with the tokens, that of views does not. Another program stops the first
    call of each operator that computes for `pause`."""
    trace = TraceBuilder(vendor="cuda" if device else "cpu")
    at = 0.0
    for number in range(8):
        begin = at
        at += 1
        for layer in range(4):
            for name, dims in (("view", [[tokens, 64]]), ("addmm", [[64], [tokens, 64], [64, 64]]),
                               ("gelu", [[tokens, 64]])):  # fmt: skip
                length = slower * (2 if name == "view" or device else 2 + tokens)
                length += pause if number == layer == 0 and name != "view" else 0
                trace.op(f"aten::{name}", at, at + length, dims=dims if shapes else None)
                if device and name != "view":
                    kernel = gemm if name == "addmm" else "vectorized_elementwise_kernel"
                    trace.kernel(kernel, at + 3, at + 3 + tokens, launch=(at + 1, at + 2), grid=(tokens, 1, 1))
                    at += tokens + 4
                at += length
        trace.step(number, begin, at + number % 3)
        at += 20
    return summary(trace)


def compared(a: Summary, b: Summary) -> Comparison:
    return compare_summaries(a, b, CompareOptions(resamples=200))


def sizes(found: Comparison) -> Check | None:
    return next((check for check in found.comparability if check.check == "input_sizes"), None)


@pytest.mark.parametrize("device", [False, True])
def test_a_step_that_decodes_is_not_compared_with_one_that_reads_the_prompt(device: bool) -> None:
    decode, prefill = model(1, device=device), model(1024, device=device)
    forward, swapped = compared(decode, prefill), compared(prefill, decode)
    assert forward.headline.verdict is swapped.headline.verdict is Verdict.WITHHELD
    text = "not the same problem size: operators of the {} process 1,024 times as many elements: aten::addmm"
    assert text.format("candidate") in forward.headline.reason
    assert text.format("baseline") in swapped.headline.reason


def test_without_shapes_the_grids_of_kernels_tell() -> None:
    found = compared(*(model(tokens, shapes=False, device=True) for tokens in (1, 1024)))
    assert found.headline.verdict is Verdict.WITHHELD
    assert "kernels of the candidate process 1,024 times as many threads" in found.headline.reason


def test_without_either_times_warn() -> None:
    found = compared(*(model(tokens, shapes=False) for tokens in (1, 1024)))
    check = sizes(found)
    assert check is not None and check.status == "warn" and "record with record_shapes=True" in check.detail
    assert found.headline.verdict is Verdict.SLOWER
    paused = sizes(compared(model(1, shapes=False, pause=50000), model(1024, shapes=False)))
    assert paused is not None and paused.status == "warn"  # the typical step tells, not the mean
    slow = compared(model(8, shapes=False), model(8, shapes=False, slower=50))
    assert sizes(slow) is None  # everything is slower: a machine, not an input


@pytest.mark.parametrize("times", [1, 2, 8])
def test_another_batch_size_is_compared(times: int) -> None:
    found = compared(model(16), model(16 * times))
    assert sizes(found) is None
    assert found.headline.verdict is (Verdict.SAME if times == 1 else Verdict.SLOWER)


def test_where_other_kernels_do_the_work_a_smaller_factor_does() -> None:
    """One number does not decide: 32 times the batch is compared where the same kernels run."""
    same = compared(model(2, device=True), model(64, device=True))
    other = compared(model(2, device=True, gemm="gemv"), model(64, device=True, gemm="gemm_128x128"))
    assert sizes(same) is None
    assert other.headline.verdict is Verdict.WITHHELD
