"""Everything that ran in one step of a trace, laid out in lanes for drawing, and the same drawn at some zoom.

Times are nanoseconds from the beginning of the step's window (the step begins at 0 and lasts `total_ns`). The picture
of a step is its `extent`: it may begin before 0, where the host prepared the step while the device still worked on the
one before, and end later, where the device was not done.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.events import SparseColumn
from tb_perfcompare.quick_dataclass import dataclass

KINDS = (
    "step", "operator", "annotation", "dataloader", "runtime", "kernel", "communication", "memcpy", "memset", "module",
    "python", "wait", "overhead", "other",
)  # fmt: skip
"""What an event is drawn as."""

LANE_KINDS = ("stream", "communication", "copies", "ranges", "waits", "host", "calls", "python", "overhead", "other")
"""What a lane holds, in the order in which lanes are drawn; those of a thread stand together."""

DEVICE_LANES = frozenset({"stream", "communication", "copies"})
"""Lanes of work on a device."""

NOBODY = -1
"""Stands for "no event" where the number of one is expected."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A thread's operators, its calls to the device's API, a stream, ...

    key    names it in both runs alike: its kind and its place among the lanes of the kind, "host.0"
    name   for people: "thread 4000 (python)", "GPU 0 stream 7"
    first  its first row, and how many `rows` it has: events that run inside others stand one row lower
    """

    key: str
    kind: str
    name: str
    first: int
    rows: int


@dataclass(frozen=True, slots=True)
class EventName:
    """What events of a step may be called: the name as recorded, its place in KINDS, and `key`, which joins it with
    the names of another run (model/names/names.py)."""

    name: str
    kind: int
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class StepEvents:
    """The events of one step, n of them, ordered by row and start; the number of an event is its place.

    worker, span, label  which step it is
    zero_ns   where its window begins in the clock of the trace
    total_ns  length of the window
    extent    first and last nanosecond of the picture, from zero_ns
    lanes     in drawing order
    names     (distinct names)
    row       (n,) int32 row of the picture; events of a row do not overlap
    start_ns  (n,) int64 from zero_ns; may lie outside the extent, and so may the end
    dur_ns    (n,) int64
    name      (n,) int32 place in `names`
    parent    (n,) int32 the event of the same lane that encloses it, NOBODY at the top
    operator  (n,) int32 of API calls and device work: the operator that called or launched it, else NOBODY
    launcher  (n,) int32 of device work: the API call that launched it, else NOBODY
    inside    (n,) bool the event is work of the step, by its marker or its launch; the picture shows others beside it
    args      name of an ArgColumn -> what is recorded of it; texts are places in `texts`
    left_out  what lies in the extent and is not drawn: reason -> number of events
    """

    worker: str
    span: str
    label: str
    zero_ns: int
    total_ns: int
    extent: tuple[int, int]
    lanes: tuple[Lane, ...]
    names: tuple[EventName, ...]
    row: Ints32
    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    name: NameIndex
    parent: Ints32
    operator: Ints32
    launcher: Ints32
    inside: Flags
    args: Mapping[str, SparseColumn]
    texts: tuple[str, ...]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.row)

    @property
    def end_ns(self) -> Ints:
        """(n,) start_ns + dur_ns."""
        return self.start_ns + self.dur_ns

    @property
    def rows(self) -> int:
        """Of all lanes together."""
        return self.lanes[-1].first + self.lanes[-1].rows if self.lanes else 0

    @property
    def lane_of_row(self) -> Ints:
        """(rows,) place in `lanes`."""
        return np.repeat(np.arange(len(self.lanes)), [lane.rows for lane in self.lanes]).astype(np.int64)

    @property
    def kind(self) -> Ints:
        """(n,) place in KINDS."""
        return np.array([name.kind for name in self.names], dtype=np.int64)[self.name]


@dataclass(frozen=True, slots=True, eq=False)
class StepDetail:
    """What is drawn of a step between two instants: g marks, ordered by row and start. A mark is one event, or a run of
    events each too short to be seen, of which nothing but their number and sum is lost.

    first_ns, last_ns  what was asked for, from the step's zero
    cell_ns   events shorter than this were drawn together where they lie closer than this; 0: none were
    event     (g,) int64 number of the event, of a run that of its first; a run has consecutive numbers
    count     (g,) int64 events in the mark
    row       (g,) int32
    start_ns  (g,) int64 within what was asked for
    end_ns    (g,) int64 likewise
    total_ns  (g,) int64 sum of the durations within what was asked for: for one event end_ns - start_ns
    name      (g,) int32 place in StepEvents.names, of a run that of its longest event
    """

    first_ns: int
    last_ns: int
    cell_ns: int
    event: Ints
    count: Ints
    row: Ints32
    start_ns: Nanoseconds
    end_ns: Nanoseconds
    total_ns: Nanoseconds
    name: NameIndex

    def __len__(self) -> int:
        return len(self.event)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """One step of a side as it can be chosen. `reason` says why it is not compared, "" if it is; `drawable` is False
    where the recording ended inside it, so that nobody knows its window."""

    worker: str
    span: str
    label: str
    total_ns: int
    reason: str = ""
    drawable: bool = True


@dataclass(frozen=True, slots=True)
class Linked:
    """An event that has to do with another: `role` is "operator", "launcher" (the API call) or "launched"."""

    event: int
    role: str


@dataclass(frozen=True, slots=True)
class EventFigures:
    """What is known of one event of a step; None where it does not apply.

    self_ns    duration without what is directly inside it (analysis/step_view/event_figures.py)
    device_ns  durations of the device work launched by it or by what it encloses, and how many `launches` that are
    queue_ns   from the beginning of the API call that launched it to its own
    idle_ns    from the end of what ran in the row before it; from the beginning of the picture for the first one
    same_count, same_ns   events of this name in the step, itself included, and the sum of their durations
    enclosing  names of the events around it, the outermost first
    linked     what called or launched it, and what it launched, the first MOST_LINKED
    """

    event: int
    self_ns: int | None
    device_ns: int | None
    launches: int | None
    queue_ns: int | None
    idle_ns: int | None
    same_count: int
    same_ns: int
    enclosing: tuple[str, ...]
    linked: tuple[Linked, ...]
    args: Mapping[str, int | float | str]


MOST_LINKED = 100


@dataclass(frozen=True, slots=True)
class NameTotals:
    """All events of one name and kind in a step: how many, their own time, and the number of the longest."""

    name: str
    key: str
    kind: int
    calls: int
    own_ns: int
    longest: int


@dataclass(frozen=True, slots=True)
class NameDifference:
    """One name in two steps, the baseline and the candidate; None where a side does not have it."""

    name: str
    kind: int
    sides: tuple[NameTotals | None, NameTotals | None]

    @property
    def delta_ns(self) -> int:
        """Own time, candidate minus baseline."""
        a, b = (0 if side is None else side.own_ns for side in self.sides)
        return b - a
