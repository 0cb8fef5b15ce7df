"""Invariants of the summaries of random traces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.attribution.test_call_tree import calls, own_us
from tests.analysis.attribution.test_memory_use import rows
from tests.analysis.attribution.test_owned_modules import traces_with_modules
from tests.analysis.attribution.test_owned_parts import cells
from tests.analysis.summaries import summarized
from tests.build import TraceBuilder
from tests.strategies import permutations_of, traces


def facts(of: Summary) -> dict[str, object]:
    """Everything a comparison uses, with start times relative to the first step."""
    starts = of.steps.start_ns - of.steps.start_ns[0]
    groups = {
        name: {
            key: (row_calls, {m: v[i].tolist() for m, v in g.measures_ns.items()})
            for i, (key, row_calls) in enumerate(zip(g.keys, g.calls.tolist(), strict=True))
        }
        for name, g in of.groups.items()
    }
    owned = dict(
        zip(zip(of.owned.category.tolist(), of.owned.key, strict=True), of.owned.time_ns.tolist(), strict=True)
    )
    splits = {"parts": of.owned.parts, "modules": of.modules}
    if of.work is not None:
        splits |= {"work": of.work.work, "places": of.work.operators}
    return {
        **{name: None if split is None else cells(split) for name, split in splits.items()},
        "memory": None if of.memory is None else rows(of.memory),
        "work keys": of.work and (of.work.work.keys, of.work.operators.keys),
        "call tree": None if of.call_tree is None else (own_us(of), calls(of)),
        "steps": (of.steps.label, starts.tolist(), of.steps.total_ns.tolist(), of.steps.launches.tolist()),
        "dropped": of.dropped,
        "owned": owned,
        "groups": groups,
        "metrics": of.device_metrics,
        "environment": of.environment,
        "notes": of.notes,
    }


@given(traces(), st.sampled_from(("device", "marker")))
def test_owned_time_sums_to_every_step(trace: TraceBuilder, window: str) -> None:
    drawn = summarized(trace, window=window)
    assert drawn.owned.time_ns.sum(axis=0).tolist() == drawn.steps.total_ns.tolist()
    assert (drawn.owned.time_ns >= 0).all()
    assert drawn.owned.by_category().sum(axis=0).tolist() == drawn.steps.total_ns.tolist()


@given(traces_with_modules(), st.data())
def test_the_order_of_events_in_the_file_changes_nothing(trace: TraceBuilder, data: st.DataObject) -> None:
    order = data.draw(permutations_of(trace))
    assert facts(summarized(trace, order=order)) == facts(summarized(trace))


@given(traces(), st.integers(1, 10**9))
def test_shifting_the_clock_changes_nothing(trace: TraceBuilder, shift: int) -> None:
    before = facts(summarized(trace))
    trace.base_ns += shift * 1000
    assert facts(summarized(trace)) == before


@given(traces())
def test_self_times_of_operators_are_not_negative_and_at_most_the_total(trace: TraceBuilder) -> None:
    drawn = summarized(trace)
    for table in ("operators", "operators_by_shape"):
        if table not in drawn.groups:
            continue
        measures = drawn.groups[table].measures_ns
        for kind in ("host", "device"):
            assert (measures[f"{kind}_self"] >= 0).all()
        assert measures["device_self"].sum() <= measures["device_total"].sum()


@given(traces())
def test_pooling_concatenates_steps_and_keeps_their_owned_time(trace: TraceBuilder) -> None:
    first = summarized(trace)
    second = replace(first, captures=(replace(first.captures[0], span="2"),))
    both = pool([first, second])
    steps = len(first.steps)
    assert len(both.steps) == 2 * steps
    assert both.steps.capture.tolist() == [0] * steps + [1] * steps
    assert both.owned.time_ns.sum(axis=0).tolist() == both.steps.total_ns.tolist()
    for name, table in both.groups.items():
        assert np.array_equal(table.calls[:, :steps], first.groups[name].calls)
        assert np.array_equal(table.calls[:, steps:], first.groups[name].calls)
    assert both.device.count == first.device.count


def test_pooling_no_captures_is_an_error() -> None:
    with pytest.raises(SelectionError):
        pool([])
