"""Against a baseline the same document as against the run it was saved from, without the run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.baselines.saving import save
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_garbage, write_run
from tests.shared_data import SHARED, needs_shared
from tests.thorough import THOROUGH

DEMO = Path(__file__).parents[2] / "demo_logs"
PAIRS = [
    ("cpu_training/normal", "cpu_training/abnormal"),
    ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"),
    ("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate"),
    ("kernel_listing_synthetic/before.txt", "kernel_listing_synthetic/after.txt"),
    ("ncu_synthetic/before.csv", "ncu_synthetic/after.csv"),
    ("saved_answers_synthetic", "saved_answers_synthetic#2"),
    ("perf_data_synthetic/normal_perf_data", "perf_data_synthetic/abnormal_perf_data"),
]


@cache
def document(*words: str | Path) -> dict[str, Any]:
    """What a comparison is; of demo runs each is made once, of runs in a folder of the test's as well."""
    found = tb_perfcompare("diff", *words, "--format", "json")
    assert found.status == 0, found.err
    answer: dict[str, Any] = json.loads(found.out)
    return answer


def without_source(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, **{side: {**answer[side], "source": ""} for side in ("baseline", "candidate")}}


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_document_is_the_same_but_for_the_source(one: str, other: str, tmp_path: Path) -> None:
    saved = save(tmp_path, DEMO / one)
    by_file, by_run = document(saved, DEMO / other), document(DEMO / one, DEMO / other)
    assert by_file["baseline"]["source"] == str(saved)
    assert without_source(by_file) == without_source(by_run)


def test_it_can_be_the_candidate_and_both(tmp_path: Path) -> None:
    one, other = (DEMO / path for path in PAIRS[0])
    saved = save(tmp_path, other)
    assert without_source(document(one, saved)) == without_source(document(one, other))
    assert document(saved, saved)["headline"]["verdict"] == "same"


@pytest.mark.parametrize(
    "narrowed",
    [["--all-steps"], ["--span", "1", "--steps", "42-47"]]
    + [["--baseline-span", "2"], ["--baseline-steps", "43-48"]] * THOROUGH,
)
def test_it_can_be_narrowed_as_the_run_can(narrowed: list[str], tmp_path: Path) -> None:
    one, other = (DEMO / path for path in PAIRS[0])
    saved = save(tmp_path, one)
    by_file, by_run = document(saved, other, *narrowed), document(one, other, *narrowed)
    assert without_source(by_file) == without_source(by_run)


def test_it_stays_as_narrow_as_it_was_saved_unless_asked_otherwise(tmp_path: Path) -> None:
    one, other = (DEMO / path for path in PAIRS[0])
    saved = save(tmp_path, one, span="1", steps=(42, 47))
    asked = ["--baseline-span", "1", "--baseline-steps", "42-47"]
    assert without_source(document(saved, other)) == without_source(document(one, other, *asked))
    wider = document(saved, other, "--baseline-steps", "42-49")
    assert wider["baseline"]["steps"]["admitted"] == 8
    gone = tb_perfcompare("diff", saved, other, "--baseline-span", "2")
    assert (gone.status, "there are: 1" in gone.err) == (2, True)


def test_what_came_with_the_run_comes_with_the_baseline(tmp_path: Path) -> None:
    one, other = (DEMO / "gpu_training_synthetic" / name for name in ("baseline", "candidate"))
    launches = DEMO / "ncu_synthetic" / "training.csv"
    counters = Path(__file__).parents[1] / "cli" / "counters_files" / "baseline_counters_data.csv"
    saved = save(tmp_path, one, launches=str(launches), counters=str(counters))
    rest = ["--candidate-launches", str(launches)]
    with_files = document(one, other, "--baseline-launches", launches, "--baseline-counters", counters, *rest)
    found = document(saved, other, *rest)
    assert found["tables"]["bound"] == with_files["tables"]["bound"]
    assert found["tables"]["counters"] == with_files["tables"]["counters"]
    assert found["headline"] == with_files["headline"]
    assert str(counters.parent) not in json.dumps(found["notes"])


def test_the_trace_is_not_needed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2)
    other = write_run(tmp_path / "other", extra_us=500)
    before = document(run, other)
    saved = save(tmp_path / "saved", run)
    shutil.rmtree(run)
    assert without_source(document(saved, other)) == without_source(before)


def test_a_file_that_could_not_be_read_is_still_reported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    write_garbage(run)
    other = write_run(tmp_path / "other", extra_us=500)
    saved = save(tmp_path / "saved", run)
    found = document(saved, other)
    assert without_source(found) == without_source(document(run, other))
    assert any(note["code"] == "file_failed" for note in found["notes"])


def test_a_baseline_of_a_baseline_is_the_same_file(tmp_path: Path) -> None:
    saved = save(tmp_path / "a", DEMO / PAIRS[1][0])
    again = save(tmp_path / "b", saved)
    assert again.read_bytes() == saved.read_bytes()


def test_the_file_depends_on_the_run_alone(tmp_path: Path) -> None:
    run = write_run(tmp_path / "here" / "run")
    shutil.copytree(run, tmp_path / "there" / "deeper" / "run")
    files = [save(tmp_path / "x", run), save(tmp_path / "y", tmp_path / "there" / "deeper" / "run")]
    assert files[0].read_bytes() == files[1].read_bytes()
    with zipfile.ZipFile(files[0]) as archive:
        for name in archive.namelist():
            assert str(tmp_path).encode() not in archive.read(name)


def test_the_file_does_not_depend_on_the_process(tmp_path: Path) -> None:
    def saved(seed: str) -> bytes:
        words = ["baseline", "save", "main", str(DEMO / PAIRS[1][1]), "--baselines", str(tmp_path / seed)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-m", "tb_perfcompare", *words], env=environment, check=True)
        return (tmp_path / seed / "main.baseline").read_bytes()

    assert saved("1") == saved("2")


def test_every_view_of_the_run_is_one_of_the_baseline(tmp_path: Path) -> None:
    run = DEMO / PAIRS[1][0]
    saved = save(tmp_path, run)
    for view in ("overview", "steps", "kernels", "device", "environment"):
        one, other = (tb_perfcompare("view", source, "--view", view, "--csv").out for source in (run, saved))
        assert one == other != ""


def test_the_strict_report_takes_a_baseline_of_traces(tmp_path: Path) -> None:
    one, other = (DEMO / path for path in PAIRS[0])
    saved = save(tmp_path, one)
    assert tb_perfcompare("strict", saved, other).out == tb_perfcompare("strict", one, other).out != ""


def test_the_strict_report_needs_the_rows_of_a_table(tmp_path: Path) -> None:
    one, other = (DEMO / path for path in PAIRS[-1])
    found = tb_perfcompare("strict", save(tmp_path, one), other)
    assert found.status == 2
    assert "is a saved baseline of a per-cycle table, without its rows; give the table itself" in found.err


@needs_shared
@pytest.mark.parametrize(
    "run",
    ["mixed_devices/mi300/gaunernst_bert-small-uncased__1016001.json.gz", "mlu/resnet50_num_workers_0"]
    + ["hta/control.json.gz", "kineto/resnet50_num_workers_0"] * THOROUGH,
)
def test_genuine_runs_compare_as_they_do_by_their_traces(run: str, tmp_path: Path) -> None:
    source = SHARED / run
    other = DEMO / PAIRS[1][1]
    saved = save(tmp_path, source)
    assert without_source(document(saved, other)) == without_source(document(source, other))
