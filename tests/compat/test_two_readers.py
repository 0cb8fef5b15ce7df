"""The product's reader and the naive one lead to the same answers; so does the same trace at another time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given

from tb_perfcompare.analysis.compat import CompatProfile, answer, available_routes, read_compat
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.build import ABSOLUTE_BASE_NS, TraceBuilder
from tests.compat.naive_reader import read_naively, recording_of
from tests.shared_data import SHARED, needs_shared
from tests.strategies import traces

OF_TIMES = ("tree", "memory_curve", "operation/stack")
"""Routes left out when clocks are shifted, or that need an operator's name."""


def answers(profile: CompatProfile) -> dict[str, Any]:
    routes = [route for route in available_routes(profile) if route != "operation/stack"]
    return {route: json.dumps(answer(profile, route)) for route in routes}


@given(traces())
def test_generated_traces(trace: TraceBuilder) -> None:
    read = read_trace(io.BytesIO(trace.encode()), name="worker0.pt.trace.json")
    assert answers(read_compat(read)) == answers(read_compat(recording_of(trace.document())))


@given(traces())
def test_a_shifted_clock_changes_no_duration(trace: TraceBuilder) -> None:
    trace.whole_us = True
    found = []
    for trace.base_ns in (1_000_000, ABSOLUTE_BASE_NS):
        profile = read_compat(recording_of(trace.document()))
        found.append({route: text for route, text in answers(profile).items() if route not in OF_TIMES})
    assert found[0] == found[1]


@needs_shared
@pytest.mark.parametrize(
    "path", ["mixed_devices/h100/gaunernst_bert-small-uncased__1016001.json.gz", "mlu/resnet50_num_workers_4"]
)
def test_real_traces(path: str) -> None:
    trace = SHARED / path
    if trace.is_dir():
        trace = next(trace.iterdir())
    assert answers(read_compat(read_trace(trace))) == answers(read_compat(read_naively(trace)))
