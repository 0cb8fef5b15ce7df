"""`tb-perfcompare diff`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.invoke import json_of, tb_perfcompare
from tests.drawn_runs import drawn_trace, write_garbage, write_run
from tests.render.test_wire import SCHEMA
from tests.runs.hostile_names import CONTROLS, assert_no_controls, write_names


def test_text_is_the_default_format(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", *pair)
    assert found.status == 0
    assert found.err == ""
    assert found.out.startswith("Slower in these two captures: ")
    assert "DataLoader" in found.out


def test_json_follows_the_schema_with_files_relative_to_the_source(pair: tuple[Path, Path]) -> None:
    answer = json_of("diff", *pair)
    jsonschema.validate(answer, SCHEMA)
    assert answer["baseline"]["source"] == str(pair[0])
    (file,) = answer["baseline"]["files"]
    assert file["path"] == "worker0.1700000000001.pt.trace.json"
    assert len(file["sha256"]) == 64
    assert answer["headline"]["verdict"] == "slower"
    assert answer["headline"]["delta"] == pytest.approx(500)
    rows = answer["ledger"]["rows"]
    assert sum(row["delta"] for row in rows if len(row["path"]) == 1) == answer["ledger"]["delta"]


def test_csv_has_no_control_characters(tmp_path: Path) -> None:
    write_names(tmp_path, CONTROLS)
    sides = tmp_path / "normal", tmp_path / "abnormal"
    for table in ("ledger", "operators", "kernels", "alignment"):
        drawn = tb_perfcompare("diff", *sides, "--format", "csv", "--table", table).out
        assert_no_controls(drawn)
        assert r"nul\x00nul" in drawn


def test_json_and_csv_have_the_same_cells(pair: tuple[Path, Path]) -> None:
    table = json_of("diff", *pair)["tables"]["operators"]
    rows = list(csv.reader(io.StringIO(tb_perfcompare("diff", *pair, "--format", "csv", "--table", "operators").out)))
    assert rows[0] == [column["name"] for column in table["columns"]]
    assert [[None if cell == "" else cell for cell in row] for row in rows[1:]] == [
        [None if cell is None or cell == "" else str(cell) for cell in row] for row in table["rows"]
    ]


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.md", "## Slower"), ("a.csv", "category,"), ("a.json", "{"), ("a.html", "<!DOCTYPE"), ("a.log", "Slower")],
)
def test_the_extension_of_the_output_file_sets_the_format(
    pair: tuple[Path, Path], tmp_path: Path, name: str, start: str
) -> None:
    found = tb_perfcompare("diff", *pair, "-o", tmp_path / name)
    assert (found.status, found.out, found.err) == (0, "", "")
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_the_format_option_overrides_the_extension(pair: tuple[Path, Path], tmp_path: Path) -> None:
    tb_perfcompare("diff", *pair, "--format", "json", "-o", tmp_path / "a.md")
    assert json.loads((tmp_path / "a.md").read_text("utf-8"))["schema"] == "tb_perfcompare.comparison/1"


def test_options_of_one_side_override_those_of_both(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2)
    write_run(tmp_path / "run", worker="worker1")
    both = ("--worker", "worker0", "--span", "1", "--steps", "2-5")
    answer = json_of("diff", run, run, *both, "--candidate-span", "2", "--baseline-steps", "2-3")
    assert (answer["baseline"]["span"], answer["candidate"]["span"]) == ("1", "2")
    assert (answer["baseline"]["worker"], answer["candidate"]["worker"]) == ("worker0", "worker0")
    assert answer["headline"]["n"] == [2, 4]
    assert answer["baseline"]["steps"]["count"] == 8


def test_single_files_of_any_name_can_be_compared(tmp_path: Path) -> None:
    one = drawn_trace().write(tmp_path / "before.json.gz")
    other = drawn_trace(extra_us=300).write(tmp_path / "after.json")
    assert tb_perfcompare("diff", one, other).out.startswith("Slower")


def test_the_step_window_can_be_chosen(pair: tuple[Path, Path]) -> None:
    answer = json_of("diff", *pair, "--step-window", "marker")
    assert answer["window"] == "marker"


def test_the_table_and_its_length_can_be_chosen(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", *pair, "--table", "steps", "--top", "3")
    assert found.out.splitlines()[0] == "Steps"
    assert "13 more rows" in found.out


def test_a_run_against_itself_is_the_same_and_passes_the_gate(pair: tuple[Path, Path]) -> None:
    found = tb_perfcompare("diff", pair[0], pair[0], "--fail-if-slower", "0%", "--steps", "1")
    assert found.out.startswith("Same")
    assert found.status == 0


def test_a_broken_file_of_a_run_is_left_out_with_a_note(pair: tuple[Path, Path]) -> None:
    write_garbage(pair[0])
    found = tb_perfcompare("diff", *pair)
    assert found.status == 0
    assert "left out: byte 0: not JSON" in found.out


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
        (("{normal}", "{abnormal}", "--form", "json"), "--form json; did you mean '--format'? See"),
    ],
)
def test_invalid_input_is_status_2_with_one_line_and_a_remedy(
    pair: tuple[Path, Path], tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    names = {
        "normal": pair[0], "abnormal": pair[1], "logdir": tmp_path, "missing": tmp_path / "missing",
        "garbage": write_garbage(tmp_path / "elsewhere" / "deep"),
    }  # fmt: skip
    found = tb_perfcompare("diff", *(word.format(**names) for word in words))
    assert found.status == 2
    assert found.out == ""
    (line,) = found.err.splitlines()
    assert line.startswith("tb-perfcompare diff: ")
    assert expected in line
    assert "Traceback" not in line


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_runs_of_one_name_are_shown_with_the_differing_part_of_their_paths(tmp_path: Path, form: str) -> None:
    for place in ("monday", "friday"):
        write_run(tmp_path / place / "resnet", extra_us=100 if place == "friday" else 0)
    text = tb_perfcompare("diff", tmp_path / "monday" / "resnet", tmp_path / "friday" / "resnet", "--format", form).out
    assert "monday/resnet · worker" in text and "friday/resnet · worker" in text
    assert str(tmp_path) not in text
