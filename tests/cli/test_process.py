"""The command line as a process: streams, pipes, interruption."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from tb_perfcompare.cli.main import COMMANDS, main
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_pair
from tests.slow_runs import write_slow_pair

COMMAND = [sys.executable, "-m", "tb_perfcompare"]
REPOSITORY = Path(__file__).parents[2]


def test_help_and_version_are_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert main(["diff", "--help"]) == 0
    assert "--fail-if-slower" in capsys.readouterr().out


def test_no_command_and_an_unknown_one_are_status_2() -> None:
    for words in ((), ("frobnicate",)):
        found = tb_perfcompare(*words)
        assert found.status == 2
        assert len(found.err.splitlines()) == 1


def test_a_defect_is_no_tripped_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("tb_perfcompare.cli.diff.run", broken)
    found = tb_perfcompare("diff", "one", "two", "--fail-if-slower", "3%")
    assert (found.status, found.out) == (70, "")
    assert "ZeroDivisionError: by nothing" in found.err and "an internal error; nothing was decided" in found.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_first_line_of_its_help(name: str) -> None:
    module = import_module(f"tb_perfcompare.cli.{name}")
    assert COMMANDS[name] == (module.__doc__ or "").partition("\n")[0]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["no-such-command"], []])
def test_what_is_known_without_a_command_imports_none(arguments: list[str]) -> None:
    code = (
        "import sys; from tb_perfcompare.cli.main import main; main(sys.argv[1:]); "
        "print([name for name in sys.modules if name in ('numpy', 'msgspec', 'tb_perfcompare.cli.diff')])"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_progress_is_drawn_on_a_terminal_only_and_wiped(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    assert tb_perfcompare("diff", *pair).err == ""
    drawn = tb_perfcompare("diff", *pair, terminal=True).err
    assert any(phase in drawn for phase in ("listing", "reading", "summarising", "comparing"))
    assert drawn.endswith("\r\x1b[K")


def test_standard_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "diff", *pair], capture_output=True, cwd=REPOSITORY, env=environment, check=True)
    assert "Δ +" in done.stdout.decode("utf-8")
    assert done.stderr == b""


def test_a_reader_that_goes_away_is_no_error_and_the_gate_still_counts(tmp_path: Path) -> None:
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


class _GoneBuffer(io.BytesIO):
    def write(self, data: object) -> int:
        raise BrokenPipeError


def test_a_broken_pipe_in_the_middle_is_quiet(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)
    out = io.TextIOWrapper(_GoneBuffer())
    err = io.StringIO()
    assert main(["diff", *map(str, pair)], out, err) == 0
    assert err.getvalue() == ""


class _FullBuffer(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_behind_standard_output_is_no_tripped_gate() -> None:
    err = io.StringIO()
    assert main(["pairs", str(REPOSITORY / "demo_logs")], io.TextIOWrapper(_FullBuffer()), err) == 2
    assert err.getvalue().startswith("tb-perfcompare pairs: standard output cannot be written: No space left on device")


@pytest.mark.parametrize("in_process_bytes", [-1, 2**30])
def test_an_interrupt_ends_it_without_a_traceback(tmp_path: Path, in_process_bytes: int) -> None:
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


def test_names_in_messages_cannot_break_the_line(tmp_path: Path) -> None:
    found = tb_perfcompare("diff", tmp_path / "a\nb\x1b[2J", tmp_path)
    assert found.status == 2
    assert len(found.err.splitlines()) == 1
    assert "\x1b" not in found.err


def test_the_python_api_answers_the_same(tmp_path: Path) -> None:
    import tb_perfcompare as package

    pair = write_pair(tmp_path)
    comparison = package.compare(*pair, steps=(1, 6))
    assert isinstance(comparison, package.Comparison)
    assert comparison.headline.verdict is package.Verdict.SLOWER
    asked = tb_perfcompare("diff", *pair, "--steps", "1-6", "--format", "json")
    assert json.loads(asked.out)["headline"]["delta"] == comparison.headline.delta
    logdir = package.open_logdir(tmp_path)
    assert [run.name for run in logdir.listing().runs] == ["abnormal", "normal"]
    logdir.close()
    with pytest.raises(AttributeError):
        package.nothing_of_that_name  # noqa: B018
