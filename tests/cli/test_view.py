"""`tb-perfcompare view`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.build import TraceBuilder
from tests.cli.invoke import json_of, tb_perfcompare
from tests.drawn_runs import write_run
from tests.runs.hostile_names import CONTROLS, WRITTEN_OUT, assert_no_controls, write_names


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", spans=2)


def test_the_overview_is_the_default(run: Path) -> None:
    found = tb_perfcompare("view", run)
    assert found.status == 0
    assert found.out.splitlines()[0] == "Overview"


def test_json_has_the_side_the_table_and_the_reading(run: Path) -> None:
    answer = json_of("view", run, "--view", "operators", "--span", "2", "--steps", "2-3")
    assert list(answer) == ["schema", "view", "reading", "side", "table", "notes"]
    assert (answer["schema"], answer["view"], answer["reading"]) == ("tb_perfcompare.view/1", "operators", "corrected")
    assert (answer["side"]["span"], answer["side"]["steps"]["admitted"]) == ("2", 2)
    assert "aten::mm" in [row[0] for row in answer["table"]["rows"]]


def test_csv_has_no_control_characters(tmp_path: Path) -> None:
    write_names(tmp_path, CONTROLS)
    drawn = tb_perfcompare("view", tmp_path / "normal", "--view", "operators", "--csv").out
    assert_no_controls(drawn)
    assert {*WRITTEN_OUT} <= {cell for row in csv.reader(io.StringIO(drawn, newline="")) for cell in row}


def test_csv_has_all_rows_or_the_top_ones(run: Path, tmp_path: Path) -> None:
    whole = tb_perfcompare("view", run, "--view", "steps", "--csv").out.splitlines()
    assert whole[0].startswith("side,capture,step,total_us")
    assert len(whole) == 17
    assert len(tb_perfcompare("view", run, "--view", "steps", "--csv", "--top", "2").out.splitlines()) == 3
    tb_perfcompare("view", run, "--view", "steps", "--csv", "-o", tmp_path / "steps.csv")
    assert (tmp_path / "steps.csv").read_text().splitlines() == whole


def test_compat_gives_the_answer_of_the_profiler_tab(run: Path) -> None:
    found = tb_perfcompare("view", run, "--compat", "--view", "operation/table", "--span", "1", "--json")
    assert found.status == 0
    answer = json.loads(found.out)
    assert "aten::mm" in [row["name"] for row in answer["data"]]
    by_shape = tb_perfcompare(
        "view", run, "--compat", "--view", "operation/table", "--span", "1", "--group-by", "OperationAndInputShape"
    )
    assert "input_shape" in by_shape.out


def test_compat_hides_logs_and_ignores_modules_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = TraceBuilder(vendor="cpu", whole_us=True)
    trace.op("aten::mm", 0, 100)
    trace.op("aten::add", 50, 150)  # torch-tb-profiler logs an error about it
    trace.write(tmp_path / "run/worker0.1.pt.trace.json")
    for name in ("torch_tb_profiler", "pandas"):
        (tmp_path / f"{name}.py").write_text("print('not me')\nraise SystemExit(9)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    found = tb_perfcompare("view", "run", "--compat", "--view", "operation")
    assert (found.status, found.err) == (0, "")
    assert json.loads(found.out)["host_total_time"]["rows"] == [["aten::mm", 100]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pandas.py", "run", "torch_tb_profiler.py"]


def test_an_error_of_torch_tb_profiler_names_the_file_and_a_remedy(tmp_path: Path) -> None:
    trace = TraceBuilder(vendor="cpu", whole_us=True)
    trace.step(1, 0, 0)
    trace.write(tmp_path / "worker0.1.pt.trace.json")
    found = tb_perfcompare("view", tmp_path / "worker0.1.pt.trace.json", "--compat")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"tb-perfcompare view: {tmp_path}/worker0.1.pt.trace.json: torch-tb-profiler ")
    assert found.err.endswith("its steps have no length; leave out --compat for the corrected reading\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--view", "nothing"), "there is no view 'nothing'; there are: overview, "),
        (("--compat", "--view", "overview"), "needs one worker and one span; choose from: --worker worker0 --span 1; "),
        (("--compat", "--view", "nothing", "--span", "1"), "no view 'nothing'; there are: overview, operation"),
        (("--compat", "--view", "overview", "--span", "1", "--steps", "1"), "--steps does not go with --compat"),
        (("--compat", "--view", "overview", "--span", "1", "--step-window", "marker"), "does not go with --compat"),
        (("--group-by", "Operation"), "--group-by needs --compat"),
        (("--param", "op_name=x"), "--param needs --compat"),
        (("--compat", "--span", "1", "--param", "op=x"), "is not NAME=VALUE; names: op_name"),
        (("--compat", "--span", "1", "--param", "start_ts=x", "--view", "memory"), "no memory events"),
        (("--json", "--csv"), "not allowed with argument"),
        (("--view", "communication"), "no collectives"),
    ],
)
def test_invalid_input_is_one_line(run: Path, words: tuple[str, ...], expected: str) -> None:
    found = tb_perfcompare("view", run, *words)
    assert (found.status, found.out) == (2, "")
    (line,) = found.err.splitlines()
    assert expected in line
