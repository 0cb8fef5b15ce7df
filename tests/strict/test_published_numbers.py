"""Decimals as pandas 2 read them for the published reports: the nearest double, or its neighbor."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.strict.groups import align
from tb_perfcompare.sources.perf_data.csv_tables import published_number, published_numbers, read_perf_data

LONG = "9709.426529259945943913"
"""22 digits: the first 17 are 97094265292599459, in doubles 97094265292599456; over 10 ** 13 the double below."""


def test_a_long_decimal_is_its_first_17_digits_over_a_power_of_ten() -> None:
    assert published_number(LONG) == 97094265292599456.0 / 1e13 != float(LONG)
    assert published_number("-" + LONG) == -(97094265292599456.0 / 1e13)


@pytest.mark.parametrize("text", ["0", "12", "12.5", "-0.25", "1e-3", "123456.789", "0.000000000000001"])
def test_short_decimals_are_the_nearest_double(text: str) -> None:
    assert published_number(text) == float(text)


@pytest.mark.parametrize("text", ["", "N/A", "nan", "inf", "1e999", ".", "1_000"])
def test_other_texts_are_none(text: str) -> None:
    assert published_number(text) is None


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_the_error_is_at_most_two_neighboring_doubles(whole: int, decimals: int) -> None:
    text = f"{whole}.{decimals:012d}"
    found, exact = published_number(text), Fraction(text)
    assert found is not None
    assert abs(Fraction(found) - exact) <= max(2 * Fraction(math.ulp(found)), exact / 10**15)


def test_numbers_without_differences_are_not_copied() -> None:
    found = np.array([1.5, math.nan])
    assert published_numbers(["1.5", ""], found) is found


def test_only_published_reports_read_counters_like_pandas_2(tmp_path: Path) -> None:
    table = tmp_path / "perf_data.csv"
    columns = "cycle,pid,beta_pct,function_name,metric_name,device,mu_pct,anchor_dur_us"
    table.write_text(f"{columns}\n1,7,10,f,clock,GPU 0,{LONG},100\n2,7,10,f,clock,GPU 0,12.5,100\n")
    read = read_perf_data(str(table))
    assert read.mu_pct.tolist() == [float(LONG), 12.5]
    for published, first in ((True, published_number(LONG)), (False, float(LONG))):
        _, rows, _ = align(read, read, published=published)
        assert rows.mu.tolist() == [first, 12.5]
