"""Steps with the same operators on inputs of another order of magnitude are not comparable."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.judged import Judged
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import judge, sequence


def model(
    tokens: int, *, shapes: bool = True, device: bool = False, gemm: str = "gemm", slower: float = 1, pause: float = 0
) -> Summary:
    """Eight steps of four layers; compute time grows with the tokens. `pause` interrupts the first call of each
    computing operator."""
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


def sizes(found: Judged) -> Check | None:
    return next((check for check in found.checks if check.check == "input_sizes"), None)


@pytest.mark.parametrize("device", [False, True])
def test_a_decode_step_is_not_compared_with_a_prefill_step(device: bool) -> None:
    decode, prefill = model(1, device=device), model(1024, device=device)
    forward, swapped = judge(decode, prefill), judge(prefill, decode)
    assert forward.headline.verdict is swapped.headline.verdict is Verdict.WITHHELD
    text = "not the same problem size: operators of the {} process 1,024 times as many elements: aten::addmm"
    assert text.format("candidate") in forward.headline.reason
    assert text.format("baseline") in swapped.headline.reason


def test_without_shapes_grids_of_kernels_show_the_size() -> None:
    found = judge(*(model(tokens, shapes=False, device=True) for tokens in (1, 1024)))
    assert found.headline.verdict is Verdict.WITHHELD
    assert "kernels of the candidate process 1,024 times as many threads" in found.headline.reason


def test_without_shapes_and_grids_times_warn() -> None:
    found = judge(*(model(tokens, shapes=False) for tokens in (1, 1024)))
    check = sizes(found)
    assert check is not None and check.status == "warn" and "record with record_shapes=True" in check.detail
    assert found.headline.verdict is Verdict.SLOWER
    paused = sizes(judge(model(1, shapes=False, pause=50000), model(1024, shapes=False)))
    assert paused is not None and paused.status == "warn"  # the typical step decides, not the mean
    slow = judge(model(8, shapes=False), model(8, shapes=False, slower=50))
    assert sizes(slow) is None  # everything is slower: a machine, not an input


@pytest.mark.parametrize("times", [1, 2, 8])
def test_another_batch_size_is_compared(times: int) -> None:
    found = judge(model(16), model(16 * times))
    assert sizes(found) is None
    assert found.headline.verdict is (Verdict.SAME if times == 1 else Verdict.SLOWER)


def test_with_other_kernels_a_smaller_factor_withholds_the_verdict() -> None:
    """32 times the batch is compared when the same kernels run."""
    same = judge(model(2, device=True), model(64, device=True))
    other = judge(model(2, device=True, gemm="gemv"), model(64, device=True, gemm="gemm_128x128"))
    assert sizes(same) is None
    assert other.headline.verdict is Verdict.WITHHELD


def test_a_larger_table_is_no_larger_problem() -> None:
    """Rows of a table are looked up: its size is no work."""

    def side(rows: int) -> Summary:
        calls = [("aten::embedding", 90, [[rows, 64], [4096]]), ("aten::mm", 20, [[64, 64], [64, 64]])]
        return summary(sequence([calls] * 8, vendor="cpu"))

    found = judge(side(1_000), side(1_000_000))
    assert sizes(found) is None
    assert (found.headline.verdict, found.headline.counted) == (Verdict.SAME, None)
