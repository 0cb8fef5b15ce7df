"""A report says each thing once, and shows only what tells something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.headline import Alternative, Shift, Verdict
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.formats import render
from tests.render.examples import comparison, headline


def report(**changes: object) -> str:
    return " ".join(render(comparison(**changes), "text").decode().split())


def test_the_size_of_a_finding_is_told_once() -> None:
    (finding,) = comparison().findings
    unsaid = replace(finding, sentence="Waiting for the loader takes longer.")
    assert "takes longer. +46.6 ms · 120 % of the change" in report(findings=(unsaid,))
    said = replace(finding, sentence="Waiting for the loader: +46.6 ms per step.")
    assert "+46.6 ms per step. 120 % of the change" in report(findings=(said,))


@pytest.mark.parametrize(("share", "rest"), [
    (1.5, "Not explained: −250 µs (−50.0 % of the change)."), (1.05, ""), (0.95, ""),
    (0.6, "Not explained: +200 µs (40.0 % of the change)."), (None, ""),
])  # fmt: skip
def test_what_no_finding_explains_is_told(share: float | None, rest: str) -> None:
    """Of a change by 500 µs."""
    (finding,) = comparison().findings
    shown = report(findings=(replace(finding, share=share),))
    assert rest in shown and ("Not explained" in shown) == bool(rest)


def test_an_interval_that_the_reason_holds_is_not_repeated() -> None:
    shift = Shift(0.279, 0.021, 0.405, 35_300.0, 2_500.0, 51_200.0, 0.95)
    assert "typical shift +27.9 % [+2.10 %, +40.5 %] 95 % CI +35.3 ms" in report(headline=headline(shift=shift))
    reason = "typical step +27.9 % (95 % CI +2.10 to +40.5 %)"
    assert "typical shift +35.3 ms [" in report(headline=headline(shift=shift, reason=reason))


def test_choices_that_leave_the_verdict_open_are_named_only_next_to_one_that_settles_it() -> None:
    still_open = Alternative("other_window", "each step ends at the next marker", "--step-window marker",
                             verdict=Verdict.INCONCLUSIVE, sentence="Inconclusive: ...")  # fmt: skip
    settles = Alternative("after_warm_up", "without the first step", "--steps 4-8", verdict=Verdict.SLOWER,
                          sentence="Slower: typical step +9 %")  # fmt: skip
    assert "What could settle it" not in report(headline=headline(alternatives=(still_open,)))
    both = report(headline=headline(alternatives=(still_open, settles)))
    assert "--steps 4-8: Slower: typical step +9 %" in both
    assert "Still open: --step-window marker." in both


def test_why_captures_of_one_side_lie_apart_is_told_without_a_verdict_on_them() -> None:
    what, why = "the baseline's span 2 against its span 1", "Inconclusive: other processes took the CPU"
    apart = Alternative("captures_apart", what, verdict=Verdict.INCONCLUSIVE, sentence=why)
    shown = report(headline=headline(alternatives=(apart,)))
    assert f"{what.capitalize()}: other processes took the CPU" in shown


def test_a_table_ends_with_the_last_row_that_tells_something() -> None:
    """The largest category changes by 600 µs per step."""
    heads = (columns.key("name", "Name", ""), *columns.triple("", "", "Host self time"))
    rows = (("large", 10.0, 110.0, 100.0), ("small", 10.0, 16.5, 6.5), ("tiny", 10.0, 11.0, 1.0))
    shown = report(tables={"operators": Table("operators", "Operators", heads, rows)})
    assert ("small" in shown, "tiny" in shown, "1 more row:" in shown) == (True, False, True)
    assert "Operators" not in report(tables={"operators": Table("operators", "Operators", heads, rows[2:])})


def test_a_second_change_of_a_row_is_shown_where_it_differs() -> None:
    heads = (
        columns.key("name", "Name", ""), *columns.triple("", "", "Host self time"),
        *columns.triple("exposed", "Exposed", "Exposed time"),
    )  # fmt: skip

    def shown(exposed_us: float) -> bool:
        rows = (("mm", 10.0, 110.0, 100.0, 10.0, 10.0 + exposed_us, exposed_us),)
        return "Exposed" in report(tables={"operators": Table("operators", "Operators", heads, rows)})

    assert [shown(exposed_us) for exposed_us in (100.0, 99.5, 60.0)] == [False, False, True]
