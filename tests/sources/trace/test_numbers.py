"""Texts of numbers as exact columns."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tb_perfcompare.sources.trace.columns.numbers import parse_floats, parse_integers, parse_times


def times(*texts: str) -> list[int | None]:
    parsed = parse_times([text.encode() for text in texts])
    return [ns if ok else None for ns, ok in zip(parsed.ns.tolist(), parsed.valid.tolist(), strict=True)]


def integers(*texts: str) -> list[int | None]:
    values, valid = parse_integers([text.encode() for text in texts])
    return [value if ok else None for value, ok in zip(values.tolist(), valid.tolist(), strict=True)]


def floats(*texts: str) -> list[float | None]:
    values, valid = parse_floats([text.encode() for text in texts])
    return [value if ok else None for value, ok in zip(values.tolist(), valid.tolist(), strict=True)]


def test_absolute_times_keep_their_nanoseconds() -> None:
    assert times("1712195495519689.047", "1712195495519689.048") == [1712195495519689047, 1712195495519689048]


def test_times_of_one_column_can_have_different_decimals() -> None:
    assert times("7", "7.5", "7.25", "-0.125", "0.5", "12.0") == [7000, 7500, 7250, -125, 500, 12000]


@pytest.mark.parametrize(
    ("text", "ns"), [("1.0005", 1000), ("1.0015", 1002), ("-1.0005", -1000), ("-1.0015", -1002), ("2.00051", 2001)]
)
def test_fractions_of_a_nanosecond_round_half_to_even(text: str, ns: int) -> None:
    parsed = parse_times([text.encode(), b"3"])
    assert (parsed.ns[0], parsed.finer) == (ns, 1)


def test_trailing_zeros_are_not_finer_than_a_nanosecond() -> None:
    assert parse_times([b"1.250000"]).finer == 0


def test_exponents_are_exact() -> None:
    assert times("1.5e3", "1E-3", "1e-4", "12e2") == [1_500_000, 1, 0, 1_200_000]


def test_values_of_other_types_are_not_times() -> None:
    assert times("null", '"twelve"', "true", "[1,2]", '{"a":1}', "4") == [None, None, None, None, None, 4000]


def test_a_number_in_quotes_is_a_time() -> None:
    assert times("4", '"12.5"', '""') == [4000, 12_500, None]
    assert times('"1700000000000000.047"', '" 3 "', "4", '"x"') == [1_700_000_000_000_000_047, 3000, 4000, None]


def test_times_beyond_int64_are_absent() -> None:
    assert times("9223372036854775.807", "9223372036854775.808", "1e300", "1e-300", "0e999999999") == [
        2**63 - 1, None, None, 0, 0,
    ]  # fmt: skip


def test_integers_are_read_from_any_notation() -> None:
    assert integers("128", '"128"', "128.0", "1.28e2", '" 7 "') == [128, 128, 128, 128, 7]


def test_other_values_are_not_integers() -> None:
    assert integers("1.5", "null", "true", '"N/A"', "[1]", '"1_000"') == [None] * 6


def test_integers_beyond_int64_are_absent() -> None:
    numbers = [2**63 - 1, 2**63, -(2**63), 2**64, -(2**63) + 1]
    assert integers(*map(str, numbers)) == [numbers[0], None, None, None, numbers[-1]]


def test_floats_are_read_from_any_notation() -> None:
    assert floats("1.5", "3", '"2.5"', "1e2", "null", '"N/A"', '"inf"', "1e999") == [1.5, 3.0, 2.5, 100.0] + [None] * 4


def test_the_smallest_int64_is_not_a_time() -> None:
    assert times(str(-(2**63)), f"{-(2**63)}.0", "1") == [None, None, 1000]


@pytest.mark.parametrize("text", ['"1.2.3"', '"1-2"', '"-"', '""', '"."'])
def test_a_text_that_resembles_a_number_is_not_a_time(text: str) -> None:
    assert times('"4"', text, '"5"') == [4000, None, 5000]


def test_an_empty_column_has_no_numbers() -> None:
    assert (times(), integers(), floats()) == ([], [], [])


DECIMALS = st.decimals(min_value=-(10**15), max_value=10**15, places=None, allow_nan=False, allow_infinity=False)


@given(
    st.lists(st.one_of(DECIMALS.map(str), st.integers(-(10**15), 10**15).map(str), st.floats(-1e15, 1e15).map(repr)))
)
@example(["0E+5", "1E-40", "-0.0005"])
def test_times_equal_decimal_arithmetic(texts: list[str]) -> None:
    expected = [int((Decimal(text) * 1000).to_integral_value(ROUND_HALF_EVEN)) for text in texts]
    assert times(*texts) == expected


@given(st.lists(st.one_of(st.integers(-(2**63) + 1, 2**63 - 1), st.none(), st.text(max_size=3), st.booleans())))
def test_integers_round_trip_among_other_values(values: list[int | str | bool | None]) -> None:
    found = integers(*(json.dumps(value) for value in values))
    plain = [isinstance(value, int) and not isinstance(value, bool) for value in values]
    assert [number for number, ok in zip(found, plain, strict=True) if ok] == [
        value for value, ok in zip(values, plain, strict=True) if ok
    ]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_floats_round_trip(values: list[float]) -> None:
    assert floats(*map(repr, values)) == values
