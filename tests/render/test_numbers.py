"""How numbers read."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.render import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1234.5, "1,234"), (123.4, "123"), (12.34, "12.3"), (1.234, "1.23"), (0.1234, "0.123"),
        (0.01234, "0.012"), (0.0006, "0.001"), (0.0004, "<0.001"), (-0.0004, ">−0.001"), (9.996, "10.0"),
        (0.9996, "1.00"), (99.96, "100"), (-5, "−5.00"), (float("nan"), "–"), (float("inf"), "–"),
    ],
)  # fmt: skip
def test_three_significant_digits(value: float, text: str) -> None:
    assert numbers.number(value) == text


@pytest.mark.parametrize(
    ("value_us", "text"),
    [(0, "0 µs"), (0.25, "250 ns"), (999.6, "1.00 ms"), (35_300, "35.3 ms"), (6_286_787, "6.29 s"), (7.2e9, "7,200 s")],
)
def test_times_take_the_unit_that_suits_them(value_us: float, text: str) -> None:
    assert numbers.time(value_us) == text


@pytest.mark.parametrize(
    ("largest_us", "symbol"), [(0, "µs"), (0.5, "ns"), (9_999, "µs"), (166_000, "ms"), (6_286_787, "ms"), (1e8, "s")]
)
def test_a_table_keeps_the_digits_of_its_small_rows(largest_us: float, symbol: str) -> None:
    assert numbers.table_scale(largest_us).symbol == symbol


@pytest.mark.parametrize(("p", "text"), [(0.0000001, "<0.001"), (0.028, "0.028"), (0.31, "0.31"), (1.0, "1.00")])
def test_p_is_never_zero(p: float, text: str) -> None:
    assert numbers.p_value(p) == text


def test_only_differences_carry_a_plus() -> None:
    assert numbers.percent(0.0531) == "5.31 %"
    assert numbers.percent(0.0531, signed=True) == "+5.31 %"
    assert numbers.percent(-0.0531, signed=True) == "−5.31 %"
    assert numbers.count(12, signed=True) == "+12"
    assert numbers.count(0, signed=True) == "0"


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_the_text_is_within_half_a_unit_of_its_last_digit_and_zero_means_zero(value: float) -> None:
    text = numbers.number(value)
    assert (text == "0") == (value == 0)
    if "0.001" in text and text[0] in "<>":
        assert abs(value) < 0.0005
        return
    shown = float(text.replace(",", "").replace("−", "-"))
    decimals = len(re.sub(r"^[^.]*\.?", "", text))
    assert abs(shown - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9)
