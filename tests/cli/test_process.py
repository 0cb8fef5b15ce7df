"""The command line as a process: streams, pipes, interrupts, progress."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import COMMANDS, main
from tb_perfcompare.cli.output import Console
from tb_perfcompare.model.progress import Progress
from tests.cli.invoke import TerminalText, tb_perfcompare
from tests.drawn_runs import write_pair
from tests.runs.slow_runs import write_slow_pair

COMMAND = [sys.executable, "-m", "tb_perfcompare"]
REPOSITORY = Path(__file__).parents[2]


def test_help_and_version_are_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert main(["diff", "--help"]) == 0
    assert "--fail-if-slower" in capsys.readouterr().out


def test_a_missing_or_unknown_command_is_status_2() -> None:
    for words in ((), ("frobnicate",)):
        found = tb_perfcompare(*words)
        assert found.status == 2
        assert len(found.err.splitlines()) == 1


def test_an_internal_error_has_its_own_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("tb_perfcompare.cli.diff.run", broken)
    found = tb_perfcompare("diff", "one", "two", "--fail-if-slower", "3%")
    assert (found.status, found.out) == (70, "")
    assert "ZeroDivisionError: by nothing" in found.err and "an internal error; nothing was decided" in found.err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_their_help(name: str) -> None:
    module = import_module(f"tb_perfcompare.cli.{name}")
    assert COMMANDS[name] == (module.__doc__ or "").partition("\n")[0]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["no-such-command"], []])
def test_help_and_usage_errors_import_no_command(arguments: list[str]) -> None:
    code = (
        "import sys; from tb_perfcompare.cli.main import main; main(sys.argv[1:]); "
        "print([name for name in sys.modules if name in ('numpy', 'msgspec', 'tb_perfcompare.cli.diff')])"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_progress_is_shown_on_a_terminal_only_and_cleared(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    assert tb_perfcompare("diff", *pair).err == ""
    drawn = tb_perfcompare("diff", *pair, terminal=True).err
    assert any(phase in drawn for phase in ("listing", "reading", "summarising", "comparing"))
    assert drawn.endswith("\r\x1b[K")


def test_standard_output_is_utf8_in_any_locale(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "diff", *pair], capture_output=True, cwd=REPOSITORY, env=environment, check=True)
    assert "Δ +" in done.stdout.decode("utf-8")
    assert done.stderr == b""


def test_a_closed_pipe_is_no_error_and_keeps_the_status_of_the_gate(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    words = [*COMMAND, "diff", *pair, "--format", "json", "--fail-if-slower", "3%"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read().decode()
    assert process.returncode == 1
    assert errors.splitlines()[0].startswith("gate: tripped")
    assert len(errors.splitlines()) == 1


class ClosedPipe(io.BytesIO):
    def write(self, data: object) -> int:
        raise BrokenPipeError


def test_a_broken_pipe_is_silent(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    out = io.TextIOWrapper(ClosedPipe())
    err = io.StringIO()
    assert main(["diff", *map(str, pair)], out, err) == 0
    assert err.getvalue() == ""


class FullDisk(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_an_error_of_status_2() -> None:
    err = io.StringIO()
    assert main(["pairs", str(REPOSITORY / "demo_logs")], io.TextIOWrapper(FullDisk()), err) == 2
    assert err.getvalue().startswith("tb-perfcompare pairs: standard output cannot be written: No space left on device")


@pytest.mark.parametrize("in_process_bytes", [-1, 2**30])
def test_an_interrupt_ends_the_command_without_a_traceback(tmp_path: Path, in_process_bytes: int) -> None:
    runs = [str(tmp_path / name) for name in write_slow_pair(tmp_path).values()]
    code = (
        f"import sys, tb_perfcompare.cli.sources as s; s.SMALL_BYTES = {in_process_bytes}; "
        "from tb_perfcompare.cli.main import main; print('ready', flush=True); sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, "diff", *runs]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert errors == b""


def test_control_characters_of_names_are_escaped_in_messages(tmp_path: Path) -> None:
    found = tb_perfcompare("diff", tmp_path / "a\nb\x1b[2J", tmp_path)
    assert found.status == 2
    assert len(found.err.splitlines()) == 1
    assert "\x1b" not in found.err


class InterruptedTerminal(TerminalText):
    """A terminal whose user presses Ctrl-C after the first output."""

    interrupts = 1

    def flush(self) -> None:
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt


def test_progress_interrupted_while_it_is_drawn_is_cleared() -> None:
    screen = InterruptedTerminal()
    console = Console(io.StringIO(), screen)
    with pytest.raises(KeyboardInterrupt):
        console.progress(Progress("reading"))
    console.clear()
    assert screen.getvalue().endswith("reading\r\x1b[K")
