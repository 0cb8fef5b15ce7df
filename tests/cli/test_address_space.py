"""Processes with too little address space: an error with the size needed, no traceback and no waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tb_perfcompare.errors import OutOfMemory, out_of_memory
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers.limits import ADDRESS_SPACE
from tests.thorough import THOROUGH

if sys.platform != "linux":
    pytest.skip("address space is limited on Linux", allow_module_level=True)

import resource

MB = 2**20
REPOSITORY = Path(__file__).parents[2]
NEEDED = ADDRESS_SPACE // MB


def limited(arguments: list[str], room_mb: int) -> subprocess.CompletedProcess[str]:
    """Python with a limit of address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (room_mb * MB, room_mb * MB))

    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit,
        cwd=REPOSITORY, env={**environment, SWITCH: "off"},
    )  # fmt: skip


@pytest.mark.parametrize("room_mb", [60, NEEDED - 1])
@pytest.mark.parametrize("command", ["runs", "diff"])
def test_too_little_address_space_is_an_error_of_one_line(pair: tuple[Path, Path], command: str, room_mb: int) -> None:
    names = [str(pair[0].parent)] if command == "runs" else [*map(str, pair)]
    done = limited(["-m", "tb_perfcompare", command, *names], room_mb)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"tb-perfcompare: this process may have {room_mb} MB of address space, but needs {NEEDED} MB; "
        f"raise the limit (ulimit -v {NEEDED * 1024}, or more for large files)"
    ]


@pytest.mark.parametrize("command", ["diff", "strict", "view"] if THOROUGH else ["diff", "strict"])
def test_the_stated_size_is_enough(pair: tuple[Path, Path], command: str) -> None:
    names = [*map(str, pair)][: 1 if command == "view" else 2]
    done = limited(["-m", "tb_perfcompare", command, *names], NEEDED)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_needs_no_address_space() -> None:
    assert limited(["-m", "tb_perfcompare", "--version"], 60).returncode == 0


_SERVER = """
    import json, resource, sys
    from tests.plugin.server import PAIR, Server
    server = Server(sys.argv[1])
    most = int(sys.argv[2]) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for route, more in (
        ("comparison", {}), ("comparison", {"stream": "0"}), ("table", {"table": "kernels"}), ("report", {}),
        ("strict", {}),
    ):
        answer = server.get("api/" + route, **PAIR, **more)
        error = json.loads(answer.data)["error"]
        print(route, answer.status_code, error["code"], error["message"])
"""


def test_a_server_answers_with_the_error(pair: tuple[Path, Path]) -> None:
    """Limited after its start; a stream has sent status 200 before the error."""
    done = limited(["-c", textwrap.dedent(_SERVER), str(pair[0].parent), "250"], 4096)
    text = f"out_of_memory this process may have 250 MB of address space, but needs {NEEDED} MB"
    routes = ("comparison 200", "comparison 503", "table 503", "report 503", "strict 503")
    expected = [f"{route} {text}" for route in routes]
    assert done.stdout.splitlines() == expected, done.stderr


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (MemoryError(), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("x.so: failed to map segment from shared object"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("generator already executing"), False),
        (ImportError("No module named 'x'"), False),
        (OSError(2, "No such file"), False),
        (ValueError("cannot allocate memory"), False),
    ],
)
def test_errors_of_missing_memory_are_distinguished_from_bugs(error: Exception, refused: bool) -> None:
    assert isinstance(out_of_memory(error), OutOfMemory) is refused
