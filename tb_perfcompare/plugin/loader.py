"""Entry point that TensorBoard imports at start. An error here would stop all of TensorBoard, so it imports little.

It lowers the priority of torch-tb-profiler's processes in the same TensorBoard. That starts one for each file below the
log directory, all at once; with hundreds of them the server and this plugin's workers would wait for the CPU. With the
lowest priority they use idle cores only.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

from tensorboard.plugins import base_plugin

from tb_perfcompare.plugin.plugin import PerfComparePlugin

PACKAGE = "torch_tb_profiler"
_SHORTEST_WAIT_S, _LONGEST_WAIT_S = 0.1, 2.0
_WAIT_GROWTH = 1.5
_LOWEST_PRIORITY = 19


class PerfCompareLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Creates the plugin, which has no flags."""

    def load(self, context: base_plugin.TBContext) -> PerfComparePlugin:
        """Creates the plugin. Touches no files; starts a thread only if torch-tb-profiler is loaded as well."""
        lower_profiler_priority()
        return PerfComparePlugin(context)


def lower_profiler_priority() -> None:
    """Starts a thread that gives the processes of torch-tb-profiler the lowest priority; does nothing if that is not
    loaded."""
    if PACKAGE in sys.modules:
        threading.Thread(target=_watch, name="tb_perfcompare neighbor", daemon=True).start()


def _watch() -> None:
    known: set[int] = set()
    wait_s = _SHORTEST_WAIT_S
    while True:
        children = lower_child_priorities(known)
        wait_s = _SHORTEST_WAIT_S if children - known else min(_LONGEST_WAIT_S, _WAIT_GROWTH * wait_s)
        known = children
        time.sleep(wait_s)


def lower_child_priorities(known: set[int]) -> set[int]:
    """Lowers the priority of this process's live multiprocessing children, except those `known`; returns all their ids.
    This plugin's workers are not started through multiprocessing. A manager process keeps its priority, as
    TensorBoard's start waits for it."""
    import multiprocessing

    children = {child.pid: child.name for child in multiprocessing.active_children() if child.pid is not None}
    for process_id in children.keys() - known:
        if "Manager" in children[process_id]:
            continue
        with contextlib.suppress(OSError, AttributeError):  # it has ended, or this is not Unix
            os.setpriority(os.PRIO_PROCESS, process_id, _LOWEST_PRIORITY)
            os.sched_setscheduler(process_id, os.SCHED_IDLE, os.sched_param(0))  # Linux
    return set(children)
