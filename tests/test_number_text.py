"""How numbers read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare import number_text

CASES = json.loads((Path(__file__).parent / "number_text.json").read_text("utf-8"))
"""What is shown -> (value, text); the page's formatters are tested with the same."""

SHOWN: dict[str, Callable[[float], str]] = {
    "number": number_text.number,
    "signed number": partial(number_text.number, signed=True),
    "count": number_text.count,
    "signed count": partial(number_text.count, signed=True),
    "time": number_text.time,
    "signed time": partial(number_text.time, signed=True),
    "size": number_text.size,
    "percent": number_text.percent,
    "signed percent": partial(number_text.percent, signed=True),
    "ratio": number_text.ratio,
    "p": number_text.p_value,
    "many": partial(number_text.many, noun="row"),
}


@pytest.mark.parametrize("what", CASES)
def test_a_number_reads_the_same_everywhere(what: str) -> None:
    assert [[value, SHOWN[what](value)] for value, _ in CASES[what]] == CASES[what]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_absent(value: float) -> None:
    assert number_text.number(value) == number_text.percent(value) == number_text.ABSENT


def test_p_in_a_sentence_is_equal_to_a_figure_or_below_a_bound() -> None:
    assert [number_text.p_text(p) for p in (0.031, 1e-9)] == ["p = 0.031", "p < 0.001"]


def test_a_setting_keeps_the_digits_it_was_given() -> None:
    assert [number_text.setting(fraction) for fraction in (0.01, 0.95, 0.005)] == ["1 %", "95 %", "0.5 %"]


@pytest.mark.parametrize(
    ("largest_us", "symbol"), [(0, "µs"), (0.5, "ns"), (9_999, "µs"), (166_000, "ms"), (6_286_787, "ms"), (1e8, "s")]
)
def test_a_table_keeps_the_digits_of_its_small_rows(largest_us: float, symbol: str) -> None:
    assert number_text.table_scale(largest_us).symbol == symbol


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_the_text_is_within_half_a_unit_of_its_last_digit_and_zero_means_zero(value: float) -> None:
    text = number_text.number(value)
    assert (text == "0") == (value == 0)
    if "0.001" in text and text[0] in "<>":
        assert abs(value) < 0.0005
        return
    shown = float(text.replace(",", "").replace("−", "-"))
    decimals = len(re.sub(r"^[^.]*\.?", "", text))
    assert abs(shown - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9)
