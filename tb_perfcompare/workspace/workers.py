"""Processes that do the heavy work, so that the server's own threads keep answering.

They are started as `python -c ...` rather than through multiprocessing: that would import the parent's `__main__` (all
of TensorBoard) again in every child, and cannot be started safely from every state of the parent. Nothing is started
before the first task.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import IO, Any, TypeVar

from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.workspace.flights import Flight
from tb_perfcompare.workspace.worker_process import answer, read_frame, write_frame

T = TypeVar("T")

MOST_WORKERS = 4

_BOOT = (
    "import signal, sys, json; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = json.loads(sys.argv[1]); "
    "from tb_perfcompare.workspace.worker_process import main; main()"
)
_SLOT_WAIT_S = 0.2
_LAST_WORDS_BYTES = 4096
_LAST_WORDS_S = 5.0

_log = logging.getLogger(__name__)


def default_workers() -> int:
    """As many as there are cores this process may use, at most MOST_WORKERS."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_WORKERS))


class WorkerDied(PerfCompareError):
    """A worker process ended in the middle of a task. `detail` says how."""

    code = "worker_died"

    def __init__(self, detail: str) -> None:
        super().__init__(f"the process doing the work ended unexpectedly: {detail}")
        self.detail = detail


class WorkerPool:
    """At most `size` processes, started when there is work for them and used again afterwards."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._changed = threading.Condition()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._starting = 0
        self._closed = False
        self._started_workers: set[_Worker] = set()
        # also when the pool is forgotten without being closed, and when the interpreter ends
        self._finalizer = weakref.finalize(self, _end_all, self._started_workers, self._idle)

    def run(self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any]) -> T:
        """`function(*arguments, report)` in a worker, which must find the function by its module's name.

        Progress goes to the flight. When the flight is cancelled the process is killed and Cancelled raised. Raises
        what the function raises if that is a PerfCompareError, and WorkerDied if the process ended by itself.
        """
        while True:
            worker = self._acquire(flight)
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
                self._release(worker)

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

    def _acquire(self, flight: Flight[Any]) -> _Worker:
        with self._changed:
            while True:
                flight.check()
                if self._closed:
                    raise Cancelled
                if self._idle:
                    worker = self._idle.pop()
                    self._busy.add(worker)
                    return worker
                if len(self._busy) + self._starting < self._size:
                    self._starting += 1
                    break
                self._changed.wait(_SLOT_WAIT_S)
        try:
            worker = _Worker()
        except OSError as error:
            self._started(None)
            raise PerfCompareError(
                f"cannot start a process to read files: {error.strerror or error}",
                hint="the system may be out of memory or processes",
            ) from error
        self._started(worker)
        return worker

    def _started(self, worker: _Worker | None) -> None:
        with self._changed:
            self._starting -= 1
            if worker is not None:
                self._busy.add(worker)
                self._started_workers.add(worker)
                if self._closed:
                    worker.kill()
            self._changed.notify()

    def _release(self, worker: _Worker) -> None:
        with self._changed:
            self._busy.discard(worker)
            keep = worker.reusable and not self._closed
            if keep:
                self._idle.append(worker)
            self._changed.notify()
        if not keep:
            self._discard(worker)

    def _discard(self, worker: _Worker) -> None:
        worker.kill()
        worker.clean_up()
        self._started_workers.discard(worker)


class _Worker:
    """One child process; used by one task at a time."""

    def __init__(self) -> None:
        # a worker computes on one core; numerical libraries would start a thread for every core
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._last_words, env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        self._stdin, self._stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._cleaned = threading.Lock()
        self.reusable = False

    @property
    def process_id(self) -> int:
        return self._process.pid

    def responds(self) -> bool:
        """Whether a worker that was used before still answers; a new one is believed to."""
        if not self.reusable:
            return True
        self.reusable = False
        try:
            write_frame(self._stdin, (answer, ()))
            read_frame(self._stdout)
        except (EOFError, OSError):
            return False
        return True

    def run(self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any]) -> T:
        self.reusable = False
        try:
            write_frame(self._stdin, (function, arguments))
            while True:
                kind, value = read_frame(self._stdout)
                if kind == "progress":
                    flight.report(value)
                    continue
                self.reusable = True
                if kind == "failed":
                    raise value
                return value  # type: ignore[no-any-return]
        except (EOFError, OSError, ValueError) as error:  # ValueError: the pipe was closed by clean_up
            flight.check()
            raise WorkerDied(self._obituary()) from error

    def kill(self) -> None:
        """Ends the process at once; it holds nothing that would need saving."""
        self._process.kill()

    def wait(self) -> None:
        """Until the killed process is gone."""
        self._process.wait()

    def clean_up(self) -> None:
        """Waits for the killed process and closes the pipes."""
        with self._cleaned:
            self._process.wait()
            for stream in (self._stdin, self._stdout, self._last_words):
                try:
                    stream.close()
                except OSError:
                    continue  # what was left to write has no reader any more

    def _obituary(self) -> str:
        """How the process ended, with the last line it wrote; the whole of it goes to the log."""
        try:
            status = self._process.wait(_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self._process.wait()
        self._last_words.seek(0, os.SEEK_END)
        self._last_words.seek(max(0, self._last_words.tell() - _LAST_WORDS_BYTES))
        words = self._last_words.read().decode("utf-8", "replace").strip()
        if words:
            _log.error("a worker process ended: %s", words)
        if status < 0:
            reason = "out of memory or killed by somebody" if status == -9 else "see the system's log"
            return f"it was stopped by signal {-status} ({reason})"
        last = words.splitlines()[-1] if words else "without a word"
        return f"exit status {status}, {last}"


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _end_all(workers: set[_Worker], idle: list[_Worker]) -> None:
    """Kills all; busy workers are cleaned up by the threads that use them."""
    for worker in tuple(workers):
        worker.kill()
    for worker in tuple(idle):
        worker.clean_up()
    for worker in tuple(workers):
        worker.wait()
