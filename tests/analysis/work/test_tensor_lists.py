"""Operators on lists of tensors, whose types are in the kernels' names; FLOPs and bytes by hand."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.work.tensor_lists import types_of_lists
from tests.analysis.summaries import summary
from tests.analysis.work.calls import figures, recorded
from tests.build import TraceBuilder

AT = "at::native::(anonymous namespace)::"
APPLY = f"void {AT}multi_tensor_apply_kernel<{AT}TensorListMetadata<4>, {AT}"
LIST = [[4, 3], [5]]
"""17 elements in two tensors."""


@pytest.mark.parametrize(
    ("kernel", "types"),
    [
        (f"{APPLY}FusedAdamMathFunctor<float, 4, "
         "(at::native::ADAM_MODE)1, false>, float const*, double>(...)", "float"),
        (f"{APPLY}FusedAdamMathFunctorMP<float, "
         "float, float, c10::BFloat16, c10::BFloat16, float, 4, (at::native::ADAM_MODE)1, false>, float const*>(...)",
         "float, float, c10::BFloat16, c10::BFloat16, float"),
        (f"{APPLY}FusedAdagradMathFunctor<double>, "
         "float const*>(...)", "double"),
        (f"{APPLY}CopyFunctor<c10::BFloat16, float, 2, 1, 1>, "
         "at::native::Copy<c10::BFloat16, float> >(...)", "c10::BFloat16, float"),
        (f"{APPLY}BinaryOpScalarFunctor<c10::complex<float>, 1, "
         "1, 0>, std::multiplies<c10::complex<float> >, c10::complex<float> >(...)", "c10::complex<float>"),
        (f"void {AT}CatArrayBatchedCopy<{AT}OpaqueType<2u>, unsigned int, 4, 64, 64>(...)", "OpaqueType<2u>"),
        ("void at::native::lpnorm_cleanup<float, (at::native::NormType)2, float>(...)", ""),
        ("ampere_sgemm_128x64_nn", ""),
    ],
)  # fmt: skip
def test_types_of_lists_are_read_from_kernel_names(kernel: str, types: str) -> None:
    assert types_of_lists(kernel) == types


ADAM = " | | | | | | 0.001 | 0.9 | 0.999 | {decay} | 1e-08 | {amsgrad} | False | | "


def _adam(decay: str = "0.", amsgrad: bool = False, scale: str = "-", listed: str = "float") -> tuple[int, int, str]:
    sizes = [LIST, LIST, LIST, LIST, LIST if amsgrad else [], [[], []], *([[]] if scale != "-" else [])]
    values = ADAM.format(decay=decay, amsgrad=amsgrad)
    types = f"T T T T T T S S S S S S S {scale} -"
    return figures(recorded("aten::_fused_adamw_", types, sizes, values, listed=listed))


def test_adam_reads_four_lists_and_writes_three() -> None:
    assert _adam() == (13 * 17, 7 * 17 * 4 + 2 * 4, "fp32")  # and a step counter per tensor
    assert _adam(decay="0.01") == (15 * 17, 7 * 17 * 4 + 8, "fp32")
    assert _adam(amsgrad=True) == (14 * 17, 9 * 17 * 4 + 8, "fp32")
    assert _adam(scale="f") == (14 * 17, 8 * 17 * 4 + 8, "fp32")  # gradients are written back


def test_states_of_adam_can_have_a_narrower_type() -> None:
    moved = 17 * (3 * 4 + 4 * 2) + 8
    assert _adam(listed="float, float, c10::BFloat16, c10::BFloat16, float") == (13 * 17, moved, "")


@pytest.mark.parametrize(
    ("momentum", "nesterov", "first", "each", "lists"),
    [("0.", False, False, 2, 3), ("0.9", False, False, 5, 5), ("0.9", True, False, 7, 5), ("0.9", False, True, 2, 4)],
)
def test_sgd_counts_the_momentum_it_uses(momentum: str, nesterov: bool, first: bool, each: int, lists: int) -> None:
    held = [] if momentum == "0." else LIST
    values = f" | | | 0. | {momentum} | 0.1 | 0. | {nesterov} | False | {first} | | "
    found = recorded("aten::_fused_sgd_", "T T T S S S S S S S - -", [LIST, LIST, held], values, listed="c10::Half")
    assert figures(found) == (each * 17, lists * 17 * 2, "fp16")


def test_adagrad_reads_three_lists_and_writes_two() -> None:
    values = " | | | | 0.01 | 0. | 0. | 1e-10 | False | | "
    sizes: list[object] = [LIST, LIST, LIST, [[], []]]
    found = recorded("aten::_fused_adagrad_", "T T T T S S S S S - -", sizes, values, listed="float")
    assert figures(found) == (7 * 17, 5 * 17 * 4 + 8, "fp32")


@pytest.mark.parametrize(
    ("name", "types", "lists", "expected"),
    [
        ("add_", "T T S", 2, (17, 3 * 68, "fp32")),
        ("mul_", "T f", 1, (17, 2 * 68, "fp32")),  # by a scalar tensor
        ("addcmul_", "T T T S", 3, (17, 4 * 68, "fp32")),
        ("sqrt", "T", 1, (17, 2 * 68, "fp32")),
        ("pow", "S T", 1, (17, 2 * 68, "fp32")),
        ("norm", "T S -", 1, (34, 68 + 8, "fp32")),
        ("copy_", "T T S", 2, (0, 2 * 68, "")),
        ("zero_", "T", 1, (0, 68, "")),
    ],
)
def test_elementwise_lists_count_like_single_tensors(
    name: str, types: str, lists: int, expected: tuple[int, int, str]
) -> None:
    sizes: list[object] = [LIST] * lists + ([[]] if " f" in types else [])
    assert figures(recorded(f"aten::_foreach_{name}", types, sizes, listed="float")) == expected


def test_cat_reads_and_writes_every_element() -> None:
    found = recorded("aten::cat", "T S", [[[2, 3], [4, 3], [0]]], " | 0", listed="OpaqueType<2u>")
    assert figures(found) == (0, 2 * 18 * 2, "")


def test_an_expanded_tensor_in_a_list_is_read_once() -> None:
    found = recorded("aten::cat", "T S", [[[2, 3], [4, 3]]], strides="[[[0, 1], [3, 1]], []]", listed="float")
    assert figures(found) == (0, 4 * (3 + 12 + 18), "")


@pytest.mark.parametrize(
    ("sizes", "listed", "reason"),
    [
        ([LIST, LIST], "", "the types of the tensors in a list are not recorded"),
        ([[], []], "float", "the sizes of the tensors in a list are not recorded (lists of more than 30, old torch)"),
        ([LIST, [[4, 3], [6]]], "float", "the sizes of the inputs contradict each other"),
        ([[[4, -3]], [[4, -3]]], "float", "the sizes of input 0 are not all known whole numbers"),
        ([LIST, LIST], "Posit", "unknown data type: Posit"),
        ([LIST, LIST], "c10::complex<float>", "complex arithmetic is not modeled"),
    ],
)
def test_unknown_work_of_a_list_has_a_reason(sizes: list[object], listed: str, reason: str) -> None:
    assert recorded("aten::_foreach_add_", "T T S", sizes, listed=listed) == reason


def test_the_kernel_name_gives_the_types_of_a_lists_operator() -> None:
    """Two kernels of different types leave it unknown."""
    names = [f"{APPLY}FusedAdamMathFunctor<{kind}, 4>>(...)"
             for kind in ("float", "double")]  # fmt: skip
    found = []
    for kernels in (names[:1] * 2, names):
        trace = TraceBuilder()
        trace.step(1, 0, 100)
        given = {"Input type": ["TensorList"] * 6 + ["Scalar"] * 7 + ["", ""]}
        given |= {"Concrete Inputs": [part.strip() for part in ADAM.format(decay="0.", amsgrad=False).split("|")]}
        lists = [LIST] * 4 + [[], [[], []]] + [[]] * 9
        trace.op("aten::_fused_adamw_", 10, 40, dims=lists, **given)
        for at, name in enumerate(kernels):
            trace.kernel(name, 50 + 10 * at, 55 + 10 * at, launch=(12 + 5 * at, 15 + 5 * at))
        work = summary(trace).groups["operator_work"]
        found.append((work.keys[0][2:], int(work.measures_ns["flops"][0, 0]), int(work.measures_ns["bytes"][0, 0])))
    known, unknown = found
    assert known == (("fp32", "optimizer", ""), 13 * 17, 7 * 68 + 8)
    assert unknown == (("", "", "the types of the tensors in a list are not recorded"), 0, 0)
