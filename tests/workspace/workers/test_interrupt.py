"""Ctrl-C in a terminal, in every phase of a command: it ends without a word, and no process is left."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.served import children, is_running
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.runs.slow_runs import FILES, write_slow_pair
from tests.thorough import THOROUGH
from tests.workspace.waiting import SOON_S, becomes_true

REPOSITORY = Path(__file__).parents[3]
FIGURES = re.compile(r"(?:reading|summarizing)  \S+ of \S+ MiB in (\d+) files  ([\d,]+) events  \S+")


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    write_slow_pair(folder)
    return folder


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, *words: str, cwd: Path = REPOSITORY) -> None:
        self._screen, other = pty.openpty()
        self.seen = ""
        environment = {**os.environ, WORKERS: "2", SWITCH: "off", "PYTHONPATH": str(REPOSITORY)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tb_perfcompare", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=other, cwd=cwd, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(other)
        os.set_blocking(self._screen, False)

    def shows(self, pattern: str) -> bool:
        """Whether it has drawn this by now."""
        try:
            while part := os.read(self._screen, 65536):
                self.seen += part.decode()
        except (BlockingIOError, OSError):
            pass
        return re.search(pattern, self.seen) is not None

    def interrupt(self) -> None:
        """What the terminal does when Ctrl-C is pressed: everybody in the foreground hears it."""
        os.killpg(self.process.pid, signal.SIGINT)

    def close(self) -> None:
        os.close(self._screen)
        self.process.kill()
        self.process.wait()


PHASES = [(command, phase) for command in ("diff", "view", "strict") for phase in ("reading", "summarising")]


@pytest.mark.parametrize(("command", "phase"), PHASES if THOROUGH else PHASES[::2] + PHASES[-1:])
def test_a_command_ends_long_before_its_work(logdir: Path, command: str, phase: str) -> None:
    runs = [str(logdir / "normal"), str(logdir / "abnormal")]
    terminal = Terminal(command, *(runs[:1] if command == "view" else runs))
    try:
        assert becomes_true(lambda: terminal.shows(phase) and len(children(terminal.process.pid)) == 2)
        workers = children(terminal.process.pid)
        terminal.interrupt()
        assert terminal.process.wait(SOON_S) == 130
        assert becomes_true(lambda: not any(map(is_running, workers)))
        assert not terminal.shows("Traceback|Error")
        assert terminal.seen.endswith("\r\x1b[K")
    finally:
        terminal.close()


def test_the_line_tells_bytes_events_and_phase(logdir: Path) -> None:
    """Of all files together; several are read at once, and no line is longer than a terminal is wide."""
    terminal = Terminal("diff", str(logdir / "normal"), str(logdir / "abnormal"))
    try:
        many = r"[1-9]\d\d,\d\d\d events"
        assert becomes_true(lambda: terminal.shows(many) and len(FIGURES.findall(terminal.seen)) > 3)
        figures = FIGURES.findall(terminal.seen)
        assert figures[-1][0] == str(2 * FILES)
        events = [int(count.replace(",", "")) for _, count in figures]
        assert events == sorted(events)
        assert max(len(line) for line in terminal.seen.split("\r\x1b[K")) < 80
    finally:
        terminal.interrupt()
        terminal.process.wait(SOON_S)
        terminal.close()
