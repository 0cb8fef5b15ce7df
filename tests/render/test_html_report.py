"""The HTML report: pictures with the figures of the JSON, short names with whole titles, no internal codes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Alternative, Verdict
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.step_tables import steps_table
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.render.formats import render, render_table
from tb_perfcompare.render.html_style import cards
from tb_perfcompare.render.svg_axis import Axis
from tb_perfcompare.workspace.queries.candidates import CANDIDATE_COLUMNS as CANDIDATES
from tests.render.examples import LONG_NAME, comparison, headline

STEPS = steps_table({}).columns
SHIFT = ("shift", "low", "high")
KEPT = {"A": (("1", 10.0, True), ("2", 12.0, True)), "B": (("1", 15.0, True), ("2", 14.0, True), ("3", 99.0, False))}


def page(**changes: object) -> str:
    return render(comparison(**changes), "html").decode()


def ledger(**parts: tuple[int, int]) -> Ledger:
    rows = tuple(LedgerRow((name,), "", a, b, b - a, (1.0, 1.0), 0, b - a, "both") for name, (a, b) in parts.items())
    a, b = (sum(pair[at] for pair in parts.values()) for at in (0, 1))
    return Ledger(2, a, b, b - a, rows)


def steps() -> Table:
    at = {column.name: place for place, column in enumerate(STEPS)}
    rows = []
    for side, letter in (("baseline", "A"), ("candidate", "B")):
        for label, us, is_compared in KEPT[letter]:
            row: list[object] = [None] * len(STEPS)
            for name, cell in (("side", side), ("capture", "run/w/1"), ("step", label), ("total_us", us)):
                row[at[name]] = cell
            row[at["admitted"]] = is_compared
            rows.append(tuple(row))
    return Table("steps", "Steps", STEPS, tuple(rows))


def falls(text: str) -> list[list[str]]:
    """The waterfall's rows as texts."""
    table = text[text.index('<table class="falls') : text.index("</table>")]
    rows = re.findall(r"<tr.*?</tr>", table)[1:]
    return [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]


def test_the_waterfall_has_the_parts_of_the_json_the_largest_first() -> None:
    books = ledger(Kernel=(4_000_000, 6_000_000), Other=(800_000, 500_000), Memset=(0, 0))
    sent = json.loads(render(comparison(ledger=books), "json"))["ledger"]
    unit = sent["denominator"] * 1000
    parts = sorted((row for row in sent["rows"] if row["candidate"]), key=lambda row: -abs(row["delta"]))

    def in_steps(value: int, signed: bool = False) -> str:
        return number_text.number(value / unit, signed=signed)

    assert falls(page(ledger=books)) == [
        ["A baseline", "", "", in_steps(sent["baseline"]), ""],
        *([row["path"][0], "", in_steps(row["delta"], True), in_steps(row["baseline"]), in_steps(row["candidate"])]
          for row in parts),
        ["B candidate", "", in_steps(sent["delta"], True), "", in_steps(sent["candidate"])],
    ]  # fmt: skip
    assert "Not shown: 1 part without time on either side." in page(ledger=books)


def test_the_waterfall_has_the_changes_at_equal_machine_speed_and_their_sum_where_they_are_known() -> None:
    shown = (columns.key("category", "", ""), *columns.AT_EQUAL_SPEED)
    table = Table("categories", "", shown, (("Kernel", 700.0, 0.01), ("Other", -50.0, 0.5), ("Memset", None, None)))
    books = ledger(Kernel=(4_000_000, 6_000_000), Other=(800_000, 500_000))
    text = page(ledger=books, tables={"categories": table})
    assert [row[-1] for row in falls(text)] == ["", "+700", "−50.0", "+650"]
    assert "Δ at equal speed (µs)" in text and "Δ at equal speed (µs)" not in page(ledger=books)


def test_a_bar_starts_where_the_one_before_ended() -> None:
    text = page(ledger=ledger(Kernel=(4_000_000, 6_000_000), Other=(800_000, 500_000)))
    rects = [
        (name, float(x), float(width))
        for name, x, width in re.findall(r'<rect class="bar-(\w+)" x="([\d.]+)%?" width="([\d.]+)%', text)
    ]
    assert [name for name, _, _ in rects] == ["a", "more", "less", "b"]
    (_, _, a), (_, more, up), (_, less, down), (_, _, b) = rects
    assert abs(a - more) < 0.02 and abs(more + up - less - down) < 0.02 and abs(less - b) < 0.02
    assert abs(up / down - 2_000_000 / 300_000) < 0.01


def test_the_step_strip_has_every_step_and_marks_excluded_ones() -> None:
    text = page(tables={"steps": steps()})
    lane_a, lane_b = re.findall(r'<div class="lane .*?</div>', text)
    assert [lane.count("h0") for lane in (lane_a, lane_b)] == [2, 3 + 1]
    heights = [float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)h0", lane_a)]
    assert heights[0] > heights[1]  # the longer step is higher up
    assert "2 of 2 steps: median 11.0 µs, 10.0 µs to 12.0 µs" in text
    assert "2 of 3 steps: median 14.5 µs, 14.0 µs to 15.0 µs" in text
    assert "1 step beyond the axis." in text


def test_labels_of_an_axis_have_as_many_decimals() -> None:
    assert [label for _, label in Axis(7.35, 8.02).ticks(4)] == ["7.4", "7.6", "7.8", "8.0"]
    assert [label for _, label in Axis(0, 8900).ticks(2.5)] == ["0", "5,000"]


def test_one_step_per_side_has_no_strip() -> None:
    table = steps()
    alone = Table("steps", "Steps", table.columns, (table.rows[0], table.rows[2]))
    assert "Step times" not in page(tables={"steps": alone})


def candidates(*rows: tuple[str, str, float, float, float]) -> str:
    """A page of candidates of (name, verdict, shift, low, high)."""
    names = [column.name for column in CANDIDATES]
    made = []
    for name, verdict, *shift in rows:
        cells = {"candidate": name, "verdict": verdict, "margin": 0.01, **dict(zip(SHIFT, shift, strict=True))}
        made.append(tuple(cells.get(column) for column in names))
    return render_table(Table("verdicts", "Candidates against a", CANDIDATES, tuple(made)), "html").decode()


def test_intervals_of_candidates_share_a_scale() -> None:
    text = candidates(("logs/x/b", "slower", 0.10, 0.05, 0.15), ("logs/x/c", "faster", -0.10, -0.15, -0.05))
    zero = {float(x) for x in re.findall(r'class="zero" x1="([\d.]+)%"', text)}
    (first, second) = (float(x) for x in re.findall(r'<circle cx="([\d.]+)%"', text))
    assert len(zero) == 1
    assert abs((first - zero.pop()) * 2 - (first - second)) < 0.05
    assert "+10.0 % [+5.00 %, +15.0 %]" in text and "−10.0 % [−15.0 %, −5.00 %]" in text
    assert [word in text for word in ('class="more"', 'class="less"')] == [True, True]


def test_candidates_omit_their_common_folders() -> None:
    text = candidates(("logs/x/b/run", "same", 0.0, 0.0, 0.0), ("logs/x/c/run", "same", 0.0, 0.0, 0.0))
    assert '<code title="logs/x/b/run">b/run</code>' in text


def test_a_name_is_short_with_the_whole_name_as_title() -> None:
    text = page()
    assert '<code title="void at::native::vectorized_elementwise_kernel&lt;4, at::native::AddFunctor' in text
    assert ">vectorized_elementwise_kernel ‹AddFunctor" in text
    assert LONG_NAME.replace("<", "&lt;").replace(">", "&gt;") in text


def test_the_report_has_no_internal_codes() -> None:
    notes = (Note(NoteCode.TABLE_ABSENT, "no nn.Module calls; record with with_stack=True", "modules_ledger"),)
    table = comparison().tables["operators"]
    read = Table("operators", "Operators", table.columns, table.rows, ("Read (docs/method/ledger.md).",))
    checks = (Check("matched", "warn", "85 % is matched; see --step-marker", ("cause", "alignment")),)
    text = page(notes=notes, tables={"operators": read}, comparability=checks)
    assert "not recorded: nn.Module calls (with_stack=True)" in text
    assert "matched work: 85 % is matched; see “step marker”" in text
    assert "less certain: the causes and the matched work" in text
    assert "see categories" not in text
    assert "docs/" not in text


def test_an_alternative_is_named_without_its_option() -> None:
    choice = Alternative("without_outliers", "without step 4", "--steps 5-9", verdict=Verdict.SAME, sentence="Same.")
    text = page(headline=headline(alternatives=(choice,)))
    assert "<li>Without step 4: Same.</li>" in text


def test_a_heading_cannot_leave_the_style_sheet() -> None:
    assert "</style>" not in cards([["</style><b>"]])
    assert cards([['"}']]).count('"') == 2


def test_five_causes_are_open_and_the_rest_folded() -> None:
    (first,) = comparison().findings
    many = tuple(replace(first, subject=f"part {at}", sentence=f"Cause {at}.") for at in range(1, 10))
    text = page(findings=many)
    shown, _, folded = text[text.index("<ol>") :].partition("<details>")
    assert re.findall(r"Cause \d", shown) == [f"Cause {at}" for at in range(1, 6)]
    assert folded.startswith('<summary>4 more</summary><ol start="6"><li>Cause 6.')
    assert re.findall(r"Cause \d", folded) == [f"Cause {at}" for at in range(6, 10)]
    assert "<details>" not in page(findings=many[:5])
    assert len(re.findall(r"Cause \d", render(comparison(findings=many), "text").decode())) == 8


def test_the_reason_for_not_comparable_is_below_the_heading() -> None:
    reason = "the candidate has no markers (--step-marker: the baseline has 'profiler'); 10 % of the calls are shared"
    report = page(headline=replace(headline(Verdict.WITHHELD), reason=reason))
    assert re.search(r"<h1[^>]*>Not comparable</h1>", report)
    assert "<p>The candidate has no markers (“step marker”: the baseline has &#x27;profiler&#x27;); 10 % of" in report
