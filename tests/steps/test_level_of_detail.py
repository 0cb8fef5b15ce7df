"""Level of detail: short events are drawn together, with their sums."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.step_view.level_of_detail import detail, summed, visible
from tb_perfcompare.model.summary.step_events import EventName, Lane, StepDetail, StepEvents

NOTHING = np.zeros(0, dtype=np.int64)


def row_of(*spans: tuple[int, int], rows: list[int] | None = None) -> StepEvents:
    """A step of these events (start, end), in one row unless `rows` are given."""
    n = len(spans)
    start = np.array([start for start, _ in spans], dtype=np.int64)
    end = np.array([end for _, end in spans], dtype=np.int64)
    row = np.array(rows or [0] * n, dtype=np.int32)
    none = np.full(n, -1, dtype=np.int32)
    high = int(row.max(initial=0)) + 1
    return StepEvents(
        "w", "1", "1", 0, 100, (0, 100), (Lane("host.0", "host", "thread", 0, high),),
        tuple(EventName(f"e{i}", 1, f"e{i}") for i in range(n)), row, start, end - start,
        np.arange(n, dtype=np.int32), none, none, none, np.ones(n, dtype=np.bool_), {}, (), {},
    )  # fmt: skip


def drawn(marks: StepDetail) -> list[tuple[int, int, int, int]]:
    """(first event, count, start, end) of the marks."""
    columns = (marks.event, marks.count, marks.start_ns, marks.end_ns)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_without_cells_every_event_is_a_mark() -> None:
    assert drawn(detail(row_of((0, 1), (1, 2), (50, 90)), 0, 100, 0)) == [(0, 1, 0, 1), (1, 1, 1, 2), (2, 1, 50, 90)]


def test_short_events_of_a_cell_are_drawn_together() -> None:
    step = row_of((0, 1), (2, 5), (8, 9), (11, 12), (40, 60), (60, 61))
    marks = detail(step, 0, 100, 10)
    assert drawn(marks) == [(0, 3, 0, 9), (3, 1, 11, 12), (4, 1, 40, 60), (5, 1, 60, 61)]
    assert marks.total_ns.tolist() == [1 + 3 + 1, 1, 20, 1]
    assert marks.name.tolist()[0] == 1, "the longest event of the run gives the name"


def test_events_of_different_rows_are_not_drawn_together() -> None:
    assert drawn(detail(row_of((0, 1), (2, 3), rows=[0, 1]), 0, 100, 10)) == [(0, 1, 0, 1), (1, 1, 2, 3)]


def test_events_are_clipped_to_the_view() -> None:
    marks = detail(row_of((0, 30), (40, 41), (45, 80)), 20, 60, 0)
    assert drawn(marks) == [(0, 1, 20, 30), (1, 1, 40, 41), (2, 1, 45, 60)]
    assert marks.total_ns.tolist() == [10, 1, 15]


def test_an_instant_is_an_event() -> None:
    assert drawn(detail(row_of((5, 5), (5, 8)), 0, 100, 0)) == [(0, 1, 5, 5), (1, 1, 5, 8)]


def test_an_empty_view_has_no_marks() -> None:
    assert len(detail(row_of((0, 10)), 20, 30, 5)) == 0
    assert len(detail(row_of(), 0, 100, 5)) == 0


@st.composite
def steps(draw: st.DrawFn) -> StepEvents:
    """Up to three rows of events and instants without overlap."""
    spans, rows = [], []
    for row in range(draw(st.integers(0, 3))):
        at = draw(st.integers(-5, 20))
        for _ in range(draw(st.integers(0, 12))):
            start = at + draw(st.integers(0, 6))
            at = start + draw(st.sampled_from((0, 1, 2, 3, 5, 30)))
            spans.append((start, at))
            rows.append(row)
    return row_of(*spans, rows=rows)


STRETCHES = st.tuples(st.integers(-10, 60), st.integers(1, 80)).map(lambda s: (s[0], s[0] + s[1]))


@given(steps(), STRETCHES, st.integers(0, 40))
def test_cells_keep_the_time_and_number_of_events(step: StepEvents, stretch: tuple[int, int], cell: int) -> None:
    """Per row, sums over the marks equal sums over the visible events."""
    marks = detail(step, *stretch, cell)
    seen = visible(step, *stretch)
    inside = np.minimum(step.end_ns[seen], stretch[1]) - np.maximum(step.start_ns[seen], stretch[0])
    for row in range(3):
        of_row = marks.row == row
        assert int(marks.total_ns[of_row].sum()) == int(inside[step.row[seen] == row].sum())
        assert int(marks.count[of_row].sum()) == int((step.row[seen] == row).sum())


@given(steps(), STRETCHES, st.integers(0, 40))
def test_marks_of_a_row_do_not_overlap_and_hold_consecutive_events(
    step: StepEvents, stretch: tuple[int, int], cell: int
) -> None:
    marks = detail(step, *stretch, cell)
    same = marks.row[1:] == marks.row[:-1]
    assert (marks.start_ns[1:][same] >= marks.end_ns[:-1][same]).all()
    assert (marks.event[1:][same] == (marks.event + marks.count)[:-1][same]).all()
    assert (marks.total_ns <= marks.end_ns - marks.start_ns).all()


@given(steps(), st.integers(1, 20))
def test_coarser_cells_never_give_more_marks(step: StepEvents, cell: int) -> None:
    assert len(detail(step, -10, 140, 2 * cell)) <= len(detail(step, -10, 140, cell)) <= len(step)


@given(steps(), STRETCHES, st.integers(0, 40))
def test_only_events_shorter_than_a_cell_are_drawn_together(
    step: StepEvents, stretch: tuple[int, int], cell: int
) -> None:
    marks = detail(step, *stretch, cell)
    for event, count in zip(marks.event.tolist(), marks.count.tolist(), strict=True):
        if count > 1:
            held = np.arange(event, event + count)
            clipped = np.minimum(step.end_ns[held], stretch[1]) - np.maximum(step.start_ns[held], stretch[0])
            assert (clipped < cell).all()


@given(steps(), STRETCHES, st.integers(0, 40))
def test_sums_over_marks_are_sums_over_their_events(step: StepEvents, stretch: tuple[int, int], cell: int) -> None:
    marks = detail(step, *stretch, cell)
    values = np.arange(len(step), dtype=np.int64) ** 2
    assert int(summed(values, marks).sum()) == int(values[visible(step, *stretch)].sum())
