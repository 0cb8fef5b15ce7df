"""The child's side of a worker: takes tasks from standard input, answers on standard output.

A frame is its length (8 bytes, little-endian) and a pickle. To the child: (function, arguments, most bytes of memory, 0
for any, threads that scan a file, 0 for what the environment says). From the child, each with its resident memory
behind: ("progress", Progress) any number of times, then ("done", value) or ("failed", PerfCompareError). A bug in the
function ends the process with its traceback on standard error; the parent turns that into an error about the task. So
does a lack of memory, but as an error for the user.
(function, None, 0, 0) is no task: `function()` is called once no task is waiting, and nothing is answered.
"""

from __future__ import annotations

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
_LEAST_MORE = 64 * 2**20
"""A task may take so much in any case."""


def held_bytes() -> int:
    """Resident memory; where only its peak is known, that; 0 where nothing is."""
    pages = _pages()
    if pages is not None:
        return pages[_RESIDENT] * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def end_at(most_bytes: int) -> None:
    """Has the system refuse what would make this process hold more than that; 0: no end. Only Linux counts all of a
    process's own memory."""
    pages = _pages()
    if pages is None:
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if not most_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        return
    page = os.sysconf("SC_PAGE_SIZE")
    soft = pages[_DATA] * page + max(most_bytes - pages[_RESIDENT] * page, _LEAST_MORE)
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
"""A task that is on its way is waited for so long."""


def write_frame(stream: IO[bytes], message: object) -> None:
    """One message, flushed."""
    payload = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next message. EOFError when the other side has closed."""
    return pickle.loads(_read_payload(stream))


def _read_payload(stream: IO[bytes]) -> bytes:
    (length,) = LENGTH.unpack(_read_exactly(stream, LENGTH.size))
    return _read_exactly(stream, length)


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    """An unbuffered stream may bring less than was asked for."""
    parts = []
    while length:
        part = stream.read(length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def main() -> None:
    """Works until standard input closes, which it does when the parent ends, however it ends."""
    tasks: _Tasks = queue.SimpleQueue()
    spare: list[Callable[..., Any]] = []
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not land between the frames
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
        if refused is not None:  # by now what the task held is free
            end_at(0)
            _tell(answers, "failed", refused)
            return


def _do(task: bytes, answers: IO[bytes], spare: list[Callable[..., Any]]) -> None:
    # not unpickled by the thread that takes it: that imports modules, and whatever fails in doing so has to be said
    function, arguments, most_bytes, threads = pickle.loads(task)
    if arguments is None:
        spare.append(function)
        return
    end_at(most_bytes)
    if threads:
        os.environ[THREADS] = str(threads)
    try:
        value = function(*arguments, _Reporter(answers))
    except PerfCompareError as error:
        _tell(answers, "failed", error)
    else:
        _tell(answers, "done", value)


def _tell(answers: IO[bytes], kind: str, value: object) -> None:
    write_frame(answers, (kind, value, held_bytes()))


def answer(report: Reporter) -> bool:
    """The smallest task: shows that the worker is there."""
    return True


def _take_tasks(tasks: _Tasks) -> None:
    # unbuffered: a buffer's lock, held while waiting, would abort an interpreter that ends on a bug
    questions = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    while True:
        try:
            tasks.put(_read_payload(questions))
        except EOFError:
            os._exit(0)  # also in the middle of a task: no caller is left
        except MemoryError:
            os.write(2, b"MemoryError\n")
            os._exit(1)


def _watch_parent(parent: int) -> None:
    """A copy of the pipe's other end may survive in a process the parent forked; the parent's id does not lie."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(0)


class _Reporter:
    """Sends progress to the parent, a few times per second and at every change of phase or path."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._next_s = 0.0
        self._last = ("", "")

    def __call__(self, progress: Progress, /) -> None:
        now_s = time.monotonic()
        what = (progress.phase, progress.path)
        if what == self._last and now_s < self._next_s:
            return
        self._last, self._next_s = what, now_s + _PROGRESS_EVERY_S
        _tell(self._answers, "progress", progress)
