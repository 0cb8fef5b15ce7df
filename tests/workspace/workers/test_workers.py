"""Worker processes: what they bring back, how they end, and that none is left behind."""

from __future__ import annotations

import contextlib
import gc
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.served import is_running
from tb_perfcompare.errors import Cancelled, CorruptInput
from tb_perfcompare.workspace.sharing.single_flight import Flight
from tb_perfcompare.workspace.workers.worker import Worker, WorkerDied, without_paths
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool
from tests.workspace import tasks
from tests.workspace.waiting import SOON_S, becomes_true

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(1)
    yield made
    made.close()


def run(pool: WorkerPool, function: Callable[..., Any], *arguments: Any, flight: Flight[Any] | None = None) -> Any:
    return pool.run(function, arguments, flight or Flight("task"))


def test_construction_starts_nothing_and_a_process_is_used_again(pool: WorkerPool) -> None:
    assert pool.process_ids == []
    first = run(pool, tasks.process_id)
    assert pool.process_ids == [first]
    assert run(pool, tasks.process_id) == first


def test_values_progress_and_errors_come_back(pool: WorkerPool) -> None:
    flight: Flight[int] = Flight("task")
    assert run(pool, tasks.add, 2, 3, flight=flight) == 5
    assert [progress.path for progress in flight.progress_since(0)[1]] == ["numbers"]
    with pytest.raises(CorruptInput) as caught:
        run(pool, tasks.fail, "run/file.json")
    assert (caught.value.path, caught.value.place, caught.value.hint) == ("run/file.json", "byte 7", "record it again")
    assert str(caught.value) == "run/file.json: byte 7: nothing in it; record it again"


def test_a_stray_print_does_not_break_the_conversation(pool: WorkerPool) -> None:
    assert run(pool, tasks.print_between) == "clean"


def test_the_parents_main_module_is_not_imported_again(pool: WorkerPool) -> None:
    assert run(pool, tasks.main_module) == "None"


def test_a_worker_that_dies_is_an_error_and_the_pool_recovers(pool: WorkerPool) -> None:
    with pytest.raises(WorkerDied, match="exit status 3"):
        run(pool, tasks.exit_at_once, 3)
    with pytest.raises(WorkerDied, match="ZeroDivisionError: a bug"):
        run(pool, tasks.crash)
    assert run(pool, tasks.add, 1, 1) == 2


def test_a_worker_killed_while_idle_is_replaced_unnoticed(pool: WorkerPool) -> None:
    old = run(pool, tasks.process_id)
    subprocess.run(["kill", "-9", str(old)], check=True)
    assert becomes_true(lambda: not is_running(old))
    assert run(pool, tasks.process_id) != old


def test_cancelling_kills_even_a_task_that_never_reports(pool: WorkerPool) -> None:
    for task in (tasks.sleep_without_reporting, tasks.hold_the_lock):
        flight: Flight[str] = Flight("task")
        errors: list[BaseException] = []

        def ask(task: Callable[..., Any] = task, flight: Flight[Any] = flight, errors: list[Any] = errors) -> None:
            try:
                run(pool, task, 60, flight=flight)
            except Cancelled as error:
                errors.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        assert becomes_true(lambda: len(pool.process_ids) == 1)
        time.sleep(0.3)
        flight.cancel()
        thread.join(SOON_S)
        assert len(errors) == 1
    assert run(pool, tasks.add, 1, 1) == 2


def test_a_task_waiting_for_a_free_worker_can_be_cancelled_too(pool: WorkerPool) -> None:
    busy: Flight[str] = Flight("busy")
    waiting: Flight[str] = Flight("waiting")
    ended: list[str] = []

    def ask(flight: Flight[str]) -> None:
        try:
            run(pool, tasks.sleep_without_reporting, 60, flight=flight)
        except Cancelled:
            ended.append(str(flight.key))

    threads = [threading.Thread(target=ask, args=(flight,)) for flight in (busy, waiting)]
    threads[0].start()
    assert becomes_true(lambda: len(pool.process_ids) == 1)
    threads[1].start()
    waiting.cancel()
    threads[1].join(SOON_S)
    assert ended == ["waiting"]
    busy.cancel()
    threads[0].join(SOON_S)
    assert ended == ["waiting", "busy"]


def test_never_more_processes_than_the_size() -> None:
    pool = WorkerPool(2)
    most: list[int] = []
    threads = [threading.Thread(target=lambda: run(pool, tasks.sleep_without_reporting, 0.1)) for _ in range(6)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most.append(len(pool.process_ids))
        time.sleep(0.02)
    pool.close()
    assert max(most) == 2


@pytest.mark.parametrize(("need", "together"), [(40, 2), (60, 1), (500, 1), (0, 2)])
def test_tasks_that_need_more_memory_than_there_is_run_one_by_one(tmp_path: Path, need: int, together: int) -> None:
    """100 bytes for two processes; a task that needs more than all of it runs alone."""
    pool = WorkerPool(2, memory_bytes=100)
    log = str(tmp_path / "log")
    task, longest_s = (tasks.needy_together, 10.0) if together == 2 else (tasks.needy, 0.2)
    threads = [
        threading.Thread(target=lambda: pool.run(task, (log, longest_s), Flight("task"), need)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    pool.close()
    assert (tmp_path / "log").read_text().count("ends") == 4
    assert tasks.most_under_way(log) == together


def test_what_needs_no_memory_does_not_wait_for_what_needs_all(tmp_path: Path) -> None:
    both = WorkerPool(2, memory_bytes=100)

    def take_all() -> None:
        with contextlib.suppress(Cancelled):
            both.run(tasks.needy, (str(tmp_path / "log"), 60), Flight("large"), 500)

    large = threading.Thread(target=take_all)
    large.start()
    assert becomes_true((tmp_path / "log").exists)
    assert run(both, tasks.add, 1, 2) == 3
    assert "ends" not in (tmp_path / "log").read_text()
    both.close()
    large.join(SOON_S)


def test_tasks_begin_in_the_order_in_which_they_came(pool: WorkerPool) -> None:
    begun: list[int] = []
    threads = []
    for number in range(5):

        def ask(number: int = number) -> None:
            run(pool, tasks.sleep_without_reporting, 0.1)
            begun.append(number)

        threads.append(threading.Thread(target=ask))
        threads[-1].start()
        time.sleep(0.02)
    for thread in threads:
        thread.join(SOON_S)
    assert begun == [0, 1, 2, 3, 4]


def test_last_words_name_no_path() -> None:
    assert without_paths("KeyError: '/etc/secret/x.json'") == "KeyError: '(path)'"
    assert without_paths("OSError: no file C:\\logs\\x, or 3/4") == "OSError: no file (path) or 3/4"


def test_without_a_place_for_last_words_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    pool = WorkerPool(1)
    assert run(pool, tasks.add, 1, 2) == 3
    with pytest.raises(WorkerDied, match="exit status 3, without a word"):
        run(pool, tasks.exit_at_once, 3)
    pool.close()


def test_a_process_that_nobody_needs_gives_its_memory_back(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_perfcompare.workspace.workers.worker_pool.IDLE_S", 0.3)
    first = run(pool, tasks.process_id)
    assert run(pool, tasks.process_id) == first
    assert becomes_true(lambda: not is_running(first))
    assert pool.process_ids == []
    assert is_running(run(pool, tasks.process_id))


def test_closing_ends_idle_and_busy_processes() -> None:
    pool = WorkerPool(2)
    idle = run(pool, tasks.process_id)
    ended: list[str] = []

    def ask() -> None:
        try:
            run(pool, tasks.sleep_without_reporting, 60)
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.2)
    processes = {idle, *pool.process_ids}
    pool.close()
    thread.join(SOON_S)
    assert ended == ["cancelled"]
    assert becomes_true(lambda: not any(is_running(process) for process in processes))


def test_a_process_that_is_just_being_started_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the interpreter, which then ends with it."""
    pool = WorkerPool(2)
    pool.prepare(1, ())
    kill = Worker.kill

    def kill_while_another_starts(worker: Worker) -> None:
        monkeypatch.setattr(Worker, "kill", kill)
        kill(worker)
        pool.prepare(2, ())

    monkeypatch.setattr(Worker, "kill", kill_while_another_starts)
    ending = threading.Thread(target=pool._finalizer, daemon=True)
    ending.start()
    ending.join(SOON_S)
    try:
        assert not ending.is_alive()
    finally:
        late = pool._idle[-1]
        late.kill()
        late.clean_up()


def test_a_pool_that_is_forgotten_leaves_no_process() -> None:
    gc.freeze()  # what other tests have left is not looked through
    pool = WorkerPool(1)
    process = run(pool, tasks.process_id)
    del pool
    gc.collect()
    assert becomes_true(lambda: not is_running(process))


_PARENT = """
    import sys, threading, time
    from tb_perfcompare.workspace.sharing.single_flight import Flight
    from tb_perfcompare.workspace.workers.worker_pool import WorkerPool
    from tests.workspace import tasks
    pool = WorkerPool(1)
    print(pool.run(tasks.process_id, (), Flight("a")), flush=True)
    threading.Thread(
        target=pool.run, args=(tasks.hold_the_lock, (60,), Flight("b")), daemon=True
    ).start()
    time.sleep({seconds})
"""


@pytest.mark.parametrize("ending", ["exits", "killed"])
def test_no_process_outlives_its_parent_however_that_ends(ending: str) -> None:
    code = textwrap.dedent(_PARENT).replace("{seconds}", "0.5" if ending == "exits" else "60")
    if ending == "killed":
        code = code.replace("tasks.hold_the_lock, (60,)", "tasks.sleep_without_reporting, (60,)")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert is_running(worker)
        if ending == "killed":
            parent.kill()
    assert becomes_true(lambda: not is_running(worker))
