"""A pool of processes that do the heavy work, so that the server's own threads keep answering.

They are started as `python -c ...` instead of through multiprocessing, which would import the parent's `__main__` (all
of TensorBoard) again in every child and is not safe in every state of the parent. Nothing is started before the first
task or `prepare`.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from tb_perfcompare.errors import Cancelled, OutOfMemory, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.workspace.sharing.single_flight import Flight
from tb_perfcompare.workspace.workers.limits import check_address_space, memory_for_reading, share_of_threads
from tb_perfcompare.workspace.workers.memory_need import PROCESS_BYTES, Need, most_for_one, refusal, too_many
from tb_perfcompare.workspace.workers.worker import Worker, WorkerDied

T = TypeVar("T")

IDLE_S = 30.0
"""Lifetime of an idle process: it holds on to the memory of the largest file that it has read."""

UNUSED_S = 300.0
"""Lifetime of an idle process that has had no task: it holds little more than imported modules."""

_IDLE_CHECK_S = 1.0

_MAX_IDLE_BYTES = 3 * PROCESS_BYTES
"""A process that holds more than this after a task is ended instead of reused."""


class _Task:
    """A waiting or running task. `put_back`: its process was killed to free memory, and the task has to start over."""

    def __init__(self, need: Need) -> None:
        self.need = need
        self.worker: Worker | None = None
        self.put_back = False


class WorkerPool:
    """At most `size` processes, started for tasks or ahead of them (`prepare`), reused, and ended after IDLE_S without
    work (UNUSED_S before their first task). Tasks begin in order of arrival.

    memory_bytes  memory that running tasks may need together; a task that expects to need more runs alone. If running
                  tasks prove to need more than expected, the latest are killed and start over when there is room; a
                  single task that really holds more fails. None: memory_for_reading() when the first task begins

    Raises OutOfMemory if the system's address space limit is too small for any process.
    """

    def __init__(self, size: int, memory_bytes: int | None = None) -> None:
        check_address_space()
        self.size = size
        self._memory_bytes = memory_bytes
        self._numbers = itertools.count()
        self._waiting: list[_Task] = []
        self._under_way: list[_Task] = []
        self._changed = threading.Condition()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting = 0
        self._is_watching_idle = False
        self._closed = False
        self._started_workers: set[Worker] = set()
        # runs also if the pool is garbage-collected without `close`, and when the interpreter exits
        self._finalizer = weakref.finalize(self, _end_all, self._started_workers, self._idle)

    def run(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], need_bytes: int = 0
    ) -> T:
        """Calls `function(*arguments, report)` in a worker, which must be able to import the function.

        Progress goes to the flight. `need_bytes` is the memory that the task is expected to need; 0: unknown. When the
        flight is cancelled the process is killed and Cancelled raised. Raises the function's PerfCompareError,
        WorkerDied if the process ended unexpectedly, and OutOfMemory.
        """
        need = Need(next(self._numbers), need_bytes)
        while True:
            task = _Task(need)
            worker = self._acquire(flight, task)
            try:
                with flight.stopping(worker.kill):
                    if not worker.responds():
                        continue  # it ended while idle
                    on_progress = partial(self._on_progress, task)
                    return worker.run(function, arguments, flight, on_progress, self._most(need), self._threads())
            except WorkerDied:
                if self._closed:
                    raise Cancelled from None
                if not task.put_back:
                    raise
            except OutOfMemory as error:
                raise self._refused(need, error) from error
            finally:
                self._release(worker, task)

    def prepare(self, count: int, functions: Sequence[Callable[[], object]]) -> None:
        """Starts processes until there are `count`, or `size`. Each calls `functions` one by one while no task is
        waiting. Errors in starting are left for the first task to report."""
        with self._changed:
            existing = len(self._idle) + len(self._busy) + self._starting
            missing = 0 if self._closed else max(0, min(count, self.size) - existing)
            self._starting += missing
        for _ in range(missing):
            worker = _prepared(functions)
            with self._changed:
                self._starting -= 1
                keep = worker is not None and not self._closed
                if worker is not None:
                    self._started_workers.add(worker)
                    if keep:
                        self._keep(worker)
                self._changed.notify_all()
            if worker is not None and not keep:
                self._discard(worker)

    def close(self) -> None:
        """Ends all processes; tasks under way fail."""
        with self._changed:
            self._closed = True
            self._finalizer()
            self._idle.clear()
            self._changed.notify_all()

    @property
    def process_ids(self) -> list[int]:
        """Process ids of the live processes."""
        with self._changed:
            return sorted(worker.process_id for worker in (*self._idle, *self._busy))

    def _acquire(self, flight: Flight[Any], task: _Task) -> Worker:
        """Waits for the task's turn and for its memory; returns an idle process or starts one."""
        with flight.stopping(self._wake), self._changed:
            if self._memory_bytes is None:
                self._memory_bytes = memory_for_reading()
            bisect.insort(self._waiting, task, key=lambda waiting: waiting.need.number)
            try:
                while True:
                    flight.check()
                    if self._closed:
                        raise Cancelled
                    if self._waiting[0] is task and self._has_room(task.need):
                        break
                    self._changed.wait()
            finally:
                self._waiting.remove(task)
                self._changed.notify_all()
            self._under_way.append(task)
            if self._idle:
                task.worker = worker = self._idle.pop()
                self._busy.add(worker)
                return worker
            self._starting += 1
        try:
            worker = Worker()
        except OSError as error:
            self._started(None, task)
            raise PerfCompareError(
                f"cannot start a process to read files: {error.strerror or error}",
                hint="the system may be out of memory or processes",
            ) from error
        self._started(worker, task)
        return worker

    def _has_room(self, need: Need) -> bool:
        assert self._memory_bytes is not None
        running = len(self._busy) + self._starting
        needed = sum(task.need.bytes_ for task in self._under_way)
        alone = need.bytes_ == 0 or needed == 0
        return running < self.size and (alone or needed + need.bytes_ <= self._memory_bytes)

    def _most(self, need: Need) -> int:
        assert self._memory_bytes is not None
        return most_for_one(self._memory_bytes) if need.bytes_ else 0

    def _threads(self) -> int:
        with self._changed:
            return share_of_threads(min(self.size, len(self._under_way) + len(self._waiting)))

    def _on_progress(self, task: _Task, progress: Progress, held: int) -> None:
        """Updates a task's need from its progress; kills the latest tasks, to start over, if all need too much."""
        assert self._memory_bytes is not None
        with self._changed:
            if not task.need.update(progress, held):
                return
            if held > most_for_one(self._memory_bytes):
                raise refusal(task.need, self._memory_bytes)
            to_end = too_many((running.need for running in self._under_way), self._memory_bytes)
            for running in self._under_way:
                if running.need in to_end and running.worker is not None:
                    running.put_back = True
                    running.worker.kill()

    def _refused(self, need: Need, error: OutOfMemory) -> OutOfMemory:
        """Returns an error that says how much the task needs, if that is known to be too much; else `error`."""
        assert self._memory_bytes is not None
        return refusal(need, self._memory_bytes) if need.bytes_ > most_for_one(self._memory_bytes) else error

    def _wake(self) -> None:
        """Has waiting tasks check again whether it is their turn and whether they are cancelled."""
        with self._changed:
            self._changed.notify_all()

    def _started(self, worker: Worker | None, task: _Task) -> None:
        with self._changed:
            self._starting -= 1
            task.worker = worker
            if worker is None:
                self._under_way.remove(task)
            else:
                self._busy.add(worker)
                self._started_workers.add(worker)
                if self._closed:
                    worker.kill()
            self._changed.notify_all()

    def _release(self, worker: Worker, task: _Task) -> None:
        if task.put_back or worker.held_bytes > _MAX_IDLE_BYTES:
            worker.reusable = False
        if not worker.reusable:
            self._discard(worker)  # before it is no longer counted: the next process needs its memory
        with self._changed:
            self._busy.discard(worker)
            self._under_way.remove(task)
            keep = worker.reusable and not self._closed
            if keep:
                self._keep(worker)
            self._changed.notify_all()
        if not keep:
            self._discard(worker)

    def _keep(self, worker: Worker) -> None:
        worker.idle_since_s = time.monotonic()
        self._idle.append(worker)
        if not self._is_watching_idle:
            self._is_watching_idle = True
            threading.Thread(target=_end_idle, args=(weakref.ref(self),), daemon=True).start()

    def _end_idle(self) -> bool:
        """Ends processes that were idle for too long; returns whether idle ones are left."""
        now_s = time.monotonic()
        with self._changed:
            expired = [
                worker for worker in self._idle
                if now_s - worker.idle_since_s >= (UNUSED_S if worker.unused else IDLE_S)
            ]  # fmt: skip
            self._idle[:] = [worker for worker in self._idle if worker not in expired]
            any_left = self._is_watching_idle = bool(self._idle)
        for worker in expired:
            self._discard(worker)
        return any_left

    def _discard(self, worker: Worker) -> None:
        worker.kill()
        worker.clean_up()
        self._started_workers.discard(worker)


def _prepared(functions: Sequence[Callable[[], object]]) -> Worker | None:
    try:
        worker = Worker()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # it has ended, which the next task notices
        worker.prepare(functions)
    return worker


def _end_idle(pool: weakref.ref[WorkerPool]) -> None:
    """Ends a pool's idle processes when their time is over; returns when none is left. The reference is weak so that
    this thread does not keep an unused pool alive; its finalizer ends the processes."""
    any_left = True
    while any_left:
        time.sleep(min(IDLE_S, _IDLE_CHECK_S))
        live_pool = pool()
        any_left = live_pool is not None and live_pool._end_idle()
        del live_pool


def _end_all(workers: set[Worker], idle: list[Worker]) -> None:
    """Kills all workers and cleans up the idle ones; busy ones are cleaned up by the threads that use them. Does not
    wait for a worker that another thread is just starting while the interpreter exits: it ends with its parent."""
    started = tuple(workers)
    for worker in started:
        worker.kill()
    for worker in tuple(idle):
        if worker in started:
            worker.clean_up()
    for worker in started:
        worker.wait()
