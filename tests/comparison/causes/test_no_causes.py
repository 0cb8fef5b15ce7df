"""What follows from another change is no cause of its own."""

from __future__ import annotations

from typing import Any

from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of, sequence

SMALL, LARGE = [[256], [], [256]], [[256, 32], [], [256]]


def steps(*calls: tuple[Any, ...]) -> TraceBuilder:
    return sequence([[*calls, ("", step % 3)] for step in range(8)], gap=5, vendor="cpu")


def test_inputs_that_follow_from_replaced_operators_are_no_other_workload() -> None:
    layers = [("aten::relu", 20, [[64, 64]])] * 12

    def program(replaced: str, us: float, shapes: list[Any], gather_us: int = 400) -> TraceBuilder:
        gathered = ("aten::index_select", gather_us, shapes)
        return steps(*layers, (replaced, us, [[64, 64]]), gathered, ("aten::sum", 20, [[64]]))

    dense, sparse = program("aten::dense_backward", 600, SMALL), program("aten::sparse_backward", 100, LARGE)
    assert rules_of(compare(dense, sparse)) == ["operator_replaced"]
    assert "workload_changed" in rules_of(compare(dense, program("aten::dense_backward", 600, LARGE, 900)))


def test_a_list_of_results_that_is_stacked_is_no_copy_of_data() -> None:
    layers = [(f"aten::{name}", 50, [[64, 64]]) for name in ("mm", "relu", "add", "mul", "sum")] * 3

    def program(*more: tuple[Any, ...]) -> TraceBuilder:
        return steps(*layers, ("aten::stack", 60, [[[4, 4], [4, 4]], []]), *more)

    norms = [("aten::linalg_vector_norm", 20, [[64, 64]])] * 5
    clipped = compare(program(), program(*norms, ("aten::stack", 180, [[], []])))
    assert rules_of(clipped)[0] == "operators_changed" and "layout_copies" not in rules_of(clipped)
    assert "aten::stack 1 → 2" in clipped.findings[0].sentence
    copied = compare(program(), program(("aten::clone", 180, [[64, 64]])))
    assert "layout_copies" in rules_of(copied)
