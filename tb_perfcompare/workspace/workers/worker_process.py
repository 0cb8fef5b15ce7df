"""The child's side of a worker: takes tasks from standard input, answers on standard output.

A frame is the length of a pickle (8 bytes, little-endian) and the pickle.
To the child: (function, arguments, memory limit in bytes or 0 for none, scan threads or 0 for the environment's).
From the child: ("progress", Progress, resident bytes) any number of times, then ("done", value, resident bytes) or
("failed", PerfCompareError, resident bytes).
A bug in the function ends the process with its traceback on standard error, which the parent turns into an error about
the task. Running out of memory is answered as "failed" with an error for the user, and then ends the process.
(function, None, 0, 0) is not a task: `function()` is called when no task is waiting, without an answer.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from tb_perfcompare.errors import REFUSED_MEMORY, PerfCompareError, out_of_memory
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.sources.trace.scanners.scan_threads import THREADS

_STATM = "/proc/self/statm"
_RESIDENT, _DATA = 1, 5
_MIN_HEADROOM_BYTES = 64 * 2**20
"""Every task may allocate at least this much."""


def held_bytes() -> int:
    """Resident memory of this process in bytes; its peak where only that is known, 0 where neither is."""
    pages = _pages()
    if pages is not None:
        return pages[_RESIDENT] * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def limit_memory(most_bytes: int) -> None:
    """Limits the memory of this process to about `most_bytes`, 0: no limit; allocations beyond that fail. Only on
    Linux, as RLIMIT_DATA does not count all memory elsewhere."""
    pages = _pages()
    if pages is None:
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if not most_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        return
    page = os.sysconf("SC_PAGE_SIZE")
    soft = pages[_DATA] * page + max(most_bytes - pages[_RESIDENT] * page, _MIN_HEADROOM_BYTES)
    resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _pages() -> list[int] | None:
    try:
        with open(_STATM, encoding="ascii") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return None


LENGTH = struct.Struct("<Q")

_Tasks = queue.SimpleQueue[bytes]

_PROGRESS_EVERY_S = 0.05
_PARENT_CHECK_S = 2.0
_SPARE_AFTER_S = 0.02
"""Spare functions run only after this time without a task, as the next one may be on its way."""


def write_frame(stream: IO[bytes], message: object) -> None:
    """Writes one message and flushes."""
    payload = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """Reads the next message. Raises EOFError when the other side has closed the pipe."""
    return pickle.loads(_read_payload(stream))


def _read_payload(stream: IO[bytes]) -> bytes:
    (length,) = LENGTH.unpack(_read_exactly(stream, LENGTH.size))
    return _read_exactly(stream, length)


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    """Reads `length` bytes in several reads if need be, as one of an unbuffered stream may return fewer. Raises
    EOFError."""
    parts = []
    while length:
        part = stream.read(length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def main() -> None:
    """Runs tasks until standard input closes, which it does however the parent ends."""
    tasks: _Tasks = queue.SimpleQueue()
    spare: list[Callable[..., Any]] = []
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not corrupt the frames
    threading.Thread(target=_take_tasks, args=(tasks,), daemon=True).start()
    if os.name == "posix":
        threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    while True:
        try:
            task = tasks.get(timeout=_SPARE_AFTER_S if spare else None)
        except queue.Empty:
            spare.pop(0)()
            continue
        refused = None
        try:
            _do(task, answers, spare)
        except REFUSED_MEMORY as error:
            refused = out_of_memory(error)
            if refused is None:
                raise
        if refused is not None:  # outside of `except`: the traceback has released the task's memory
            limit_memory(0)
            _tell(answers, "failed", refused)
            return


def _do(task: bytes, answers: IO[bytes], spare: list[Callable[..., Any]]) -> None:
    # unpickled here and not in _take_tasks: it imports modules, and errors in that must end the process visibly
    function, arguments, most_bytes, threads = pickle.loads(task)
    if arguments is None:
        spare.append(function)
        return
    limit_memory(most_bytes)
    if threads:
        os.environ[THREADS] = str(threads)
    try:
        value = function(*arguments, _reporter(answers))
    except PerfCompareError as error:
        _tell(answers, "failed", error)
    else:
        _give_back_memory()
        _tell(answers, "done", value)


def _give_back_memory() -> None:
    """Returns the memory that a task has freed to the system: after a trace of 200 MB with stacks, the process holds
    53 MB instead of 129. Takes 2 ms."""
    with contextlib.suppress(ImportError, AttributeError):  # installed without a compiler, or of another version
        from tb_perfcompare.sources.native import _scanner

        _scanner.trim()


def _tell(answers: IO[bytes], kind: str, value: object) -> None:
    write_frame(answers, (kind, value, held_bytes()))


def answer(report: Reporter) -> bool:
    """The smallest task: shows that the worker is alive."""
    return True


def _take_tasks(tasks: _Tasks) -> None:
    # unbuffered: a buffer's lock, held by this waiting thread, aborts the interpreter when it exits after a bug
    requests = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    while True:
        try:
            tasks.put(_read_payload(requests))
        except EOFError:
            os._exit(0)  # even in the middle of a task: no caller is left
        except MemoryError:
            os.write(2, b"MemoryError\n")
            os._exit(1)


def _watch_parent(parent: int) -> None:
    """Ends this process when its parent has ended. Standard input may stay open then, in a process that the parent
    forked; the parent's process id changes in any case."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(0)


def _reporter(answers: IO[bytes]) -> Reporter:
    """Sends progress to the parent, a few times per second and at every change of phase or path."""
    next_s, last = 0.0, ("", "")

    def tell(progress: Progress, /) -> None:
        nonlocal next_s, last
        now_s, current = time.monotonic(), (progress.phase, progress.path)
        if current != last or now_s >= next_s:
            last, next_s = current, now_s + _PROGRESS_EVERY_S
            _tell(answers, "progress", progress)

    return tell
