"""Initial inputs from the builders of other tests: small and valid, one per layout."""

from __future__ import annotations

import gzip
import json
import tempfile
from functools import cache
from pathlib import Path

from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace
from tests.answers import saved
from tests.baselines.saving import save
from tests.build import TraceBuilder
from tests.drawn_runs import drawn_trace, write_run
from tests.history.series import record_run
from tests.ncu.exports import details_page, launch, raw_page
from tests.strict.tables import ABNORMAL, NORMAL

_NPU = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "CANN"}},
    {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "Ascend Hardware"}},
    {"ph": "X", "name": "AscendCL@aclnnMatmul", "pid": 1, "tid": 1, "ts": "10.5", "dur": 4,
     "args": {"connection_id": 3}},
    {"ph": "X", "name": "MatMul", "pid": 2, "tid": 7, "ts": "16.25", "dur": 9,
     "args": {"connection_id": 3, "Task Type": "AI_CORE"}},
    {"ph": "s", "cat": "async_npu", "id": "3", "pid": 1, "tid": 1, "ts": "10.5"},
    {"ph": "f", "cat": "async_npu", "id": "3", "pid": 2, "tid": 7, "ts": "16.25"},
]  # fmt: skip
_ODD = (
    b'{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "V100"}], "traceEvents": [\n'
    b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":"1","ts":1712195495519689.0471,"dur":1.5e3,"args":{"stream":"7",'
    b'"a":"0.5","blocks per SM":-0.0,"Input Dims":[[1, 2],[]],"grid":{"x":[null,true]}}},\n'
    b'{"ph":"s","cat":"fwdbwd","id":"3","ts":1,"pid":1,"tid":2},{"ph":"M","name":"process_name","args":{"name":"x"}},'
    b'{"ph":"C","name":"load","ts":1,"args":{"x":1}},{"ph":"i","name":"[memory]","cat":3,"pid":[],"tid":null,'
    b'"ts":9223372036854775.8071,"args":{"stream":1,"stream":2}},{"ph":"X","name":"\\ud83d\\ude00\\u00e9","ts":1,'
    b'"dur":-1,"args":null},7,"text"], "traceEvents2": {"a": [NaN]}}'
)


@cache
def traces() -> list[bytes]:
    """Traces of vendors and versions with every kind of event, packed and odd ones included."""
    found = [drawn_trace(steps=4).encode(), _ODD, json.dumps(_NPU).encode()]
    for options in ({"vendor": "rocm"}, {"spelling": "2021"}, {"ids": "correlation", "rank": 0, "world_size": 2}):
        trace = TraceBuilder(**options)
        for number, at in enumerate((0, 300)):
            trace.step(number + 1, at, at + 300)
            trace.loader(at + 1, at + 30)
            trace.op("aten::mm", at + 40, at + 140, dims=[[64, 64], [64, 64]])
            trace.kernel("gemm", at + 80, at + 120, launch=(at + 50, at + 60))
            trace.memcpy(at + 150, at + 160, launch=(at + 145, at + 148))
            trace.memory(at + 41, 4096)
            trace.counter("load", at + 5, x=number)
            trace.python("nn.Module: Linear_0", at + 35, at + 145, number=number + 1, module=0)
            trace.forward_backward(number + 1, at + 41, at + 200)
        trace.collective("all_reduce", (310, 320), (330, 380))
        found.append(trace.encode())
    return [*found, gzip.compress(found[0], 6, mtime=0)]


@cache
def answers() -> list[bytes]:
    """Saved answers of every kind, single and combined."""
    kinds = [
        saved.overview({"Kernel": 50, "Other": 5, "DataLoader": 3}, {"Kernel": 51}, metrics={"Name": "V100"}),
        saved.operators({"name": "aten::mm", "calls": 4, "host": 50, "device": 70}),
        saved.operators({"name": "aten::mm", "calls": 4, "host": 50, "device": 70, "shape": "[[2, 3]]"}),
        saved.kernels(["gemm", "Yes", 4, 100, 25, 30, 20]),
        saved.operator_pies(host_total={"aten::mm": 12}, device_total={"aten::mm": 90}),
        saved.kernel_pie({"gemm": 100}),
    ]  # fmt: skip
    lines = [json.dumps(kind).encode() for kind in kinds]
    return [b"\n".join(lines), *lines[:4], b"\n".join(lines * 2) + b"\nnull\n"]


def listings() -> list[bytes]:
    """A kernel listing with missing figures and a shortened name."""
    return [
        b"Kernel                                    Latency Tensor   DRAM\n"
        b"elementwise_kernel                |       7456   0.01   0.23\n"
        b"void at::native::vectorized_element... |  29344   -      nan\n"
        b"Kernel                            |      29344   0.15   0.32\n"
    ]


def exports() -> list[bytes]:
    """ncu exports in the layouts of both pages."""
    launches = [launch("gemm", 1234, 80.5, 20.1), launch("copy", 848, None, 91.2), launch("gemm", 1300, 79.0, 21.0)]
    return [
        text.encode()
        for text in (raw_page(launches), details_page(launches), details_page(launches, labels=False, rules=True))
    ]


def tables() -> list[bytes]:
    """Beginnings of the example per-cycle tables."""
    return [b"\n".join(path.read_bytes().split(b"\n")[:40]) + b"\n" for path in (NORMAL, ABNORMAL)]


def counters() -> list[bytes]:
    """Samples of counters."""
    path = ABNORMAL.with_name("toy_counters_data.csv")
    return [b"\n".join(path.read_bytes().split(b"\n")[:40]) + b"\n"]


@cache
def baselines() -> list[bytes]:
    """Baselines of one and of two captures."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = write_run(Path(folder) / "one", steps=4), write_run(Path(folder) / "two", spans=2, steps=3)
        return [save(Path(folder) / "saved", run).read_bytes() for run in (one, two)]


@cache
def points() -> list[bytes]:
    """A point of a history."""
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", steps=4)
        return [record_run(Path(folder) / "logs", run).read_bytes()]


@cache
def summaries() -> list[bytes]:
    """A summary in the columnar format."""
    return [packed(a_summary())]


@cache
def a_summary() -> Summary:
    """The summary of a small run."""
    from tb_perfcompare.workspace.inputs.run_files import side_from_path

    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", steps=4)
        workspace = Workspace(in_process_bytes=SMALL_BYTES)
        try:
            (found,) = workspace.survey(side_from_path(str(run), None, None).files, "device")
        finally:
            workspace.close()
    assert isinstance(found, Summary)
    return found
