"""`tb-perfcompare diff`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import drawn_trace, write_garbage, write_pair, write_run
from tests.hostile_names import CONTROLS, assert_no_controls, write_names
from tests.render.test_wire import SCHEMA


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return write_pair(tmp_path)


def test_text_is_the_default_and_standard_output_holds_the_answer_alone(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", *pair)
    assert found.status == 0
    assert found.err == ""
    assert found.out.startswith("Slower in these two captures: ")
    assert "DataLoader" in found.out


def test_json_follows_the_schema_and_names_files_relative_to_the_source(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", *pair, "--format", "json")
    answer = json.loads(found.out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["baseline"]["source"] == str(pair[0])
    (file,) = answer["baseline"]["files"]
    assert file["path"] == "worker0.1700000000001.pt.trace.json"
    assert len(file["sha256"]) == 64
    assert answer["headline"]["verdict"] == "slower"
    assert answer["headline"]["delta"] == pytest.approx(500)
    rows = answer["ledger"]["rows"]
    assert sum(row["delta"] for row in rows if len(row["path"]) == 1) == answer["ledger"]["delta"]


def test_csv_holds_no_control_characters(tmp_path: Path) -> None:
    write_names(tmp_path, CONTROLS)
    sides = tmp_path / "normal", tmp_path / "abnormal"
    for table in ("ledger", "operators", "kernels", "alignment"):
        drawn = tb_perfcompare("diff", *sides, "--format", "csv", "--table", table).out
        assert_no_controls(drawn)
        assert r"nul\x00nul" in drawn


def test_json_and_csv_hold_the_same_numbers(pair: tuple[Path, Path]) -> None:
    table = json.loads(tb_perfcompare("diff", *pair, "--format", "json").out)["tables"]["operators"]
    rows = list(csv.reader(io.StringIO(tb_perfcompare("diff", *pair, "--format", "csv", "--table", "operators").out)))
    assert rows[0] == [column["name"] for column in table["columns"]]
    assert [[None if cell == "" else cell for cell in row] for row in rows[1:]] == [
        [None if cell is None or cell == "" else str(cell) for cell in row] for row in table["rows"]
    ]


def test_swapping_the_sides_negates_the_delta(pair: tuple[Path, Path]) -> None:
    one, other = (
        json.loads(tb_perfcompare("diff", *sides, "--format", "json").out) for sides in (pair, reversed(pair))
    )
    assert one["ledger"]["delta"] == -other["ledger"]["delta"]
    assert other["headline"]["verdict"] == "faster"


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.md", "## Slower"), ("a.csv", "category,"), ("a.json", "{"), ("a.html", "<!DOCTYPE"), ("a.log", "Slower")],
)
def test_output_goes_to_a_file_in_the_format_of_its_name(
    pair: tuple[Path, Path], tmp_path: Path, name: str, start: str
) -> None:
    found = tb_perfcompare("diff", *pair, "-o", tmp_path / name)
    assert (found.status, found.out, found.err) == (0, "", "")
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_format_wins_over_the_name_of_the_file(pair: tuple[Path, Path], tmp_path: Path) -> None:
    tb_perfcompare("diff", *pair, "--format", "json", "-o", tmp_path / "a.md")
    assert json.loads((tmp_path / "a.md").read_text("utf-8"))["schema"] == "tb_perfcompare.comparison/1"


def test_one_side_options_win_over_those_for_both(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2)
    write_run(tmp_path / "run", worker="worker1")
    found = tb_perfcompare(
        "diff", run, run, "--worker", "worker0", "--span", "1", "--candidate-span", "2", "--steps", "2-5",
        "--baseline-steps", "2-3", "--format", "json",
    )  # fmt: skip
    answer = json.loads(found.out)
    assert (answer["baseline"]["span"], answer["candidate"]["span"]) == ("1", "2")
    assert (answer["baseline"]["worker"], answer["candidate"]["worker"]) == ("worker0", "worker0")
    assert answer["headline"]["n"] == [2, 4]
    assert answer["baseline"]["steps"]["count"] == 8


def test_single_files_of_any_name_can_be_compared(tmp_path: Path) -> None:
    one = drawn_trace().write(tmp_path / "before.json.gz")
    other = drawn_trace(extra_us=300).write(tmp_path / "after.json")
    assert tb_perfcompare("diff", one, other).out.startswith("Slower")


def test_step_window_marker_is_another_reading(pair: tuple[Path, Path]) -> None:
    answer = json.loads(tb_perfcompare("diff", *pair, "--step-window", "marker", "--format", "json").out)
    assert answer["window"] == "marker"


def test_a_table_and_its_length_can_be_chosen(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", *pair, "--table", "steps", "--top", "3")
    assert found.out.splitlines()[0] == "Steps"
    assert "13 more rows" in found.out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--fail-if-slower", "3%"), 1),
        (("--fail-if-slower", "80%"), 0),
        (("--fail-if-slower", "3%", "--steps", "1"), 3),
    ],
)
def test_the_gate_says_its_verdict_in_the_exit_status(
    pair: tuple[Path, Path], words: tuple[str, ...], status: int
) -> None:
    found = tb_perfcompare("diff", *pair, *words, "--format", "json")
    assert found.status == status
    json.loads(found.out)
    (line,) = found.err.splitlines()
    assert line.startswith(("gate: passed", "gate: tripped", "gate: cannot tell")[{0: 0, 1: 1, 3: 2}[status]])


def test_a_run_against_itself_is_the_same_and_passes(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", pair[0], pair[0], "--fail-if-slower", "0%", "--steps", "1")
    assert found.out.startswith("Same")
    assert found.status == 0


def test_a_broken_file_beside_good_ones_is_a_caveat(pair: tuple[Path, Path]) -> None:
    write_garbage(pair[0])
    found = tb_perfcompare("diff", *pair)
    assert found.status == 0
    assert "left out: byte 0: not JSON" in found.out


def _garbage(folder: Path) -> str:
    return str(write_garbage(folder))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "arguments are required: BASELINE, CANDIDATE"),
        (("{normal}",), "arguments are required: CANDIDATE"),
        (("{normal}", "{missing}"), "missing: No such file or directory; check the path"),
        (("{normal}", "{garbage}"), "byte 0: not JSON; give a trace written by torch.profiler"),
        (("{normal}", "{logdir}"), "is not a run but holds runs: abnormal, "),
        (("{normal}", "{abnormal}", "--worker", "w7"), "called 'w7'; "),
        (("{normal}", "{abnormal}", "--span", "7"), "called '7'; there are: 1"),
        (("{normal}", "{abnormal}", "--steps", "90-95"), "no step between 90 and 95; there are: 1, 2"),
        (("{normal}", "{abnormal}", "--steps", "5-3"), "give the smaller number first"),
        (("{normal}", "{abnormal}", "--table", "nothing"), "has no table 'nothing'; there are: ledger"),
        (("{normal}", "{abnormal}", "--format", "xlsx"), "invalid choice: 'xlsx'"),
        (("{normal}", "{abnormal}", "--step-window", "wall"), "invalid choice: 'wall'"),
        (("{normal}", "{abnormal}", "--top", "0"), "not a whole number of at least 1"),
        (("{normal}", "{abnormal}", "--fail-if-slower", "3"), "is not a limit; give a percentage or a time"),
        (("{normal}", "{abnormal}", "-o", "{missing}/a.md"), "its directory does not exist"),
        (("{normal}", "{abnormal}", "-o", "{logdir}"), "is a directory"),
        (("{normal}", "{abnormal}", "--frobnicate"), "unrecognized arguments: --frobnicate"),
        (("{normal}", "{abnormal}", "--form", "json"), "unrecognized arguments"),
    ],
)
def test_bad_input_is_status_2_and_one_line_with_a_remedy(
    pair: tuple[Path, Path], tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    names = {
        "normal": pair[0], "abnormal": pair[1], "logdir": tmp_path, "missing": tmp_path / "missing",
        "garbage": _garbage(tmp_path / "elsewhere" / "deep"),
    }  # fmt: skip
    found = tb_perfcompare("diff", *(word.format(**names) for word in words))
    assert found.status == 2
    assert found.out == ""
    (line,) = found.err.splitlines()
    assert line.startswith("tb-perfcompare diff: ")
    assert expected in line
    assert "Traceback" not in line


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_runs_of_one_name_are_shown_from_where_their_paths_differ(tmp_path: Path, form: str) -> None:
    for place in ("monday", "friday"):
        write_run(tmp_path / place / "resnet", extra_us=100 if place == "friday" else 0)
    text = tb_perfcompare("diff", tmp_path / "monday" / "resnet", tmp_path / "friday" / "resnet", "--format", form).out
    assert "monday/resnet · worker" in text and "friday/resnet · worker" in text
    assert str(tmp_path) not in text
