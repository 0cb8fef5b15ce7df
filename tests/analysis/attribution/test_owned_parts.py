"""Parts of an entity by caller and input shape, gaps by what surrounds them; parts sum exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import owned_parts
from tb_perfcompare.analysis.columns.operator_keys import UNKNOWN_LAUNCH
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, OUTSIDE_OPERATORS
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import OwnedTime
from tests.analysis.passes_tools import FORMS, form
from tests.analysis.summaries import summarized, summary
from tests.build import MAIN, TraceBuilder
from tests.picture import picture
from tests.strategies import permutations_of, traces

Cells = dict[tuple[str, ...], tuple[int, int]]


def cells(split: SplitTime | None, depth: int = 4) -> Cells:
    """(first `depth` texts of a key, step) -> owned nanoseconds and calls."""
    assert split is not None
    found: Cells = {}
    columns = (split.row, split.step, split.time_ns, split.calls)
    for row, step, ns, count in zip(*(column.tolist() for column in columns), strict=True):
        key = (*split.keys[row][:depth], str(step))
        time, calls = found.get(key, (0, 0))
        found[key] = time + ns, calls + count
    return {key: cell for key, cell in found.items() if any(cell)}


def of_entities(owned: OwnedTime) -> Cells:
    return {
        (CATEGORY_LABELS[category], key, str(step)): (int(owned.time_ns[row, step]), int(owned.calls[row, step]))
        for row, (category, key) in enumerate(zip(owned.category.tolist(), owned.key, strict=True))
        for step in range(owned.time_ns.shape[1])
        if owned.time_ns[row, step] or owned.calls[row, step]
    }


def parts_us(of: Summary, entity: str) -> dict[tuple[str, str], tuple[float, int]]:
    """(caller, shape) -> owned microseconds and calls of an entity's parts in the first step."""
    return {
        (key[2], key[3]): (ns / 1000, calls)
        for key, (ns, calls) in cells(of.owned.parts).items()
        if key[1] == entity and key[4] == "0"
    }


def test_a_kernel_is_split_by_launching_operator_and_shape() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.op("aten::mm", 10, 40, dims=[[2, 3], [3, 4]])
    trace.op("aten::mm", 50, 80, dims=[[8, 8], [8, 8]])
    trace.op("aten::bmm", 90, 120)
    for at, end, launch in ((200, 210, 20), (300, 330, 60), (400, 450, 100), (500, 503, 25)):
        trace.kernel("gemm", at, end, launch=(launch, launch + 2))
    trace.kernel("gemm", 600, 607)
    trace.kernel("gemm", 700, 701, launch=(150, 152))
    assert parts_us(summary(trace), "gemm") == {
        ("aten::mm", "[[2, 3], [3, 4]]"): (13, 2),
        ("aten::mm", "[[8, 8], [8, 8]]"): (30, 1),
        ("aten::bmm", ""): (50, 1),
        ("(launch not recorded)", ""): (7, 1),
        ("(outside operators)", ""): (1, 1),
    }


def test_an_operator_is_split_by_shape_and_an_api_call_by_operator() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.op("aten::mm", 10, 40, dims=[[2, 3], [3, 4]])
    trace.op("aten::mm", 50, 80, dims=[[8]])
    trace.call("cudaMalloc", 20, 25)
    trace.call("cudaMalloc", 900, 907)
    drawn = summary(trace)
    assert parts_us(drawn, "aten::mm") == {("", "[[2, 3], [3, 4]]"): (25, 1), ("", "[[8]]"): (30, 1)}
    assert parts_us(drawn, "cudaMalloc") == {("aten::mm", ""): (5, 1), ("(outside operators)", ""): (7, 1)}


def test_a_single_nested_call_of_the_same_name_has_the_outer_shape() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mul", 10, 60, dims=[[4, 4], []])
    trace.op("aten::mul", 20, 50, dims=[[4, 4], [1]])
    trace.kernel("mul", 70, 80, launch=(30, 35))
    drawn = summary(trace)
    assert parts_us(drawn, "mul") == {("aten::mul", "[[4, 4], []]"): (10, 1)}
    assert list(parts_us(drawn, "aten::mul")) == [("", "[[4, 4], []]")]


def test_a_hidden_kernel_keeps_its_calls() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1.....]
        main     |[aten::mm......]
        main.api | a b
        stream7  |     aaaaaaa
        stream8  |     bb
    """))  # fmt: skip
    assert parts_us(drawn, "b") == {("aten::mm", ""): (10, 1)}
    assert parts_us(drawn, "a") == {("aten::mm", ""): (60, 1)}


def test_a_gap_is_named_by_the_operators_around_it() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1...................]
        main     |  [aten::to]   [aten::mm]
        main     |   [in]
        thread1  |                        [x]
    """))  # fmt: skip
    assert parts_us(drawn, "(nothing recorded)") == {
        ("before aten::to", ""): (20, 0),
        ("after aten::to, before aten::mm", ""): (30, 0),
        ("after aten::mm", ""): (80, 0),
    }


def test_gaps_between_the_same_operators_are_summed() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1...............]
        main     |[a1]  [b1] [a1]    [b1][a1][b1]
    """))  # fmt: skip
    assert parts_us(drawn, "(nothing recorded)") == {
        ("after a1, before b1", ""): (60, 0), ("after b1, before a1", ""): (10, 0),
    }  # fmt: skip


def test_without_markers_gaps_are_of_the_thread_with_most_events() -> None:
    trace = TraceBuilder(vendor="cpu")
    for at in (0, 10, 60):
        trace.op("aten::mm", at, at + 5, thread=MAIN + 3)
    trace.op("aten::other", 20, 21)
    trace.op("aten::other", 30, 31)
    gaps = parts_us(summary(trace), "(nothing recorded)")
    assert gaps == {("after aten::mm, before aten::mm", ""): (5 + 5 + 9 + 29, 0)}


def test_profiler_overhead_is_split_by_kind() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 0, 50)
    for name, at in (("Activity Buffer Request", 60), ("Instrumentation", 80)):
        trace._add("overhead", name, -1, 0, at, at + 10, {})
    assert parts_us(summary(trace), "(profiler overhead)") == {
        ("Activity Buffer Request", ""): (10, 1), ("Instrumentation", ""): (10, 1),
    }  # fmt: skip


def test_parts_list_the_recorded_keys() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 0, 50)
    shaped = TraceBuilder(vendor="cpu")
    shaped.step(1, 0, 100)
    shaped.op("aten::mm", 0, 50, dims=[[1]])
    keys = [drawn.owned.parts.recorded_keys for drawn in map(summary, (trace, shaped)) if drawn.owned.parts is not None]
    assert keys == [("operator",), ("operator", "shape")]


def test_the_smallest_parts_beyond_the_limit_are_pooled_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owned_parts, "MAX_PARTS", 3)
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 200)
    at = 0
    for number, length in enumerate((50, 7, 90, 6, 30)):
        trace.op("aten::mm", at, at + length, dims=[[number]])
        at += length
    trace.op("aten::relu", at, 200, dims=[[1]])
    drawn = summary(trace)
    assert parts_us(drawn, "aten::mm") == {
        ("", "[[0]]"): (50, 1), ("", "[[2]]"): (90, 1), ("", "[[4]]"): (30, 1), ("(smaller parts)", ""): (13, 2),
    }  # fmt: skip
    assert cells(drawn.owned.parts, 2) == of_entities(drawn.owned)
    (note,) = [note for note in drawn.notes if note.code is NoteCode.PARTS_POOLED]
    assert "smallest callers and input shapes" in note.message


@given(traces(), st.sampled_from(("device", "marker")))
def test_the_parts_of_an_entity_sum_to_it(trace: TraceBuilder, window: str) -> None:
    drawn = summarized(trace, window=window)
    assert cells(drawn.owned.parts, 2) == of_entities(drawn.owned)


@pytest.mark.parametrize("compiled", FORMS)
@given(data=st.data())
def test_the_odd_nanosecond_of_equal_kernels_belongs_to_the_later_launch_in_any_file_order(
    compiled: bool, data: st.DataObject
) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1)
    trace.kernel("gemm", 0.01, 0.015)  # launch not recorded
    trace.kernel("gemm", 0.01, 0.015, launch=(0.002, 0.004))
    with form(compiled):
        found = summary(trace, order=data.draw(permutations_of(trace)))
    assert parts_us(found, "gemm") == {(UNKNOWN_LAUNCH, ""): (0.002, 1), (OUTSIDE_OPERATORS, ""): (0.003, 1)}


@pytest.mark.parametrize("compiled", FORMS)
@given(data=st.data())
def test_the_later_of_two_equal_calls_owns_the_time_in_any_file_order(compiled: bool, data: st.DataObject) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 40)
    for thread, around in ((MAIN, "first"), (MAIN + 1, "second")):
        number = trace.op(around, 5, 5, thread=thread)
        trace.call("cudaLaunchKernel", 10, 20, thread=thread, external_id=number)
    with form(compiled):
        found = summary(trace, order=data.draw(permutations_of(trace)))
    assert parts_us(found, "cudaLaunchKernel") == {("second", ""): (10, 1), ("first", ""): (0, 1)}


@given(traces(), traces())
def test_the_parts_of_pooled_captures_and_selected_steps_sum_to_their_entities(
    trace: TraceBuilder, another: TraceBuilder
) -> None:
    first, second = summarized(trace), summarized(another)
    second = replace(second, captures=(replace(second.captures[0], span="2"),))
    markers = {of.iterations.chosen.asked_as for of in (first, second) if of.marked and of.iterations is not None}
    assume(len(markers) <= 1)  # captures with steps by different markers are not pooled
    pooled = pool([first, second])
    assert cells(pooled.owned.parts, 2) == of_entities(pooled.owned)
    assert pooled.owned.parts is not None and first.owned.parts is not None and second.owned.parts is not None
    keys = [set(parts.recorded_keys) for parts in (first.owned.parts, second.owned.parts)]
    assert set(pooled.owned.parts.recorded_keys) == keys[0] & keys[1]
    if not first.marked:
        return
    number = int(first.steps.label[-1].partition(" ")[0])
    chosen = select_steps(first, (number, number))
    assert cells(chosen.owned.parts, 2) == of_entities(chosen.owned)


TIMES = st.lists(st.integers(0, 9), max_size=20)


@pytest.mark.parametrize("side", ["left", "right"])
@given(times=TIMES, wanted=TIMES)
def test_places_equal_a_search_in_sorted_times(
    times: list[int], wanted: list[int], side: Literal["left", "right"]
) -> None:
    unordered = np.array(times, dtype=np.int64)
    order = np.argsort(unordered, kind="stable").astype(np.int32)
    found = owned_parts._places(unordered, order, np.array(wanted, dtype=np.int64), side)
    assert found.tolist() == np.searchsorted(sorted(times), wanted, side).tolist()
