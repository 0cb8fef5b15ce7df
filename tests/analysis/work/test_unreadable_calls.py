"""Any recorded arguments give plausible work or a reason, never an exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.work.operator_work import Work, model_of, operator_work, reasons_without_model
from tb_perfcompare.analysis.work.recorded_call import LARGEST, MODELS
from tb_perfcompare.analysis.work.tensors import DATA_TYPES
from tb_perfcompare.analysis.work.without_model import REASONS, reason_of

names = st.sampled_from([*sorted(MODELS), "triton_poi_fused_add_0"])
sizes = st.lists(st.integers(0, 9) | st.sampled_from([-1, None, True, "s0", 2.5, 1 << 70, [], [2, 3]]), max_size=5)
kinds = st.sampled_from([*sorted(DATA_TYPES), "", "Scalar", "ScalarList", "TensorList", "Posit"])
values = st.sampled_from(
    ["", "1", "0", "-1", "--5", "[1, 1]", "[]", "[0", "True", "[True, False, True]", "9" * 30, "²"]
)
arguments = st.lists(st.tuples(sizes, kinds, sizes, values), max_size=24)


listed = st.sampled_from(["", "float", "c10::Half, float", "OpaqueType<2u>", "Posit"])


@given(names, arguments, st.booleans(), st.booleans(), listed)
def test_arguments_of_any_type_give_work_or_a_reason(
    name: str, given_arguments: list[tuple[Any, str, Any, str]], strides: bool, concrete: bool, lists: str
) -> None:
    columns = [json.dumps(list(column)) for column in zip(*given_arguments, strict=True)] or ["[]"] * 4
    dims, types, steps, texts = columns
    check(operator_work(name, dims, types, steps if strides else "", texts if concrete else "", lists))


texts = st.text(max_size=30) | st.sampled_from(
    ["", "[", "{}", "[[]]", "[" * 5000, "NaN", "[1e999]", '"\\ud800"', "null"]
)


@given(names | st.text(max_size=10), texts, texts, texts, texts)
def test_arbitrary_texts_give_work_or_a_reason(name: str, dims: str, types: str, strides: str, concrete: str) -> None:
    check(operator_work(name, dims, types, strides, concrete))


def check(answer: Work | str) -> None:
    if isinstance(answer, str):
        assert answer
    else:
        assert 0 <= answer.flops < LARGEST
        assert 0 <= answer.bytes < LARGEST
        assert answer.family


well_formed = st.lists(st.integers(0, 4), max_size=4)


@given(
    names, st.lists(st.tuples(well_formed, st.sampled_from(["float", "long int", "", "Scalar"]), values), max_size=8)
)
def test_small_tensors_move_few_bytes(name: str, given_arguments: list[tuple[list[int], str, str]]) -> None:
    """8 inputs of at most 256 elements are not gigabytes."""
    columns = [json.dumps(list(column)) for column in zip(*given_arguments, strict=True)] or ["[]"] * 3
    answer = operator_work(name, columns[0], columns[1], "", columns[2])
    assert isinstance(answer, str) or answer.bytes < 1 << 24


parts = st.sampled_from([
    "vllm::", "symm_mem::", "x", "all_reduce", "reducescatter", "c10d::", "nccl:", "torch::", "autograd::engine::",
    "MmBackward0", "triton_", "poi_fused", "\n",
])  # fmt: skip
some_names = st.sampled_from([*sorted(MODELS), *sorted(REASONS)]) | st.lists(parts, max_size=3).map("".join)


@given(st.lists(some_names))
def test_reasons_of_many_names_are_those_of_each(named: list[str]) -> None:
    assert reasons_without_model(named) == [None if model_of(name) else reason_of(name) for name in named]
