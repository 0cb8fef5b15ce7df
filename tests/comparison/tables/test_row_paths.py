"""A row's callers on both sides, and where else the row is found."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.ledger.call_tree import joint_tree
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.comparison.tables.path_source import path_source
from tb_perfcompare.comparison.tables.row_paths import Pair, PathSplit, RowPaths, row_paths
from tb_perfcompare.comparison.tables.row_related import frame_index, frame_link, related_rows
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.names.python_frames import function_key
from tb_perfcompare.model.summary.summary import BY_OPERATOR, BY_PYTHON, Summary
from tests.analysis.attribution.test_call_paths import with_paths
from tests.build import TraceBuilder


def network(linear_us: float = 30, *, steps: int = 1, line: int = 7, folder: str = "", layers: int = 1) -> Summary:
    """Net_0 with layers of aten::linear, aten::addmm and a kernel, and one aten::addmm outside."""
    trace = TraceBuilder()
    for step in range(steps):
        at = step * 1000.0
        trace.step(step + 1, at, at + 1000)
        trace.python("nn.Module: Net_0", at + 10, at + 600, number=1, module=0)
        for layer in range(layers):
            start = at + 20 + 150 * layer
            trace.python(f"nn.Module: Linear_{layer}", start, start + 120, number=2, parent=1, module=1 + layer)
            trace.python(f"{folder}net/model.py({line}): forward", start + 5, start + 110, number=3, parent=2)
            trace.op("aten::linear", start + 10, start + 10 + linear_us)
            trace.op("aten::addmm", start + 15, start + linear_us + 5)
            trace.kernel("gemm", at + 700 + 20 * layer, at + 715 + 20 * layer, launch=(start + 16, start + 18))
        trace.op("aten::addmm", at + 800, at + 810)
    return with_paths(trace)


def paths_of(a: Summary, b: Summary, table: str, row: str, *, together: bool = False, most: int = 40) -> RowPaths:
    return row_paths(table, row, path_source(a), path_source(b), together=together, most=most)


def way(found: RowPaths, name: str = BY_OPERATOR) -> PathSplit:
    return next(one for one in found.ways if one.way == name)


def times(found: RowPaths, name: str = BY_OPERATOR, measure: str = "") -> dict[str, Pair]:
    """`a > b` -> time of both sides, multiplied."""
    return {
        " > ".join(found.frames[frame][1] for frame in path["frames"]): path["times"][measure]
        for path in way(found, name).paths
    }


def test_paths_of_both_sides_have_the_largest_difference_first() -> None:
    found = paths_of(network(30), network(60), "operators", "aten::addmm")
    assert list(times(found).items()) == [
        ("Net_0 > Linear_0 > aten::linear", (18_000, 48_000)),
        ("(outside modules)", (10_000, 10_000)),
    ]
    assert times(found, measure="device_self")["Net_0 > Linear_0 > aten::linear"] == (15_000, 15_000)
    assert found.total.times == {"": (28_000, 58_000), "device_self": (15_000, 15_000)}
    assert found.total.calls == (2, 2)
    assert not any(way(found).rest.times[""]) and way(found).rest.paths == 0


def test_times_are_integers_over_a_common_number_of_steps() -> None:
    found = paths_of(network(steps=2), network(steps=3), "operators", "aten::addmm")
    assert found.denominator == 6
    assert times(found)["Net_0 > Linear_0 > aten::linear"] == (6 * 18_000, 6 * 18_000)


def test_unlisted_paths_are_summed_in_the_rest() -> None:
    found = paths_of(network(layers=3), network(40, layers=3), "operators", "aten::addmm", most=2)
    rest = way(found).rest
    assert rest.paths == 2
    assert (len(way(found).paths), rest.times[""], rest.calls) == (2, (28_000, 38_000), (2, 2))


def test_layers_together_are_one_path() -> None:
    found = paths_of(network(layers=3), network(layers=3), "kernels", "gemm", together=True)
    assert times(found) == {"Net > Linear > aten::linear > aten::addmm": (45_000, 45_000)}
    python = "nn.Module: Net > nn.Module: Linear > net/model.py(7): forward > aten::addmm"
    assert times(found, BY_PYTHON) == {python: (45_000, 45_000)}


def test_a_path_of_one_side_is_absent_on_the_other_not_zero() -> None:
    found = paths_of(network(layers=1), network(layers=2), "modules", "Linear_1")
    assert times(found) == {"Net_0": (None, 120_000)}
    assert found.total.times[""] == (None, 120_000)


def test_stacks_that_differ_only_in_folders_and_lines_match() -> None:
    one = network(folder="/opt/lib/python3.8/site-packages/", line=7)
    two = network(folder="C:\\venv\\Lib\\site-packages\\", line=19)
    found = paths_of(one, two, "kernels", "gemm")
    (path,) = way(found, BY_PYTHON).paths
    assert path["times"][""] == (15_000, 15_000)
    pairs = zip(path["frames"], path["candidate_frames"], strict=True)
    assert [found.frames[one][1] for one, two in pairs if one != two] == [
        "/opt/lib/python3.8/site-packages/net/model.py(7): forward"
    ]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("train.py(12): step", "train.py: step"),
        ("/a/dist-packages/torch/x.py(3): f", "torch/x.py: f"),
        ("<built-in method add>", "<built-in method add>"),
        ("nn.Module: Linear_3", "nn.Module: Linear_3"),
    ],
)
def test_function_key_ignores_installation_and_line(name: str, key: str) -> None:
    assert function_key(name) == key


def test_swapped_sides_have_swapped_paths_in_the_same_order() -> None:
    a, b = network(30, layers=2, line=3), network(60, layers=3, line=4)
    for table, row in (("operators", "aten::addmm"), ("kernels", "gemm"), ("modules", "Linear_0")):
        one, two = paths_of(a, b, table, row), paths_of(b, a, table, row)
        for name in (BY_OPERATOR, BY_PYTHON):
            assert [path["calls"] for path in way(one, name).paths] == [
                path["calls"][::-1] for path in way(two, name).paths
            ]


def test_modules_of_one_side_alone_are_ignored() -> None:
    plain = TraceBuilder()
    plain.step(1, 0, 1000)
    plain.op("aten::linear", 10, 40)
    plain.op("aten::addmm", 15, 35)
    found = paths_of(network(), with_paths(plain), "operators", "aten::addmm")
    assert times(found) == {"aten::linear": (18_000, 20_000), "": (10_000, None)}
    absent = way(found, BY_PYTHON).absent
    assert absent.baseline is None
    assert absent.candidate == "the trace has no Python functions or call stacks; record with with_stack=True"
    assert way(found, BY_PYTHON).rest.times[""] == (0, 20_000)


def test_a_kernel_of_an_operator_has_only_the_paths_through_it() -> None:
    found = paths_of(network(), network(), "kernels_by_operator", "gemm › aten::addmm")
    assert times(found) == {"Net_0 > Linear_0 > aten::linear > aten::addmm": (15_000, 15_000)}


@pytest.mark.parametrize(("table", "row"), [("steps", "1"), ("operators", "aten::gone"), ("__class__", "")])
def test_an_unknown_table_or_row_is_an_error(table: str, row: str) -> None:
    with pytest.raises(SelectionError):
        paths_of(network(), network(), table, row)


def related(table: str, row: str) -> dict[str, list[tuple[str, str]]]:
    sides = path_source(network(30)), path_source(network(60))
    return {kind.what: [(one.table, one.row) for one in kind.rows] for kind in related_rows(table, row, *sides)}


def test_related_rows_of_a_row() -> None:
    assert related("operators", "aten::addmm") == {"launches": [("kernels_by_operator", "gemm › aten::addmm")]}
    assert related("kernels", "gemm")["launched_by"] == [("operators", "aten::addmm")]
    assert related("kernels", "gemm")["in_modules"] == [("kernels_by_module", "gemm › Linear_0")]
    assert related("modules", "Linear_0") == {
        "contains": [("operators", "aten::addmm"), ("operators", "aten::linear")],
        "launches": [("kernels_by_module", "gemm › Linear_0")],
    }
    assert related("kernels_by_module", "gemm › Linear_0") == {
        "kernel": [("kernels", "gemm")], "module": [("modules", "Linear_0")],
    }  # fmt: skip
    assert related("kernels_by_operator", "gemm › aten::addmm") == {
        "kernel": [("kernels", "gemm")], "operator": [("operators", "aten::addmm")],
    }  # fmt: skip
    assert related("operators", "aten::linear") == {}


def test_operators_of_a_module_have_the_time_they_take_in_it() -> None:
    kind, _ = related_rows("modules", "Linear_0", path_source(network(30)), path_source(network(60)))
    assert {row.name: row.time for row in kind.rows} == {
        "aten::addmm": (18_000, 48_000), "aten::linear": (10_000, 10_000),
    }  # fmt: skip


def test_a_row_is_found_in_the_call_tree_by_its_largest_frame() -> None:
    tree = joint_tree(network(30), network(60))
    assert tree is not None
    frames = frame_index(call_tree_table(tree))
    found = frame_link("operators", "aten::addmm", frames)
    assert found is not None
    assert (found.row, found.frames) == ("aten::addmm › step / Net_0 / Linear_0 / aten::linear", 2)
    assert frame_link("operators", "aten::gone", frames) is None
