"""tb-perfcompare strict, as typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import Outcome, tb_perfcompare
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import ABNORMAL, NORMAL, SLOW_GPU, row, write

STRICT = "# Strict Performance Comparison: "
CROSS = "# Cross Performance Comparison: "


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("# ")]


def refused(*words: str | Path) -> str:
    """The one line of a refusal."""
    found = tb_perfcompare("strict", *words)
    assert (found.status, found.out) == (2, "")
    (line,) = found.err.splitlines()
    assert line.startswith("tb-perfcompare strict: ")
    return line


def test_every_pair_of_processes() -> None:
    found = tb_perfcompare("strict", NORMAL.parent, ABNORMAL.parent)
    assert (found.status, found.err) == (0, "")
    assert titles(found.out) == [
        f"{STRICT}slow_gpu (PID: 10)",
        f"{CROSS}slow_gpu (Normal PID:11 vs Abnormal PID:12)",
    ]
    assert found.out.endswith("**\n\n")


def test_one_process_and_two_chosen_ones() -> None:
    one = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10")
    assert titles(one.out) == [f"{STRICT}slow_gpu (PID: 10)"]
    two = tb_perfcompare("strict", NORMAL, ABNORMAL, "--normal-pid", "11", "--abnormal-pid", "10", "--name", "mine")
    assert titles(two.out) == [f"{CROSS}mine (Normal PID:11 vs Abnormal PID:10)"]
    assert "β_normal_pid_11(%)" in two.out


def test_files_in_a_folder_get_names(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    for form in ("md", "csv"):
        assert tb_perfcompare(
            "strict", SLOW_GPU, SLOW_GPU, "--name", r"Runs\slow gpu", "--format", form, "-o", folder
        ) == (Outcome(0, "", ""))
    assert sorted(path.name for path in folder.iterdir()) == [
        f"Runs_slow_gpu_{kind}_comparison.{form}" for kind in ("n_pid11_vs_a_pid12_cross", "pid10_strict")
        for form in ("csv", "md")
    ]  # fmt: skip
    printed = tb_perfcompare("strict", SLOW_GPU, SLOW_GPU, "--pid", "10", "--name", r"Runs\slow gpu").out
    assert (folder / "Runs_slow_gpu_pid10_strict_comparison.md").read_text("utf-8") == printed


def test_reports_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for job in ("a", "b"):
        for side in ("normal", "abnormal"):
            write(tmp_path / f"case/{side}_perf_data/{job}_perf_data.csv", [row()])
    tb_perfcompare("strict", tmp_path, tmp_path, "-o", tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_the_name_of_the_output_chooses_the_format(tmp_path: Path) -> None:
    target = tmp_path / "one.csv"
    assert tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "-o", target).status == 0
    assert target.read_text("utf-8").startswith("Function Name,Metric Name,Device,")


def test_several_tables_do_not_fit_one_csv() -> None:
    assert "there are 2 reports: slow_gpu pid 10; slow_gpu pid 11 against 12; choose one with --pid" in refused(
        NORMAL, ABNORMAL, "--format", "csv"
    )


def test_a_banner_is_said_only_when_asked_for() -> None:
    plain = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10")
    asked = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--banner")
    assert asked.out.endswith(plain.out)
    banner = asked.out.removesuffix(plain.out)
    assert all(not line or line.startswith(">") for line in banner.splitlines())
    assert "> - #4: 3 and 3 rows have no counter" in banner
    assert "gpu_frequency MHz × 100 (3 samples" in banner
    table = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--banner", "--format", "csv")
    assert table.out.startswith("Function Name,") and "#4: 3 and 3 rows" in table.err


def test_different_anchors_are_said_but_compared(tmp_path: Path) -> None:
    other = write(tmp_path / "b_perf_data.csv", [row(anchor_name="layer")])
    one = write(tmp_path / "a_perf_data.csv", [row()])
    found = tb_perfcompare("strict", one, other)
    assert found.status == 0 and titles(found.out)
    assert "calls of run_batch, those of the abnormal side of layer" in found.err


def test_what_is_refused(tmp_path: Path) -> None:
    assert "the normal table has no pid 12; there are: 10, 11" in refused(NORMAL, ABNORMAL, "--pid", "12")
    assert "--pid is for both sides" in refused(NORMAL, ABNORMAL, "--pid", "10", "--normal-pid", "10")
    assert "go together" in refused(NORMAL, ABNORMAL, "--normal-pid", "10")
    assert "does not exist" in refused(tmp_path / "absent", ABNORMAL)
    assert "line 2, column beta_pct: 'x' is no number" in refused(
        write(tmp_path / "a_perf_data.csv", [row(beta_pct="x")]), ABNORMAL
    )
    file = tmp_path / "file.md"
    file.touch()
    assert "cannot be a directory for 2 reports" in refused(NORMAL, ABNORMAL, "-o", file)
    assert "its directory does not exist" in refused(NORMAL, ABNORMAL, "--pid", "10", "-o", tmp_path / "no" / "r.md")
    two = tmp_path / "two"
    for job in ("a", "b"):
        for side in ("normal", "abnormal"):
            write(two / job / f"{side}_perf_data" / "r_perf_data.csv", [row()])
    assert "--name is for one case" in refused(two, two, "--name", "x")


def test_usage() -> None:
    found = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "first")
    assert found.status == 2 and "'first' is no process id" in found.err


@needs_shared
@pytest.mark.parametrize("style", ["one tree", "two folders"])
def test_the_published_cases_from_their_folders(tmp_path: Path, style: str) -> None:
    engine = SHARED / "latencyprism" / "SGLang"
    if style == "one tree":
        found = tb_perfcompare("strict", engine, engine, "-o", tmp_path / "out")
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            "SGLang_cpu_frequency_reduction_n_pid805580_vs_a_pid842126_cross_comparison.md",
            "SGLang_gpu_instability_pid944615_strict_comparison.md",
        ]
    else:
        case = engine / "gpu_instability"
        found = tb_perfcompare("strict", case / "normal_perf_data", case / "abnormal_perf_data")
        assert titles(found.out) == [f"{STRICT}gpu_instability (PID: 944615)"]
    assert found.status == 0
