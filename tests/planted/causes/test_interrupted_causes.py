"""On a machine that others use, causes come from what steps take without interruptions: those that were recorded lose
tens of milliseconds here and there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tb_perfcompare
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tests.planted.causes.test_recurring_stalls import record

BUSY = {"slices": (2, 6)}


def found(folder: Path, *, swapped: bool = False, **candidate: Any) -> Comparison:
    """A program on a busy machine, and what it became; compared once."""
    asked = repr((swapped, candidate))
    if asked not in _FOUND:
        sides = record(folder / "a", 1, **BUSY), record(folder / "b", 2, **BUSY, **candidate)
        _FOUND[asked] = tb_perfcompare.compare(*(sides[::-1] if swapped else sides))
    return _FOUND[asked]


_FOUND: dict[str, Comparison] = {}


def test_one_slower_operator_leads(tmp_path: Path) -> None:
    comparison = found(tmp_path, slower=(3,), by=2.5)
    assert (comparison.headline.verdict, comparison.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert comparison.headline.recorded is not None
    assert comparison.headline.recorded.verdict is Verdict.INCONCLUSIVE
    first = comparison.findings[0]
    assert (first.rule, first.subject, first.share) == ("operator_slower", "aten::op3", None)
    assert first.delta_us == pytest.approx(2250, rel=0.05)
    assert "aten::op3 +2.2" in first.sentence and "per step without interruptions (1." in first.sentence


def test_the_table_has_its_figures_and_adds_up(tmp_path: Path) -> None:
    comparison = found(tmp_path, slower=(3,), by=2.5)
    table = comparison.tables["without_interruptions"]
    largest, finding = table.rows[0], comparison.findings[0]
    assert largest[:2] == ("aten::op3", "CPU Exec") and largest[4] == finding.delta_us
    assert (largest[5], largest[6], largest[7]) == (1, 1, "apart")
    assert finding.evidence[0].table == "without_interruptions"
    before, after = (sum(float(row[side]) for row in table.rows) for side in (2, 3))
    program = comparison.headline.program
    assert program is not None and after / before - 1 == pytest.approx(program.estimate, abs=0.01)


def test_there_is_none_of_two_captures(tmp_path: Path) -> None:
    sides = record(tmp_path / "a", 1), record(tmp_path / "b", 2)
    for side in sides:
        min(side.iterdir()).unlink()
    assert "without_interruptions" not in tb_perfcompare.compare(*sides).tables


def test_exchanging_the_sides_negates_it(tmp_path: Path) -> None:
    there, back = (found(tmp_path / name, swapped=name == "b", slower=(3,), by=2.5).findings[0] for name in "ab")
    assert (back.rule, back.subject, back.delta_us) == ("operator_faster", there.subject, -(there.delta_us or 0))


def test_so_does_a_slower_loader(tmp_path: Path) -> None:
    first = found(tmp_path, loader_us=3000.0).findings[0]
    assert (first.rule, first.category) == ("data_loader", "DataLoader")
    assert first.delta_us == pytest.approx(2800, rel=0.05)


def test_several_operators_are_told_together(tmp_path: Path) -> None:
    first = found(tmp_path, slower=(2, 3, 5), by=1.5).findings[0]
    assert first.rule == "host_time"
    assert all(f"aten::op{number} +" in first.sentence for number in (2, 3, 5))


def test_what_recording_more_costs_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    first = found(tmp_path, slower=(2, 3, 5), by=1.5, with_stack=1).findings[0]
    assert first.rule == "profiler_overhead"
    assert "without interruptions; recording options differ: with_stack false → true" in first.sentence


def test_the_same_program_has_no_cause(tmp_path: Path) -> None:
    assert not {"operator_slower", "operator_faster", "data_loader"} & {one.rule for one in found(tmp_path).findings}
