"""Two scans of one file become one in file order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered, assemble
from tb_perfcompare.sources.trace.columns.column_builder import ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.columns.interleaving import Insertion, interleaved
from tests.sources.scanners import plain


def event(number: int, phase: str = "X") -> Event:
    args = {"stream": str(number).encode(), "grid": f"[{number % 3}]".encode()} if number % 2 else None
    cat = "fwdbwd" if phase == "s" else "async_npu" if phase == "f" else f"c{number % 4}"
    return Event(phase, cat, f"n{number % 5}", number % 3, "t", str(number).encode(), b"1", str(number).encode(), args)


def gathered(events: list[Event]) -> Gathered:
    builder = ColumnBuilder()
    builder.add(events)
    return builder.gather()


def test_rows_of_the_second_scan_are_inserted_in_file_order() -> None:
    first, second = gathered([event(1), event(2), event(5)]), gathered([event(3), event(4), event(6)])
    both = interleaved(first, second, [Insertion((2, 0, 0), (2, 0, 0)), Insertion((3, 0, 0), (1, 0, 0))])
    events, _ = assemble(both)
    assert events.start_ns.tolist() == [1000, 2000, 3000, 4000, 5000, 6000]
    assert [events.strings[code] for code in events.name.tolist()] == ["n1", "n2", "n3", "n4", "n0", "n1"]
    assert [events.lanes.pid[lane] for lane in events.lane.tolist()] == [1, 2, 0, 1, 2, 0]
    assert (events.args["stream"].rows.tolist(), events.args["stream"].values.tolist()) == ([0, 2, 4], [1, 3, 5])
    assert [events.strings[code] for code in events.args["grid"].values.tolist()] == ["[1]", "[0]", "[2]"]


def test_a_scan_without_rows_adds_only_its_counts() -> None:
    both = interleaved(gathered([event(1)]), gathered([event(2, "t")]), [])
    assert (len(both), both.counts.seen, both.counts.skipped) == (1, 2, {"t/c2": 1})


@given(st.lists(st.tuples(st.sampled_from("XXXsft"), st.booleans()), max_size=40))
def test_any_division_of_events_gives_the_columns_of_the_whole(drawn: list[tuple[str, bool]]) -> None:
    events = [event(number, phase) for number, (phase, _) in enumerate(drawn)]
    first, second = ColumnBuilder(), ColumnBuilder()
    insertions = []
    for element, (_, is_second) in zip(events, drawn, strict=True):
        before = second.kept
        (second if is_second else first).add([element])
        rows = tuple(int(n) for n in np.subtract(second.kept, before))
        if any(rows):
            insertions.append(Insertion(first.kept, (rows[0], rows[1], rows[2])))
    both = assemble(interleaved(first.gather(), second.gather(), insertions))
    assert plain(*both) == plain(*assemble(gathered(events)))
