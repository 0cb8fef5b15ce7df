"""The page's sources stand in folders that import one way, type imports included."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

from tests.machine.frontend_tools import FRONTEND

SOURCE = FRONTEND / "src"
MOST_FILES = 20
"""More than that are not taken in at a glance: a folder gets subfolders."""

MAY_IMPORT: dict[str, set[str]] = {
    "contract": set(),
    "ui": {"contract"},
    "ui/controls": {"ui"},
    "api": {"contract", "ui"},
    "states": {"api", "contract", "ui"},
    "host": {"api", "contract", "ui"},
    "charts": {"contract", "host", "ui"},
    "table": {
        "api", "contract", "host", "states", "table/data", "table/shown_rows", "table/step_lines", "ui", "ui/controls",
    },
    "table/data": {"contract", "host", "ui"},
    "table/shown_rows": {"api", "contract", "host", "table/data", "ui"},
    "table/step_lines": {"api", "contract", "ui"},
    "charts/flame": {"charts", "contract", "host", "table/data", "ui", "ui/controls"},
    "charts/launch_timeline": {"charts", "contract", "host", "ui", "ui/controls"},
    "charts/memory": {"charts", "contract", "host", "ui", "ui/controls"},
    "charts/roofline": {"charts", "charts/scatter", "contract", "ui", "ui/controls"},
    "charts/scatter": {"charts", "contract", "host", "ui", "ui/controls"},
    "charts/stacks": {"charts", "contract", "host", "table/data", "ui", "ui/controls"},
    "pair": {"api", "contract", "host", "table", "table/data", "ui", "ui/controls"},
    "summary": {"api", "charts", "contract", "host", "table/data", "table/shown_rows", "ui", "ui/controls"},
    "row_details": {
        "api", "contract", "host", "states", "summary", "table/data", "table/step_lines", "ui", "ui/controls",
    },
    "timelines": {
        "api", "charts", "contract", "host", "states", "table", "timelines/data", "timelines/drawing", "ui",
        "ui/controls",
    },
    "timelines/drawing": {"charts", "timelines/data", "ui"},
    "timelines/data": {"api", "charts", "contract", "ui"},
    "strict": {"api", "contract", "host", "states", "table", "ui", "ui/controls"},
    "candidates": {"api", "contract", "host", "pair", "states", "summary", "ui", "ui/controls"},
    "history": {"api", "charts", "contract", "host", "states", "table", "ui", "ui/controls"},
    ".": {
        "api", "candidates", "charts/flame", "charts/launch_timeline", "charts/memory", "charts/roofline",
        "charts/scatter", "charts/stacks", "contract", "history", "host", "pair", "row_details", "states", "strict",
        "summary", "table", "table/data", "table/shown_rows", "timelines", "ui", "ui/controls",
    },
}  # fmt: skip
"""Folder -> folders it imports from, besides itself; "." is frontend/src itself."""

_IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]""")


def imported(path: Path) -> set[Path]:
    """Files of the page that a file imports, wherever and however: as values, as types, when they are first needed."""
    return {imported_file(path, match[1]) for match in _IMPORT.finditer(path.read_text(encoding="utf-8"))}


def imported_file(importer: Path, name: str) -> Path:
    target = (importer.parent / name.partition("?")[0]).resolve()
    for candidate in (target, target.with_name(target.name + ".ts"), target.with_name(target.name + ".tsx")):
        if candidate.is_file():
            return candidate
    raise AssertionError(f"{importer}: no file {name}")


def folder(path: Path) -> str:
    return PurePosixPath(path.relative_to(SOURCE).parent).as_posix()


@pytest.fixture(scope="module")
def imports() -> dict[Path, set[Path]]:
    """File -> files it imports."""
    return {path: imported(path) for path in sorted(SOURCE.rglob("*.ts*"))}


def test_files_import_one_way(imports: dict[Path, set[Path]]) -> None:
    TopologicalSorter(imports).prepare()


def test_folders_import_one_way() -> None:
    TopologicalSorter(MAY_IMPORT).prepare()


def test_folders_import_what_is_listed_and_all_that_is_listed(imports: dict[Path, set[Path]]) -> None:
    arrows: dict[str, set[str]] = {folder(path): set() for path in imports}
    for path, targets in imports.items():
        arrows[folder(path)] |= {folder(target) for target in targets} - {folder(path)}
    assert arrows == MAY_IMPORT


def test_every_sheet_is_loaded_once() -> None:
    """By the list of the entry's sheets, or by the view that is fetched later."""
    named = re.compile(r"""(?:@import|^import css from) ['"](\.[^'"?]*\.css)""", re.MULTILINE)
    loaded = [
        (path.parent / match[1]).resolve()
        for path in [SOURCE / "style.css", *SOURCE.rglob("*.ts*")]
        for match in named.finditer(path.read_text(encoding="utf-8"))
    ]
    assert sorted(loaded) == sorted(SOURCE.rglob("*.css"))


def test_no_folder_is_too_full_to_take_in() -> None:
    folders = [SOURCE, *(path for path in SOURCE.rglob("*") if path.is_dir())]
    counts = {folder(path / "x"): sum(entry.is_file() for entry in path.iterdir()) for path in folders}
    assert {name: count for name, count in counts.items() if count > MOST_FILES} == {}


def test_unit_tests_stand_in_the_same_folders() -> None:
    tests = FRONTEND / "test"
    folders = {path.relative_to(tests).as_posix() for path in tests.rglob("*") if path.is_dir()}
    assert folders <= set(MAY_IMPORT)
