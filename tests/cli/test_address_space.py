"""Processes with too little address space: an error that says how much is needed, never a traceback, never a wait."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tb_perfcompare.errors import OutOfMemory, out_of_memory
from tb_perfcompare.workspace.disk_cache.cache_place import SWITCH
from tb_perfcompare.workspace.workers.limits import ADDRESS_SPACE
from tests.drawn_runs import write_pair

if sys.platform != "linux":
    pytest.skip("address space is limited on Linux", allow_module_level=True)

import resource

MB = 2**20
REPOSITORY = Path(__file__).parents[2]
NEEDED = ADDRESS_SPACE // MB


def limited(arguments: list[str], room_mb: int) -> subprocess.CompletedProcess[str]:
    """Python with so little address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (room_mb * MB, room_mb * MB))

    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit,
        cwd=REPOSITORY, env={**environment, SWITCH: "off"},
    )  # fmt: skip


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_pair(tmp_path)
    return tmp_path


@pytest.mark.parametrize("room_mb", [60, 150, 250, 300, 400, 500, NEEDED - 1])
@pytest.mark.parametrize("command", ["runs", "diff"])
def test_too_little_is_one_line(logs: Path, command: str, room_mb: int) -> None:
    names = [str(logs)] if command == "runs" else [str(logs / "normal"), str(logs / "abnormal")]
    done = limited(["-m", "tb_perfcompare", command, *names], room_mb)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"tb-perfcompare: this process may have {room_mb} MB of address space, but needs {NEEDED} MB; "
        f"raise the limit (ulimit -v {NEEDED * 1024}, or more for large files)"
    ]


@pytest.mark.parametrize("command", ["diff", "strict", "view"])
def test_what_is_said_to_be_needed_is_enough(logs: Path, command: str) -> None:
    names = [str(logs / "normal"), str(logs / "abnormal")][: 1 if command == "view" else 2]
    done = limited(["-m", "tb_perfcompare", command, *names], NEEDED)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_needs_nothing_is_answered(logs: Path) -> None:
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


@pytest.mark.parametrize("room_mb", [250, 400])
def test_a_server_answers_with_the_error(logs: Path, room_mb: int) -> None:
    """It has started with enough, and may have no more. A stream has said 200 before it knows."""
    done = limited(["-c", textwrap.dedent(_SERVER), str(logs), str(room_mb)], 4096)
    text = f"out_of_memory this process may have {room_mb} MB of address space, but needs {NEEDED} MB"
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
def test_refusals_of_memory_are_told_from_bugs(error: Exception, refused: bool) -> None:
    assert isinstance(out_of_memory(error), OutOfMemory) is refused
