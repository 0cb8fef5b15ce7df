"""The rooms of the code: which folder may import which of its own layer, no circles, no crowd.

tests/test_architecture.py holds the layers above this.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.test_architecture import PACKAGE, imports, parsed

MOST_FILES = 20
"""Of a folder, beside its subfolders."""

MAY_IMPORT: dict[str, set[str]] = {
    "analysis": {
        "analysis/attribution", "analysis/columns", "analysis/counters", "analysis/entities", "analysis/iterations",
        "analysis/trace",
    },
    "analysis/attribution": {"analysis/columns", "analysis/entities", "analysis/trace"},
    "analysis/columns": {"analysis/native"},
    "analysis/cycles": {"analysis/columns", "analysis/pooling"},
    "analysis/entities": {"analysis/columns", "analysis/trace", "analysis/work"},
    "analysis/iterations": {"analysis/columns", "analysis/entities", "analysis/trace"},
    "analysis/step_view": {"analysis/columns", "analysis/iterations", "analysis/trace"},
    "analysis/trace": {"analysis/columns"},
    "comparison": {
        "comparison/alignment", "comparison/amount", "comparison/causes", "comparison/causes/evidence",
        "comparison/checks", "comparison/kinds", "comparison/launches", "comparison/ledger", "comparison/pace",
        "comparison/pace/words", "comparison/ranks", "comparison/result", "comparison/statistics", "comparison/tables",
        "comparison/verdict", "comparison/work",
    },
    "comparison/alignment": {"comparison/launches", "comparison/result"},
    "comparison/alternatives": {"comparison", "comparison/result", "comparison/statistics", "comparison/verdict"},
    "comparison/amount": {"comparison/result", "comparison/statistics"},
    "comparison/causes": {
        "comparison/causes/detectors", "comparison/causes/detectors/kernels", "comparison/causes/detectors/machine",
        "comparison/causes/detectors/ranks", "comparison/causes/detectors/steps",
        "comparison/causes/detectors/workload", "comparison/causes/evidence", "comparison/causes/evidence/places",
        "comparison/causes/evidence/speed",
        "comparison/launches", "comparison/result", "comparison/statistics", "comparison/tables", "comparison/work",
    },
    "comparison/causes/detectors": {
        "comparison/causes/detectors/machine", "comparison/causes/detectors/ranks", "comparison/causes/evidence",
        "comparison/causes/evidence/places", "comparison/causes/evidence/speed", "comparison/checks",
        "comparison/result", "comparison/statistics",
    },
    "comparison/causes/detectors/kernels": {
        "comparison/causes/detectors", "comparison/causes/detectors/machine", "comparison/causes/evidence",
        "comparison/causes/evidence/places", "comparison/causes/evidence/speed", "comparison/result",
    },
    "comparison/causes/detectors/machine": {
        "comparison/causes/evidence", "comparison/causes/evidence/speed", "comparison/checks", "comparison/result",
        "comparison/statistics",
    },
    "comparison/causes/detectors/ranks": {
        "comparison/causes/evidence", "comparison/causes/evidence/places", "comparison/causes/evidence/speed",
        "comparison/ranks", "comparison/result",
    },
    "comparison/causes/detectors/steps": {
        "comparison/causes/evidence", "comparison/causes/evidence/places", "comparison/result", "comparison/statistics",
    },
    "comparison/causes/detectors/workload": {
        "comparison/causes/detectors", "comparison/causes/detectors/machine", "comparison/causes/evidence",
        "comparison/causes/evidence/places", "comparison/causes/evidence/speed", "comparison/checks",
        "comparison/result", "comparison/statistics",
    },
    "comparison/causes/evidence": {
        "comparison/checks", "comparison/kinds", "comparison/ledger", "comparison/ranks", "comparison/result",
        "comparison/statistics", "comparison/tables", "comparison/work",
    },
    "comparison/causes/evidence/places": {"comparison/causes/evidence", "comparison/ledger", "comparison/result"},
    "comparison/causes/evidence/speed": {
        "comparison/causes/evidence", "comparison/result", "comparison/statistics", "comparison/work",
    },
    "comparison/checks": {
        "comparison/alignment", "comparison/result", "comparison/statistics", "comparison/work",
    },
    "comparison/kinds": {"comparison/result", "comparison/statistics"},
    "comparison/launches": {"comparison/result"},
    "comparison/ledger": {"comparison/result"},
    "comparison/pace": {
        "comparison/amount", "comparison/kinds", "comparison/pace/words", "comparison/result", "comparison/statistics",
        "comparison/verdict", "comparison/work",
    },
    "comparison/pace/words": {"comparison/result", "comparison/verdict"},
    "comparison/ranks": {"comparison/result", "comparison/statistics", "comparison/verdict"},
    "comparison/statistics": {"comparison/result"},
    "comparison/strict": {"comparison/result", "comparison/statistics"},
    "comparison/tables": {
        "comparison/launches", "comparison/ledger", "comparison/ranks", "comparison/result", "comparison/statistics",
        "comparison/verdict", "comparison/work",
    },
    "comparison/work": {"comparison/result"},
    "comparison/verdict": {"comparison/amount", "comparison/kinds", "comparison/result", "comparison/statistics"},
    "model/names": {"model"},
    "model/recordings": {"model"},
    "model/saved": {"model", "model/summary"},
    "model/summary": {"model", "model/recordings"},
    "plugin": {"plugin/http", "plugin/routes"},
    "plugin/routes": {"plugin/http"},
    "render": {"render/wire"},
    "render/strict": {"render", "render/wire"},
    "sources": {
        "sources/answers", "sources/ncu", "sources/perf_data", "sources/recognition", "sources/saved",
        "sources/storage", "sources/trace",
    },
    "sources/answers": {"sources/recognition", "sources/storage"},
    "sources/ncu": {"sources/recognition", "sources/storage"},
    "sources/perf_data": {"sources/recognition", "sources/storage"},
    "sources/saved": {"sources/recognition", "sources/storage"},
    "sources/trace": {
        "sources/recognition", "sources/storage", "sources/trace/columns", "sources/trace/repair",
        "sources/trace/scanners",
    },
    "sources/trace/columns": {"sources/native"},
    "sources/trace/repair": {"sources/trace/columns"},
    "sources/trace/scanners": {"sources/native", "sources/trace/columns", "sources/trace/repair"},
    "workspace": {
        "workspace/disk_cache", "workspace/inputs", "workspace/jobs", "workspace/listing", "workspace/sharing",
        "workspace/workers",
    },
    "workspace/disk_cache": {"workspace/inputs", "workspace/jobs", "workspace/sharing"},
    "workspace/jobs": {"workspace/inputs"},
    "workspace/listing": {"workspace/disk_cache", "workspace/inputs", "workspace/sharing"},
    "workspace/queries": {"workspace", "workspace/inputs", "workspace/jobs", "workspace/sharing"},
    "workspace/workers": {"workspace/inputs", "workspace/sharing"},
}  # fmt: skip
"""Folder -> folders of its layer it imports from; folders that import from none are not here."""


def module_of(path: Path) -> str:
    """`sources/storage/blocks`; a package's own file stands for the package."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__") or "__init__"


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def targets(tree: ast.AST) -> set[str]:
    """The modules of the package that a file imports, wherever it does, for type checking as well."""
    found = set()
    for name, _ in imports(tree):
        if name.startswith("tb_perfcompare."):
            inner = name.removeprefix("tb_perfcompare.").replace(".", "/")
            found.add(inner if inner in MODULES else inner.rpartition("/")[0])
    return found


@cache
def modules_imported() -> dict[str, set[str]]:
    """Module -> modules of the package that it imports."""
    return {module_of(PACKAGE / path): targets(tree) & set(MODULES) for path, tree in parsed()}


def folder_of(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition("/")[0]


def arrows() -> dict[str, set[str]]:
    """Folder -> other folders of its layer that its files import from."""
    found: dict[str, set[str]] = {}
    for module, imported in modules_imported().items():
        here = folder_of(module)
        there = {folder_of(target) for target in imported} - {here}
        found.setdefault(here, set()).update(
            folder for folder in there if here and folder.partition("/")[0] == here.partition("/")[0]
        )
    return {folder: there for folder, there in found.items() if there}


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The first circle, [] where there is none."""
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def lines(graph: Mapping[str, Iterable[str]]) -> set[str]:
    return {f"{folder} imports {other}" for folder, others in graph.items() for other in others}


def test_every_arrow_between_folders_is_listed() -> None:
    found, listed = lines(arrows()), lines(MAY_IMPORT)
    assert found - listed == set(), "add it to MAY_IMPORT, unless it would be a circle or an import upwards"
    assert listed - found == set(), "no file does so any more: remove it from MAY_IMPORT"


def test_folders_import_in_no_circle() -> None:
    assert circle(MAY_IMPORT) == []


def test_files_import_in_no_circle() -> None:
    assert circle({module: imported - {module} for module, imported in modules_imported().items()}) == []


@pytest.mark.parametrize("graph", [{"a": ["b"], "b": ["a"]}, {"a": ["b"], "b": ["c"], "c": ["a"]}], ids=str)
def test_a_circle_would_be_found(graph: Mapping[str, Iterable[str]]) -> None:
    assert set(circle(graph)) == set(graph)


@pytest.mark.parametrize("root", [PACKAGE, Path(__file__).parent], ids=["product", "tests"])
def test_no_folder_is_crowded(root: Path) -> None:
    files = Counter(path.parent for path in root.rglob("*.py") if path.name != "__init__.py")
    assert {str(folder): count for folder, count in files.items() if count > MOST_FILES} == {}


def test_every_folder_says_what_it_holds() -> None:
    assert [str(path) for path, tree in parsed() if not ast.get_docstring(tree)] == []
