"""All events of one step of a trace, laid out in lanes for drawing, and the marks to draw at a given zoom.

Times are nanoseconds from the start of the step's window (the step is from 0 to `total_ns`). The picture's `extent` may
start before 0, if the host prepared the step while the device still worked on the previous one, and end later, if the
device was not done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.events import SparseColumn
from tb_perfcompare.quick_dataclass import dataclass

KINDS = (
    "step", "operator", "annotation", "dataloader", "runtime", "kernel", "communication", "memcpy", "memset", "module",
    "python", "wait", "overhead", "other",
)  # fmt: skip
"""How an event is drawn."""

LANE_KINDS = ("stream", "communication", "copies", "ranges", "waits", "host", "calls", "python", "overhead", "other")
"""Contents of a lane, in drawing order; lanes of one thread are adjacent."""

DEVICE_LANES = frozenset({"stream", "communication", "copies"})
"""Lanes of device work."""

NO_EVENT = -1
"""Event number that means "no event"."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane of the picture: a thread's operators, a thread's device API calls, a stream, ...

    key    the same in both runs: kind and index among the lanes of the kind, "host.0"
    name   for people: "thread 4000 (python)", "GPU 0 stream 7"
    first  its first row
    rows   number of rows: nested events are drawn one row lower
    """

    key: str
    kind: str
    name: str
    first: int
    rows: int


@dataclass(frozen=True, slots=True)
class EventName:
    """A name of events: as recorded, its index in KINDS, and its `key`.

    `key` joins it with names of another run (model/names/join_keys.py).
    """

    name: str
    kind: int
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class StepEvents:
    """The n events of one step, ordered by row and start; an event's number is its index.

    worker, span, label  identify the step
    zero_ns   start of its window in the clock of the trace
    total_ns  duration of the window
    extent    first and last nanosecond of the picture, from zero_ns
    lanes     in drawing order
    names     distinct names
    row       (n,) int32 row of the picture; events of a row do not overlap
    start_ns  (n,) int64 from zero_ns; start and end may be outside the extent
    dur_ns    (n,) int64
    name      (n,) int32 index into `names`
    parent    (n,) int32 enclosing event in the same lane, NO_EVENT at the top
    operator  (n,) int32 operator that called the API function or launched the device work, else NO_EVENT
    launcher  (n,) int32 API call that launched the device work, else NO_EVENT
    inside    (n,) bool whether the event is work of the step, by its marker or its launch; the picture shows others too
    args      name of an ArgColumn -> its recorded values; texts are indices into `texts`
    left_out  reason -> number of events in the extent that are not drawn
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
        """Number of rows in all lanes."""
        return self.lanes[-1].first + self.lanes[-1].rows if self.lanes else 0

    @property
    def lane_of_row(self) -> Ints:
        """(rows,) index into `lanes`."""
        return np.repeat(np.arange(len(self.lanes)), [lane.rows for lane in self.lanes]).astype(np.int64)

    def in_lanes(self, kinds: Collection[str]) -> Flags:
        """(n,) whether each event is in a lane of one of these kinds."""
        wanted = np.array([lane.kind in kinds for lane in self.lanes], dtype=np.bool_)
        is_in: Flags = wanted[self.lane_of_row][self.row]
        return is_in


@dataclass(frozen=True, slots=True, eq=False)
class StepDetail:
    """The marks to draw for a time range of a step: g marks, ordered by row and start.

    A mark is one event, or a run of adjacent events that are each too short to see, with their number and total time.

    first_ns, last_ns  the requested range, from the step's zero
    cell_ns   events shorter than this share a mark if the gaps between them are shorter as well; 0 if none do
    event     (g,) int64 number of the event, or of a run's first event; a run has consecutive numbers
    count     (g,) int64 events in the mark
    row       (g,) int32
    start_ns  (g,) int64 within the requested range
    end_ns    (g,) int64 likewise
    total_ns  (g,) int64 sum of the durations within the requested range: for one event end_ns - start_ns
    name      (g,) int32 index into StepEvents.names; for a run, that of its longest event
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
    """One step of a side that the user may choose.

    `reason` says why it is not compared, "" if it is; `drawable` is False if the recording ended inside it, so that its
    window is unknown.
    """

    worker: str
    span: str
    label: str
    total_ns: int
    reason: str = ""
    drawable: bool = True


@dataclass(frozen=True, slots=True)
class Linked:
    """An event related to another: `role` is "operator", "launcher" (the API call) or "launched"."""

    event: int
    role: str


@dataclass(frozen=True, slots=True)
class EventFigures:
    """Figures of one event of a step; None if not applicable.

    self_ns    duration without its direct children (analysis/step_view/event_figures.py)
    device_ns  total duration of the device work launched by it or by the events it encloses
    launches   number of those launches
    queue_ns   time from the start of the API call that launched it to its own start
    idle_ns    time since the end of the previous event in its row; for the first one, since the start of the picture
    same_count, same_ns   number of events with this name in the step, itself included, and their total duration
    enclosing  names of the enclosing events, outermost first
    linked     the events that called or launched it, and the first MAX_LINKED that it launched
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


MAX_LINKED = 100


@dataclass(frozen=True, slots=True)
class NameTotals:
    """All events of one name and kind in a step: number of calls, total self time, and number of the longest event."""

    name: str
    key: str
    kind: int
    calls: int
    own_ns: int
    longest: int


@dataclass(frozen=True, slots=True)
class NameDifference:
    """One name in two steps, baseline and candidate; None for a side without it."""

    name: str
    kind: int
    sides: tuple[NameTotals | None, NameTotals | None]

    @property
    def delta_ns(self) -> int:
        """Self time, candidate minus baseline."""
        a, b = (0 if side is None else side.own_ns for side in self.sides)
        return b - a
