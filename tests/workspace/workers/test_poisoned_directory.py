"""A log directory is not where code comes from: modules in it are run by no process that this package starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.served import served
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.drawn_runs import write_pair
from tests.thorough import THOROUGH
from tests.workspace.waiting import becomes_true

CONSOLE = str(Path(sys.executable).with_name("tb-perfcompare"))
TO_WORKERS = 4 * 2**20
"""Two files of more are not read by the process that is asked."""

POISON = """
import contextlib, os, sys
with open(os.environ["MARKS"], "a") as marks:
    marks.write(f"{__name__} {sys.orig_argv[1:]}\\n")
here, path = os.path.realpath("."), sys.path[:]
sys.path[:] = [entry for entry in path if os.path.realpath(entry) != here]
del sys.modules[__name__]
with contextlib.suppress(ImportError):
    __import__(__name__)  # the real one: whoever may be poisoned goes on
sys.path[:] = path
"""
IN_THE_WAY = ["json", "signal", "pickle", "struct", "queue", "numpy", "msgspec", "scipy"]
EVERYWHERE = [*IN_THE_WAY, "sitecustomize", "usercustomize", "tb_perfcompare"]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs for workers, in a folder without modules."""
    logs = tmp_path_factory.mktemp("clean")
    write_pair(logs)
    for trace in logs.glob("*/*.json"):
        trace.write_bytes(trace.read_bytes() + b" " * TO_WORKERS)
    return logs


@pytest.fixture(scope="module")
def in_a_clean_one(logs: Path) -> str:
    """The command line's report there."""
    return answered([CONSOLE], logs)


def poisoned(folder: Path, logs: Path, names: list[str]) -> Path:
    """The same folder with modules in it, of which each leaves a mark."""
    shutil.copytree(logs, folder, copy_function=os.link)
    for name in names:
        (folder / f"{name}.py").write_text(POISON)
    if "tb_perfcompare" in names:
        (folder / "tb_perfcompare" / "workspace").mkdir(parents=True)
        for module in ("__init__", "workspace/__init__", "workspace/worker_process"):
            (folder / "tb_perfcompare" / f"{module}.py").write_text(POISON)
        (folder / "tb_perfcompare.py").unlink()
    return folder


def environment(folder: Path, python_path: str | None) -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    left |= {"MARKS": str(folder.parent / "marks"), SWITCH: "off", WORKERS: "1"}
    return left if python_path is None else {**left, "PYTHONPATH": python_path.replace("HERE", str(folder))}


def marks(folder: Path, *, of_workers: bool) -> list[str]:
    """What the modules have left: those of workers, which are started with code, or all."""
    file = folder.parent / "marks"
    lines = file.read_text().splitlines() if file.exists() else []
    return [line for line in lines if not of_workers or "worker_process" in line]


def answered(command: list[str], folder: Path, python_path: str | None = None) -> str:
    done = subprocess.run(
        [*command, "diff", "normal", "abnormal"], cwd=folder, env=environment(folder, python_path),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("python_path", [None, "", "/nowhere:", ".", "HERE"] if THOROUGH else [None, "/nowhere:"])
def test_the_command_line_in_a_poisoned_directory(
    logs: Path, in_a_clean_one: str, python_path: str | None, tmp_path: Path
) -> None:
    """With PYTHONPATH Python itself looks there for the command; what the command starts does not."""
    folder = poisoned(tmp_path / "poisoned", logs, EVERYWHERE)
    found = answered([CONSOLE], folder, python_path)
    assert found == in_a_clean_one
    assert found.startswith("Slower")
    assert marks(folder, of_workers=bool(python_path)) == []


def test_the_module_in_a_poisoned_directory(logs: Path, in_a_clean_one: str, tmp_path: Path) -> None:
    folder = poisoned(tmp_path / "poisoned", logs, IN_THE_WAY)
    assert answered([sys.executable, "-m", "tb_perfcompare"], folder) == in_a_clean_one
    assert marks(folder, of_workers=False) == []


@pytest.mark.parametrize("python_path", [None, "/nowhere:", "."] if THOROUGH else ["."])
def test_a_server_in_a_poisoned_directory(logs: Path, python_path: str | None, tmp_path: Path) -> None:
    folder = poisoned(tmp_path / "poisoned", logs, EVERYWHERE)
    given = environment(folder, python_path or "")
    with served(Path("."), environment=given, cwd=folder, core_only=True) as server:
        server.get("api/runs")
        assert becomes_true(lambda: server.workers() != [])  # started ahead; after its task a large one is not kept
        found = json.loads(server.get("api/comparison", stream="0", baseline="normal", candidate="abnormal").body)
    assert found["headline"]["verdict"] == "slower"
    assert marks(folder, of_workers=bool(python_path)) == []
