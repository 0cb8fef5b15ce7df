"""One worker process as its parent sees it; worker_process.py is the other side."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import IO, Any, TypeVar

from tb_perfcompare.errors import OutOfMemory, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.search_path import without_here
from tb_perfcompare.workspace.sharing.single_flight import Flight
from tb_perfcompare.workspace.workers.limits import larger_pages, single_threaded
from tb_perfcompare.workspace.workers.worker_process import answer, read_frame, write_frame

T = TypeVar("T")

_BOOT = (
    "import json, os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); given = json.loads(sys.argv[1]); "
    "sys.path[:] = given + [own for own in sys.path if os.path.isabs(own) and own not in given]; "
    "from tb_perfcompare.workspace.workers.worker_process import main; main()"
)
_LAST_WORDS_BYTES = 4096
_LAST_WORDS_S = 5.0
_PATH = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s'\"<>|]+")

_log = logging.getLogger(__name__)


class WorkerDied(PerfCompareError):
    """A worker process ended in the middle of a task. `detail` says how."""

    code = "worker_died"

    def __init__(self, detail: str) -> None:
        super().__init__(f"the process doing the work ended unexpectedly: {detail}")
        self.detail = detail


class Worker:
    """One child process; used by one task at a time. `unused` until the first one; `held_bytes` is its resident memory
    as it said last."""

    def __init__(self) -> None:
        import json  # with what it needs: most commands start no process
        import subprocess

        environment = {**os.environ, **single_threaded(), **larger_pages()}
        self._last_words = _scratch()
        self._process = subprocess.Popen(
            [sys.executable, *_isolated(), "-c", _BOOT, json.dumps(without_here())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._last_words, env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        self._stdin, self._stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._cleaned = threading.Lock()
        self.reusable = False
        self.unused = True
        self.held_bytes = 0
        self.idle_since_s = 0.0

    @property
    def process_id(self) -> int:
        return self._process.pid

    def prepare(self, functions: Iterable[Callable[[], object]]) -> None:
        """Has it call them, one by one, for as long as no task is waiting. Raises OSError."""
        for function in functions:
            write_frame(self._stdin, (function, None, 0, 0))
        self.reusable = True

    def responds(self) -> bool:
        """Whether a worker that was used or prepared before still answers; a new one is believed to."""
        if not self.reusable:
            return True
        self.reusable = False
        try:
            write_frame(self._stdin, (answer, (), 0, 0))
            read_frame(self._stdout)
        except (EOFError, OSError):
            return False
        return True

    def run(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any],
        hear: Callable[[Progress, int], None] = lambda progress, held: None, most_bytes: int = 0, threads: int = 0,
    ) -> T:  # fmt: skip
        """The task's value. `hear` gets its progress and the memory of the process, and may end it by raising;
        at `most_bytes` the system ends it. `threads` of it may scan a file, 0: as many as the environment says."""
        self.reusable = self.unused = False
        try:
            write_frame(self._stdin, (function, arguments, most_bytes, threads))
            while True:
                kind, value, self.held_bytes = read_frame(self._stdout)
                if kind == "progress":
                    flight.report(value)
                    hear(value, self.held_bytes)
                    continue
                self.reusable = not isinstance(value, OutOfMemory)
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
        from subprocess import TimeoutExpired

        try:
            status = self._process.wait(_LAST_WORDS_S)
        except TimeoutExpired:
            self.kill()
            status = self._process.wait()
        self._last_words.seek(0, os.SEEK_END)
        self._last_words.seek(max(0, self._last_words.tell() - _LAST_WORDS_BYTES))
        words = self._last_words.read().decode("utf-8", "replace").strip()
        if words:
            _log.error("a worker process ended: %s", words)
        if status < 0:
            reason = "out of memory, or killed from outside" if status == -9 else "see the system's log"
            return f"it was stopped by signal {-status} ({reason})"
        last = words.splitlines()[-1] if words else "without a word"
        return f"exit status {status}, {without_paths(last)}"


def _isolated() -> list[str]:
    """Options of an interpreter that imports nothing from the working directory or from what PYTHONPATH says, which the
    path handed over holds already; with it go other variables, of which these matter."""
    flags = ["-I"]
    if sys.flags.utf8_mode:
        flags += ["-X", "utf8"]
    if sys.dont_write_bytecode:
        flags.append("-B")
    if sys.pycache_prefix is not None:
        flags += ["-X", f"pycache_prefix={os.path.abspath(sys.pycache_prefix)}"]
    return flags


def without_paths(text: str) -> str:
    """The text with `(path)` for whatever looks like an absolute path: it may be shown to people far away."""
    return _PATH.sub("(path)", text)


def _scratch() -> IO[bytes]:
    """A file without a name; where none can be made what is written is lost."""
    import tempfile

    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "w+b")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
