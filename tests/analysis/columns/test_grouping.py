"""Sums, maxima and minima by group."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations, recorded_values, sum_by_target
from tb_perfcompare.model.arrays import max_by_target, min_by_target
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.trace.torch_profiler import read_trace

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 70_000), st.integers(0, 2)), max_size=30)


@given(ROWS)
def test_the_finest_groups_are_the_occurring_combinations_in_order(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(3)]
    found, at = number_combinations(list(zip(columns, (5, 70_001, 3), strict=True)))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(set(rows))
    assert [tuple(int(column[i]) for column in found) for i in at] == rows


@given(ROWS)
def test_sums_of_groups_are_sums_of_rows(rows: list[tuple[int, int, int]]) -> None:
    group, weight, step = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(3))
    groups = Groups(group, 5, step, 3)
    expected: Counter[tuple[int, int]] = Counter()
    for g, w, s in rows:
        expected[g, s] += w
    assert groups.matrix(weight).tolist() == [[expected[g, s] for s in range(3)] for g in range(5)]
    assert int(groups.matrix().sum()) == len(rows)
    low, high = groups.span(weight)
    assert high.tolist() == [max((w for g, w, _ in rows if g == i), default=0) for i in range(5)]
    assert [int(low[i]) for i in set(group.tolist())] == [
        min(w for g, w, _ in rows if g == i) for i in set(group.tolist())
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=8))
def test_groups_are_merged_by_sum_maximum_and_minimum(rows: list[tuple[int, int]]) -> None:
    into, values = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(2))
    matrix = np.stack([values, 2 * values], axis=1).reshape(len(rows), 2)
    total = [sum(v for i, v in rows if i == at) for at in range(4)]
    assert sum_by_target(matrix, into, 4).tolist() == [[t, 2 * t] for t in total]
    assert max_by_target(values, into, 4).tolist() == [
        max((v for i, v in rows if i == at), default=0) for at in range(4)
    ]
    for at in set(into.tolist()):
        assert min_by_target(values, into, 4)[at] == min(v for i, v in rows if i == at)


def test_ranks_index_the_texts_in_alphabetical_order() -> None:
    strings = StringTable(["b", "a", "c"])
    assert [strings[code] for code in strings.in_order()[strings.ranks()].tolist()] == ["b", "a", "c"]


DEMO = Path(__file__).parents[3] / "demo_logs" / "gpu_training_synthetic" / "baseline"
EVENTS = read_trace(next(iter(sorted(DEMO.glob("*.json.gz"))))).events


@given(st.lists(st.integers(0, len(EVENTS) - 1), max_size=40), st.sampled_from(sorted(EVENTS.args)), st.booleans())
def test_an_argument_of_selected_events_equals_its_dense_column(rows: list[int], name: str, many: bool) -> None:
    """Few rows are searched, many indexed in a dense array."""
    wanted = np.array(rows * (1 + many * len(EVENTS)), dtype=np.int32)[: 2 * len(EVENTS)]
    found = recorded_values(EVENTS, name, wanted, -1)
    assert found.tolist() == EVENTS.args[name].dense(len(EVENTS), -1)[wanted].tolist()
