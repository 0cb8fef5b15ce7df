"""The compiled sources pass sanitizers for a second of fuzzing; `python -m tests.fuzz` runs longer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.fuzz.__main__ import PROGRAMS, build, compiler, run, write_seeds


@pytest.fixture
def sanitizing_compiler(tmp_path: Path) -> str:
    """A compiler that links the sanitizers' libraries."""
    found = compiler()
    if not found:
        pytest.skip("no C compiler")
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [found, "-fsanitize=address,undefined", str(tmp_path / "empty.c"), "-o", str(tmp_path / "empty")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"{found} has no sanitizers")
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_sanitizers_find_nothing(program: str, sanitizing_compiler: str, tmp_path: Path) -> None:
    seeds = write_seeds(tmp_path)
    inputs = [] if program == "passes" else seeds
    done = run(build(sanitizing_compiler, tmp_path, guided=False, name=program, level="-O0"), inputs, seconds=1)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("inputs, nothing found\n")
    assert int(done.stdout.split()[0]) > 100
