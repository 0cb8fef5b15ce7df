"""Tables of a report: few columns, including those that explain the order, and distinguishable names."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.formats import render
from tb_perfcompare.render.widths import display_width, elide_name
from tests.render.examples import comparison

HEADS = (
    columns.key("name", "Name", "its name"),
    *columns.triple("", "", "Self host time"),
    columns.fraction("share", "Δ share", "of the change", role="percent"),
    *columns.triple("device_self", "Device self", "Self device time"),
    *columns.triple("host_total", "Host total", "Total host time", shown=False),
)
KERNEL = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::{0}<float>, std::array<char*, 3ul> >"
    "(int, at::native::{0}<float>, std::array<char*, 3ul>)"
)


def operators(*rows: tuple[str, float, float]) -> list[list[str]]:
    """The report's operator table as Markdown cells; a row is (name, delta, device delta)."""
    made = tuple(
        (name, 200.0, 200.0 + own, own, 0.5, 30.0, 30.0 + device, device, 90.0, 80.0, -10.0)
        for name, own, device in rows
    )
    text = render(comparison(tables={"operators": Table("operators", "Operators", HEADS, made)}), "md").decode()
    lines = text[text.index("### Operators") :].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def test_a_change_on_the_device_has_a_column_next_to_the_host() -> None:
    heads, _, row = operators(("aten::addmm", 25.0, 335.0))
    assert heads == ["Name", "A (µs)", "B (µs)", "Δ (µs)", "Device self Δ (µs)"]
    assert row[-2:] == ["+25.0", "+335"]


def test_a_change_on_the_device_alone_has_its_column() -> None:
    heads, *_ = operators(("aten::addmm", 0.0, 335.0))
    assert heads[-2:] == ["Δ (µs)", "Device self Δ (µs)"]


def test_without_a_device_change_the_column_is_the_share() -> None:
    heads, *_ = operators(("aten::addmm", 25.0, 0.0))
    assert heads == ["Name", "A (µs)", "B (µs)", "Δ (µs)", "Δ share"]


@pytest.mark.parametrize("format_name", ["text", "md"])
def test_kernels_that_differ_in_the_middle_are_distinguishable(format_name: str) -> None:
    names = [KERNEL.format(functor) for functor in ("CompareNEFunctor", "CompareEqFunctor")]
    rows = tuple((name, 10.0, 20.0, 10.0, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0) for name in names)
    text = render(comparison(tables={"kernels": Table("kernels", "Kernels", HEADS, rows)}), format_name).decode()
    assert "vectorized_elementwise_kernel ‹CompareNEFunctor›" in text
    assert "vectorized_elementwise_kernel ‹CompareEqFunctor›" in text


def test_the_distinguishing_part_of_a_name_is_cut_last() -> None:
    name = "vectorized_elementwise_kernel ‹CompareNEFunctor›"
    assert elide_name(name, 60) == name
    assert elide_name(name, 40) == "vectorized_elementwi… ‹CompareNEFunctor›"
    assert display_width(elide_name(name, 20)) == 20
