"""Figures of the device timeline: row names of the group "device_timeline", and their definitions."""

from __future__ import annotations

from collections.abc import Mapping

TABLE = "device_timeline"

SHORT_NS = 10_000
"""Launching a kernel shorter than this takes about as long as running it."""

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
    HOST_WAIT: "until the host starts the call that launches the next device event",
    LAUNCH_LATENCY: "from that call, or from the start of the idle time if later, until the event starts",
    LAUNCH_UNKNOWN: "before an event whose launch was not recorded",
    STEP_END: "after the last device event of the step; the entire step if it has none",
    SHORT_KERNELS: f"kernels that start in the step and take less than {SHORT_NS // 1000} µs, summed durations",
}
"""Figure -> definition. Its calls are the device events of the kind that start in the step; for idle time, the gaps."""

IDLE_PARTS = (HOST_WAIT, LAUNCH_LATENCY, LAUNCH_UNKNOWN, STEP_END)
"""Parts of IDLE. Together with BUSY they sum exactly to the step."""
