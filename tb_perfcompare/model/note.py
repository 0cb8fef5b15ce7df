"""Notes: limitations of a result, shown next to the numbers they affect."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tb_perfcompare.errors import LONGEST_MESSAGE, shortened
from tb_perfcompare.quick_dataclass import dataclass

ONE_SIDE = " (one side only)"
"""Follows the name of a table that only the other side has."""


class NoteCode(str, Enum):
    """Every note the tool can give; docs/method/comparison.md explains each."""

    TRUNCATED = "truncated"  # the file ends in the middle; whole events before the damage were read
    REPAIRED = "repaired"  # tokens, escapes or bytes that are not JSON were replaced
    DROPPED_EVENTS = "dropped_events"  # events without the fields they need
    NEGATIVE_DURATION = "negative_duration"  # durations below zero, taken as zero
    CLOCK_RESOLUTION = "clock_resolution"  # time stamps finer than a nanosecond or written without fractions
    CLOCK_MOVED = "clock_moved"  # device times contradicted the host's clock and were moved
    SEVERAL_PROCESSES = "several_processes"  # operators of several processes in one file, read as one program
    NO_STEPS = "no_steps"  # nothing marks steps: the whole recording is one step
    ITERATIONS = "iterations"  # steps are iterations found by other means than ProfilerStep
    NO_DEVICE_EVENTS = "no_device_events"
    DEVICE_STEPS_IGNORED = "device_steps_ignored"  # copies of the step marker on device streams
    STEPS_DROPPED = "steps_dropped"
    BACKLOG = "backlog"  # step windows and host markers hold different calls: the device is behind the host
    UNFINISHED_STEPS = "unfinished_steps"  # the recording ended before they did; included on request
    OVERLAPPING_STEPS = "overlapping_steps"
    UNLINKED_DEVICE_EVENTS = "unlinked_device_events"  # no launching API call was recorded
    DEVICE_AFTER_STEPS = "device_after_steps"  # device work after the last step, of unknown steps
    LINKED_BY_TIME = "linked_by_time"  # External id equals correlation: operators found by time on the thread
    OVERLAPPING_OPERATORS = "overlapping_operators"  # partly overlapping events on one thread, clipped
    COLLECTIVES_MOVED = "collectives_moved"  # collective kernels counted as Communication, not Kernel
    PARTS_POOLED = "parts_pooled"  # too many callers and input shapes, or modules, to list separately
    NO_CALLS = "no_calls"  # the source does not count calls or launches
    UNUSUAL_STEPS = "unusual_steps"  # steps with clearly more launches than the others, included
    RANKS_POOLED = "ranks_pooled"  # tables hold means over many ranks
    UNEVEN_RANKS = "uneven_ranks"  # workers of one side recorded different steps
    DRIFT = "drift"  # step times changed in the course of a capture
    TWO_GROUPS = "two_groups"  # the steps of a side fall into two groups
    STEP_WINDOW_MATTERS = "step_window_matters"  # device and marker windows give different verdicts
    MATCHED_WORK = "matched_work"  # share of the work matched between devices of different kinds
    ALIKE_NAMES = "alike_names"  # kernel names that builds number differently were joined
    CUT_NAMES = "cut_names"  # kernel names end in "...": different kernels may share a row
    COARSE_COUNTERS = "coarse_counters"  # counters sampled more rarely than the steps last
    COUNTERS_AVERAGED = "counters_averaged"  # samples of several devices or cores under one name
    MIXED_LAUNCHES = "mixed_launches"  # launches of several devices or processes are pooled
    FIGURES_MISSING = "figures_missing"  # an export lacks a metric, and how to record it
    ATTACHED_LAUNCHES = "attached_launches"  # share of a trace's kernel time that a listing's figures cover
    SHARED_FIGURES = "shared_figures"  # several kernels share the figure of one name in a listing
    MEASURED_RANGES = "measured_ranges"  # kernels were serialized for measurement: times are those of the measurement
    COUNTERS_UNUSABLE = "counters_unusable"  # samples of counters that cannot be used, and why
    TABLE_ABSENT = "table_absent"  # a table the source cannot give, and why
    FILE_FAILED = "file_failed"  # one of several files could not be read
    HOST_ALONE = "host_alone"  # a worker without device work is left out, because others have some
    OTHER_TRACES = "other_traces"  # files next to the run that are traces by content but not by name
    OTHER_VERSION = "other_version"  # a saved baseline of another version of the tool
    DUPLICATE_KEYS = "duplicate_keys"
    ANSWERS_DISAGREE = "answers_disagree"  # two saved answers contradict each other
    COLUMNS_DISAGREE = "columns_disagree"  # times and shares of a per-cycle table contradict each other


LOST = frozenset({NoteCode.TRUNCATED, NoteCode.REPAIRED, NoteCode.DROPPED_EVENTS, NoteCode.FILE_FAILED})
"""Notes that mean some recorded data is missing from the numbers."""

ALWAYS_SHOWN = LOST | {NoteCode.HOST_ALONE, NoteCode.OTHER_TRACES, NoteCode.DUPLICATE_KEYS}
"""Notes shown everywhere, even next to a single table: some of the user's input is missing from the numbers."""


@dataclass(frozen=True, slots=True)
class Note:
    """A limitation of a result.

    `where` names the file, table or step concerned ("" for all). An overlong message loses its middle.
    """

    code: Annotated[NoteCode, "kind of limitation"]
    message: Annotated[str, "the limitation in words"]
    where: Annotated[str, "file, table or step concerned; empty for all"] = ""

    def __post_init__(self) -> None:
        if len(self.message) > LONGEST_MESSAGE:
            object.__setattr__(self, "message", shortened(self.message))

    @property
    def sentence(self) -> str:
        """The note for people, without its code."""
        if self.code is NoteCode.TABLE_ABSENT:
            return f"no table {self.where}: {self.message}"
        return f"{self.where}: {self.message}" if self.where else self.message
