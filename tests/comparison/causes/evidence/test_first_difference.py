"""Other inputs that a call of the program makes, and not its data: the first call with other inputs is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of

Call = tuple[str, int, list[list[int]]]

ROWS, TABLE = [1024], [1024, 1024]
LAYER: Call = ("aten::addmm", 50, [[1024, 32], [1, 32], [1]])


def trained(*calls: Call, values: Sequence[str] = ()) -> TraceBuilder:
    """Steps of these calls; `values` are other arguments of the first."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(8):
        start = at
        for place, (name, us, dims) in enumerate(calls):
            arguments = list(values) if values and not place else [""] * len(dims)
            trace.op(name, at, at + us, dims=dims, **{"Concrete Inputs": arguments})
            at += us + 5
        trace.step(number, start, at + number % 3)
        at += 10
    return trace


def loss(*operands: list[int]) -> list[Call]:
    """The loss of predictions and targets, whose difference is a table if one of them has an additional dimension."""
    size, us = (ROWS, 40) if len(operands[0]) == 1 else (TABLE, 2_000)
    return [
        ("aten::copy_", 5, [operands[0]]), ("aten::sub", us, [*operands]), ("aten::zeros_like", us * 5, [size]),
        ("aten::abs", us, [size]), ("aten::mean", us, [size]), ("aten::exp", us, [size]),
    ]  # fmt: skip


RIGHT, WRONG = trained(LAYER, *loss(ROWS, ROWS)), trained(LAYER, *loss([1024, 1], ROWS))


def changed(one: TraceBuilder, two: TraceBuilder) -> Finding:
    return finding_of(compare(one, two), "workload_changed")


def test_the_first_call_with_other_inputs_is_named() -> None:
    slower, faster = changed(RIGHT, WRONG), changed(WRONG, RIGHT)
    assert "first aten::sub [[1024], [1024]] → [[1024, 1], [1024]] (broadcast to [1024, 1024]); " in slower.sentence
    assert "first aten::sub [[1024, 1], [1024]] (broadcast to [1024, 1024]) → [[1024], [1024]]; " in faster.sentence
    for found in (slower, faster):
        assert found.sentence.endswith("; operators before aten::sub have the same inputs.")
        assert found.look_at.startswith("the code that calls aten::sub: ")
    assert slower.delta_us == -(faster.delta_us or 0.0)


def test_arguments_without_a_list_of_sizes_are_no_operands() -> None:
    """Other recorders write numbers among the shapes."""
    def with_number(call: Call) -> Call:
        name, us, dims = call
        return (name, us, [*dims, 5]) if name == "aten::sub" else call

    one, two = (trained(LAYER, *map(with_number, loss(first, ROWS))) for first in (ROWS, [1024, 1]))
    assert "(broadcast to [1024, 1024])" in changed(one, two).sentence


def test_products_in_another_order_start_with_the_first_of_them() -> None:
    def attention(first: list[list[int]], second: list[list[int]], us: int) -> TraceBuilder:
        return trained(LAYER, *(("aten::matmul", us, first), ("aten::matmul", us, second)), ("aten::elu", 50, [[9, 9]]))

    one = attention([[1, 768], [768, 1]], [[768, 1], [1, 1]], 50)
    two = attention([[768, 1], [1, 768]], [[768, 768], [768, 1]], 600)
    sentence = changed(one, two).sentence
    assert "first aten::matmul [[1, 768], [768, 1]] → [[768, 1], [1, 768]]; " in sentence, "a product, no broadcast"


INPUT: Call = ("aten::mm", 50, [[1024, 8], [8, 32]])
DATA: Call = ("aten::addmm", 50, [[2048, 32], [1, 32], [1]])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([LAYER], [DATA]),
        ([], []),
        ([("aten::clone", 50, [[8, 8]])], [("aten::clone", 50, [[8, 8]])]),
        ([INPUT, LAYER, LAYER], [INPUT, LAYER, LAYER, LAYER]),
    ],
    ids=["other data", "no layer before it", "only copies before it", "other calls before it"],
)
def test_other_data_is_other_data(before: list[Call], after: list[Call]) -> None:
    found = changed(trained(*before, *loss(ROWS, ROWS)), trained(*after, *loss([1024, 1], ROWS)))
    assert "first" not in found.sentence
    assert found.look_at.startswith("batch size, ")


def test_inputs_of_another_size_are_not_made_by_their_call() -> None:
    one, two = (
        trained(LAYER, ("aten::mul", us, [[size]]), ("aten::abs", us, [[size]])) for size, us in ((8, 40), (64, 900))
    )
    assert changed(one, two).look_at.startswith("batch size, ")


def test_other_arguments_before_it_come_first() -> None:
    strided = trained(LAYER, *loss(ROWS, ROWS), values=["", "", "[2, 2]"])
    plain = trained(LAYER, *loss([1024, 1], ROWS), values=["", "", "[1, 1]"])
    assert "first" not in changed(strided, plain).sentence


def test_a_program_against_itself_has_no_difference() -> None:
    assert rules_of(compare(WRONG, WRONG)) == []


def test_the_example_computes() -> None:
    """Without recorded arguments, the order of calls is not known. zeros_like takes longest, but only allocates."""
    one, two = (
        trained(("aten::zeros_like", 90 * size, [[size]]), ("aten::abs", 20 * size, [[size]])) for size in (8, 64)
    )
    assert "e.g. aten::abs [[8]] → [[64]]" in changed(one, two).sentence
