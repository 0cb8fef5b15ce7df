"""How many processes and how much memory, by the machine, the container and what the user says."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.trace.scanners.scan_threads import THREADS
from tb_perfcompare.workspace.workers import limits
from tb_perfcompare.workspace.workers.limits import (
    MEMORY,
    WORKERS,
    default_workers,
    larger_pages,
    memory_for_reading,
    share_of_threads,
)


def test_processes_are_cores_but_never_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, workers in ((1, 1), (2, 2), (64, 4)):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: set(range(cores)), raising=False)
        assert default_workers({}) == workers
    assert default_workers({WORKERS: "1"}) == 1
    assert default_workers({WORKERS: "16"}) == 16


def test_tasks_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [share_of_threads(tasks, {}) for tasks in (0, 1, 2, 3, 8, 20)] == [8, 8, 4, 2, 1, 1]
    assert share_of_threads(20, {THREADS: "3"}) == 3


def test_what_the_user_says_of_the_c_library_goes_first() -> None:
    assert "hugetlb" in larger_pages({})["GLIBC_TUNABLES"]
    assert larger_pages({"GLIBC_TUNABLES": "x=1"}) == {"GLIBC_TUNABLES": "x=1"}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no heaps of threads")
@pytest.mark.parametrize("one", [True, False])
def test_threads_of_a_command_share_a_heap(one: bool) -> None:
    code = (
        "import ctypes, threading\n"
        "from tb_perfcompare.workspace.workers.limits import use_one_heap\n"
        f"{'use_one_heap()' if one else ''}\n"
        "threads = [threading.Thread(target=bytes, args=(20_000,)) for _ in range(3)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "ctypes.CDLL(None).malloc_stats()\n"
    )
    stats = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr
    assert (stats.count("Arena ") == 1) is one


def test_memory_is_half_of_the_machine_or_of_the_container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(limits, "_CGROUP_FILES", (str(tmp_path / "memory.max"),))
    whole = memory_for_reading({})
    assert 2**28 < whole < 2**50
    (tmp_path / "memory.max").write_text(f"{2**29}\n")
    assert memory_for_reading({}) == 2**28
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_for_reading({}) == whole
    assert memory_for_reading({MEMORY: "300"}) == 300 * 2**20


@pytest.mark.parametrize("text", ["0", "-1", "many", "nan", "inf", "1e99", "1 000"])
def test_what_is_no_number_is_reported(text: str) -> None:
    with pytest.raises(PerfCompareError, match=WORKERS):
        default_workers({WORKERS: text})
    with pytest.raises(PerfCompareError, match=MEMORY):
        memory_for_reading({MEMORY: text})
