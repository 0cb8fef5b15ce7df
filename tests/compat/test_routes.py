"""Which routes answer, with which arguments, and what is said when one cannot."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tb_perfcompare.analysis.compat import ROUTES, CompatProfile, answer, available_routes
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError
from tests.build import TraceBuilder
from tests.compat.reading import read


@pytest.fixture
def plain_run() -> CompatProfile:
    """A host-only trace: no kernels, modules, memory or call stacks."""
    trace = TraceBuilder(vendor="cpu", whole_us=True)
    trace.op("aten::mm", 0, 10, dims=[[2, 2]])
    return read(trace)


@pytest.fixture
def full_run() -> CompatProfile:
    """A trace with something for every route."""
    trace = TraceBuilder(whole_us=True)
    trace.step(1, 0, 100)
    trace.python("nn.Module: Linear_0", 5, 60, number=1, module=0)
    stack: dict[str, Any] = {"Call stack": "train.py(1): step"}
    trace.op("aten::mm", 10, 50, dims=[[2, 2]], **stack)
    trace.kernel("gemm", 30, 70, launch=(20, 25))
    trace.memory(15, 4096, device=0, allocated=4096, reserved=8192)
    trace.memory(55, -4096, device=0, allocated=0, reserved=8192)
    return read(trace)


def test_every_route_answers_json(full_run: CompatProfile) -> None:
    assert available_routes(full_run) == list(ROUTES)
    for route in ROUTES:
        assert json.dumps(answer(full_run, route, op_name="aten::mm"), allow_nan=False) != "null"


def test_a_trace_without_kernels_answers_null_for_them(plain_run: CompatProfile) -> None:
    assert [answer(plain_run, route) for route in ("kernel", "kernel/table", "kernel/tc_pie")] == [None] * 3


@pytest.mark.parametrize(
    ("route", "arguments", "message"),
    [
        ("nothing", {}, "no view 'nothing'; there are: overview, operation"),
        ("module", {}, "no module events (with_stack was off); views of this trace: overview"),
        ("memory", {}, "no memory events (profile_memory was off); views of this trace: overview"),
        ("operation/stack", {}, "operation/stack needs op_name"),
        ("operation/stack", {"op_name": "aten::mm"}, "no call stack was recorded for operator 'aten::mm'"),
        ("operation", {"group_by": "Name"}, "group_by is 'Name'; operators group by Operation or"),
    ],
)
def test_what_cannot_be_answered_is_reported(
    plain_run: CompatProfile, route: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        answer(plain_run, route, **arguments)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"memory_metric": "PB"}, "memory_metric is 'PB', an unknown unit; there are: B, K"),
        ({"start_ts": "1.5"}, "start_ts is '1.5'; it must be whole microseconds"),
    ],
)
def test_a_memory_view_refuses_what_it_cannot_read(
    full_run: CompatProfile, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SelectionError, match=message):
        answer(full_run, "memory", **arguments)


def test_arguments_may_come_as_text(full_run: CompatProfile) -> None:
    assert answer(full_run, "memory", start_ts="0", end_ts="20") == answer(full_run, "memory", start_ts=0, end_ts=20)


def test_memory_in_a_window_counts_its_records_alone(full_run: CompatProfile) -> None:
    view: Any = answer(full_run, "memory", start_ts=0, end_ts=20)
    assert view["rows"] == {"GPU0": [["aten::mm", 1, 4.0, 4.0, 1, 1, 4.0, 4.0]]}


def test_memory_held_over_time_is_drawn_in_steps(full_run: CompatProfile) -> None:
    view: Any = answer(full_run, "memory_curve", memory_metric="KB", time_metric="us")
    assert view["rows"] == {"GPU0": [[15.0, 4.0, 8.0], [55.0, 4.0, 8.0], [55.0, 0.0, 8.0]]}


def test_a_released_allocation_shows_its_lifetime(full_run: CompatProfile) -> None:
    view: Any = answer(full_run, "memory_events", time_metric="us")
    assert view["rows"] == {"GPU0": [["aten::mm", 4.0, 15.0, 55.0, 40.0]]}


def test_a_module_owns_the_device_time_of_the_operators_it_calls(full_run: CompatProfile) -> None:
    view: Any = answer(full_run, "module")
    (row,) = view["data"]
    assert (row["name"], row["operators"], row["device_duration"], row["self_device_duration"]) == (
        "Linear_0",
        1,
        40,
        40,
    )


def test_the_number_of_workers_is_the_callers(full_run: CompatProfile) -> None:
    overview: Any = answer(full_run, "overview", worker_count=8)
    assert overview["environments"][0] == {"title": "Number of Worker(s)", "value": "8"}


def test_an_mlu_trace_answers_in_mlu_words() -> None:
    trace = TraceBuilder(vendor="mlu", whole_us=True)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 50)
    trace.kernel("MLUUnion1KernelGemm", 30, 70, launch=(20, 25))
    profile = read(trace)
    overview: Any = answer(profile, "overview")
    assert overview["mlu_metrics"]["title"] == "MLU Summary"
    assert overview["environments"][1] == {"title": "Device Type", "value": "MLU"}
    launches: Any = answer(profile, "kernel/table", group_by="KernelNameAndOpName")
    titles = [column["name"] for column in launches["data"]["columns"]]
    assert titles[:4] == ["Name", "Operator", "DimXYZ", "Kernel Type"]


def test_lightning_modules_nest_by_their_dotted_names() -> None:
    trace = TraceBuilder(vendor="cpu", whole_us=True)
    trace.properties["Framework"] = "pytorch-lightning"
    trace.op("[pl][profile]fit", 0, 100)
    trace.op("[pl][module]torch.nn.Sequential: net", 10, 60)
    trace.op("[pl][module]torch.nn.Linear: net.fc1", 20, 40)
    profile = read(trace)
    view: Any = answer(profile, "module")
    assert [(row["name"], [child["name"] for child in row["children"]]) for row in view["data"]] == [
        ("net", ["net.fc1"])
    ]
    assert answer(profile, "views") == ["Overview", "Operator", "Trace", "Lightning"]
    tree: Any = answer(profile, "tree")
    assert [child["name"] for child in tree["children"]] == ["fit"]


def test_an_empty_trace_is_refused() -> None:
    with pytest.raises(InputError, match="traceEvents: holds no event that torch-tb-profiler knows; leave"):
        read({"traceEvents": []})


def test_without_torch_tb_profiler_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tb_perfcompare.analysis.compat.original", raising=False)
    monkeypatch.setitem(sys.modules, "torch_tb_profiler", None)
    trace = TraceBuilder(vendor="cpu", whole_us=True)
    trace.op("aten::mm", 0, 10)
    with pytest.raises(PerfCompareError, match=r"cannot be imported: .*; install it: pip install"):
        read(trace)
