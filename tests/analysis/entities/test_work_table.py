"""FLOPs, bytes and time of operators and kernels in drawn traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from tb_perfcompare.analysis.entities.counted_calls import BELOW
from tb_perfcompare.analysis.entities.known_work import SEVERAL
from tb_perfcompare.analysis.entities.work_table import NO_OPERATOR
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import STATED_WORK, GroupTable
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

LINEAR = {"Input Dims": [[8], [4, 16], [16, 8], [], []], "Input type": ["float", "float", "float", "Scalar", "Scalar"]}
"""Arguments of addmm: 4 x 16 times 16 x 8 plus a bias of 8."""
FLOPS = 2 * 4 * 16 * 8


def _work(drawn: Summary) -> GroupTable:
    return drawn.groups["operator_work"]


def _rows(drawn: Summary) -> dict[tuple[str, str], tuple[int, ...]]:
    """(name, reason) -> calls, time, FLOPs of all steps."""
    table = _work(drawn)
    figures = (table.calls, table.measures_ns["total"], table.measures_ns["flops"])
    return {(key[0], key[4]): tuple(int(matrix[row].sum()) for matrix in figures) for row, key in enumerate(table.keys)}


def _operator(trace: TraceBuilder, start: float, end: float, args: dict[str, Any], name: str = "aten::addmm") -> None:
    trace.op(name, start, end, dims=args["Input Dims"], **{"Input type": args["Input type"]})


def test_the_work_of_an_operator_has_the_time_of_its_kernels() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    _operator(trace, 10, 30, LINEAR)
    trace.kernel("sgemm", 40, 60, launch=(12, 20))
    trace.step(2, 100, 200)
    for start in (110, 140):
        _operator(trace, start, start + 20, LINEAR)
        trace.kernel("sgemm", start + 22, start + 32, launch=(start + 2, start + 10))
    drawn = summary(trace)
    table = _work(drawn)
    assert table.keys == (("aten::addmm", "[[8], [4, 16], [16, 8], [], []]", "fp32", "matrix product", ""),)
    assert table.calls.tolist() == [[1, 2]]
    assert table.measures_ns["flops"].tolist() == [[FLOPS, 2 * FLOPS]]
    assert table.measures_ns["total"].tolist() == [[20_000, 20_000]]


def test_a_kernel_has_the_work_of_an_operator_without_other_kernels() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    _operator(trace, 10, 30, LINEAR)
    trace.kernel("gemm", 40, 60, launch=(12, 14))
    _operator(trace, 70, 90, LINEAR)  # the same kernel twice
    trace.kernel("gemm", 92, 100, launch=(72, 74))
    trace.kernel("gemm", 100, 108, launch=(76, 78))
    _operator(trace, 110, 130, LINEAR)  # two different kernels: unknown which did the work
    trace.kernel("gemm", 132, 150, launch=(112, 114))
    trace.kernel("splitKreduce", 150, 155, launch=(116, 118))
    trace.op("mine::odd", 160, 170)
    trace.kernel("odd", 172, 179, launch=(162, 164))
    trace.kernel("alone", 200, 205, launch=(190, 195))
    drawn = summary(trace)
    table = drawn.groups["kernel_work"]
    rows = {(key[0], key[4]): row for row, key in enumerate(table.keys)}
    figures = {
        key: tuple(int(table.measures_ns[name][row].sum()) for name in ("total", "flops")) for key, row in rows.items()
    }
    assert figures["gemm", ""] == (36_000, 2 * FLOPS)
    assert figures["gemm", SEVERAL] == (18_000, 0) and figures["splitKreduce", SEVERAL] == (5_000, 0)
    assert figures["alone", NO_OPERATOR] == (5_000, 0)
    assert table.calls[rows["gemm", ""]].tolist() == [3]
    assert {name for name, reason in figures if name == "odd" and reason} == {"odd"}
    kernels = drawn.groups["kernels"].measures_ns["total"]
    assert int(table.measures_ns["total"].sum()) == int(kernels.sum())


def test_a_copy_and_a_kernel_of_one_operator_leave_its_work_unknown() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    _operator(trace, 10, 30, LINEAR)
    trace.memcpy(32, 36, launch=(12, 14), kind="DtoD (Device -> Device)")
    trace.kernel("gemm", 40, 60, launch=(16, 18))
    (key,) = summary(trace).groups["kernel_work"].keys
    assert (key[0], key[4]) == ("gemm", SEVERAL)


def test_fp32_products_on_tensor_cores_are_tf32() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    _operator(trace, 10, 30, LINEAR)
    trace.kernel("ampere_sgemm_tf32_16816_tn", 40, 60, launch=(12, 20))
    (key,) = _work(summary(trace)).keys
    assert key[2] == "tf32"


def test_rows_sum_to_the_device_work_of_the_step() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 200)
    _operator(trace, 10, 30, LINEAR)
    trace.kernel("sgemm", 40, 60, launch=(12, 20))
    trace.op("mine::odd", 70, 90)
    trace.kernel("odd", 92, 99, launch=(75, 80))
    trace.kernel("alone", 120, 125, launch=(110, 115))
    drawn = summary(trace)
    rows = _rows(drawn)
    assert sum(time for _, time, _ in rows.values()) == int(drawn.groups["kernels"].measures_ns["total"].sum())
    assert rows["", NO_OPERATOR] == (0, 5_000, 0)
    assert [time for (name, _), (_, time, _) in rows.items() if name == "mine::odd"] == [7_000]


def test_on_the_host_work_counts_in_the_innermost_operator() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    product = {"Input Dims": [[4, 16], [16, 8]], "Input type": ["float", "float"]}
    _operator(trace, 10, 40, LINEAR)
    _operator(trace, 15, 35, product, "aten::mm")
    rows = _rows(summary(trace))
    assert rows["aten::addmm", BELOW] == (1, 10_000, 0)
    assert rows["aten::mm", ""] == (1, 20_000, FLOPS)


def test_copies_between_host_and_device_have_no_flops() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    vector = {"Input Dims": [[64], [64], []], "Input type": ["float", "float", "Scalar"]}
    _operator(trace, 10, 30, vector, "aten::copy_")
    trace.memcpy(40, 60, launch=(12, 20))
    (key,) = _work(summary(trace)).keys
    assert key[4] != "" and _rows(summary(trace))["aten::copy_", key[4]] == (1, 20_000, 0)


def test_without_shapes_there_is_no_work_table() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::addmm", 10, 30)
    trace.kernel("sgemm", 40, 60, launch=(12, 20))
    assert "operator_work" not in summary(trace).groups


def test_implausible_sizes_have_no_work() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    huge = {"Input Dims": [[2**20, 2**20], [2**20, 2**20]], "Input type": ["float", "float"]}
    _operator(trace, 10, 30, huge, "aten::mm")
    trace.kernel("sgemm", 40, 60, launch=(12, 20))
    table = _work(summary(trace))
    assert not np.any(table.measures_ns["flops"]) and table.keys[0][4] != ""


def test_a_module_has_the_work_of_its_operators() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 200)
    trace.python("nn.Module: Net_0", 5, 100, number=1, module=0)
    trace.python("nn.Module: Linear_0", 8, 60, number=2, parent=1, module=0)
    _operator(trace, 10, 30, LINEAR)
    trace.kernel("sgemm", 110, 130, launch=(12, 20))
    _operator(trace, 70, 90, LINEAR)
    trace.kernel("sgemm", 140, 170, launch=(72, 80))
    drawn = summary(trace)
    table = drawn.groups["module_work"]
    found = {key[0]: int(table.measures_ns["total"][row, 0]) for row, key in enumerate(table.keys)}
    assert found == {"Net_0": 30_000, "Linear_0": 20_000}
    assert table.measures_ns["flops"].tolist() == [[FLOPS], [FLOPS]]


def test_work_stated_in_the_trace_is_used_without_shapes() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    trace.op("mine::odd", 10, 30, **{"Total Flops": 700})
    trace.kernel("odd", 40, 60, launch=(12, 20))
    _operator(trace, 70, 90, {**LINEAR, "flops": 5})  # the model also gives bytes and type
    trace.kernel("gemm", 92, 100, launch=(72, 74))
    trace.op("triton_poi_fused_add_0", 110, 130, kernel_num_gb=2e-6, kernel_flop=0)
    trace.kernel("triton_poi_fused_add_0", 140, 150, launch=(112, 114))
    for stated in (float("inf"), -3, 1e30, "many"):
        trace.op("mine::strange", 200, 210, flops=stated)
        trace.kernel("strange", 212, 214, launch=(202, 204))
    table = _work(summary(trace))
    works = {
        key[0]: (key[2:], int(table.measures_ns["flops"][row].sum()), int(table.measures_ns["bytes"][row].sum()))
        for row, key in enumerate(table.keys)
    }
    assert works["mine::odd"] == (("", STATED_WORK, ""), 700, 0)
    assert works["triton_poi_fused_add"] == (("", STATED_WORK, ""), 0, 2000)
    assert works["aten::addmm"][:2] == (("fp32", "matrix product", ""), FLOPS)
    assert works["mine::strange"] == (("", "", "unknown operator"), 0, 0)


def test_a_generated_kernel_has_bytes_of_its_arguments_unless_stated() -> None:
    """torch.compile records arguments of its kernels, and on request FLOPs and bytes."""
    types = {"Input type": ["float", "float", "float", "Scalar"]}
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    for start, stated in ((10, {}), (110, {"kernel_flop": 64}), (210, {"kernel_flop": 64, "kernel_num_gb": 1e-6})):
        name = f"triton_red_fused_{'abc'[start // 100]}_0"
        trace.op(name, start, start + 20, dims=[[8, 4], [4], [8, 4], []], **types, **stated)
        trace.kernel(name, start + 30, start + 40, launch=(start + 2, start + 4))
    table = _work(summary(trace))
    assert {key[3] for key in table.keys} == {"generated kernel"}
    flops, moved = (table.measures_ns[name].sum(axis=1).tolist() for name in ("flops", "bytes"))
    assert (flops, moved) == ([0, 64, 64], [4 * 68, 4 * 68, 1000])


def test_a_kernel_whose_work_is_stated_needs_no_operator() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    for start in (40, 80):
        trace.kernel("triton_0", start, start + 20, launch=(12, 20), kernel_flop=64, kernel_num_gb=1e-6)
    table = summary(trace).groups["kernel_work"]
    assert table.keys == (("triton", "", "", STATED_WORK, ""),)
    assert [int(table.measures_ns[name].sum()) for name in ("total", "flops", "bytes")] == [40_000, 128, 2000]
