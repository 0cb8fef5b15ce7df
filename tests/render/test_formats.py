"""One comparison in every format: complete, escaped, intact with any name."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.text import WIDTH
from tb_perfcompare.render.widths import display_width, elide
from tests.render.examples import LONG_NAME, NASTY_NAMES, comparison, headline


def drawn(name: str, **asked: object) -> str:
    return render(comparison(), name, **asked).decode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_utf8_and_the_same_each_time(name: str) -> None:
    assert drawn(name) == drawn(name)


def test_text_has_the_verdict_first_then_the_numbers() -> None:
    lines = drawn("text").splitlines()
    assert lines[0] == "Slower: the typical step takes 27.9 % more"
    whole = "\n".join(lines)
    assert "126 ms → 162 ms   Δ +35.3 ms   ratio 1.28" in whole
    assert "+27.9 %   [+2.10 %, +40.5 %] 95 % CI" in whole
    assert "p < 0.001   n 12 and 12" in whole
    assert "1. Waiting for <the> loader takes 46.6 ms more." in whole
    assert "less certain: p" in whole


def test_text_lines_fit_and_hold_no_control_characters() -> None:
    for line in drawn("text").splitlines():
        assert display_width(line) <= WIDTH
        assert line.isprintable()


def test_text_ledger_rows_add_up_to_the_last_row() -> None:
    lines = [line.split() for line in drawn("text").splitlines()]
    rows = {line[0]: line[1:4] for line in lines if line[:1] in (["DataLoader"], ["Other"], ["total"])}
    assert rows == {
        "DataLoader": ["250", "850", "+600"],
        "Other": ["750", "650", "−100"],
        "total": ["1,000", "1,500", "+500"],
    }


def test_text_marks_new_removed_absent_and_unclear_figures() -> None:
    lines = drawn("text").splitlines()
    gone = next(line for line in lines if "pipe|in|name" in line)
    new = next(line for line in lines if "=SUM(A1)" in line)
    assert gone.endswith("gone")
    assert " – " in gone
    assert new.endswith("new")
    unclear = render(comparison(headline=headline(Verdict.INCONCLUSIVE)), "text").decode()
    assert "+27.9 % ~" in unclear


def test_top_limits_rows_and_counts_the_rest() -> None:
    assert "… 9 more rows: --table operators" in drawn("text", top=2)
    assert "9 more rows not shown" in drawn("md", top=2)
    assert len(drawn("csv", table="operators", top=2).splitlines()) == 3


def test_a_long_name_keeps_its_front_and_its_end() -> None:
    short = elide(LONG_NAME, 40)
    assert display_width(short) == 40
    assert short.startswith("void at::native::vectoriz")
    assert short.endswith(">(int)")
    assert elide("宽字符内核内核内核", 10).startswith("宽字符")
    assert display_width(elide("宽字符内核内核内核", 10)) <= 10


def test_markdown_tables_keep_their_columns_whatever_the_name() -> None:
    lines = [line for line in drawn("md", table="operators").splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(NASTY_NAMES)
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == 9


def test_markdown_shows_names_as_code() -> None:
    text = drawn("md", table="operators")
    assert r"`pipe\|in\|name`" in text
    assert "`@everyone`" in text
    assert "``` `tick` ``two`` ```" in text
    assert "<script>" not in text.replace("`<script>alert(1)</script>`", "")
    assert r"for \<the\> loader" in drawn("md")


def test_csv_holds_raw_numbers_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(drawn("csv", table="operators"))))
    assert [row["name"] for row in rows[1:5]] == ["pipe|in|name", "'=SUM(A1)", "'@everyone", "'-1+2"]
    assert rows[0]["baseline_us"] == "10.5"
    assert rows[0]["delta_us"] == "-50.0"
    assert rows[1]["candidate_us"] == ""
    assert rows[2]["share"] == ""
    assert rows[0]["name"] == LONG_NAME


def test_csv_without_a_table_is_the_ledger() -> None:
    rows = list(csv.DictReader(io.StringIO(drawn("csv"))))
    assert [(row["category"], row["name"], row["delta_us"]) for row in rows] == [
        ("DataLoader", "", "600.0"), ("DataLoader", "next", "600.0"), ("Other", "", "-100.0"), ("", "total", "500.0"),
    ]  # fmt: skip


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.sources += [str(to) for key, to in attributes if key in ("src", "href") and not str(to).startswith("#")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_well_formed_without_scripts_or_requests() -> None:
    parser = _Tags()
    parser.feed(drawn("html"))
    assert parser.open == []
    assert "script" not in parser.names
    assert parser.sources == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in drawn("html")


def test_an_unknown_table_is_an_error_with_the_known_ones_or_the_reason() -> None:
    with pytest.raises(SelectionError, match="there are: ledger, operators"):
        render(comparison(), "text", table="nothing")
    with pytest.raises(SelectionError, match="no device events"):
        render(comparison(), "json", table="kernels")


def test_text_imports_no_other_renderer() -> None:
    script = "import sys, tb_perfcompare.render.formats; print([name for name in sys.modules if '.render.' in name])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "tb_perfcompare.render.text" in found
    assert not any(f"tb_perfcompare.render.{name}'" in found for name in ("html", "html_report", "markdown", "csv"))
