"""The launcher leaves a program as it is: real processes, without torch."""

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
import beside
class Thing: pass
pickle.loads(pickle.dumps(Thing()))
print(__name__, sys.argv[1:], beside.VALUE, sys.path[0] == beside.__file__.rpartition("/")[0])
print("a complaint", file=sys.stderr)
assert "raise" not in sys.argv, "as asked"
sys.exit(5)
"""


def run(directory: Path, *words: str, by_path: bool = True) -> subprocess.CompletedProcess[str]:
    start = [str(LAUNCHER)] if by_path else ["-m", "tb_perfcompare.capture"]
    environment = os.environ | ({} if by_path else {"PYTHONPATH": str(ROOT)})
    return subprocess.run(
        [sys.executable, *start, *words], cwd=directory, capture_output=True, text=True, env=environment
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "beside.py").write_text("VALUE = 3", "utf-8")
    return tmp_path


@pytest.mark.parametrize("by_path", [True, False])
def test_output_arguments_and_exit_status_are_the_programs(place: Path, by_path: bool) -> None:
    alone = subprocess.run([sys.executable, "train.py", "--lr", "1"], cwd=place, capture_output=True, text=True)
    found = run(place, "--wait", "1", "train.py", "--lr", "1", by_path=by_path)
    assert (found.returncode, found.stdout, found.stderr) == (5, alone.stdout, alone.stderr)
    assert found.stdout == "__main__ ['--lr', '1'] 3 True\n"


def test_an_exception_is_the_programs(place: Path) -> None:
    alone = subprocess.run([sys.executable, "train.py", "raise"], cwd=place, capture_output=True, text=True)
    found = run(place, "train.py", "raise")
    assert (found.returncode, found.stdout, found.stderr) == (1, alone.stdout, alone.stderr)
    assert found.stderr.splitlines()[-1] == "AssertionError: as asked"


def test_a_directory_runs_as_a_program(place: Path) -> None:
    (place / "app").mkdir()
    for name, new in (("train.py", "__main__.py"), ("beside.py", "beside.py")):
        (place / name).rename(place / "app" / new)
    alone = subprocess.run([sys.executable, "app", "--lr", "1"], cwd=place, capture_output=True, text=True)
    found = run(place, "app", "--lr", "1")
    assert (found.returncode, found.stdout, found.stderr) == (5, alone.stdout, alone.stderr)


def test_a_module_runs_as_one(place: Path) -> None:
    found = run(place, "-m", "train", "--lr", "1")
    assert (found.returncode, found.stdout) == (5, "__main__ ['--lr', '1'] 3 True\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nothing.py"], "nothing.py: No such file or directory"),
        ([], "no script to run"),
        (["--step", "train_step", "train.py"], "'train_step' is not MODULE:FUNCTION"),
        (["--step", "__main__:absent", "train.py"], "train.py has no function absent"),
        (["--active", "0", "train.py"], "'0' is not a whole number of at least 1"),
        (["--step", "beside:absent", "train.py"], "beside has no function absent"),
        (["--step", "elsewhere:step", "train.py"], "nothing recorded: torch was not imported"),
    ],
)
def test_what_cannot_be_run(place: Path, words: list[str], expected: str) -> None:
    found = run(place, *words)
    assert found.returncode != 0
    assert expected in found.stderr


def test_a_local_rank_that_a_starter_adds_is_the_programs(place: Path) -> None:
    """deepspeed and torch.distributed.launch put it behind what they take for the script."""
    found = run(place, "--local-rank=1", "--wait", "1", "train.py", "--lr", "1")
    assert found.stdout == "__main__ ['--local-rank=1', '--lr', '1'] 3 True\n"


def test_it_imports_no_more_than_the_standard_library(place: Path) -> None:
    (place / "seen.py").write_text("import sys; print(sorted({m.partition('.')[0] for m in sys.modules}))", "utf-8")
    found = run(place, "seen.py")
    assert "'tb_perfcompare'" in found.stdout
    assert not [name for name in ("numpy", "torch", "msgspec", "scipy") if f"'{name}'" in found.stdout]
