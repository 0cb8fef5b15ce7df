"""Whether a server's processes are at work."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.served import Served


def is_idle(server: Served) -> bool:
    """Whether no worker uses a processor."""
    before = cpu_ticks(server.workers())
    time.sleep(0.15)
    return cpu_ticks(server.workers()) == before


def cpu_ticks(processes: list[int]) -> dict[int, str]:
    found = {}
    for process in processes:
        try:
            found[process] = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11]
        except OSError:
            continue
    return found
