"""Sums of explained time are exact in any order, so that swapped sides negate them to the last bit."""

from __future__ import annotations

from itertools import permutations

from tb_perfcompare.comparison.causes.evidence.cause import Cause, Explained
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, total, total_by_key
from tb_perfcompare.comparison.result.finding import Finding

ORDERS = list(permutations((0.1, 0.2, 53.916666666666664, 1e9)))


def test_amounts_sum_alike_in_any_order() -> None:
    sums = [total(Amount(1, 2, us, -us) for us in order) for order in ORDERS]
    assert {(one.us_a, one.us_b) for one in sums} == {(sums[0].us_a, -sums[0].us_a)}


def test_parts_by_key_sum_alike_in_any_order() -> None:
    assert len({total_by_key(("aten::copy_", us) for us in order)["aten::copy_"] for order in ORDERS}) == 1


def test_time_without_an_entity_explains_another_cause_once() -> None:
    def of(parts: dict[tuple[str, str], float]) -> Cause:
        return Cause(Finding("host_time", "", "CPU Exec", 0.0, None, "", (), ""), parts)

    known = Explained()
    known.add(of({("CPU Exec", ""): 6.0}))
    entities = {("CPU Exec", f"aten::{name}"): 6.0 for name in ("mm", "add", "mul")}
    assert not known.covers(of(entities))
    assert known.covers(of(dict(list(entities.items())[:2])))


def test_the_empty_sum_is_zero() -> None:
    assert (total([]), total_by_key([])) == (Amount(), {})
