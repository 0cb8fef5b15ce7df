"""Layout of text: unbroken figures, wrapped sentences, omitted columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.model.summary.summary import DeviceFacts
from tb_perfcompare.render.blocks import Facts, Heading, Paragraph, table_blocks
from tb_perfcompare.render.document import CAVEATS, DECIDED, WHERE, WHY, report
from tb_perfcompare.render.text import text
from tb_perfcompare.render.widths import Terminal
from tb_perfcompare.units import Better
from tests.render.examples import comparison, side

CAUSE = "Data loader wait: +17.6 ms per step; the workers are too few for the transforms that they are given now."


def drawn(table: Table, width: int = 80) -> str:
    return text(table_blocks(table, top=None), Terminal(width))


def figures(unit: str, value: float, p: float) -> Table:
    return Table(
        "counters", "Counters",
        (
            columns.key("name", "Name", ""), columns.text("unit", "Unit", ""),
            Column("value", "Value", "number", Better.NONE, "", kind="number"),
            Column("p", "p", "number", Better.NONE, "", kind="number"),
        ),
        (("one", unit, value, p),),
    )  # fmt: skip


@pytest.mark.parametrize("figure", ["49.4 ms", "95 %", "p = 0.0043", "1.11 MiB", "12 aten::mm", "1 Optimizer.step#SGD"])
def test_a_figure_stays_on_one_line(figure: str) -> None:
    sentence = f"{'w' * 70} {figure} more"
    for width in range(74, 94):
        assert figure in text((Paragraph(sentence), Facts((("name", sentence),))), Terminal(width))


def test_a_sentence_wraps_inside_its_column() -> None:
    table = Table(
        "t", "T", (columns.key("name", "Name", ""), columns.text("cause", "Cause", "")), (("run", CAUSE), ("b", "x"))
    )
    shown = drawn(table)
    assert "…" not in shown
    assert " ".join(shown.split()).startswith(f"T Name Cause run {CAUSE.replace('  ', ' ')} b x")


@pytest.mark.parametrize(("cells", "left"), [(("", ""), False), ((None, ""), False), (("new", ""), True)])
def test_a_column_without_text_is_left_out(cells: tuple[str | None, ...], left: bool) -> None:
    table = Table(
        "t", "T", (columns.key("name", "Name", ""), columns.text("why", "Why", "")),
        tuple(zip("ab", cells, strict=True)),
    )  # fmt: skip
    assert ("Why" in drawn(table)) is left


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("us", 7950.0, "7,950"), ("bytes", 1_159_569, "1.11 MiB"), ("bytes/s", 3_161_205, "3.16 MB/s"),
        ("MHz", 1410, "1,410"),
    ],
)  # fmt: skip
def test_a_figure_with_the_unit_of_its_row(unit: str, value: float, shown: str) -> None:
    assert shown in drawn(figures(unit, value, 0.5))


def test_microseconds_are_written_with_mu() -> None:
    assert " µs" in drawn(figures("us", 1, 0.5))
    assert " us" not in drawn(figures("us", 1, 0.5))


def test_p_in_a_table_has_the_format_of_sentences() -> None:
    assert "0.0043" in drawn(figures("MHz", 1, 0.00431))
    assert "<0.001" in drawn(figures("MHz", 1, 1e-9))


def test_a_change_is_a_multiple_and_a_share_of_the_change_is_not() -> None:
    change = columns.fraction("percent", "Δ %", "", role="percent")
    table = Table("t", "T", (columns.key("name", "Name", ""), change, columns.SHARE), (("a", 46_098.37, 12.5),))
    assert drawn(table).splitlines()[2].split(maxsplit=1) == ["a", "×46,099  +1,250 %"]


def test_a_cause_in_the_other_direction_has_a_negative_share() -> None:
    cause = replace(comparison().findings[0], share=-0.25)
    drawn = text(report(comparison(findings=(cause,)), top=1), Terminal(80))
    assert "−25.0 % of the change" in " ".join(drawn.split())


def test_causes_follow_the_verdict_and_how_it_was_decided_follows_the_tables() -> None:
    headings = [block.text for block in report(comparison(), top=1) if isinstance(block, Heading)]
    assert [*headings[1:3], *headings[-2:]] == [WHY, f"{WHERE}, per step", DECIDED, CAVEATS]


@pytest.mark.parametrize(("run", "worker", "span", "shown"), [
    ("new.json.gz", "new", "default", "new.json.gz · GPU"),
    ("logs/new.json", "new", "1", "logs/new.json · span 1 · GPU"),
    ("new", "new", "default", "new · worker new · GPU"),
])  # fmt: skip
def test_a_file_is_named_once(run: str, worker: str, span: str, shown: str) -> None:
    facts = replace(side(run), worker=worker, span=span, device=DeviceFacts("cuda", "GPU", "", None))
    assert f"baseline   {shown} · 6 of 7 steps" in text(report(comparison(baseline=facts), top=1), Terminal(80))


def test_advice_is_given_once() -> None:
    cause = replace(comparison().findings[0], look_at="clocks")
    drawn = text(report(comparison(findings=(cause, replace(cause, subject="other"))), top=1), Terminal(80))
    assert " ".join(drawn.split()).count("look at: clocks") == 1
