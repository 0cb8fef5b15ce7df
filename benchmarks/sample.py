"""One measurement in a fresh process: some work by name, a line of JSON with its time, memory and what it found.

    python -m benchmarks.sample WORK ARGUMENT...

The clock starts after the imports. Peer tools are imported by their own works only, so that this runs in an environment
that has nothing but the peer.
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
"""Takes the arguments and gives what was found out. May hold "seconds" and "cpu_seconds" of a part that it timed
itself, and "after", which is called once the clock has stopped and gives more to tell."""

MODULES = ("our_work", "iteration_work", "peer_work", "server_work")


def main(name: str, *arguments: str) -> None:
    """Measures and prints one line."""
    print(json.dumps(measured(name, *arguments)), flush=True)
    os._exit(0)  # leaving without tearing down a large heap saves time and is not measured


def measured(name: str, *arguments: str) -> dict[str, Any]:
    """What the work took and found in this process."""
    with contextlib.redirect_stdout(sys.stderr):  # some tools talk
        work = imported(name)
        before = peak_bytes()
        cpu, wall = cpu_seconds(), time.perf_counter()
        found = work(*arguments)
        took = {"seconds": time.perf_counter() - wall, "cpu_seconds": cpu_seconds() - cpu}
        took |= {"peak_bytes": peak_bytes(), "imports_bytes": before}
        after = found.pop("after", None)
        if after is not None:
            found |= after()
    return took | {"lifetime_cpu_seconds": cpu_seconds()} | found


def imported(name: str) -> Work:
    """The work of that name, once its modules are imported."""
    module, _, function = name.partition(".")
    if module not in MODULES:
        raise SystemExit(f"no such work: {name}")
    work: Work = getattr(importlib.import_module(f"benchmarks.{module}"), function)()
    return work


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def peak_bytes() -> int:
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a new process on Linux starts at the size of the one that started it
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
