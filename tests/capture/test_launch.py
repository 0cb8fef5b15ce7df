"""The launcher does not change a program: real processes without torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "tb_perfcompare" / "capture" / "__main__.py"

PROGRAM = """
import sys, pickle
import helper
class Thing: pass
pickle.loads(pickle.dumps(Thing()))
print(__name__, sys.argv[1:], helper.VALUE, sys.path[0] == helper.__file__.rpartition("/")[0])
print("a message", file=sys.stderr)
assert "raise" not in sys.argv, "as asked"
sys.exit(5)
"""


def run(directory: Path, *words: str, by_path: bool = True) -> subprocess.CompletedProcess[str]:
    start = [str(LAUNCHER)] if by_path else ["-m", "tb_perfcompare.capture"]
    environment = os.environ | ({} if by_path else {"PYTHONPATH": str(ROOT)})
    return subprocess.run(
        [sys.executable, *start, *words], cwd=directory, capture_output=True, text=True, env=environment
    )


def run_directly(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=directory, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "helper.py").write_text("VALUE = 3", "utf-8")
    return tmp_path


@pytest.mark.parametrize("by_path", [True, False])
def test_output_arguments_and_exit_status_are_those_of_the_program(folder: Path, by_path: bool) -> None:
    direct = run_directly(folder, "train.py", "--lr", "1")
    found = run(folder, "--wait", "1", "train.py", "--lr", "1", by_path=by_path)
    assert (found.returncode, found.stdout, found.stderr) == (5, direct.stdout, direct.stderr)
    assert found.stdout == "__main__ ['--lr', '1'] 3 True\n"


def test_an_exception_is_that_of_the_program(folder: Path) -> None:
    direct = run_directly(folder, "train.py", "raise")
    found = run(folder, "train.py", "raise")
    assert (found.returncode, found.stdout, found.stderr) == (1, direct.stdout, direct.stderr)
    assert found.stderr.splitlines()[-1] == "AssertionError: as asked"


def test_a_directory_is_run_as_a_program(folder: Path) -> None:
    (folder / "app").mkdir()
    for name, new in (("train.py", "__main__.py"), ("helper.py", "helper.py")):
        (folder / name).rename(folder / "app" / new)
    direct = run_directly(folder, "app", "--lr", "1")
    found = run(folder, "app", "--lr", "1")
    assert (found.returncode, found.stdout, found.stderr) == (5, direct.stdout, direct.stderr)


def test_a_module_is_run_as_a_module(folder: Path) -> None:
    found = run(folder, "-m", "train", "--lr", "1")
    assert (found.returncode, found.stdout) == (5, "__main__ ['--lr', '1'] 3 True\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nothing.py"], "nothing.py: No such file or directory"),
        ([], "no script to run"),
        (["--step", "train_step", "train.py"], "'train_step' is not MODULE:FUNCTION"),
        (["--step", "__main__:absent", "train.py"], "train.py has no function absent"),
        (["--active", "0", "train.py"], "'0' is not a whole number of at least 1"),
        (["--step", "helper:absent", "train.py"], "helper has no function absent"),
        (["--step", "elsewhere:step", "train.py"], "nothing recorded: torch was not imported"),
    ],
)
def test_an_invalid_command_is_an_error(folder: Path, words: list[str], expected: str) -> None:
    found = run(folder, *words)
    assert found.returncode != 0
    assert expected in found.stderr


def test_a_missing_function_of_the_script_is_the_only_complaint(folder: Path) -> None:
    assert len(run(folder, "--step", "__main__:absent", "train.py").stderr.splitlines()) == 1


def test_a_local_rank_added_by_a_launcher_is_passed_to_the_program(folder: Path) -> None:
    """deepspeed and torch.distributed.launch add it after the launcher."""
    found = run(folder, "--local-rank=1", "--wait", "1", "train.py", "--lr", "1")
    assert found.stdout == "__main__ ['--local-rank=1', '--lr', '1'] 3 True\n"


def test_the_launcher_imports_only_the_standard_library(folder: Path) -> None:
    (folder / "seen.py").write_text("import sys; print(sorted({m.partition('.')[0] for m in sys.modules}))", "utf-8")
    found = run(folder, "seen.py")
    assert "'tb_perfcompare'" in found.stdout
    assert not [name for name in ("numpy", "torch", "msgspec", "scipy") if f"'{name}'" in found.stdout]
