"""What the name of a counter says besides what is counted: the device or the process it belongs to."""

from __future__ import annotations

import re

from tb_perfcompare.model.device import DEVICE_WORDS

_WORDS = "|".join(sorted({*DEVICE_WORDS, "device", "card"}))
_DEVICE = re.compile(rf"(?<![A-Za-z0-9])(?P<word>{_WORDS})[ _:#]?(?P<number>\d{{1,4}})(?![\d.])", re.IGNORECASE)
_PROCESS = re.compile(r"(?P<name>process_.+)_(?P<pid>\d+(?:\.\d+)?(?:e\+?\d+)?)", re.IGNORECASE)


def device_in(text: str) -> int | None:
    """The device that "GPU 0 Utilization" or "device:3" names, None if there is none."""
    found = _DEVICE.search(text)
    return int(found["number"]) if found else None


def without_device(text: str) -> str:
    """The name without the number of its device: "GPU 0 Utilization" is "GPU Utilization"."""
    return _DEVICE.sub(lambda found: found["word"], text, count=1)


def without_process(text: str) -> tuple[str, int | None]:
    """("process_cpu_usage", 2520152) of "process_cpu_usage_2.520152e+06", as some recorders round the process id; the
    name itself and None when it names no process."""
    found = _PROCESS.fullmatch(text)
    return (found["name"], round(float(found["pid"]))) if found else (text, None)
