"""The builders draw what they say: other tests rely on it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.build import ABSOLUTE_BASE_NS, TraceBuilder
from tests.picture import picture
from tests.strategies import traces


def test_picture_gives_the_spans_it_shows() -> None:
    trace = picture(
        """
        main     |[ProfilerStep#1.........]
        main     | [aten::mm...]
        main.api |  aa
        stream7  |     aaaa
        """,
        names={"a": "gemm"},
    )
    found = [(e.cat, e.name, e.start_ns // 1000, e.end_ns // 1000) for e in trace.events]
    assert found == [
        ("user_annotation", "ProfilerStep#1", 0, 250),
        ("cpu_op", "aten::mm", 10, 140),
        ("cuda_runtime", "cudaLaunchKernel", 20, 40),
        ("kernel", "gemm", 50, 90),
    ]


def test_launch_carries_the_innermost_operator_and_the_kernel_its_correlation() -> None:
    trace = TraceBuilder()
    trace.op("outer", 0, 100)
    inner = trace.op("inner", 10, 50)
    correlation = trace.kernel("gemm", 60, 90, launch=(20, 30))
    call, kernel = (e.args or {} for e in trace.events[-2:])
    assert call["External id"] == kernel["External id"] == inner
    assert call["correlation"] == kernel["correlation"] == correlation


def test_picture_refuses_a_call_without_its_kernel() -> None:
    with pytest.raises(ValueError, match="gemm"):
        picture("main.api |[gemm]")


def test_times_are_written_exactly_however_large_the_base() -> None:
    trace = TraceBuilder(base_ns=ABSOLUTE_BASE_NS)
    trace.op("a", 0.001, 1)
    assert b'"ts": 1700000000000000.001, "dur": 0.999' in trace.encode()


def test_whole_microseconds_refuse_fractions() -> None:
    trace = TraceBuilder(spelling="2021")
    trace.op("a", 0.5, 1)
    with pytest.raises(ValueError, match="whole microseconds"):
        trace.encode()


@given(traces())
def test_operators_of_random_traces_nest_properly(trace: TraceBuilder) -> None:
    assert len(json.loads(trace.encode())["traceEvents"]) > len(trace.events)
    open_until: dict[int | str, list[int]] = {}
    host = [e for e in trace.events if e.cat in ("cpu_op", "user_annotation", "Operator")]
    for event in sorted(host, key=lambda e: (e.start_ns, -e.end_ns)):
        stack = open_until.setdefault(event.tid, [])
        while stack and stack[-1] <= event.start_ns:
            stack.pop()
        assert not stack or event.end_ns <= stack[-1], event
        stack.append(event.end_ns)
