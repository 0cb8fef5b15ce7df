"""Traces that tests draw, as torch-tb-profiler answers them through the product, and figures out of its answers."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from tb_perfcompare.analysis.compat import CompatProfile, answer, read_compat
from tb_perfcompare.sources.trace.torch_profiler import read_events
from tests.build import TraceBuilder

PARTS = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")
NAME = "worker0.1.pt.trace.json"

_TOTAL = re.compile(r"<br>Total: ([^<]*)us<br>")


def read(trace: TraceBuilder | dict[str, Any]) -> CompatProfile:
    """The profile of a drawn trace, or of a decoded one."""
    text = trace.encode() if isinstance(trace, TraceBuilder) else json.dumps(trace).encode()
    return read_compat(read_events(io.BytesIO(text), name=NAME))


def costs(profile: CompatProfile) -> list[dict[str, Any]]:
    """Per step the time of each part that has any."""
    shown = answer(profile, "overview")["steps"]
    names = [column["name"] for column in shown["columns"] if "name" in column][1:]
    return [{name: cost for name, cost in zip(names, row[1::2], strict=True) if cost} for row in shown["rows"]]


def steps(profile: CompatProfile) -> list[tuple[str, float]]:
    """(label, length) of each step."""
    rows = answer(profile, "overview")["steps"]["rows"]
    return [(row[0], float(_TOTAL.findall(row[2])[0])) for row in rows]


def operators(profile: CompatProfile) -> dict[str, dict[str, Any]]:
    """Rows of the operator table by name."""
    return {row["name"]: row for row in answer(profile, "operation/table")["data"]}


def launches(profile: CompatProfile) -> list[list[Any]]:
    """Rows of kernels by name, operator and launch properties."""
    rows: list[list[Any]] = answer(profile, "kernel/table", group_by="KernelNameAndOpName")["data"]["rows"]
    return rows
