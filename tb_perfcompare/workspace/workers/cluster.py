"""Reads files on a Dask cluster instead of in processes of this machine: same functions, same results.

The cluster's workers need the same version of this package and access to the files under the same path or address.
Progress comes back as events of a topic. A task that no caller waits for any more is removed from the queue or, if it
has begun, ends at its next progress report. Documented in docs/method/ranks.md.
"""

from __future__ import annotations

import importlib
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.workspace.sharing.single_flight import Flight

T = TypeVar("T")

_CONNECT_S = 10
_REPORT_EVERY_S = 0.25
_MAX_THREADS = 1024


class TaskLost(PerfCompareError):
    """A task gave no result: its worker ended, or lacks a module or a file."""

    code = "task_lost"


class ClusterPool:
    """Runs tasks on the Dask cluster of a scheduler. Connects at the first task; safe to use from several threads.
    Methods raise PerfCompareError if the package `distributed` is missing or the scheduler does not answer."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._client: Any = None
        self._topic = f"tb_perfcompare-{uuid.uuid4().hex}"
        self._flights: dict[str, Flight[Any]] = {}

    @property
    def size(self) -> int:
        """How many tasks to submit at once: twice as many as the cluster has threads."""
        threads: int = sum(self._connected().nthreads().values())
        return max(1, min(2 * threads, _MAX_THREADS))

    def run(self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any]) -> T:
        """Calls `function(*arguments, report)` on a worker, which must be able to import the function.

        Progress goes to the flight. Raises the function's PerfCompareError, Cancelled when the flight is cancelled, and
        TaskLost for any other failure."""
        client = self._connected()
        task = uuid.uuid4().hex
        stop = _event(f"{self._topic}-{task}", client)
        self._flights[task] = flight
        future = client.submit(
            run_task, function, arguments, (self._topic, task, __version__), key=f"{self._topic}-{task}", pure=False
        )

        def end() -> None:
            stop.set()
            future.cancel()

        try:
            with flight.stopping(end):
                error = future.exception()
                flight.check()
                if isinstance(error, PerfCompareError):
                    raise error
                if error is not None:
                    raise _lost(error) from error
                return future.result()  # type: ignore[no-any-return]
        finally:
            self._flights.pop(task, None)
            future.release()

    def close(self) -> None:
        """Disconnects from the cluster, which cancels the tasks under way."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = _connect(self.address)
                self._client.subscribe_topic(self._topic, self._on_event)
            return self._client

    def _on_event(self, event: tuple[float, dict[str, Any]]) -> None:
        """Forwards progress to its flight, which may be gone or cancelled. Runs in the client's thread."""
        flight = self._flights.get(event[1]["task"])
        if flight is not None:
            try:
                flight.report(Progress(**event[1]["progress"]))
            except Cancelled:
                return


def run_task(function: Callable[..., T], arguments: tuple[Any, ...], about: tuple[str, str, str]) -> T:
    """Runs a task; called on a worker of the cluster. Raises PerfCompareError if the worker has another version of this
    package, as its results may differ."""
    topic, task, version = about
    if version != __version__:
        raise PerfCompareError(
            f"a worker of the cluster has tb_perfcompare {__version__}, here it is {version}",
            hint="install the same version on all of them",
        )
    return function(*arguments, _Report(topic, task))


class _Report:
    """Reporter on a cluster's worker: a few times per second, sends progress and checks whether to cancel."""

    def __init__(self, topic: str, task: str) -> None:
        distributed = importlib.import_module("distributed")
        self._worker = distributed.get_worker()
        self._stop = _event(f"{topic}-{task}", distributed.get_client())
        self._topic, self._task = topic, task
        self._next_s = 0.0

    def __call__(self, progress: Progress, /) -> None:
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _REPORT_EVERY_S
        # a plain dict: the scheduler stores events and need not import this package
        self._worker.log_event(self._topic, {"task": self._task, "progress": asdict(progress)})
        if self._stop.is_set():
            raise Cancelled


def _connect(address: str) -> Any:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise PerfCompareError(
            f"--scheduler needs a package that is not installed: {error.name or error}",
            hint="pip install 'tb_perfcompare[cluster]'",
        ) from error
    try:
        return distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        message = " ".join(str(error).split())[:200]
        hint = "give the address that `dask scheduler` prints, such as tcp://host:8786"
        raise PerfCompareError(f"no Dask scheduler answers at {address}: {message}", hint=hint) from error


def _event(name: str, client: Any) -> Any:
    return importlib.import_module("distributed").Event(name, client=client)


def _lost(error: BaseException) -> TaskLost:
    message = " ".join(str(error).split())[:300]
    return TaskLost(f"the cluster could not do it: {type(error).__name__}{': ' if message else ''}{message}")
