"""The summary of a GitHub job."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.gate import reports as module
from tb_perfcompare.gate.outcome import Outcome, Status, Unsure
from tb_perfcompare.gate.reports import job_summary
from tests.render.examples import NASTY_NAMES, comparison

TRIPPED = Outcome("Communication", "+5 %", Status.TRIPPED, "1 ms → 2 ms", "takes longer")
UNSURE = Outcome("step time", "+3 %", Status.CANNOT_TELL, "", "cannot tell whether it is slower")
PASSED = Outcome("Kernel", "+5 %", Status.PASSED, "1 ms → 1 ms", "fine")


def lines(*outcomes: Outcome, unsure: Unsure = Unsure.REPORT) -> list[str]:
    return job_summary(comparison(), outcomes, unsure).decode().splitlines()


def test_the_gates_come_first_in_a_table() -> None:
    found = lines(PASSED, TRIPPED, UNSURE)
    assert found[0] == "## Performance gate: failed"
    assert found[2:4] == ["| Gate | Allowed | Measured | Result |", "| --- | ---: | --- | --- |"]
    assert found[4] == "| Kernel | +5 % | 1 ms → 1 ms | ✅ passed |"
    assert found[5] == "| Communication | +5 % | 1 ms → 2 ms | ❌ failed |"
    assert found[6] == "| step time | +3 % | cannot tell whether it is slower | ❔ cannot tell |"
    assert any(line.startswith("## Slower: ") for line in found)


def test_an_undecided_gate_states_what_it_counts_as() -> None:
    assert lines(UNSURE)[0] == "## Performance gate: cannot tell"
    assert lines(UNSURE, unsure=Unsure.FAIL)[0] == "## Performance gate: failed"
    assert lines(UNSURE, unsure=Unsure.PASS)[4].endswith("❔ cannot tell, counts as passed |")


def test_without_gates_the_summary_is_the_report() -> None:
    assert lines()[0].startswith("## Slower: ")


def test_names_are_escaped_in_cells() -> None:
    nasty = [Outcome("late_rank", "none", Status.TRIPPED, name.strip() or "x", "") for name in NASTY_NAMES]
    rows = [line for line in lines(*nasty) if line.startswith("| late")]
    assert len(rows) == len(nasty)
    assert all(row.count("|") - row.count("\\|") == 5 for row in rows)
    assert not any("<script>" in row.replace("\\<", "") for row in rows)


def test_the_summary_stays_below_githubs_limit() -> None:
    table = comparison().tables["operators"]
    long = Table("operators", "Operators", table.columns, tuple(table.rows) * 50)
    found = replace(comparison(), tables={"operators": long})
    assert len(job_summary(found, (TRIPPED,), Unsure.REPORT)) < module.MAX_BYTES
    many = tuple(replace(found.notes[0], message="x" * 10_000, where=str(number)) for number in range(300))
    huge = job_summary(replace(found, notes=many), (TRIPPED,), Unsure.REPORT)
    assert len(huge) < module.MAX_BYTES
    assert huge.startswith(b"## Performance gate: failed")
