"""The share of work in common: independent of the order of names and of sides."""

from __future__ import annotations

import random

import pytest

from tb_perfcompare.comparison.checks.shared_work import shared_share


@pytest.mark.parametrize(
    ("baseline", "candidate", "share"),
    [
        ({}, {}, 1.0),
        ({"mm": 2.0}, {}, 0.0),
        ({"mm": 2.0}, {"add": 2.0}, 0.0),
        ({"mm": 3.0, "add": 1.0}, {"mm": 1.0, "add": 1.0}, 0.5),
        ({"mm": 0.0}, {"add": 0.0}, 1.0),
    ],
)
def test_the_share_is_the_smaller_over_the_larger_number_of_calls(
    baseline: dict[str, float], candidate: dict[str, float], share: float
) -> None:
    assert shared_share(baseline, candidate) == shared_share(candidate, baseline) == share


def test_a_side_shares_all_with_itself_in_any_order() -> None:
    drawn = random.Random(7)
    calls = [(f"op{number}", drawn.random() * 10 ** drawn.randrange(-3, 6)) for number in range(1000)]
    reversed_calls = dict(sorted(calls, reverse=True))
    assert shared_share(dict(calls), reversed_calls) == 1.0
    other = {name: count * drawn.random() for name, count in calls[:700]}
    assert shared_share(dict(calls), other) == shared_share(reversed_calls, dict(sorted(other.items())))
