"""A weakness of a result, shown next to the numbers it affects."""

from __future__ import annotations

from enum import Enum

from tb_perfcompare.errors import LONGEST_MESSAGE, shortened
from tb_perfcompare.quick_dataclass import dataclass


class NoteCode(str, Enum):
    """Every note the tool can give; docs/method/comparison.md explains each one."""

    TRUNCATED = "truncated"  # the file ends in the middle; whole events before the damage were read
    REPAIRED = "repaired"  # tokens, escapes or bytes that are not JSON were replaced
    DROPPED_EVENTS = "dropped_events"  # events without the fields they need
    NEGATIVE_DURATION = "negative_duration"  # durations below zero, taken as zero
    CLOCK_RESOLUTION = "clock_resolution"  # time stamps finer than a nanosecond or written without fractions
    NO_STEPS = "no_steps"  # nothing marks steps: the whole recording is one
    ITERATIONS = "iterations"  # steps are iterations found by something other than ProfilerStep
    NO_DEVICE_EVENTS = "no_device_events"
    DEVICE_STEPS_IGNORED = "device_steps_ignored"  # copies of the step marker on device streams
    STEPS_DROPPED = "steps_dropped"
    BACKLOG = "backlog"  # step windows and host markers hold different calls: the device is behind the host
    UNFINISHED_STEPS = "unfinished_steps"  # the recording ended before they did; they were asked for
    OVERLAPPING_STEPS = "overlapping_steps"
    UNLINKED_DEVICE_EVENTS = "unlinked_device_events"  # no launching API call was recorded
    LINKED_BY_TIME = "linked_by_time"  # External id equals correlation: operators found by time on the thread
    OVERLAPPING_OPERATORS = "overlapping_operators"  # partly overlapping events on one thread, clipped
    COLLECTIVES_MOVED = "collectives_moved"  # collective kernels counted as Communication, not Kernel
    PARTS_POOLED = "parts_pooled"  # more callers and input shapes, or modules, than are told apart
    NO_CALLS = "no_calls"  # the source does not count calls or launches
    UNUSUAL_STEPS = "unusual_steps"  # steps with clearly more launches than the others, kept
    RANKS_POOLED = "ranks_pooled"  # tables hold means over many ranks
    UNEVEN_RANKS = "uneven_ranks"  # workers of one side recorded different steps
    DRIFT = "drift"  # step times changed in the course of a capture
    TWO_GROUPS = "two_groups"  # the steps of a side fall into two groups
    STEP_WINDOW_MATTERS = "step_window_matters"  # device and marker windows give different verdicts
    MATCHED_WORK = "matched_work"  # how much of the work of devices of different kinds is matched
    ALIKE_NAMES = "alike_names"  # kernel names that builds number differently were joined
    CUT_NAMES = "cut_names"  # kernel names end in "...": different kernels may share a row
    COARSE_COUNTERS = "coarse_counters"  # counters sampled more rarely than the steps last
    COUNTERS_AVERAGED = "counters_averaged"  # samples of several devices or cores under one name
    MIXED_LAUNCHES = "mixed_launches"  # launches of several devices or processes are taken together
    FIGURES_MISSING = "figures_missing"  # an export lacks a metric, and how to record it
    ATTACHED_LAUNCHES = "attached_launches"  # how much of a trace's kernel time got figures from a listing
    SHARED_FIGURES = "shared_figures"  # several kernels got the figure of one name of a listing
    MEASURED_RANGES = "measured_ranges"  # kernels ran one by one to be measured: times are those of the measurement
    COUNTERS_UNUSABLE = "counters_unusable"  # samples of counters that cannot be used, and why
    TABLE_ABSENT = "table_absent"  # a table the source cannot give, and why
    FILE_FAILED = "file_failed"  # one file of several could not be read; the others were
    HOST_ALONE = "host_alone"  # a worker recorded no device work, others did: it is left out
    OTHER_TRACES = "other_traces"  # files beside the run that are traces by their content, but not by their name
    OTHER_VERSION = "other_version"  # a saved baseline of another version of the tool
    DUPLICATE_KEYS = "duplicate_keys"
    ANSWERS_DISAGREE = "answers_disagree"  # two saved answers contradict each other


LOST = frozenset({NoteCode.TRUNCATED, NoteCode.REPAIRED, NoteCode.DROPPED_EVENTS, NoteCode.FILE_FAILED})
"""Something that was recorded is in no figure."""

ALWAYS_SAID = LOST | {NoteCode.HOST_ALONE, NoteCode.OTHER_TRACES, NoteCode.DUPLICATE_KEYS}
"""What every face says, beside a single table as well: something of what the user named is in no figure."""


@dataclass(frozen=True, slots=True)
class Note:
    """A weakness of what is said. `where` names the file, table or step it is about ("" for the whole). A message that
    is too long to be read loses its middle."""

    code: NoteCode
    message: str
    where: str = ""

    def __post_init__(self) -> None:
        if len(self.message) > LONGEST_MESSAGE:
            object.__setattr__(self, "message", shortened(self.message))

    @property
    def sentence(self) -> str:
        """The note as people read it, without its code."""
        if self.code is NoteCode.TABLE_ABSENT:
            return f"no table {self.where}: {self.message}"
        return f"{self.where}: {self.message}" if self.where else self.message
