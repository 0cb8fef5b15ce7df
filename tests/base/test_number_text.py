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

CASES = json.loads((Path(__file__).parents[1] / "number_text.json").read_text("utf-8"))
"""What is shown -> (value, text); the page's formatters are tested with the same."""

SHOWN: dict[str, Callable[[float], str]] = {
    "number": number_text.number,
    "signed number": partial(number_text.number, signed=True),
    "count": number_text.count,
    "signed count": partial(number_text.count, signed=True),
    "time": number_text.time,
    "signed time": partial(number_text.time, signed=True),
    "size": number_text.size,
    "rate": number_text.rate,
    "operations": number_text.operations,
    "signed operation rate": partial(number_text.operation_rate, signed=True),
    "percent": number_text.percent,
    "signed percent": partial(number_text.percent, signed=True),
    "signed share": partial(number_text.percent, signed=True, share=True),
    "points": number_text.points,
    "of the change": number_text.of_the_change,
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


def test_a_headline_has_two_digits() -> None:
    shares = (0.1849, 0.0264, 0.02, 1.54, 0.0053, 1e-6, -1e-6, 0.0, 11.4)
    assert [number_text.rough(share) for share in shares] == [
        "18 %", "2.6 %", "2 %", "154 %", "0.53 %", "<0.01 %", "−0.00 %", "0 %", "1,140 %",
    ]  # fmt: skip
    assert number_text.rough(11.4, signed=True) == "×12", "a change counts the whole"
    assert number_text.rough_range(-0.044, 0.089, signed=True) == "−4.4 to +8.9 %"
    assert number_text.rough_range(11.0, 13.0, signed=True) == "×12 to ×14"
    assert number_text.rough_range(4.2, 13.0, signed=True) == "×5.2 to ×14", "one way of writing in one interval"
    assert [number_text.times(factor) for factor in (1.3, 3.0, 46_099.4)] == ["1.3 times", "3 times", "46,099 times"]


@pytest.mark.parametrize(
    ("change", "low", "high", "expected"),
    [
        (0.1, -0.012, 0.2, ("+10.0 %", "−1.20 %", "+20.0 %")),
        (13.7, 4.97, 40.4, ("×14.7", "×5.97", "×41.4")),
        (0.285, -0.34, 40.4, ("×1.28", "×0.660", "×41.4")),
    ],
)
def test_a_change_and_its_interval_are_written_alike(
    change: float, low: float, high: float, expected: tuple[str, ...]
) -> None:
    assert number_text.change_and_ends(change, low, high) == expected
    assert number_text.change_ends(low, high) == expected[1:]


def test_a_change_in_a_headline_is_written_like_its_range() -> None:
    assert [number_text.rough_within(2.24, high) for high in (5.0, 13.0)] == ["+224 %", "×3.2"]


def test_a_figure_takes_the_unit_it_comes_with() -> None:
    figures = [(1410, "MHz"), (1_159_569, "bytes"), (1.5e12, "bytes/s"), (1500, "us")]
    assert [number_text.quantity(*figure) for figure in figures] == ["1,410 MHz", "1.11 MiB", "1.50 TB/s", "1.50 ms"]


@pytest.mark.parametrize(
    ("largest_us", "symbol"), [(0, "µs"), (0.5, "ns"), (9_999, "µs"), (166_000, "ms"), (6_286_787, "ms"), (1e8, "s")]
)
def test_a_table_keeps_the_digits_of_its_small_rows(largest_us: float, symbol: str) -> None:
    assert number_text.table_scale(largest_us).symbol == symbol


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_the_text_is_within_half_a_unit_of_its_last_digit_and_zero_means_zero(value: float) -> None:
    text = number_text.number(value)
    assert (text == "0") == (value == 0)
    if "<0.001" in text:
        assert abs(value) < 0.0005
        return
    shown = float(text.replace(",", "").replace("−", "-"))
    decimals = len(re.sub(r"^[^.]*\.?", "", text))
    assert abs(shown - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9)
