"""The layers import one way; heavy and foreign libraries stay where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tb_perfcompare"
MODULES = sorted(PACKAGE.rglob("*.py"))

BASE = {"errors", "units", "_version"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "units": set(),
    "_version": set(),
    "model": BASE,
    "sources": BASE | {"model"},
    "analysis": BASE | {"model"},
    "comparison": BASE | {"model"},
    "render": BASE | {"model", "comparison"},
    "gate": BASE | {"model", "comparison", "render"},
    "search_path": set(),
    "workspace": BASE | {"search_path", "model", "sources", "analysis", "comparison", "render"},
    "api": BASE | {"model", "sources", "analysis", "comparison", "render", "workspace"},
    "cli": BASE | {"model", "sources", "analysis", "comparison", "render", "gate", "workspace"},
    "plugin": BASE | {"model", "sources", "analysis", "comparison", "render", "workspace"},
    "__main__": {"cli", "search_path"},
    # the package itself offers the API
    "__init__": {"_version", "api", "comparison", "errors"},
}
"""Layer -> layers it may import, besides itself."""

ONLY_IN: dict[str, set[str]] = {
    "scipy": {"comparison"},
    # an event file is made of TensorBoard's messages: the reader of a format knows its bytes, and nobody else
    "tensorboard": {"plugin", "sources"},
    "werkzeug": {"plugin"},
    "subprocess": {"workspace"},
    "torch_tb_profiler": set(),
    "torch": set(),
    "pandas": {"comparison"},
    "multiprocessing": set(),
}
"""Library -> layers that may import it."""

NOT_AT_IMPORT = {"scipy", "pandas"}
"""Only inside functions: too slow for a module that may be imported at start, or not there."""


def layer(path: Path) -> str:
    """First part of the module's name below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(dotted name, line) of everything imported, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def ours(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(layer, line) of imports from the package itself."""
    for name, line in imports(tree):
        parts = name.split(".")
        if parts[0] == "tb_perfcompare" and len(parts) > 1:
            yield parts[1], line


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_the_rules_cover_every_layer_that_exists() -> None:
    assert {layer(path) for path in MODULES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    allowed = MAY_IMPORT[layer(path)] | {layer(path)}
    wrong = [f"line {line}: {target}" for target, line in ours(parsed(path)) if target not in allowed]
    assert wrong == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_stay_in_their_layers(path: Path) -> None:
    for name, line in imports(parsed(path)):
        library = name.partition(".")[0]
        if library in ONLY_IN:
            assert layer(path) in ONLY_IN[library], f"line {line}: {library}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_slow_libraries_are_imported_inside_functions(path: Path) -> None:
    top = [node for node in parsed(path).body if isinstance(node, (ast.Import, ast.ImportFrom))]
    for statement in top:
        for name, line in imports(statement):
            assert name.partition(".")[0] not in NOT_AT_IMPORT, f"line {line}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_prints_and_nothing_swallows_everything(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"line {node.lineno}: print"
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            handed_on = any(
                isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "fail"
                for call in ast.walk(node)
            )
            assert not broad or handed_on, f"line {node.lineno}: a broad except that hands the error to nobody"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_tensorboard_is_known_to_one_reader_and_there_inside_functions(path: Path) -> None:
    """Whoever opens no event file does not wait for it."""
    if layer(path) != "sources":
        return
    tree = parsed(path)
    named = [name for name, _ in imports(tree) if name.partition(".")[0] == "tensorboard"]
    assert not named or path.name == "event_file.py"
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert not [name for node in top for name, _ in imports(node) if name.partition(".")[0] == "tensorboard"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_what_it_is(path: Path) -> None:
    tree = parsed(path)
    assert not tree.body or ast.get_docstring(tree), "no docstring"


def test_names_say_the_job() -> None:
    vague = {"utils.py", "helpers.py", "common.py", "misc.py"}
    assert [path for path in MODULES if path.name in vague] == []


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, tb_perfcompare; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert not {"numpy", "scipy", "msgspec", "tensorboard", "werkzeug", "json"} & set(ast.literal_eval(done.stdout))


def test_the_public_names_are_these() -> None:
    import tb_perfcompare

    assert tb_perfcompare.__all__ == [
        "Cancelled", "CompareOptions", "Comparison", "CorruptInput", "InputError", "NotComparable", "PerfCompareError",
        "SelectionError", "Table", "UnrecognisedFormat", "Verdict", "View", "__version__", "compare", "open_logdir",
        "side", "view",
    ]  # fmt: skip
    for name in tb_perfcompare.__all__:
        assert getattr(tb_perfcompare, name) is not None
