"""torch-tb-profiler's processes rank behind this tool's."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
import types
from collections.abc import Callable

import pytest
from tensorboard.plugins.base_plugin import TBContext

from tb_perfcompare.plugin.loader import PACKAGE, PerfCompareLoader, lower_child_priorities
from tb_perfcompare.workspace.workers.worker import Worker

pytestmark = pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no Unix")


def test_processes_of_multiprocessing_are_lowered_and_those_of_this_tool_are_not() -> None:
    profiler, manager = (
        multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,), daemon=True, name=name)
        for name in (None, "SyncManager-1")
    )
    profiler.start()
    manager.start()
    ours = Worker()
    own_priority = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        assert profiler.pid is not None and manager.pid is not None
        assert profiler.pid in lower_child_priorities(set())
        assert os.getpriority(os.PRIO_PROCESS, profiler.pid) == 19
        assert os.getpriority(os.PRIO_PROCESS, ours.process_id) == own_priority
        assert os.getpriority(os.PRIO_PROCESS, manager.pid) == own_priority  # TensorBoard's start waits for it
        if sys.platform == "linux":
            assert os.sched_getscheduler(profiler.pid) == os.SCHED_IDLE
    finally:
        for one in (profiler, manager):
            one.kill()
            one.join()
        ours.kill()
        ours.clean_up()


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_is_watched_where_there_is_no_neighbor(monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    started: list[Callable[..., object]] = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread.run))
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    if is_there:
        monkeypatch.setitem(sys.modules, PACKAGE, types.ModuleType(PACKAGE))
    PerfCompareLoader().load(TBContext(logdir="/nowhere"))
    assert len(started) == int(is_there)
