"""`tb-perfcompare verdicts`: a row per candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare.workspace.queries.candidates import MAX_CANDIDATES
from tests.cli.invoke import csv_rows, json_of, tb_perfcompare
from tests.drawn_runs import write_garbage, write_run
from tests.plugin.server import Server

pytestmark = pytest.mark.usefixtures("kept_workers")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_run(tmp_path / "normal")
    write_run(tmp_path / "slow", extra_us=500)
    write_run(tmp_path / "alike")
    return tmp_path


def test_a_candidate_has_a_row_with_verdict_and_cause(runs: Path) -> None:
    slow, alike = csv_rows("verdicts", runs / "normal", runs / "slow", runs / "alike")
    assert (slow["verdict"], slow["adjusted"], slow["delta_us"]) == ("slower", "holds", "500.0")
    assert "Data loader" in slow["cause"]
    assert (alike["verdict"], alike["adjusted"], alike["caveats"]) == ("same", "", "same capture")


def test_the_figures_of_a_row_are_of_what_its_verdict_is_about() -> None:
    sides = [Path(__file__).parents[2] / "demo_logs" / "gpu_decoding" / name for name in ("normal", "abnormal")]
    (row,) = csv_rows("verdicts", *sides)
    program = json_of("diff", *sides)["headline"]["program"]
    assert row["change_of"] == "program"
    assert [float(row[name]) for name in ("shift", "low", "high", "p")] == [
        program[name] for name in ("estimate", "low", "high", "p")
    ]


def test_candidates_that_cannot_be_compared_have_a_row_and_set_the_status(runs: Path) -> None:
    write_garbage(runs / "broken")
    found = tb_perfcompare("verdicts", runs / "normal", runs / "broken", runs / "nowhere", runs / "slow")
    assert found.status == 2
    lines = found.out.splitlines()
    assert [line.split()[1:3] for line in lines[2:4]] == [["not", "compared"], ["not", "compared"]]
    assert "slower" in lines[4]


def test_json_is_the_answer_of_the_plugin(runs: Path) -> None:
    by_command = json_of("verdicts", runs / "normal", runs / "slow", runs / "alike")
    server = Server(runs)
    try:
        answer = server.json("api/verdicts", stream="0", baseline="normal", candidate_1="slow", candidate_2="alike")
    finally:
        server.close()
    assert {**answer, "rows": None} == {**by_command, "rows": None}
    for row, expected in zip(answer["rows"], by_command["rows"], strict=True):
        assert row["adjusted"] == expected["adjusted"]
        assert row["result"]["headline"] == expected["result"]["headline"]


def test_the_error_rate_of_several_comparisons_is_reported(runs: Path) -> None:
    text = " ".join(tb_perfcompare("verdicts", runs / "normal", runs / "slow", runs / "alike").out.split())
    assert "2 comparisons with one baseline: if no candidate really differed, up to 9.75 % of such tables" in text
    assert "comparisons with one baseline" not in tb_perfcompare("verdicts", runs / "normal", runs / "slow").out


def test_a_missing_baseline_is_an_error(runs: Path) -> None:
    found = tb_perfcompare("verdicts", runs / "nowhere", runs / "slow")
    assert (found.status, found.out) == (2, "")
    assert "nowhere" in found.err


def test_too_many_candidates_are_refused(runs: Path) -> None:
    found = tb_perfcompare("verdicts", runs / "normal", *[runs / "slow"] * (MAX_CANDIDATES + 1))
    assert found.status == 2 and f"at most {MAX_CANDIDATES}" in found.err


def test_the_answer_can_be_written_to_a_file(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    found = tb_perfcompare("verdicts", runs / "normal", runs / "slow", "--format", "md", "-o", out)
    assert (found.status, found.out) == (0, "")
    assert out.read_text("utf-8").startswith("### Candidates against")
