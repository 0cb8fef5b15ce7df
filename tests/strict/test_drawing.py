"""Pipe tables: which columns are numeric, and how numbers are aligned."""

from __future__ import annotations

from tb_perfcompare.render.strict.tables import Cell, pipe_table


def column(*cells: Cell, form: str = "g") -> list[str]:
    """The cells of a one-column table, after its rule."""
    lines = pipe_table(["c"], [[cell] for cell in cells], form).splitlines()
    return [line.strip("|") if "---" in line else line[2:-2] for line in lines[1:]]


def test_numbers_are_reformatted_and_aligned_at_the_point() -> None:
    assert column("1561.7183", "+5.91", "1.000", "-0.00", "nan") == [
        "--------:",
        "1561.72",
        "   5.91",
        "   1   ",
        "  -0   ",
        " nan   ",
    ]


def test_large_numbers_get_an_exponent() -> None:
    assert column("24866000000000.00", "1.50")[1:] == ["2.4866e+13", "1.5       "]


def test_one_text_makes_the_column_text() -> None:
    assert column("1,000.00", "3.00") == [":---------", "1,000.00", "3.00    "]
    assert column(1001081.25, 762219.0, "-", form=",.2f") == [":-----------", "1001081.25", "762219.0  ", "-         "]


def test_only_plain_words_for_infinity_are_numbers() -> None:
    assert column("inf", "1.5")[0].endswith("-:")
    assert column("+inf", "1.5")[0].startswith(":-")


def test_thousands_are_aligned_at_the_point() -> None:
    assert column(1234.5, 990.0, form=",.2f")[1:] == ["1,234.50", "  990.00"]


def test_a_line_break_in_a_name_does_not_end_the_row() -> None:
    assert pipe_table(["c"], [["a\nb"]]).splitlines()[2] == "| a b |"


def test_a_table_without_rows_has_its_header() -> None:
    assert pipe_table(["ab", "c"], []) == "| ab   | c   |\n|:-----|:----|"
