"""Names that differ between the sides for the same thing: moved Python functions, other vendors' calls and copies."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.alignment.same_names import equivalent_calls, equivalent_copies, moved_frames
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.vendors import VENDORS
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare

CUDA, ROCM = (next(vendor for vendor in VENDORS if vendor.kind == kind) for kind in ("cuda", "rocm"))


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        (["m.py(10): f"], ["m.py(12): f"], {"m.py(10): f", "m.py(12): f"}),
        (["m.py(10): f"], ["m.py(10): f"], set()),
        (["m.py(10): f"], ["n.py(10): f"], set()),
        (["m.py(10): f"], ["m.py(10): g"], set()),
        # methods of one name keep their order in the file
        (["m.py(1): f", "m.py(9): f"], ["m.py(3): f", "m.py(9): f"], {"m.py(1): f", "m.py(3): f"}),
        # either may be the new one
        (["m.py(1): f"], ["m.py(3): f", "m.py(9): f"], set()),
        # where a package is installed does not matter
        (["/a/python3.8/site-packages/m.py(1): f"], ["/b/site-packages/m.py(1): f"],
         {"/a/python3.8/site-packages/m.py(1): f", "/b/site-packages/m.py(1): f"}),
        # neither does a file's random name, nor a notebook's process and cell
        (["/tmp/conv_propagate_57j3j5n2.py(9): f"], ["/tmp/conv_propagate_ciw9z6tp.py(9): f"],
         {"/tmp/conv_propagate_57j3j5n2.py(9): f", "/tmp/conv_propagate_ciw9z6tp.py(9): f"}),
        (["/tmp/ipykernel_8/123.py(3): f"], ["/tmp/ipykernel_17/98.py(3): f"],
         {"/tmp/ipykernel_8/123.py(3): f", "/tmp/ipykernel_17/98.py(3): f"}),
        (["/tmp/a_57j3j5n2.py(9): f"], ["/tmp/b_57j3j5n2.py(9): f"], set()),
        (["<built-in function len>"], ["<built-in function max>"], set()),
    ],
)  # fmt: skip
def test_a_function_whose_line_moved_is_the_same(a: list[str], b: list[str], joined: set[str]) -> None:
    assert {*moved_frames(a, b)} == joined
    assert moved_frames(b, a) == moved_frames(a, b)


@pytest.mark.parametrize(
    ("cuda", "rocm", "names"),
    [
        (["cudaLaunchKernel"], ["hipLaunchKernel"], {"cudaLaunchKernel / hipLaunchKernel"}),
        (["cuLaunchKernel"], ["hipModuleLaunchKernel"], {"cuLaunchKernel / hipModuleLaunchKernel"}),
        (["cudaLaunchKernelExC"], ["hipExtModuleLaunchKernel"], {"cudaLaunchKernelExC / hipExtModuleLaunchKernel"}),
        (["cudaMemcpyAsync"], ["hipMemcpyWithStream"], {"cudaMemcpyAsync / hipMemcpyWithStream"}),
        (["cudaMemcpyAsync"], ["hipMemcpyAsync", "hipMemcpyWithStream"], {"cudaMemcpyAsync / hipMemcpyAsync"}),
        (["cudaStreamIsCapturing"], ["hipStreamGetDevice"], set()),
    ],
)
def test_equivalent_calls_of_two_vendors_share_a_name(cuda: list[str], rocm: list[str], names: set[str]) -> None:
    assert {*equivalent_calls(cuda, rocm, CUDA, ROCM).values()} == names
    assert {*equivalent_calls(rocm, cuda, ROCM, CUDA).values()} == names


@pytest.mark.parametrize(
    ("kind", "launch", "wait", "copy"),
    [
        ("rocm", "hipLaunchKernel", "hipStreamSynchronize", "hipMemcpyAsync"),
        ("mlu", "cnInvokeKernel", "cnrtQueueSync", "cnrtMemcpyAsync"),
        ("mtia", "mtiaLaunchKernel", "mtiaStreamSynchronize", "mtiaMemcpyAsync"),
        ("xpu", "urEnqueueKernelLaunch", "urQueueFinish", "urEnqueueUSMMemcpy"),
        ("npu", "Node@launch", "AscendCL@aclrtSynchronizeStream", "AscendCL@aclrtMemcpyAsync"),
        ("musa", "musaLaunchKernel", "musaStreamSynchronize", "musaMemcpyAsync"),
        ("maca", "mcLaunchKernel", "mcStreamSynchronize", "mcMemcpyAsync"),
        ("gcu", "topsLaunchKernel", "topsStreamSynchronize", "topsMemcpyAsync"),
    ],
)
def test_launch_wait_and_copy_calls_of_every_vendor_are_equivalent(
    kind: str, launch: str, wait: str, copy: str
) -> None:
    other = next(vendor for vendor in VENDORS if vendor.kind == kind)
    cuda = ["cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync"]
    joined = equivalent_calls(cuda, [launch, wait, copy], CUDA, other)
    assert {*joined} == {*cuda, launch, wait, copy}


def test_copies_in_one_direction_are_one_kind() -> None:
    h100 = ["Memcpy HtoD (Pageable -> Device)", "Memcpy DtoD (Device -> Device)", "Memset (Device)"]
    mi300 = ["Memcpy HtoD (Host -> Device)", "Memcpy DtoD (Device -> Device)", "Memset (Unknown)"]
    assert {*equivalent_copies(h100, mi300).values()} == {"Memcpy HtoD", "Memset"}
    mlu = ["Memcpy HtoD", "Memcpy DtoD", "Memset"]
    assert {*equivalent_copies(h100, mlu).values()} == {*mlu}
    # two kinds of copy on one side for one of the other: ambiguous
    two = ["Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)"]
    assert equivalent_copies(two, mi300[:1]) == {}


def step(vendor: str, line: int, memory: str, us: float) -> TraceBuilder:
    """Two steps with a copy, a kernel and a Python function."""
    trace = TraceBuilder(vendor=vendor)
    for number in range(2):
        at = 1000 * number
        trace.step(number, at, at + 900)
        trace.python(f"module.py({line}): _call_impl", at + 5, at + 100 + us, number=1 + number)
        trace.op("aten::mm", at + 200 + us, at + 600)
        trace.memcpy(at + 310, at + 400, kind=f"HtoD ({memory} -> Device)", launch=(at + 300, at + 305))
        trace.kernel("gemm", at + 450, at + 500 + us, launch=(at + 420, at + 430))
    return trace


def compared(**changed: object) -> Comparison:
    one = {"vendor": "cuda", "line": 1743, "memory": "Pageable", "us": 0.0}
    sides = (summary(step(**side)) for side in (one, one | changed))
    return compare(*sides)


def statuses(of: Comparison, category: str) -> dict[str, str]:
    return {row.path[1]: row.status for row in of.ledger.rows if len(row.path) == 2 and row.path[0] == category}


def test_on_another_vendors_device_nothing_is_gone() -> None:
    got = compared(vendor="rocm", memory="Host", us=50.0)
    assert statuses(got, "Memcpy") == {"Memcpy HtoD": "both"}
    assert statuses(got, "Runtime") == {
        "cudaLaunchKernel / hipLaunchKernel": "both", "cudaMemcpyAsync / hipMemcpyAsync": "both",
    }  # fmt: skip
    assert not any(" is gone" in finding.sentence for finding in got.findings)
    assert {row[-1] for row in got.tables["memcpy"].rows} & {"added", "removed"} == set()


def test_pageable_and_pinned_memory_of_one_vendor_stay_apart() -> None:
    assert statuses(compared(memory="Pinned"), "Memcpy") == {
        "Memcpy HtoD (Pageable -> Device)": "removed", "Memcpy HtoD (Pinned -> Device)": "added",
    }  # fmt: skip


def test_a_function_on_another_line_is_not_gone() -> None:
    got = compared(line=1751, us=50.0)
    assert statuses(got, "Other")["module.py(1743/1751): _call_impl"] == "both"
    assert not any("_call_impl is gone" in finding.sentence for finding in got.findings)
    messages = [note.message for note in got.notes]
    assert "1 Python function matched despite different lines or temporary files" in messages
