"""The parent's side of one worker process; worker_process.py is the child's side."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import IO, Any, TypeVar

from tb_perfcompare.errors import OutOfMemory, PerfCompareError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.search_path import without_working_directory
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
_PATH = regex(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s'\"<>|]+")

_log = logging.getLogger(__name__)


class WorkerDied(PerfCompareError):
    """A worker process ended during a task; `detail` says how."""

    code = "worker_died"

    def __init__(self, detail: str) -> None:
        super().__init__(f"the process doing the work ended unexpectedly: {detail}")
        self.detail = detail


class Worker:
    """One child process, used by one task at a time.

    reusable    may take another task
    unused      has had no task yet
    held_bytes  its resident memory, as last reported
    """

    def __init__(self) -> None:
        import json  # imported here with subprocess, as most commands start no process
        import subprocess

        environment = {**os.environ, **single_threaded(), **larger_pages()}
        self._last_words = _nameless_file()
        self._process = subprocess.Popen(
            [sys.executable, *_isolated(), "-c", _BOOT, json.dumps(without_working_directory())],
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
        """Has the process call the functions one by one while no task is waiting. Raises OSError."""
        for function in functions:
            write_frame(self._stdin, (function, None, 0, 0))
        self.reusable = True

    def responds(self) -> bool:
        """Whether the process still answers; a new process is assumed to."""
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
        on_progress: Callable[[Progress, int], None] = lambda progress, held: None, most_bytes: int = 0,
        threads: int = 0,
    ) -> T:  # fmt: skip
        """Runs `function(*arguments, report)` in the process and returns its value.

        on_progress  called with each progress report and the process's resident memory; may end the wait by raising
        most_bytes   memory limit that the system enforces; 0: none
        threads      threads that scan a file; 0: as the environment says

        Raises the task's PerfCompareError, Cancelled if the flight is cancelled, WorkerDied if the process ends."""
        self.reusable = self.unused = False
        try:
            write_frame(self._stdin, (function, arguments, most_bytes, threads))
            while True:
                kind, value, self.held_bytes = read_frame(self._stdout)
                if kind == "progress":
                    flight.report(value)
                    on_progress(value, self.held_bytes)
                    continue
                self.reusable = not isinstance(value, OutOfMemory)
                if kind == "failed":
                    raise value
                return value  # type: ignore[no-any-return]
        except (EOFError, OSError, ValueError) as error:  # ValueError: the pipe was closed by clean_up
            flight.check()
            raise WorkerDied(self._obituary()) from error

    def kill(self) -> None:
        """Ends the process at once; it has no state worth saving."""
        self._process.kill()

    def wait(self) -> None:
        """Waits until the killed process has ended."""
        self._process.wait()

    def clean_up(self) -> None:
        """Waits for the killed process and closes the pipes."""
        with self._cleaned:
            self._process.wait()
            for stream in (self._stdin, self._stdout, self._last_words):
                try:
                    stream.close()
                except OSError:
                    continue  # unwritten data in the pipe has no reader any more

    def _obituary(self) -> str:
        """Describes how the process ended, with the last line of its standard error; logs its last 4 KiB."""
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
    """Interpreter options that keep the working directory and PYTHONPATH out of sys.path, which the parent passes in
    full. `-I` ignores all PYTHON* variables; those that matter are passed as options."""
    flags = ["-I"]
    if sys.flags.utf8_mode:
        flags += ["-X", "utf8"]
    if sys.dont_write_bytecode:
        flags.append("-B")
    if sys.pycache_prefix is not None:
        flags += ["-X", f"pycache_prefix={os.path.abspath(sys.pycache_prefix)}"]
    return flags


def without_paths(text: str) -> str:
    """Replaces whatever looks like an absolute path by `(path)`, as the text may be shown to remote users."""
    return _PATH.sub("(path)", text)


def _nameless_file() -> IO[bytes]:
    """Opens a temporary file without a name, or the null device if that fails."""
    import tempfile

    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "w+b")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
