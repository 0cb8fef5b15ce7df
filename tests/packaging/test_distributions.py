"""What a wheel and a source archive carry, and what the package says about itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests.machine.frontend_tools import ROOT, build_tools, unavailable
from tests.machine.native_tools import native_tools, why_not_buildable

MODULES = native_tools().MODULES
NATIVE_SOURCES = {path.relative_to(ROOT).as_posix() for module in MODULES for path in module.files()}
QUICKLY = "" if os.name == "nt" else "-O0"
"""Compiles quickly: speed is not tested here."""
SKIPPED_FOLDERS = shutil.ignore_patterns("node_modules", "__pycache__", "*.egg-info", "build", ".git")


@pytest.fixture(scope="module")
def setuptools_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build requirement of pyproject.toml, installed aside: the one of the test environment may be older."""
    folder = tmp_path_factory.mktemp("setuptools")
    options = ("--quiet", "--no-compile", "--no-deps", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), "setuptools>=77"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        unavailable(f"setuptools cannot be installed: {done.stderr[-300:]}")
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a distribution is made from, with a fresh page and a stale one left over in build/lib."""
    if not build_tools().is_fresh():
        unavailable("the page is not built from the sources as they are: python setup.py build_frontend")
    target = tmp_path_factory.mktemp("tree")
    for name in ("build_support", "frontend", "tb_perfcompare"):
        shutil.copytree(ROOT / name, target / name, ignore=SKIPPED_FOLDERS)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md"):
        shutil.copy(ROOT / name, target / name)
    stale = target / "build" / "lib" / "tb_perfcompare" / "static" / "index-STALE123.js"
    stale.parent.mkdir(parents=True)
    stale.write_text("stale")
    return target


def build(tree: Path, setuptools_folder: Path, hook: str, **env: str) -> Path:
    """Runs one hook of the build backend; node and compilers are out of reach."""
    dist = tree / "dist"
    dist.mkdir(exist_ok=True)
    code = f"import backend, sys; print('\\n' + backend.{hook}(sys.argv[1]))"
    paths = os.pathsep.join([str(setuptools_folder), str(tree / "build_support")])
    done = subprocess.run(
        [sys.executable, "-c", code, str(dist)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": paths, "PATH": "", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return dist / done.stdout.strip().splitlines()[-1]


def test_wheel_carries_the_page_once(tree: Path, setuptools_folder: Path) -> None:
    wheel = build(tree, setuptools_folder, "build_wheel")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = Parser().parsestr(archive.read(next(n for n in names if n.endswith("/METADATA"))).decode())
        points = archive.read(next(n for n in names if n.endswith("/entry_points.txt"))).decode()
    static = {name for name in names if name.startswith("tb_perfcompare/static/")}
    built = {f"tb_perfcompare/static/{path.name}" for path in (tree / "tb_perfcompare" / "static").iterdir()}
    assert static == built
    assert len([name for name in static if "/index-" in name]) == 1
    assert {"tb_perfcompare/py.typed", "tb_perfcompare/plugin/http_api.md"} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "frontend/", "build_support/", "demo_logs/"))]
    assert not [name for name in names if name.endswith((".so", ".c", ".h"))]
    assert "tb-perfcompare = tb_perfcompare.cli.main:process" in points
    assert "tb_perfcompare = tb_perfcompare.plugin.loader:PerfCompareLoader" in points
    required = {
        requirement.split(">")[0].split(";")[0].strip() for requirement in metadata.get_all("Requires-Dist", [])
    }
    assert {"tensorboard", "torch-tb-profiler", "protobuf", "numpy", "scipy", "werkzeug", "msgspec"} <= required
    assert "zlib-ng" in required
    assert metadata["Requires-Python"] == ">=3.10"


def test_source_archive_carries_page_and_sources(tree: Path, setuptools_folder: Path) -> None:
    with tarfile.open(build(tree, setuptools_folder, "build_sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"frontend/package-lock.json", "frontend/src/main.tsx", "build_support/backend.py", "setup.py"} <= names
    assert {"tb_perfcompare/static/manifest.json", "tb_perfcompare/static/source.sha256"} <= names
    assert {"build_support/native.py", *NATIVE_SOURCES} <= names
    assert {"tb_perfcompare/sources/native/events.h", "tb_perfcompare/analysis/native/sweep.c"} <= NATIVE_SOURCES
    assert not [name for name in names if "node_modules" in name or name.endswith((".so", ".pyd"))]


@pytest.fixture(scope="module")
def compiled(tree: Path, setuptools_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the tree with all that building a wheel with a compiler has left in it, and the wheel."""
    missing = why_not_buildable()
    if missing:
        pytest.skip(f"the compiled reader cannot be built: {missing}")
    copied = tmp_path_factory.mktemp("compiled") / "tree"
    shutil.copytree(tree, copied, ignore=shutil.ignore_patterns("build", "dist", "*.so"))
    return copied, build(copied, setuptools_folder, "build_wheel", PATH=os.environ["PATH"], CFLAGS=QUICKLY)


def test_wheel_with_the_compiled_parts_serves_all_later_pythons(compiled: tuple[Path, Path], tmp_path: Path) -> None:
    _, wheel = compiled
    assert "-cp310-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        for module in MODULES:
            beginning = module.name.replace(".", "/") + "."
            assert len([name for name in archive.namelist() if name.startswith(beginning)]) == 2, "module and stub"
        archive.extractall(tmp_path / "installed")
    code = "from tb_perfcompare.sources.native import _scanner as s\n"
    code += "from tb_perfcompare.analysis.native import _passes as p\nprint(s.__file__, p.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert all(path.startswith(str(tmp_path / "installed")) for path in done.stdout.split())


def test_no_argument_is_parsed_as_older_pythons_parse_it_otherwise() -> None:
    """A format with "#" that is compiled with the headers of Python 3.13 is a SystemError in 3.10 to 3.12."""
    sources = [path for path in (ROOT / "tb_perfcompare").rglob("*.[ch]") if path.parent.name == "native"]
    assert sources
    assert not [
        path.name for path in sources if re.search(r'Py(Arg_Parse|_BuildValue)\w*\([^;"]*"[^"]*#', path.read_text())
    ]


@pytest.mark.skipif(os.name == "nt", reason="the compiler of Windows fails in its own way")
def test_a_compiler_that_fails_leaves_nothing_of_an_older_build(
    compiled: tuple[Path, Path], setuptools_folder: Path
) -> None:
    copied, _ = compiled
    for source in (copied / "tb_perfcompare").glob("*/native/*.c"):
        source.write_text(source.read_text() + "\n#error this compiler does not like it\n")
    wheel = build(copied, setuptools_folder, "build_wheel", PATH=os.environ["PATH"])
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]


def test_skipping_the_page_builds_a_wheel_without_it(tree: Path, setuptools_folder: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(tree, bare, ignore=shutil.ignore_patterns("static", "build", "dist"))
    wheel = build(bare, setuptools_folder, "build_wheel", TB_PERFCOMPARE_SKIP_FRONTEND="1")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.startswith("tb_perfcompare/static/")]


def test_version_is_read_from_the_package() -> None:
    from importlib.metadata import PackageNotFoundError, version

    from tb_perfcompare._version import __version__

    try:
        installed = version("tb_perfcompare")
    except PackageNotFoundError:
        unavailable("tb_perfcompare is not installed here: pip install -e .")
    assert installed == __version__
