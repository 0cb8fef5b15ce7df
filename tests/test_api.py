"""`import tb_perfcompare`: the same objects as everywhere else, with their types."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import get_type_hints

import jsonschema
import pytest

import tb_perfcompare
from tb_perfcompare import (
    CompareOptions,
    Comparison,
    PerfCompareError,
    SelectionError,
    Verdict,
    View,
    compare,
    side,
    view,
)
from tests.cli.invoke import tb_perfcompare as command
from tests.drawn_runs import write_pair, write_run
from tests.render.test_wire import SCHEMA


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return write_pair(tmp_path)


def test_compare_gives_the_document_of_the_command_line(pair: tuple[Path, Path]) -> None:
    found = compare(*pair, steps=(1, 6))
    assert isinstance(found, Comparison)
    assert found.headline.verdict is Verdict.SLOWER
    document = found.to_dict()
    jsonschema.validate(document, SCHEMA)
    assert document == json.loads(command("diff", *pair, "--steps", "1-6", "--format", "json").out)


def test_a_side_is_narrowed_by_itself(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2)
    found = compare(side(run, span="1", steps=(1, 4)), run, span="2")
    assert (found.baseline.span, found.candidate.span) == ("1", "2")
    assert (found.baseline.steps_admitted, found.candidate.steps_admitted) == (4, 8)


def test_options_are_those_of_a_comparison(pair: tuple[Path, Path]) -> None:
    found = compare(*pair, options=CompareOptions(window="marker", top_findings=0))
    assert (found.window, found.findings) == ("marker", ())


def test_view_gives_the_document_of_the_command_line(pair: tuple[Path, Path]) -> None:
    found = view(pair[0], "operators", steps=(1, 6))
    assert isinstance(found, View)
    asked = command("view", pair[0], "--view", "operators", "--steps", "1-6", "--json")
    assert found.to_dict() == json.loads(asked.out)
    assert found.to_frame()["name"].tolist() == ["aten::mm"]


def test_every_view_is_named_as_it_is_asked_for(pair: tuple[Path, Path]) -> None:
    for name in ("overview", "steps", "categories", "operators", "kernels", "environment"):
        assert view(pair[0], name).table.name == name


def test_what_there_is_not_is_an_error_that_says_what_there_is(pair: tuple[Path, Path]) -> None:
    with pytest.raises(SelectionError, match=r"no view 'operator'; did you mean 'operators'"):
        view(pair[0], "operator")
    with pytest.raises(SelectionError, match=r"has no view 'memory': .*; there are: overview"):
        view(pair[0], "memory")
    with pytest.raises(PerfCompareError, match="window is 'host'"):
        view(pair[0], step_window="host")


def test_progress_reaches_the_caller_and_an_exception_ends_the_work(pair: tuple[Path, Path]) -> None:
    def stop(_progress: object) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        compare(*pair, report=stop)


def test_a_type_checker_sees_every_name_at_its_home() -> None:
    tree = ast.parse(Path(tb_perfcompare.__file__).read_text("utf-8"))
    (seen,) = [node for node in tree.body if isinstance(node, ast.If)]
    homes = {alias.name: node.module for node in seen.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert homes == tb_perfcompare._HOMES
    assert sorted([*homes, "__version__"]) == sorted(tb_perfcompare.__all__)


@pytest.mark.parametrize(("function", "gives"), [(compare, Comparison), (view, View)])
def test_signatures_are_typed_in_full(function: object, gives: type) -> None:
    assert callable(function)
    hints = get_type_hints(function)
    assert hints["return"] is gives
    assert set(hints) - {"return"} == set(inspect.signature(function).parameters)
    assert function.__doc__
