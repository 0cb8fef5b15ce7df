"""Devices and process ids contained in counter names."""

from __future__ import annotations

import re

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device import DEVICE_WORDS

_WORDS = "|".join(sorted({*DEVICE_WORDS, "device", "card"}))
_DEVICE = regex(rf"(?<![A-Za-z0-9])(?P<word>{_WORDS})[ _:#]?(?P<number>\d{{1,4}})(?![\d.])", re.IGNORECASE)
_PROCESS = regex(r"(?P<name>process_.+)_(?P<pid>\d+(?:\.\d+)?(?:e\+?\d+)?)", re.IGNORECASE)


def device_in(text: str) -> int | None:
    """Device number in "GPU 0 Utilization" or "device:3"; None without one."""
    match = _DEVICE.search(text)
    return int(match["number"]) if match else None


def without_device(text: str) -> str:
    """The name without its device number: "GPU 0 Utilization" -> "GPU Utilization"."""
    return _DEVICE.sub(lambda match: match["word"], text, count=1)


def without_process(text: str) -> tuple[str, int | None]:
    """ "process_cpu_usage_2.520152e+06" -> ("process_cpu_usage", 2520152); (name, None) for names without a process id.

    Some recorders write process ids as rounded floats.
    """
    match = _PROCESS.fullmatch(text)
    return (match["name"], round(float(match["pid"]))) if match else (text, None)
