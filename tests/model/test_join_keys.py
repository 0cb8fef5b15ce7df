"""Keys of names: equal for the same work in two runs, different for different kernels of one run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names import join_keys
from tb_perfcompare.model.names.join_keys import alike_key, kernel_key, operator_key, without_library
from tb_perfcompare.model.names.ranges import is_step
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared

HASH = "c4v7ra2m6xkpz5o3w2u7sd4hjqyb6tfnge5ilk3zsvw2x7q4omnb"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "enumerate(DataLoader).__next__"),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "enumerate(DataLoader).__next__"),
        ("ProfilerStep#17", "ProfilerStep"),
        ("AddmmBackward0", "AddmmBackward"),
        ("autograd::engine::evaluate_function: ReluBackward1", "autograd::engine::evaluate_function: ReluBackward"),
        ("aten::convolution_backward", "aten::convolution_backward"),
        ("Torch-Compiled Region: 3/1", "Torch-Compiled Region"),
        (f"## Call CompiledFxGraph {HASH} ##", "## Call CompiledFxGraph ##"),
        ("triton_poi_fused_add_relu_12", "triton_poi_fused_add_relu"),
        ("graph_2_cpp_fused_mul_7", "cpp_fused_mul"),
        ("nccl:send 0->1", "nccl:send"),
        ("nccl:recv 3<-2", "nccl:recv"),
        ("rank 3: forward", "rank: forward"),
        ("copy on stream 7", "copy on stream"),
        ("low_rank_4", "low_rank_4"),
        ("<built-in method t of Tensor object at 0x7f8869c6d680>", "<built-in method t of Tensor object>"),
        ("aten::conv2d", "aten::conv2d"),
        ("nn.Module: Linear_3", "nn.Module: Linear_3"),
    ],
)
def test_operator_keys_drop_what_a_run_numbers(name: str, key: str) -> None:
    assert operator_key(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("void  f<float>(int)", "void f<float>(int)"),
        ("f<g<float> >(int)", "f<g<float> >(int)"),
        ("triton_poi_fused_add_relu_12", "triton_poi_fused_add_relu"),
        ("triton_red_fused_mean_3_0d1d2d34", "triton_red_fused_mean"),
        ("triton_mm2_3", "triton_mm2"),
        ("_attn_fwd_0d1d2d3de4", "_attn_fwd"),
        ("main_kernel_5f3a9c0de1b2a3c4d5e6f708192a3b4c", "main_kernel"),
        ("kernel_object_at_0x7f88abcdef12", "kernel_object"),
        # parts that look like noise and are not
        ("max_pool_3d", "max_pool_3d"),
        ("gemm_bf16bf16bf16bf16bf16bf16bf16f32_tn", "gemm_bf16bf16bf16bf16bf16bf16bf16f32_tn"),
        ("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"),
        ("implicit_convolve_sgemm<float, 1024, 6>", "implicit_convolve_sgemm<float, 1024, 6>"),
        ("f::{lambda(float)#2}", "f::{lambda(float)#2}"),
    ],
)
def test_kernel_keys_drop_only_what_a_compiler_numbers(name: str, key: str) -> None:
    assert kernel_key(name) == key


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("f::{lambda(float)#1}", "f::{lambda(float)#2}", True),
        ("(anonymous namespace)::f<3ul>", "_GLOBAL__N__5f_8_F_cu_1a::f<3>", True),
        ("f<g<float> >(int)", "f<g<float>>(int)", True),
        ("f<128, 4>", "f<128, 8>", False),
        ("f::{lambda(float)#1}", "f::{lambda(int)#1}", False),
    ],
)
def test_alike_keys_ignore_lambda_numbers_but_not_template_arguments(one: str, other: str, alike: bool) -> None:
    assert (alike_key(one) == alike_key(other)) == alike


def test_library_free_names_drop_the_library() -> None:
    assert {without_library(f"aten::{library}convolution") for library in ("", "cudnn_", "miopen_", "mkldnn_")} == {
        "aten::convolution"
    }
    assert without_library("CudnnBatchNormBackward") == without_library("NativeBatchNormBackward")
    assert without_library("aten::_cudnn_rnn") == "aten::rnn"
    assert without_library("aten::native") == "aten::native"
    assert without_library("aten::index_add") == "aten::index_add"


PIECES = st.sampled_from((
    "triton_", "poi", "_", "12", "0d1d2", "Backward", "0", "0x7f8869c6d680", " at ", "rank ", "stream", "<", ">", " ",
    "graph_3_", "cpp_fused", "5f3a9c0de1b2a3c4d5e6f708192a3b4c", "Torch-Compiled Region: ", "CompiledFxGraph ",
    ":send ", "0->1", "{lambda(int)#3}", "f", "::", "ProfilerStep#", "enumerate(DataLoader)#", ".__next__",
))  # fmt: skip
NAMES = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=30)


@given(NAMES)
def test_a_key_is_its_own_key(name: str) -> None:
    for key_of in (operator_key, kernel_key, alike_key):
        assert key_of(key_of(name)) == key_of(name)


@given(NAMES)
def test_a_key_depends_on_the_name_alone(name: str) -> None:
    before = operator_key(name), kernel_key(name)
    operator_key.cache_clear()
    kernel_key.cache_clear()
    assert (operator_key(name), kernel_key(name)) == before


TRACES = sorted(SHARED.rglob("*.json.gz"))


def merged(names: set[str], key_of: Callable[[str], str]) -> set[str]:
    """Keys that several names share."""
    return {key for key, count in Counter(map(key_of, names)).items() if count > 1}


@needs_shared
@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}/{path.name[:24]}")
def test_in_real_traces_no_kernels_and_only_step_markers_share_a_key(path: Path) -> None:
    events = read_trace(str(path)).events
    kernels, operators = (
        {events.strings[code] for code in set(events.name[events.category == category].tolist())}
        for category in (Category.KERNEL, Category.OPERATOR)
    )
    assert merged(kernels, kernel_key) == merged(kernels, lambda name: alike_key(kernel_key(name))) == set()
    assert merged(operators, operator_key) <= {"ProfilerStep"}


NOISY_PIECES = st.sampled_from(
    ("0x7f88abcdef12", "_0", "_0d1d2d34", "1", "d", " ", "\t", "triton_", "cpp_fused", "graph_2_", "5f3a9c0d" * 4,
     "aten::mm", "Backward", "7", "Torch-Compiled Region", ": 3/1", "CompiledFxGraph ", "c4v7", ":send", " 0->1",
     "rank ", "STREAM#", "ſtream", "\u212a", "ran", "_", "-", "\u0663")
)  # fmt: skip


WRITTEN = ((join_keys._ADDRESS, ""), (join_keys._HASH, ""), (join_keys._SIGNATURE, ""))
KERNEL_NOISE = ((re.compile(r"\s+"), " "), (re.compile(r"^ | $"), ""), *WRITTEN)
HOST_NOISE = (
    *WRITTEN, (join_keys._AUTOGRAD, ""), (join_keys._REGION, r"\1"), (join_keys._GRAPH, r"\1"),
    (join_keys._PEER, r"\1"), (join_keys._RANK, r"\1"),
)  # fmt: skip


def without(noise: tuple[tuple[re.Pattern[str], str], ...], name: str) -> str:
    """The name after every pattern."""
    while True:
        again = name
        for pattern, kept in noise:
            again = pattern.sub(kept, again)
        again = join_keys._without_number(again)
        if again == name:
            return name
        name = again


@given(st.lists(NOISY_PIECES, max_size=5).map("".join))
def test_the_quick_check_skips_no_pattern_that_matches(name: str) -> None:
    """Keys skip patterns that a quick check rules out."""
    assert kernel_key(name) == without(KERNEL_NOISE, name)
    if not name.startswith("enumerate(") and not is_step(name):
        assert operator_key(name) == without(HOST_NOISE, name)
