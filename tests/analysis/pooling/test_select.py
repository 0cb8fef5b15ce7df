"""Selection of steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.errors import SelectionError
from tests.analysis.summaries import operator_us, summary
from tests.build import TraceBuilder
from tests.drawn_runs import drawn_trace

WHOLE = summary(drawn_trace(steps=6, first_step=5))


def test_a_selection_keeps_its_steps_and_lists_the_others() -> None:
    chosen = select_steps(WHOLE, (6, 8))
    assert chosen.steps.label == ("6", "7", "8")
    assert [(step.label, step.reason) for step in chosen.dropped[len(WHOLE.dropped) :]] == [
        ("5", "outside steps 6-8"), ("9", "outside steps 6-8"), ("10", "outside steps 6-8"),
    ]  # fmt: skip
    assert operator_us(chosen, "aten::mm", "host_total") == pytest.approx(
        3 * operator_us(WHOLE, "aten::mm", "host_total") / 6
    )


@given(st.integers(5, 10), st.integers(5, 10))
def test_a_selected_step_keeps_its_times(first: int, second: int) -> None:
    chosen = select_steps(WHOLE, (min(first, second), max(first, second)))
    assert (chosen.owned.time_ns.sum(axis=0) == chosen.steps.total_ns).all()
    columns = [WHOLE.steps.label.index(label) for label in chosen.steps.label]
    assert (chosen.steps.total_ns == WHOLE.steps.total_ns[columns]).all()
    assert (chosen.owned.by_category() == WHOLE.owned.by_category()[:, columns]).all()


def test_selecting_all_steps_drops_only_figures_of_whole_captures() -> None:
    chosen = select_steps(WHOLE, (0, 99))
    assert np.array_equal(chosen.steps.total_ns, WHOLE.steps.total_ns)
    assert np.array_equal(chosen.owned.time_ns, WHOLE.owned.time_ns)
    assert np.array_equal(chosen.owned.calls, WHOLE.owned.calls)
    assert np.array_equal(chosen.groups["operators"].calls, WHOLE.groups["operators"].calls)
    assert chosen.dropped == WHOLE.dropped
    assert (chosen.device_metrics, chosen.recommendations) == ((), ())
    assert {"device", "recommendations"} <= set(chosen.absent)
    assert chosen.groups["operators"].min_ns is None


def test_each_capture_of_a_pooled_side_is_selected() -> None:
    both = pool([WHOLE, summary(drawn_trace(steps=3, first_step=7), span="2")])
    chosen = select_steps(both, (8, 9))
    assert chosen.steps.label == ("8", "9", "8", "9")
    assert chosen.steps.capture.tolist() == [0, 0, 1, 1]


def test_operators_absent_from_the_selected_steps_have_no_rows() -> None:
    trace = drawn_trace(steps=3)
    trace.op("aten::only_in_the_last", 2600, 2700)
    chosen = select_steps(summary(trace), (1, 2))
    assert ("aten::only_in_the_last",) not in chosen.groups["operators"].keys
    assert not any("only_in_the_last" in key for key in chosen.owned.key)


def test_steps_that_do_not_exist_are_an_error_listing_the_steps() -> None:
    with pytest.raises(SelectionError, match="there are: 5, 6, 7, 8, 9, 10"):
        select_steps(WHOLE, (11, 20))


def test_steps_of_a_recording_without_markers_cannot_be_selected() -> None:
    trace = TraceBuilder()
    trace.op("aten::mm", 0, 100)
    with pytest.raises(SelectionError, match="no step markers"):
        select_steps(summary(trace), (0, 0))
