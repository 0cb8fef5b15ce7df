"""torch-tb-profiler in the same TensorBoard starts a process for each file below the log directory, all at once. With
hundreds of them the server and this tool's own processes wait in one queue with theirs, so theirs get what is left:
all of a core that is free, next to nothing of one that is not."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

PACKAGE = "torch_tb_profiler"
_OFTEN_S, _SELDOM_S = 0.1, 2.0
_SLOWER = 1.5
_LOWEST = 19


def make_way() -> None:
    """From now on the processes that torch-tb-profiler starts here rank behind all others. Nothing happens where it is
    not loaded."""
    if PACKAGE in sys.modules:
        threading.Thread(target=_watch, name="tb_perfcompare neighbour", daemon=True).start()


def _watch() -> None:
    known: set[int] = set()
    wait_s = _OFTEN_S
    while True:
        found = lower_children(known)
        wait_s = _OFTEN_S if found - known else min(_SELDOM_S, _SLOWER * wait_s)
        known = found
        time.sleep(wait_s)


def lower_children(known: set[int]) -> set[int]:
    """Lowers the live processes that multiprocessing has started here, but for those `known`, and returns the
    ids of all. This tool starts its own in another way. A manager is left alone: TensorBoard's start waits for it."""
    import multiprocessing

    children = {child.pid: child.name for child in multiprocessing.active_children() if child.pid is not None}
    for process_id in children.keys() - known:
        if "Manager" in children[process_id]:
            continue
        with contextlib.suppress(OSError, AttributeError):  # it has ended, or this is no Unix
            os.setpriority(os.PRIO_PROCESS, process_id, _LOWEST)
            os.sched_setscheduler(process_id, os.SCHED_IDLE, os.sched_param(0))  # Linux
    return set(children)
