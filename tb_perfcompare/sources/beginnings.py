"""How files of the formats without a name of their own begin.

Standard library only: TensorBoard asks at every page load whether there is anything to show, and must not load
numerical libraries for it.
"""

from __future__ import annotations

import re

LISTING_HEADER = ("Latency", "Tensor", "DRAM")
"""Words of a kernel listing's first line, which has no `|`."""

ANSWER = re.compile(
    rb'\s*\{\s*"(?:steps"\s*:\s*\{\s*"columns"|(?:device|host)_(?:total|self)_time"\s*:'
    rb'|metadata"\s*:\s*\{\s*"sort"|total"\s*:\s*\{\s*"columns")'
)
"""How an answer of torch-tb-profiler begins as the profiler writes it: for lines longer than what is looked at."""

POSSIBLE_NAME = re.compile(r".+\.(?:jsonl|ndjson|txt|log|lst)", re.DOTALL)
"""Names worth a look inside when nothing else says that a directory holds something."""


def declines_listing(name: str, head: bytes) -> str:
    """Why a file with these first bytes is no kernel listing; "" if it is one. The name says nothing."""
    lines = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()
    first = next((line for line in lines if line.strip()), "")
    if not first:
        return "empty"
    if "|" in first or not all(word in first.split() for word in LISTING_HEADER):
        return f"the first line is no header ending in {' '.join(LISTING_HEADER)}"
    return ""


def looks_known(head: bytes) -> bool:
    """Whether a file beginning like this is a listing or holds saved answers."""
    return ANSWER.match(head.removeprefix(b"\xef\xbb\xbf")) is not None or not declines_listing("", head)
