"""The layers import one way; heavy and foreign libraries stay where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "tb_perfcompare"
MODULES = sorted(PACKAGE.rglob("*.py"))

BASE = {"errors", "lazy_regex", "number_text", "quick_dataclass", "units", "_version"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "lazy_regex": set(),
    "quick_dataclass": set(),
    "number_text": {"quick_dataclass"},
    "units": {"quick_dataclass"},
    "_version": set(),
    "model": BASE,
    "sources": BASE | {"model"},
    "analysis": BASE | {"model"},
    "comparison": BASE | {"model"},
    "render": BASE | {"model", "comparison"},
    "gate": BASE | {"model", "comparison", "render"},
    "search_path": set(),
    "capture": set(),
    "experiment": BASE | {"capture", "model", "sources", "comparison", "render", "workspace"},
    "workspace": BASE | {"search_path", "model", "sources", "analysis", "comparison", "render"},
    "api": BASE | {"model", "sources", "analysis", "comparison", "render", "workspace"},
    "cli": BASE
    | {"model", "sources", "analysis", "comparison", "render", "gate", "workspace", "capture", "experiment"},
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
    "subprocess": {"experiment", "workspace"},
    "torch_tb_profiler": {"analysis"},
    "torch": {"capture"},
    "pandas": {"comparison"},
    "multiprocessing": {"plugin"},
}
"""Library -> layers that may import it."""

NOT_AT_IMPORT = {"scipy", "pandas", "torch"}
"""Only inside functions: too slow for a module that may be imported at start, or not there."""


def layer(path: Path) -> str:
    """First part of the module's name, which is below the package."""
    return path.parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(dotted name, line) of everything imported, wherever it stands."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The node and the statements in it, without their expressions, which are most of a tree."""
    yield node
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, name, ()):
            yield from statements(inner)


def own_imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(layer, line) of imports from the package itself."""
    for name, line in imports(tree):
        parts = name.split(".")
        if parts[0] == "tb_perfcompare" and len(parts) > 1:
            yield parts[1], line


def parsed() -> Iterator[tuple[Path, ast.Module]]:
    """Every module with its name below the package."""
    for path in MODULES:
        yield path.relative_to(PACKAGE), tree_of(path)


@cache
def tree_of(path: Path) -> ast.Module:
    """A file, parsed once."""
    return ast.parse(path.read_text("utf-8"))


def top(tree: ast.Module) -> list[ast.stmt]:
    """The imports that are done when the module is."""
    return [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]


def test_the_rules_cover_every_layer_that_exists() -> None:
    assert {layer(path) for path, _ in parsed()} <= set(MAY_IMPORT)


def test_imports_go_one_way() -> None:
    assert [
        f"{path}:{line}: {target}"
        for path, tree in parsed()
        for target, line in own_imports(tree)
        if target not in MAY_IMPORT[layer(path)] | {layer(path)}
    ] == []


def test_libraries_stay_in_their_layers() -> None:
    assert [
        f"{path}:{line}: {name}"
        for path, tree in parsed()
        for name, line in imports(tree)
        if layer(path) not in ONLY_IN.get(name.partition(".")[0], {layer(path)})
    ] == []


def test_slow_libraries_are_imported_inside_functions() -> None:
    assert [
        f"{path}:{line}: {name}"
        for path, tree in parsed()
        for statement in top(tree)
        for name, line in imports(statement)
        if name.partition(".")[0] in NOT_AT_IMPORT
    ] == []


def test_nothing_prints() -> None:
    assert [
        f"{path}:{node.lineno}"
        for path, tree in parsed()
        if "print(" in (PACKAGE / path).read_text("utf-8")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ] == []


def test_nothing_swallows_everything() -> None:
    """A broad except hands the error to somebody."""
    assert [
        f"{path}:{node.lineno}"
        for path, tree in parsed()
        for node in statements(tree)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not hands_on(node)
    ] == []


def is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))


def hands_on(node: ast.ExceptHandler) -> bool:
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("fail", "set_exception")
        for call in ast.walk(node)
    )


def test_tensorboard_is_known_to_one_reader_and_there_inside_functions() -> None:
    """Whoever opens no event file does not wait for it."""
    readers = [(path, tree) for path, tree in parsed() if layer(path) == "sources"]
    assert {path.name for path, tree in readers for name, _ in imports(tree) if is_tensorboard(name)} == {
        "event_file.py"
    }
    assert [
        f"{path}:{line}"
        for path, tree in readers
        for statement in top(tree)
        for name, line in imports(statement)
        if is_tensorboard(name)
    ] == []


def is_tensorboard(name: str) -> bool:
    return name.partition(".")[0] == "tensorboard"


def test_torch_tb_profiler_is_known_to_one_module_which_is_imported_inside_functions() -> None:
    found = {path for path, tree in parsed() for name, _ in imports(tree) if name.startswith("torch_tb_profiler.")}
    assert found == {Path("analysis/compat/original.py")}
    assert [
        f"{path}:{line}"
        for path, tree in parsed()
        for statement in top(tree)
        for name, line in imports(statement)
        if name.startswith("tb_perfcompare.analysis.compat.original")
    ] == []


def test_every_module_says_what_it_is() -> None:
    assert [str(path) for path, tree in parsed() if tree.body and not ast.get_docstring(tree)] == []


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
