"""Another data type is told first, though one operator gains more than the step: the others pay for its casts."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def products(kind: str, product: int, cast: int) -> TraceBuilder:
    """Steps of ten linear layers of that type and ten copies, each that many microseconds long."""
    trace = TraceBuilder()
    at = 0
    for step in range(8):
        start = at
        for name, us in (("aten::mm", product), ("aten::copy_", cast)) * 10:
            types = {"Input type": [kind if name == "aten::mm" else "float"]}
            if name == "aten::mm":
                trace.op("aten::linear", at, at + us + 2, dims=[[64, 64]], **types)
            trace.op(name, at, at + us, dims=[[64, 64]], **types)
            at += us + 2
        trace.step(step, start, at)
    return trace


def test_an_operator_of_another_type_is_part_of_the_change_of_types() -> None:
    before, after = summarised(products("float", 100, 20)), summarised(products("c10::BFloat16", 20, 60))
    for there in (compare(before, after), compare(after, before)):
        assert [one.rule for one in there.findings][:1] == ["data_type_changed"]


def test_an_operator_of_the_same_type_still_leads() -> None:
    found = compare(summarised(products("float", 100, 20)), summarised(products("float", 20, 60)))
    assert found.findings[0].subject == "aten::mm"
