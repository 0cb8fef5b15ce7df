"""The main thread of a recording."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.trace.threads import main_lane
from tests.analysis.summaries import timeline
from tests.build import TraceBuilder


@pytest.mark.parametrize("first", [101, 102])
def test_of_threads_with_as_many_operators_the_first_by_name_is_the_main_one(first: int) -> None:
    trace = TraceBuilder()
    for thread in (first, 203 - first):
        trace.op(f"aten::op{thread}", thread, thread + 5, thread=thread)
    drawn = timeline(trace)
    (name,) = drawn.events.name[(drawn.lane == main_lane(drawn)) & drawn.is_operator]
    assert drawn.events.strings[name] == "aten::op101"
