"""Sums of explained time are exact in any order, so that swapped sides negate them to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Part
from tb_perfcompare.comparison.result.finding import Finding

ORDERS = list(permutations((0.1, 0.2, 53.916666666666664, 1e9)))


def test_amounts_sum_alike_in_any_order() -> None:
    sums = [total(Amount(1, 2, us, -us) for us in order) for order in ORDERS]
    assert {(one.us_a, one.us_b) for one in sums} == {(sums[0].us_a, -sums[0].us_a)}


def test_parts_by_key_sum_alike_in_any_order() -> None:
    assert len({total_by_key(("aten::copy_", us) for us in order)["aten::copy_"] for order in ORDERS}) == 1


def of(parts: Mapping[Part, float], *, includes: tuple[Cause, ...] = ()) -> Cause:
    return Cause(Finding("host_time", "", "CPU Exec", 0.0, None, "", (), ""), parts, includes=includes)


def test_time_without_an_entity_explains_another_cause_once() -> None:
    known = Explained([of({("CPU Exec", ""): 6.0})])
    entities = {("CPU Exec", f"aten::{name}"): 6.0 for name in ("mm", "add", "mul")}
    assert not known.covers(of(entities))
    assert known.covers(of(dict(list(entities.items())[:2])))


def test_a_cause_explains_in_place_of_those_that_it_includes() -> None:
    part = of({("CPU Exec", "aten::mm"): 4.0})
    known = Explained([part, of({("Other", ""): 1.0})])
    known.add(of({("CPU Exec", "aten::mm"): 4.0, ("CPU Exec", ""): 2.0}, includes=(part,)))
    assert known.by_category() == {"CPU Exec": 6.0, "Other": 1.0}
    assert len(known.causes) == 2


def test_the_empty_sum_is_zero() -> None:
    assert (total([]), total_by_key([])) == (Amount(), {})
