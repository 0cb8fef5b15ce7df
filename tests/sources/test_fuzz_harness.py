"""The sanitized harness builds and finds nothing in a moment; `python -m tests.fuzz` runs it for longer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.fuzz.__main__ import PROGRAMS, build, compiler, run, write_seeds

_EMPTY = "int main(void) { return 0; }\n"


@pytest.fixture
def sanitizing_compiler(tmp_path: Path) -> str:
    """A compiler that links the sanitizers' libraries."""
    found = compiler()
    if not found:
        pytest.skip("no C compiler")
    (tmp_path / "empty.c").write_text(_EMPTY)
    command = [found, "-fsanitize=address,undefined", str(tmp_path / "empty.c"), "-o", str(tmp_path / "empty")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"{found} has no sanitizers")
    return found


@pytest.mark.parametrize("what", PROGRAMS)
def test_nothing_is_found_in_a_moment(what: str, sanitizing_compiler: str, tmp_path: Path) -> None:
    seeds = write_seeds(tmp_path)
    inputs = [] if what == "passes" else seeds
    done = run(build(sanitizing_compiler, tmp_path, guided=False, what=what), inputs, seconds=1)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("inputs, nothing found\n")
    assert int(done.stdout.split()[0]) > 100
