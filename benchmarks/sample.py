"""Takes one measurement in this new process: runs a work by name and prints its time, memory and result as JSON.

    python -m benchmarks.sample WORK ARGUMENT...

The clock starts after the imports. Other tools are imported only by their own works, so that this runs in environments
with nothing but one of them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Work = Callable[..., dict[str, Any]]
"""Function from arguments to a result. The result may have "seconds" and "cpu_seconds" of a part that the work timed
itself, and "after", a function called once the clock has stopped that returns more results."""

MODULES = ("our_work", "peer_work", "server_work", "ranks")


def main(name: str, *arguments: str) -> None:
    """Measures a work and prints the result as one line."""
    print(json.dumps(measured(name, *arguments)), flush=True)
    os._exit(0)  # skips tearing down a large heap, which is not measured


def measured(name: str, *arguments: str) -> dict[str, Any]:
    """Runs a work in this process; returns its time, memory and result."""
    with contextlib.redirect_stdout(sys.stderr):  # some tools print
        work = imported(name)
        before = peak_bytes()
        cpu, wall = cpu_seconds(), time.perf_counter()
        result = work(*arguments)
        took = {"seconds": time.perf_counter() - wall, "cpu_seconds": cpu_seconds() - cpu}
        took |= {"peak_bytes": peak_bytes(), "imports_bytes": before}
        after = result.pop("after", None)
        if after is not None:
            result |= after()
    return took | {"lifetime_cpu_seconds": cpu_seconds()} | result


def imported(name: str) -> Work:
    """Imports the modules of a work and returns the function to time."""
    module, _, function = name.partition(".")
    if module not in MODULES:
        raise SystemExit(f"no such work: {name}")
    work: Work = getattr(importlib.import_module(f"benchmarks.{module}"), function)()
    return work


def cpu_seconds() -> float:
    """CPU time of this process and of its children that have ended."""
    this, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return this.ru_utime + this.ru_stime + children.ru_utime + children.ru_stime


def peak_bytes(process: str = "self") -> int:
    """Peak resident memory of this process, or of one with another id: 0 if that has ended or is unknown."""
    with contextlib.suppress(OSError):  # on Linux a new process inherits ru_maxrss from its parent
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    if process != "self":
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
