"""The command tb-perfcompare strict."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path

import pytest

from tb_perfcompare.render.widths import display_width
from tests.cli.invoke import Outcome, tb_perfcompare
from tests.drawn_runs import write_pair, write_run
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import ABNORMAL, NORMAL, SLOW_GPU, row, write

STRICT = "# Strict Performance Comparison: "
CROSS = "# Cross Performance Comparison: "


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("# ")]


def refused(*words: str | Path) -> str:
    """The error line of a refused command."""
    found = tb_perfcompare("strict", *words)
    assert (found.status, found.out) == (2, "")
    (line,) = found.err.splitlines()
    assert line.startswith("tb-perfcompare strict: ")
    return line


def test_every_pair_of_processes_has_a_report() -> None:
    found = tb_perfcompare("strict", NORMAL.parent, ABNORMAL.parent)
    assert (found.status, found.err) == (0, "")
    assert titles(found.out) == [f"{STRICT}slow_gpu (PID: 10)", f"{CROSS}slow_gpu (Normal PID:11 vs Abnormal PID:12)"]
    assert found.out.endswith("**\n\n")


@pytest.mark.parametrize("method", ["published", "corrected"])
def test_on_a_terminal_every_line_fits_and_a_pipe_gets_the_published_text(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    words = ("strict", NORMAL, ABNORMAL, "--pid", "10", "--method", method)
    shown = tb_perfcompare(*words, screen=True).out
    assert max(map(display_width, shown.splitlines())) <= 80
    assert "|" not in shown and "(us)" not in shown
    assert tb_perfcompare(*words, "--format", "md", screen=True) == tb_perfcompare(*words)


def test_text_has_the_sentences_of_the_published_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    published = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10").out
    shown = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--format", "text").out
    for line in ("Suspicion Score", "High-level performance summary", "Total cycles", "Average cycle time"):
        assert line in shown
    overview = next(line for line in published.splitlines() if "appears to be driven by" in line)
    assert " ".join(re.sub(r"[*`]", "", overview).split()) in " ".join(shown.split())


def test_pid_chooses_one_process_or_one_pair() -> None:
    one = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10")
    assert titles(one.out) == [f"{STRICT}slow_gpu (PID: 10)"]
    two = tb_perfcompare("strict", NORMAL, ABNORMAL, "--normal-pid", "11", "--abnormal-pid", "10", "--name", "mine")
    assert titles(two.out) == [f"{CROSS}mine (Normal PID:11 vs Abnormal PID:10)"]
    assert "β_normal_pid_11(%)" in two.out


def test_reports_in_a_folder_are_named_by_case_and_process(tmp_path: Path) -> None:
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


def test_the_banner_is_printed_only_on_request() -> None:
    plain = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10")
    asked = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--banner")
    assert asked.out.endswith(plain.out)
    banner = asked.out.removesuffix(plain.out)
    assert all(not line or line.startswith(">") for line in banner.splitlines())
    assert "> - #4: 3 and 3 rows have no counter" in banner
    assert "gpu_frequency MHz × 100 (3 samples" in banner
    table = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--banner", "--format", "csv")
    assert table.out.startswith("Function Name,") and "#4: 3 and 3 rows" in table.err


def test_different_anchors_are_compared_with_a_note(tmp_path: Path) -> None:
    other = write(tmp_path / "b_perf_data.csv", [row(anchor_name="layer")])
    one = write(tmp_path / "a_perf_data.csv", [row()])
    found = tb_perfcompare("strict", one, other)
    assert found.status == 0 and titles(found.out)
    assert "calls of run_batch, those of the abnormal side of layer" in found.err


def test_invalid_arguments_are_refused_with_a_reason(tmp_path: Path) -> None:
    assert "the normal side has no pid 12; there are: 10, 11" in refused(NORMAL, ABNORMAL, "--pid", "12")
    assert "--pid is for both sides" in refused(NORMAL, ABNORMAL, "--pid", "10", "--normal-pid", "10")
    assert "go together" in refused(NORMAL, ABNORMAL, "--normal-pid", "10")
    assert "does not exist" in refused(tmp_path / "absent", ABNORMAL)
    assert "line 2, column beta_pct: 'x' is not a number" in refused(
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


def test_a_process_without_a_partner_is_named(tmp_path: Path) -> None:
    one = write(tmp_path / "a_perf_data.csv", [row()])
    two = write(tmp_path / "b_perf_data.csv", [row(), row(pid=11)])
    found = tb_perfcompare("strict", one, two, "--name", "case")
    assert titles(found.out) == [f"{STRICT}case (PID: 10)"]
    assert found.err == "note: case: only on the abnormal side, in no report: pid 11\n"
    assert tb_perfcompare("strict", one, two, "--pid", "10").err == ""


def test_compressed_tables_are_found_in_folders(tmp_path: Path) -> None:
    for side, table in (("normal", NORMAL), ("abnormal", ABNORMAL)):
        path = tmp_path / "slow_gpu" / f"{side}_perf_data" / "toy_perf_data.csv.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(table.read_bytes()))
    folders = tmp_path / "slow_gpu", SLOW_GPU
    packed, plain = (tb_perfcompare("strict", folder, folder, "--pid", "10") for folder in folders)
    assert packed == plain


# -- the corrected method -------------------------------------------------------------------------------------------


def test_the_corrected_report_is_the_comparison_of_the_same_processes() -> None:
    """Process 10: 3 cycles per side, including the function without a counter."""
    found = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--method", "corrected")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("## ") and "· 3 cycles" in found.out
    functions = tb_perfcompare(
        "strict", NORMAL, ABNORMAL, "--pid", "10", "--method", "corrected", "--table", "functions", "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(functions.out)))
    copy, sync = ({row["name"]: row for row in rows}[name] for name in ("copy", "cudaStreamSynchronize"))
    assert (copy["status"], copy["baseline_us"]) == ("added", "")
    assert round(float(sync["delta_us"]), 1) == 93.5
    other = tb_perfcompare("strict", NORMAL, ABNORMAL, "--normal-pid", "11", "--abnormal-pid", "12", "--method",
                           "corrected", "--table", "functions", "--format", "csv")  # fmt: skip
    assert [row["name"] for row in csv.DictReader(io.StringIO(other.out))] == ["gemm<64, 64>"]


def test_the_corrected_report_follows_the_rules_of_several_pairs(tmp_path: Path) -> None:
    several = tb_perfcompare("strict", NORMAL, ABNORMAL, "--method", "corrected")
    assert several.out.count("· 3 cycles") + several.out.count("· 2 cycles") == 4
    assert "there are 2 reports" in refused(NORMAL, ABNORMAL, "--method", "corrected", "--format", "csv")
    assert tb_perfcompare("strict", NORMAL, ABNORMAL, "--method", "corrected", "-o", tmp_path / "out").status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "slow_gpu_n_pid11_vs_a_pid12_corrected_comparison.md", "slow_gpu_pid10_corrected_comparison.md",
    ]  # fmt: skip


def test_the_corrected_report_of_traces_is_that_of_diff(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    write_run(normal, worker="worker1")
    found = tb_perfcompare("strict", normal, abnormal, "--method", "corrected", "--format", "csv", "--pid", "0")
    diff = tb_perfcompare("diff", normal, abnormal, "--worker", "worker0", "--format", "csv")
    assert (found.status, found.out) == (0, diff.out)


def test_options_of_the_other_method_are_refused() -> None:
    assert "--table is for --method corrected" in refused(NORMAL, ABNORMAL, "--table", "ledger")
    assert "--banner is about the published method" in refused(NORMAL, ABNORMAL, "--method", "corrected", "--banner")
    assert "--normal-counters is for traces" in refused(NORMAL, ABNORMAL, "--normal-counters", NORMAL)


_NUMBER = "'fast' is not a number; write the table"
_TWICE = "line 1: names the column cycle more than once; leave one of them out"
_WIDTH = "line 3: has 2 cells where the first line has 16: the file ends here; copy it again"
BAD = {
    "empty": (b"", "is empty; "),
    "no rows": (b"HEADER\n", "has a header but no rows; record again or give another file"),
    "a column less": (b"cycle,pid\n1,2\n", "line 1: has no column beta_pct, function_name"),
    "a text for a number": (b"HEADER\nROW\n1,10,fast,ROW3\n", f"line 3, column beta_pct: {_NUMBER}"),
    "an empty number": (b"HEADER\n1,10,,ROW3\n", "line 2, column beta_pct: the cell is empty but must be a number; "),
    "a column twice": (b"HEADER,cycle\nROW,1\n", _TWICE),
    "half a line": (b"HEADER\nROW\n1,10\n", _WIDTH),
    "an open quote": (b'HEADER\n1,10,"2', "line 2: is not valid CSV"),
    "not text": (b"\xff\xfe\x00", "is not UTF-8; convert it to UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_table_is_named_with_line_and_remedy(tmp_path: Path, case: str) -> None:
    good = write(tmp_path / "good_perf_data.csv", [row()])
    header, line = good.read_bytes().splitlines()
    content, words = BAD[case]
    content = content.replace(b"HEADER", header).replace(b"ROW3", line.split(b",", 3)[3]).replace(b"ROW", line)
    bad = tmp_path / "bad_perf_data.csv"
    bad.write_bytes(content)
    for sides in ((bad, good), (good, bad)):
        message = refused(*sides)
        assert f"{bad}: " in message and words in message
        assert message.partition("; ")[2], "the remedy"


def test_a_pid_that_is_not_a_number_is_refused() -> None:
    found = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "first")
    assert found.status == 2 and "'first' is not a process ID" in found.err


@needs_shared
@pytest.mark.parametrize("style", ["one tree", "two folders"])
def test_the_published_cases_are_found_in_their_folders(tmp_path: Path, style: str) -> None:
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
