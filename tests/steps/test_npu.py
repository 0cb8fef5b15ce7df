"""A step of a torch_npu trace, whose layers are processes."""

from __future__ import annotations

from pathlib import Path

from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tests.sources.trace.test_process_layers import NpuTrace, read
from tests.steps.drawn import kinds, lanes, named


def test_layers_become_lanes(tmp_path: Path) -> None:
    trace = NpuTrace()
    trace.op("aten::matmul", 0, 30)
    trace.call("AscendCL@aclnnMatmul", 5, 8, 1)
    trace.task("MatMulV2", 20, 60, 1)
    trace.arrow(0, 20)
    step = StepCutter(read(trace, tmp_path), "device").cut("0")
    assert lanes(step) == [
        ("stream.0", "NPU stream 2", 1), ("host.0", "thread 100", 1), ("calls.0", "thread 101", 1),
    ]  # fmt: skip
    assert [kinds(step, name) for name in ("MatMulV2", "AscendCL@aclnnMatmul")] == [{"kernel"}, {"runtime"}]
    (task,), (operator,), (call,) = (named(step, name) for name in ("MatMulV2", "aten::matmul", "AscendCL@aclnnMatmul"))
    assert (int(step.operator[task]), int(step.launcher[task])) == (operator, call)
