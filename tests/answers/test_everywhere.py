"""Saved answers in log directories, on the command line and in the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_perfcompare import compare, open_logdir
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.sources.discover import find_runs, parse_source
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.listing.index import Index, Root
from tests.answers.saved import kernels, operators, overview, write
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run

GEMM = kernels(("gemm", "No", 2, 40, 20, 25, 15))


def write_two(path: Path) -> Path:
    return write(path, overview({"CPU Exec": 900}, labels=["0"]), GEMM, overview({"CPU Exec": 700}, labels=["0"]), GEMM)


def run_names(root: Path) -> list[str]:
    return [run.name for run in find_runs(str(root)).runs]


def test_a_directory_with_a_file_of_answers_is_a_run(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "one" / "x.jsonl", overview({"CPU Exec": 9}))
    write(tmp_path / "logs" / "ndjson" / "x.ndjson", overview({"CPU Exec": 9}))
    write(tmp_path / "logs" / "json" / "x.json", overview({"CPU Exec": 9}))
    write_two(tmp_path / "logs" / "two" / "x.jsonl")
    write(tmp_path / "logs" / "other" / "metrics.jsonl", {"loss": 1})
    assert run_names(tmp_path / "logs") == ["json", "ndjson", "one", "two#1", "two#2"]
    assert run_names(tmp_path / "logs" / "two") == ["two#1", "two#2"]


def test_several_files_or_a_file_next_to_traces_keep_their_names(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "run")
    write(tmp_path / "logs" / "run" / "saved.jsonl", overview({"CPU Exec": 9}))
    write(tmp_path / "logs" / "a.jsonl", overview({"CPU Exec": 9}))
    write_two(tmp_path / "logs" / "b.jsonl")
    assert run_names(tmp_path / "logs") == ["a.jsonl", "b.jsonl#1", "b.jsonl#2", "run", "run/saved.jsonl"]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", overview({"CPU Exec": 9}))
    assert run_names(tmp_path) == [tmp_path.name]
    write_two(path)
    assert run_names(tmp_path) == [f"{tmp_path.name}#1", f"{tmp_path.name}#2"]


def test_the_runs_of_one_file_are_a_pair(tmp_path: Path) -> None:
    write_two(tmp_path / "two" / "x.jsonl")
    (pair,) = Index([Root(str(tmp_path))]).listing().pairs
    assert (pair.baseline.run, pair.candidate.run) == ("two#1", "two#2")


@pytest.mark.parametrize("given", ["two/x.jsonl#2", "two#2"])
def test_a_number_chooses_the_run_of_a_file(tmp_path: Path, given: str) -> None:
    write_two(tmp_path / "two" / "x.jsonl")
    (file,) = side_from_path(str(tmp_path / given), None, None).files
    assert (file.run, file.part, file.worker) == (given.rpartition("/")[2], 2, "answers")
    assert file.shown.endswith("two/x.jsonl#2" if "x.jsonl" in given else "two/x.jsonl")
    (first,) = side_from_path(str(tmp_path / given.removesuffix("#2")), None, None).files
    assert first.part == 1


def test_an_unknown_number_is_an_error_with_the_known_ones(tmp_path: Path) -> None:
    path = write_two(tmp_path / "x.jsonl")
    with pytest.raises(SelectionError, match=r"there is no run number 3; there are: x.jsonl#1, x.jsonl#2"):
        parse_source(f"{path}#3")
    with pytest.raises(SelectionError, match="there is no run number 2; there are: run"):
        parse_source(f"{write_run(tmp_path / 'run')}#2")
    with pytest.raises(InputError, match="No such file"):
        parse_source(str(tmp_path / "missing.jsonl#2"))


def test_a_directory_with_a_number_sign_in_its_name_is_found(tmp_path: Path) -> None:
    write_run(tmp_path / "run#2")
    assert parse_source(str(tmp_path / "run#2")).name == "run#2"


def test_diff_and_runs_and_view_on_the_command_line(tmp_path: Path) -> None:
    path = write_two(tmp_path / "logs" / "x.jsonl")
    write_run(tmp_path / "logs" / "run")
    answer = json.loads(tb_perfcompare("diff", path, f"{path}#2", "--format", "json").out)
    assert answer["headline"]["delta"] == -200.0
    assert answer["baseline"]["format"] == "profiler_answers"
    assert answer["baseline"]["files"][0]["path"] == "x.jsonl"
    listed = tb_perfcompare("runs", tmp_path / "logs").out
    assert listed.count("saved torch-tb-profiler answers") == 2
    assert "torch.profiler trace" in listed
    assert tb_perfcompare("view", f"{path}#2", "--view", "kernels", "--csv").out.splitlines()[1].startswith("gemm,2")
    stored = tb_perfcompare("view", f"{path}#2", "--compat", "--view", "kernel/table").out
    assert json.loads(stored) == GEMM
    refused = tb_perfcompare("view", path, "--compat", "--view", "memory")
    assert (refused.status, refused.out) == (2, "")
    assert "not among the saved ones; there are: overview, kernel/table" in refused.err


def test_totals_are_refused_for_selected_steps(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", overview({"CPU Exec": 9}, {"CPU Exec": 8}), GEMM)
    assert "outside steps 3-3" in tb_perfcompare("view", path, "--view", "steps", "--steps", "3").out
    refused = tb_perfcompare("view", path, "--view", "kernels", "--steps", "3")
    assert "saved answers hold totals over all steps only" in refused.err


def test_partial_answers_open(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", operators({"name": "mm", "calls": 1, "host": 12}))
    two = write(tmp_path / "b.jsonl", operators({"name": "mm", "calls": 1, "host": 15}))
    assert "mm" in tb_perfcompare("diff", one, two).out
    assert "none marked" in tb_perfcompare("runs", tmp_path).out
    for form in ("text", "md", "html", "json"):
        assert tb_perfcompare("diff", one, two, "--format", form).status == 0, form


def test_the_python_api_takes_answers(tmp_path: Path) -> None:
    path = write_two(tmp_path / "two" / "x.jsonl")
    assert compare(path, f"{path}#2").headline.delta == -200.0
    workspace = open_logdir(tmp_path)
    try:
        summary = workspace.load(workspace.side(Selection("two#2")))
    finally:
        workspace.close()
    assert summary.steps.total_ns.tolist() == [700_000]


@pytest.mark.parametrize("content", [b"\x00\xff" * 1000, b"[" * 100_000, b'{"loss": 1}\n', b""])
def test_other_lines_are_refused_with_the_reason_of_the_nearest_reader(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    refused = tb_perfcompare("view", path)
    assert refused.status == 2
    assert "not saved torch-tb-profiler answers: " in refused.err and len(refused.err) < 300
    assert run_names(tmp_path) == []


def test_a_file_given_by_name_needs_no_ending(tmp_path: Path) -> None:
    path = write_two(tmp_path / "saved")
    assert parse_source(f"{path}#2").name == "saved#2"
    assert run_names(tmp_path) == []


def test_errors_name_the_file_as_it_was_given(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", overview())
    failed = tb_perfcompare("view", path)
    assert failed.status == 2
    assert str(path) in failed.err and "line 1, overview: no steps" in failed.err
