"""Processes that do the heavy work, so that the server's own threads keep answering.

They are started as `python -c ...` rather than through multiprocessing: that would import the parent's `__main__` (all
of TensorBoard) again in every child, and cannot be started safely from every state of the parent. Nothing is started
before the first task.
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
"""A process keeps the memory of the largest file that it has read; so long it waits for another one."""

UNUSED_S = 300.0
"""One that has read nothing yet holds little more than imported modules: it may wait for longer."""

_LOOK_S = 1.0

_MOST_IDLE_BYTES = 3 * PROCESS_BYTES
"""A process that still holds more than that after a task is not kept."""


class _Task:
    """One that waits or is under way. `put_back`: its process was ended so that it waits once more."""

    def __init__(self, need: Need) -> None:
        self.need = need
        self.worker: Worker | None = None
        self.put_back = False


class WorkerPool:
    """At most `size` processes, started when there is work for them or soon will be, used again afterwards, and ended
    when there was none for IDLE_S (UNUSED_S before the first). Tasks begin in the order in which they came.

    memory_bytes  what the tasks under way may need together; a task that expects to need more runs alone. While they
                  run they may prove to need more than they expected: then the last that came are put back, to begin
                  anew when there is room. One that really holds more, alone, fails. None: what memory_for_reading
                  says when the first task begins

    Raises OutOfMemory where the system gives processes too little room for anything.
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
        self._looking_after_idle = False
        self._closed = False
        self._started_workers: set[Worker] = set()
        # also when the pool is forgotten without being closed, and when the interpreter ends
        self._finalizer = weakref.finalize(self, _end_all, self._started_workers, self._idle)

    def run(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], need_bytes: int = 0
    ) -> T:
        """`function(*arguments, report)` in a worker, which must find the function by its module's name.

        Progress goes to the flight. When the flight is cancelled the process is killed and Cancelled raised. Raises
        what the function raises if that is a PerfCompareError, WorkerDied if the process ended by itself, and
        OutOfMemory. `need_bytes` is the memory the task is expected to need.
        """
        need = Need(next(self._numbers), need_bytes)
        while True:
            task = _Task(need)
            worker = self._acquire(flight, task)
            try:
                with flight.stopping(worker.kill):
                    if not worker.responds():
                        continue  # it ended while idle
                    hear = partial(self._hear, task)
                    return worker.run(function, arguments, flight, hear, self._most(need), self._threads())
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
        """Starts processes until there are `count`, or `size`. Each calls `functions` one by one, for as long as
        no task is waiting. Where none can be started the first task will say so."""
        with self._changed:
            there = len(self._idle) + len(self._busy) + self._starting
            missing = 0 if self._closed else max(0, min(count, self.size) - there)
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
        """Of the live processes."""
        with self._changed:
            return sorted(worker.process_id for worker in (*self._idle, *self._busy))

    def _acquire(self, flight: Flight[Any], task: _Task) -> Worker:
        """A process, when it is this task's turn, one is free or may be started, and there is memory for it."""
        with flight.stopping(self._wake), self._changed:
            if self._memory_bytes is None:
                self._memory_bytes = memory_for_reading()
            bisect.insort(self._waiting, task, key=lambda one: one.need.number)
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

    def _hear(self, task: _Task, progress: Progress, held: int) -> None:
        """Notes what a task takes, and puts tasks back if all take too much together."""
        assert self._memory_bytes is not None
        with self._changed:
            if not task.need.see(progress, held):
                return
            if held > most_for_one(self._memory_bytes):
                raise refusal(task.need, self._memory_bytes)
            ended = too_many((one.need for one in self._under_way), self._memory_bytes)
            for one in self._under_way:
                if one.need in ended and one.worker is not None:
                    one.put_back = True
                    one.worker.kill()

    def _refused(self, need: Need, error: OutOfMemory) -> OutOfMemory:
        """Says what the task needs where that is known to be more than it may have."""
        assert self._memory_bytes is not None
        return refusal(need, self._memory_bytes) if need.bytes_ > most_for_one(self._memory_bytes) else error

    def _wake(self) -> None:
        """Waiting tasks check again whether their turn has come, or no caller wants them any more."""
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
        if task.put_back or worker.held_bytes > _MOST_IDLE_BYTES:
            worker.reusable = False
        if not worker.reusable:
            self._discard(worker)  # its place is taken until it has gone
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
        if not self._looking_after_idle:
            self._looking_after_idle = True
            threading.Thread(target=_end_idle, args=(weakref.ref(self),), daemon=True).start()

    def _end_idle(self) -> bool:
        """Ends processes that were idle for long; False when none is left."""
        now_s = time.monotonic()
        with self._changed:
            old = [
                worker
                for worker in self._idle
                if now_s - worker.idle_since_s >= (UNUSED_S if worker.unused else IDLE_S)
            ]
            self._idle[:] = [worker for worker in self._idle if worker not in old]
            self._looking_after_idle = bool(self._idle)
            more = self._looking_after_idle
        for worker in old:
            self._discard(worker)
        return more

    def _discard(self, worker: Worker) -> None:
        worker.kill()
        worker.clean_up()
        self._started_workers.discard(worker)


def _prepared(functions: Sequence[Callable[[], object]]) -> Worker | None:
    try:
        worker = Worker()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # it has ended: its next user finds out
        worker.prepare(functions)
    return worker


def _end_idle(pool: weakref.ref[WorkerPool]) -> None:
    """Looks after the idle processes of a pool for as long as it has some; a forgotten pool ends them itself."""
    more = True
    while more:
        time.sleep(min(IDLE_S, _LOOK_S))
        found = pool()
        more = found is not None and found._end_idle()
        del found


def _end_all(workers: set[Worker], idle: list[Worker]) -> None:
    """Kills all; busy workers are cleaned up by the threads that use them. When the interpreter ends another thread may
    just be starting one: that is not waited for, it ends with its parent."""
    known = tuple(workers)
    for worker in known:
        worker.kill()
    for worker in tuple(idle):
        if worker in known:
            worker.clean_up()
    for worker in known:
        worker.wait()
