"""Events of a step at a zoom level: events too short to see are merged, none are dropped.

The requested time range is cut into cells. Events of one row that are shorter than a cell and start in the same cell
become one mark with their number and the sum of their durations. Events of a row do not overlap, so no longer event can
lie between two short ones of a cell, a mark never covers a neighbor, and the sums over a row's marks equal those over
its events.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, Nanoseconds
from tb_perfcompare.model.summary.step_events import StepDetail, StepEvents


def visible(events: StepEvents, first_ns: int, last_ns: int) -> Ints:
    """Returns the events that are active within [first, last), including zero-length ones."""
    end = events.end_ns
    inside = (events.start_ns < last_ns) & (end > first_ns)
    inside |= (events.dur_ns == 0) & (events.start_ns >= first_ns) & (events.start_ns < last_ns)
    return np.flatnonzero(inside)


def detail(events: StepEvents, first_ns: int, last_ns: int, cell_ns: int) -> StepDetail:
    """Returns the marks to draw between two instants; with `cell_ns` 0 each event is its own mark."""
    seen = visible(events, first_ns, last_ns)
    start = np.maximum(events.start_ns[seen], first_ns)
    end = np.maximum(np.minimum(events.end_ns[seen], last_ns), start)
    row, name = events.row[seen], events.name[seen]
    opens = _opens(row, start, end, first_ns, cell_ns)
    first = np.flatnonzero(opens)
    if not len(first):
        empty = np.zeros(0, dtype=np.int64)
        return StepDetail(first_ns, last_ns, cell_ns, empty, empty, row, empty, empty, empty, name)
    return StepDetail(
        first_ns=first_ns,
        last_ns=last_ns,
        cell_ns=cell_ns,
        event=seen[first],
        count=np.diff(np.append(first, len(seen))),
        row=row[first],
        start_ns=start[first],
        end_ns=np.maximum.reduceat(end, first),
        total_ns=np.add.reduceat(end - start, first),
        name=name[_longest(end - start, np.cumsum(opens) - 1)],
    )


def summed(values: NDArray[np.integer | np.bool_], marks: StepDetail) -> Ints:
    """(g,) Sum of (n,) values of a step's events over the events of each mark, including events outside the range."""
    before = np.concatenate([[0], np.cumsum(values)])
    total: Ints = before[marks.event + marks.count] - before[marks.event]
    return total


def _opens(row: Ints32, start: Nanoseconds, end: Nanoseconds, first_ns: int, cell_ns: int) -> Flags:
    """(k,) Whether an event starts a new mark."""
    opens = np.ones(len(row), dtype=np.bool_)
    if cell_ns <= 0:
        return opens
    small = end - start < cell_ns
    cell = (start - first_ns) // cell_ns
    opens[1:] = ~(small[1:] & small[:-1] & (row[1:] == row[:-1]) & (cell[1:] == cell[:-1]))
    return opens


def _longest(dur: Nanoseconds, mark: Ints) -> Ints:
    """(g,) Index of the longest event of each mark, the first of equal ones."""
    order = np.lexsort((np.arange(len(dur)), -dur, mark))
    return order[np.flatnonzero(np.diff(mark[order], prepend=-1))]
