"""Real pairs with different kernel names: the share of matched work, and the matches."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tb_perfcompare.comparison.alignment.alignment import Alignment, align
from tb_perfcompare.comparison.alignment.kernel_matches import SAME
from tb_perfcompare.comparison.alignment.matched_share import matched_check
from tb_perfcompare.comparison.alignment.table import alignment_table
from tests.golden.test_shared_pairs import EAGER_AND_COMPILED, LOADERS, MLU, MODELS, NORMAL, devices, side
from tests.shared_data import needs_shared

pytestmark = needs_shared


@lru_cache(maxsize=8)
def aligned(a: str, b: str) -> Alignment:
    found = align(side(a), side(b))
    assert found is not None
    return found


def share(found: Alignment, figure: str, number: int) -> float:
    return float(getattr(found, figure)(number)) / found.total_ns(number)


def partners(found: Alignment, operator: str) -> set[tuple[str, str, str]]:
    """(kind, baseline kernel, candidate kernel) of matches below an operator."""
    return {
        (kernel.kind, kernel.baseline[0].name, kernel.candidate[0].name)
        for match, kernel in found.kernel_matches()
        if match.operator == operator and kernel.baseline and kernel.candidate
    }


@pytest.mark.parametrize("model", MODELS)
def test_nearly_all_work_of_an_h100_is_matched_on_an_mi300(model: str) -> None:
    found = aligned(*devices(model))
    for number in (0, 1):
        assert share(found, "matched_ns", number) >= 0.95
        assert share(found, "kernels_ns", number) >= 0.95
        assert found.kernels_ns(number, frozenset({SAME})) < 0.2 * found.total_ns(number)
    assert matched_check(found).status == "ok"
    unmatched = {match.operator for match in found.matches if match.is_alone}
    assert unmatched <= {"aten::fill_"}


def test_attention_and_convolution_kernels_of_two_vendors_are_matched() -> None:
    owlv2, qwen, _ = MODELS
    ((kind, cuda, rocm),) = partners(aligned(*devices(qwen)), "aten::_flash_attention_forward")
    assert kind == "renamed" and "flash_fwd_kernel" in cuda and rocm == "attn_fwd"
    (convolution,) = [
        match for match in aligned(*devices(owlv2)).matches if match.rule == "below the same operator and shape"
    ]
    assert (convolution.operator, convolution.calls) == ("aten::_convolution", (5, 5))
    assert any("Im2d2Col" in run.name for kernel in convolution.kernels for run in kernel.candidate)


def test_a_compiled_model_is_matched_with_an_eager_one_by_shared_operators() -> None:
    """Half of the candidate runs in CompiledFunction, which the baseline lacks."""
    found = aligned(*EAGER_AND_COMPILED)
    assert [round(share(found, "matched_ns", number), 2) for number in (0, 1)] == [0.78, 0.61]
    check = matched_check(found)
    assert check.status == "warn"
    assert "baseline 78 %, candidate 61 %" in check.detail
    alone = {match.operator: match.time_ns for match in found.matches if match.is_alone}
    assert {"CompiledFunction", "CompiledFunctionBackward"} <= set(alone)


def test_two_runs_of_one_device_differ_only_in_convolution_kernels() -> None:
    found = aligned(NORMAL, LOADERS)
    other = {match.operator for match, kernel in found.kernel_matches() if kernel.kind != SAME}
    assert all("convolution" in operator for operator in other)
    assert all(share(found, "matched_ns", number) == 1 for number in (0, 1))
    assert all(found.kernels_ns(number, frozenset({SAME})) > 0.92 * found.total_ns(number) for number in (0, 1))


def test_a_network_on_cuda_and_mlu_is_matched_by_operator() -> None:
    """Different versions of torch and libraries, shapes on one side only, 3 steps against 1."""
    found = aligned(NORMAL, MLU[0])
    assert not found.has_shapes
    assert found.units == (3, 1)
    assert [round(share(found, "matched_ns", number), 2) for number in (0, 1)] == [0.93, 0.82]
    assert found.kernels_ns(0, frozenset({SAME})) == 0
    assert {"aten::convolution", "aten::convolution_backward", "aten::batch_norm_backward"} <= {
        match.operator for match in found.matches if match.confidence == "likely"
    }


@pytest.mark.parametrize("pair", [*map(devices, MODELS), EAGER_AND_COMPILED, (NORMAL, MLU[0])])
def test_matched_and_unmatched_work_sums_to_the_device_work(pair: tuple[str, str]) -> None:
    found = aligned(*pair)
    for number, path in enumerate(pair):
        tables = side(path).groups
        whole = sum(int(tables[name].measures_ns["total"].sum()) for name in ("kernels", "memcpy") if name in tables)
        assert found.total_ns(number) == whole
    table = alignment_table(found)
    for number, column in enumerate(("baseline_us", "candidate_us")):
        total = sum(row[table.places[column]] or 0 for row in table.rows)
        assert total == pytest.approx(found.total_ns(number) / found.steps[number] / 1000, rel=1e-12)
