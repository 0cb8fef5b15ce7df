"""Figures of the device's time line: names of the rows of the group "device_timeline", and what each means."""

from __future__ import annotations

from collections.abc import Mapping

TABLE = "device_timeline"

SHORT_NS = 10_000
"""A kernel shorter than this takes about as long to launch as to run."""

BUSY = "Busy"
EXPOSED_COMMUNICATION = "Busy: exposed communication"
EXPOSED_COPIES = "Busy: exposed copies"
IDLE = "Idle"
HOST_WAIT = "Idle: waiting for the host"
LAUNCH_LATENCY = "Idle: launch latency"
LAUNCH_UNKNOWN = "Idle: launch not recorded"
STEP_END = "Idle: end of step"
SHORT_KERNELS = f"Kernels below {SHORT_NS // 1000} µs"

MEANINGS: Mapping[str, str] = {
    BUSY: "a kernel, copy or set runs on any stream; kernels of collectives that wait for other ranks included",
    EXPOSED_COPIES: "part of Busy: copies and sets while no kernel computes",
    EXPOSED_COMMUNICATION: "part of Busy: only collectives run, no other kernel, copy or set",
    IDLE: "nothing runs; the parts below and Busy sum to the step",
    HOST_WAIT: "until the host begins the call that launches the next device event",
    LAUNCH_LATENCY: "from then, or from when the device fell idle if that is later, until that event starts",
    LAUNCH_UNKNOWN: "before an event whose launch was not recorded",
    STEP_END: "after the last device event of the step; all of a step without any",
    SHORT_KERNELS: f"kernels that start in the step and take less than {SHORT_NS // 1000} µs, durations summed",
}
"""Figure -> definition. Calls are device events of the kind that start in the step; of idle time, gaps."""

IDLE_PARTS = (HOST_WAIT, LAUNCH_LATENCY, LAUNCH_UNKNOWN, STEP_END)
"""Parts of IDLE. With BUSY they are the whole step, exactly."""
