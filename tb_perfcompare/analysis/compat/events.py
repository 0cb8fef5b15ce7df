"""Events of a trace in the form that torch-tb-profiler's release reads, without events that make it fail."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tb_perfcompare.model.device import MEMORY_EVENT_NAME
from tb_perfcompare.quick_dataclass import dataclass

Event = dict[str, Any]

GPU_CATEGORIES = dict.fromkeys(
    ("cuda_runtime", "privateuse1_runtime", "mtia_runtime", "glow_runtime", "xpu_runtime"), "runtime"
)
"""Categories that only the latest source of torch-tb-profiler knows, and their equivalent in the release."""

ANNOTATIONS = ("user_annotation", "gpu_user_annotation")
STEP = "ProfilerStep#"
MAX_DEVICES = 64

_HOST = ("operator", "cpu_op", "python", *ANNOTATIONS)
_ARROWS = ("fwdbwd", "forward_backward")


@dataclass(frozen=True, slots=True, eq=False)
class KnownTrace:
    """A trace in the form that torch-tb-profiler reads.

    events     complete and memory events, in file order
    arrows     from forward to backward
    devices    properties by device number
    lightning  whether PyTorch Lightning wrote it
    """

    events: list[Event]
    arrows: list[Event]
    devices: list[dict[str, Any]]
    lightning: bool


def known_events(
    events: Iterable[Event], categories: Mapping[str, str], skipped: Counter[str],
    rewritten: Callable[[Event], Event] = lambda event: event,
) -> tuple[list[Event], list[Event]]:  # fmt: skip
    """Returns (complete and memory events, arrows) that torch-tb-profiler can read.

    `rewritten` converts kernels and memory events; omitted events are counted by reason in `skipped`.
    """
    readable, arrows = [], []
    for event in events:
        phase, category = event.get("ph"), event.get("cat", "").lower()
        if category in _ARROWS and phase in ("s", "f"):
            if _is_number(event.get("ts")) and isinstance(event.get("id"), (int, float, str)):
                arrows.append(event)
        elif phase == "X":
            category = categories.get(category, category)
            fault = _fault(event, category)
            if fault:
                skipped[fault] += 1
            elif category == "kernel":
                readable.append(_with_valid_device(rewritten({**event, "cat": category})))
            else:
                readable.append(event if event.get("cat") == category else {**event, "cat": category})
        elif phase == "i" and event.get("name") == MEMORY_EVENT_NAME and _is_number(event.get("ts")):
            # no operator runs on a thread without a number, so its memory belongs to none
            readable.append(rewritten(event if isinstance(event.get("tid"), int) else {**event, "tid": -1}))
    return readable, arrows


def _fault(event: Event, category: str) -> str:
    if not isinstance(event.get("name"), str):
        return "event without a name"
    if not category:
        return "event without a category"
    if not _is_number(event.get("ts")) or not _is_number(event.get("dur")):
        return "event without a time"
    if category in _HOST and not _is_whole(event.get("tid")):
        return "host event on a thread without a number"
    if category in _HOST and event["name"].startswith(STEP) and not _is_whole(event["name"].split("#")[1]):
        return "step marker without a number"
    return ""


def _with_valid_device(kernel: Event) -> Event:
    """Removes a kernel's device number if it is missing or beyond MAX_DEVICES."""
    device = kernel["args"].get("device")
    is_valid = isinstance(device, int) and 0 <= device < MAX_DEVICES
    return kernel if is_valid else {**kernel, "args": {**kernel["args"], "device": None}}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) < math.inf


def _is_whole(value: Any) -> bool:
    try:
        int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
