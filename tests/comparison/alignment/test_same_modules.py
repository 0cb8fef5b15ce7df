"""nn.Modules at the same place of both sides have one name, whatever their numbers."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.alignment import same_modules
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def run(*layers: str) -> TraceBuilder:
    """Four steps of a network that calls these layers, each with one operator of 60 µs."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(4):
        at, end = 1_000 * step, 20 + 100 * len(layers)
        trace.step(step, at, at + end + 20)
        trace.python("nn.Module: Net_0", at + 10, at + end, number=100 * step, module=0)
        for place, layer in enumerate(layers):
            begin, number = at + 20 + 100 * place, 100 * step + place + 1
            trace.python(f"nn.Module: {layer}", begin, begin + 80, number=number, module=0)
            trace.op("aten::mm", begin + 10, begin + 70 + step % 2)
        trace.op("aten::relu", at + end + 1, at + end + 10)
    return trace


@pytest.mark.parametrize(("one", "two", "new"), [
    (["Linear_0", "Linear_1"], ["Linear_0", "Linear_1"], []),
    # a layer before the others takes their numbers
    (["Linear_0", "Conv2d_0"], ["Conv2d_0", "Linear_0", "Conv2d_1"], ["Conv2d_1"]),
    (["Norm_0", "Linear_0", "Norm_1"], ["Norm_0", "Linear_0", "Norm_2"], []),
    # a number that the other side has for another module
    (["Norm_0", "Linear_0"], ["Linear_0", "Linear_1", "Norm_0"], ["Linear_1"]),
    # of a layer within another that has no counterpart the name decides
    (["Block_0", "Linear_0"], ["Layer_0", "Linear_0"], ["Layer_0"]),
    # no class in common: nothing is the same
    (["Linear_0"], ["Conv2d_0"], ["Conv2d_0"]),
])  # fmt: skip
def test_modules_are_the_same_in_the_order_of_their_class(one: list[str], two: list[str], new: list[str]) -> None:
    for sides, status in (((one, two), "added"), ((two, one), "removed")):
        tables = compare(*(run(*layers) for layers in sides)).tables
        for table, path in (("modules", ""), ("modules_ledger", "Net_0/")):
            place = tables[table].places["status"]
            found = {row[0] for row in tables[table].rows if row[place] == status}
            assert found == {f"{path}{name}" for name in new}


def test_of_very_many_siblings_an_added_one_is_found_between_those_that_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search for equal sequences tries all pairs of a class."""
    monkeypatch.setattr(same_modules, "MOST_PAIRS", 5)
    one = ["Linear_0", "ReLU_0", "Linear_1"]
    rows = compare(run(*one), run("Linear_0", "Norm_0", "ReLU_0", "Linear_1")).tables["modules"].rows
    assert [row[0] for row in rows if row[1:] and "added" in row] == ["Norm_0"]
