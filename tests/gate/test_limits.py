"""Limits of --fail-if-slower and --budget."""

from __future__ import annotations

import pytest

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.gate.limits import Limit, parse_budget, parse_limit


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("3%", Limit(fraction=0.03)),
        ("+3%", Limit(fraction=0.03)),
        (" .5 % ", Limit(fraction=0.005)),
        ("0%", Limit(fraction=0.0)),
        ("250us", Limit(us=250)),
        ("250 µs", Limit(us=250)),
        ("+1.5ms", Limit(us=1500)),
        ("2s", Limit(us=2e6)),
        ("500ns", Limit(us=0.5)),
    ],
)
def test_a_limit_is_a_percentage_or_a_time(text: str, limit: Limit) -> None:
    assert parse_limit(text) == limit


@pytest.mark.parametrize("text", ["", "3", "-3%", "3%%", "3 percent", "nan%", "inf us", "1e3us", "3% 4%", "٣%", "%"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(PerfCompareError, match=r"is not a limit; give a percentage or a time, such as 3% or 1\.5ms"):
        parse_limit(text)


def test_a_percentage_is_of_the_baseline() -> None:
    assert Limit(fraction=0.05).allowed_us(200.0) == 10.0
    assert Limit(fraction=0.05).allowed_us(0.0) == 0.0
    assert Limit(us=30.0).allowed_us(200.0) == 30.0


@pytest.mark.parametrize("text", ["Communication=+5%", "communication = 5%", " COMMUNICATION=+5.0%"])
def test_a_budget_names_its_category_in_any_case(text: str) -> None:
    assert parse_budget(text) == ("Communication", Limit(fraction=0.05))
    assert parse_budget("cpu exec=10us") == ("CPU Exec", Limit(us=10))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kernels=5%", "no category 'Kernels'; did you mean 'Kernel'"),
        ("step time=5%", "no category 'step time'; there are: Kernel, Memcpy, Memset, Communication"),
        ("Kernel", "is not a budget; .*Kernel, Memcpy, Memset, Communication"),
        ("=5%", "no category ''; there are: Kernel"),
    ],
)
def test_an_unknown_category_is_refused_with_the_known_ones(text: str, expected: str) -> None:
    with pytest.raises(PerfCompareError, match=expected):
        parse_budget(text)
