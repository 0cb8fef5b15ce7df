"""Pairing of tables and of processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_perfcompare.comparison.strict.processes import ProcessPair, all_pairs, chosen_pair
from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.sources.perf_data.table_pairs import TablePair, find_pairs


def touched(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(root: Path, *given: str) -> list[tuple[str, str]]:
    """Pairs as paths below root."""
    found = find_pairs(*(str(root / name) for name in given))
    return [(os.path.relpath(p.normal, root), os.path.relpath(p.abnormal, root)) for p in found.pairs]


def test_two_files_are_a_pair_whatever_their_names(tmp_path: Path) -> None:
    touched(tmp_path, "a_layer_perf_data.csv", "b.csv")
    assert names(tmp_path, "a_layer_perf_data.csv", "b.csv") == [("a_layer_perf_data.csv", "b.csv")]


def test_one_table_in_each_folder(tmp_path: Path) -> None:
    touched(tmp_path, "x/one_perf_data.csv", "x/one_counters_data.csv", "y/deep/two_perf_data.csv")
    assert names(tmp_path, "x", "y") == [("x/one_perf_data.csv", "y/deep/two_perf_data.csv")]


@pytest.mark.parametrize(
    ("ours", "theirs", "partner"),
    [
        ("job", ["job", "job_decode"], "job"),
        ("job", ["job_decode", "job_prefill"], "job_decode"),
        ("job_decode", ["job", "job_decode"], "job_decode"),
        ("job_decode", ["job", "job_prefill"], "job"),
        ("job_prefill", ["job", "job_decode", "job_prefill"], "job_prefill"),
        ("job_prefill", ["job", "job_decode"], None),
        ("job_layer", ["job", "job_layer"], None),
        ("job_decode_layer", ["job_decode_layer", "job"], None),
    ],
)
def test_tables_pair_by_phase(tmp_path: Path, ours: str, theirs: list[str], partner: str | None) -> None:
    """Another pair of tables makes several on each side."""
    normal, abnormal = "case/normal_perf_data/", "case/abnormal_perf_data/"
    end = "_perf_data.csv"
    touched(tmp_path, normal + "other" + end, abnormal + "other" + end, normal + ours + end)
    touched(tmp_path, *(abnormal + name + end for name in theirs))
    found = dict(names(tmp_path, "case", "case"))
    expected = None if partner is None else abnormal + partner + end
    assert found.get(normal + ours + end) == expected


def test_a_table_is_used_once_and_unpaired_ones_are_listed(tmp_path: Path) -> None:
    end = "_perf_data.csv"
    touched(tmp_path, "normal_perf_data/job" + end, "normal_perf_data/job_decode" + end, "abnormal_perf_data/job" + end)
    found = find_pairs(str(tmp_path), str(tmp_path))
    assert [Path(pair.normal).name for pair in found.pairs] == ["job" + end]
    assert [Path(path).name for path in found.unpaired] == ["job_decode" + end]


def test_a_tree_of_cases(tmp_path: Path) -> None:
    for case in ("engine/clock", "engine/memory"):
        touched(
            tmp_path, f"runs/{case}/normal_perf_data/r_perf_data.csv", f"runs/{case}/abnormal_perf_data/r_perf_data.csv"
        )
    found = find_pairs(str(tmp_path / "runs"), str(tmp_path / "runs")).pairs
    assert [pair.case for pair in found] == ["runs/engine/clock", "runs/engine/memory"]
    assert all("/normal_perf_data/" in pair.normal and "/abnormal_perf_data/" in pair.abnormal for pair in found)


def test_the_case_of_a_side_is_the_folder_above_it(tmp_path: Path) -> None:
    touched(
        tmp_path, "clock/normal_perf_data/r_decode_perf_data.csv", "clock/abnormal_perf_data/r_decode_perf_data.csv"
    )
    found = find_pairs(str(tmp_path / "clock/normal_perf_data"), str(tmp_path / "clock/abnormal_perf_data")).pairs
    assert [(pair.case, pair.phase) for pair in found] == [("clock", "_decode")]
    assert isinstance(found[0], TablePair)


def test_missing_tables_are_errors_that_name_the_place(tmp_path: Path) -> None:
    touched(
        tmp_path, "empty/readme", "x/a_perf_data.csv", "x/b_perf_data.csv", "y/c_perf_data.csv", "y/d_perf_data.csv"
    )
    touched(tmp_path, "one_sided/normal_perf_data/r_perf_data.csv")
    with pytest.raises(InputError, match="does not exist"):
        names(tmp_path, "absent", "x")
    with pytest.raises(InputError, match=r"holds no \*_perf_data\.csv file"):
        names(tmp_path, "x", "empty")
    with pytest.raises(SelectionError, match=r"a_perf_data\.csv, b_perf_data\.csv against c_perf_data\.csv"):
        names(tmp_path, "x", "y")
    with pytest.raises(InputError, match="holds only tables below normal_perf_data"):
        names(tmp_path, "one_sided", "one_sided")


def test_processes_on_both_sides_first_then_all_others_crosswise() -> None:
    assert all_pairs((1, 2, 5), (9, 2, 7)) == (
        ProcessPair(2, 2), ProcessPair(1, 7), ProcessPair(1, 9), ProcessPair(5, 7), ProcessPair(5, 9),
    )  # fmt: skip
    assert all_pairs((1,), (1, 2)) == (ProcessPair(1, 1),)
    assert ProcessPair(5, 7).labels == ("normal_pid_5", "abnormal_pid_7")


def test_an_unknown_process_is_an_error() -> None:
    with pytest.raises(SelectionError, match="the abnormal side has no pid 1; there are: 2, 3"):
        chosen_pair((1,), (3, 2), 1, 1)
