"""Runs one command to its end, in its own process group."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.quick_dataclass import dataclass

_POLL_S = 0.05
_PATIENCE_S = 5.0
_TAIL_LINES = 20
_TAIL_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended; `tail`: the last lines it printed."""

    status: int
    seconds: float
    tail: tuple[str, ...]


def run_process(
    words: Sequence[str], directory: str, variables: Mapping[str, str], log: str, tick: Callable[[float], None]
) -> Ended:
    """Runs a command; stdout and stderr go to the file `log`, and `tick` is called with the elapsed seconds.

    A keyboard interrupt reaches only this process, which ends the group and re-raises it.
    """
    begin = time.monotonic()
    with open(log, "wb") as output:
        try:
            process = subprocess.Popen(
                words, cwd=directory, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise PerfCompareError(
                f"{words[0]} cannot be started: {error.strerror}", hint="check its name and PATH"
            ) from error
        try:
            while process.poll() is None:
                time.sleep(_POLL_S)
                tick(time.monotonic() - begin)
        finally:
            if process.poll() is None:
                _end(process)
    return Ended(process.returncode, time.monotonic() - begin, tail(log))


def tail(log: str) -> tuple[str, ...]:
    """Returns the last lines of a file."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return tuple(lines[-_TAIL_LINES:])


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, None):
        _signal(process, number)
        try:
            process.wait(_PATIENCE_S)
            return
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            _signal(process, None)
            raise


def _signal(process: subprocess.Popen[bytes], number: int | None) -> None:
    """Signals the whole group if the system has groups; None means kill."""
    if not hasattr(os, "killpg"):
        process.terminate() if number is not None else process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL if number is None else number)
    except ProcessLookupError:
        return
