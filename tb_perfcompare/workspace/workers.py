"""Processes that do the heavy work, so that the server's own threads keep answering.

They are started as `python -c ...` rather than through multiprocessing: that would import the parent's `__main__` (all
of TensorBoard) again in every child, and cannot be started safely from every state of the parent. Nothing is started
before the first task.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.workspace.flights import Flight
from tb_perfcompare.workspace.limits import memory_for_reading
from tb_perfcompare.workspace.worker import Worker, WorkerDied

T = TypeVar("T")

IDLE_S = 30.0
"""A process keeps the memory of the largest file that it has read; so long it waits for another one."""

UNUSED_S = 300.0
"""One that has read nothing yet holds little more than imported modules: it may wait for longer."""

_LOOK_S = 1.0


class WorkerPool:
    """At most `size` processes, started when there is work for them or soon will be, used again afterwards, and ended
    when there was none for IDLE_S (UNUSED_S before the first). Tasks begin in the order in which they came.

    memory_bytes  what the tasks under way may need together; a task that needs more runs alone. None: what
                  memory_for_reading says when the first task begins
    """

    def __init__(self, size: int, memory_bytes: int | None = None) -> None:
        self.size = size
        self._memory_bytes = memory_bytes
        self._needed_bytes = 0
        self._waiting: deque[object] = deque()
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
        what the function raises if that is a PerfCompareError, and WorkerDied if the process ended by itself.
        `need_bytes` is the memory the task is expected to need.
        """
        while True:
            worker = self._acquire(flight, need_bytes)
            try:
                with flight.stopping(worker.kill):
                    if not worker.responds():
                        continue  # it ended while nobody used it
                    return worker.run(function, arguments, flight)
            except WorkerDied:
                if self._closed:
                    raise Cancelled from None
                raise
            finally:
                self._release(worker, need_bytes)

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

    def _acquire(self, flight: Flight[Any], need_bytes: int) -> Worker:
        """A process, when it is this task's turn, one is free or may be started, and there is memory for it."""
        turn = object()
        with flight.stopping(self._wake), self._changed:
            if self._memory_bytes is None:
                self._memory_bytes = memory_for_reading()
            self._waiting.append(turn)
            try:
                while True:
                    flight.check()
                    if self._closed:
                        raise Cancelled
                    if self._waiting[0] is turn and self._has_room(need_bytes):
                        break
                    self._changed.wait()
            finally:
                self._waiting.remove(turn)
                self._changed.notify_all()
            self._needed_bytes += need_bytes
            if self._idle:
                worker = self._idle.pop()
                self._busy.add(worker)
                return worker
            self._starting += 1
        try:
            worker = Worker()
        except OSError as error:
            self._started(None, need_bytes)
            raise PerfCompareError(
                f"cannot start a process to read files: {error.strerror or error}",
                hint="the system may be out of memory or processes",
            ) from error
        self._started(worker, need_bytes)
        return worker

    def _has_room(self, need_bytes: int) -> bool:
        assert self._memory_bytes is not None
        running = len(self._busy) + self._starting
        alone = need_bytes == 0 or self._needed_bytes == 0
        return running < self.size and (alone or self._needed_bytes + need_bytes <= self._memory_bytes)

    def _wake(self) -> None:
        """Whoever waits looks again whether its turn has come, or nobody wants it any more."""
        with self._changed:
            self._changed.notify_all()

    def _started(self, worker: Worker | None, need_bytes: int) -> None:
        with self._changed:
            self._starting -= 1
            if worker is None:
                self._needed_bytes -= need_bytes
            else:
                self._busy.add(worker)
                self._started_workers.add(worker)
                if self._closed:
                    worker.kill()
            self._changed.notify_all()

    def _release(self, worker: Worker, need_bytes: int) -> None:
        if not worker.reusable:
            self._discard(worker)  # its place is taken until it has gone
        with self._changed:
            self._busy.discard(worker)
            self._needed_bytes -= need_bytes
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
        """Ends the processes that nobody has needed for long; False when none is left."""
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
    with contextlib.suppress(OSError):  # it has ended: whoever gets it finds out
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
