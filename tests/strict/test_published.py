"""The published reports, cell for cell and line for line.

Their order of rows with equal scores depended on the processor. Both reports are sorted before comparing: rows by
(function, counter, device), the counters of a finding by name.
"""

from __future__ import annotations

import csv
import io
from functools import cache
from pathlib import Path

import pytest

from tb_perfcompare.comparison.strict.processes import ProcessPair, all_pairs
from tb_perfcompare.comparison.strict.report import StrictReport, strict_report
from tb_perfcompare.render.strict.report import report_title, strict_markdown
from tb_perfcompare.render.strict.tables import strict_csv
from tb_perfcompare.sources.perf_data.csv_tables import read_perf_data
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared

FOLDER = SHARED / "latencyprism"
CASES = {
    "SGLang/gpu_instability": "pid944615_strict_comparison",
    "SGLang/cpu_frequency_reduction": "n_pid805580_vs_a_pid842126_cross_comparison",
    "vLLM/gpu_instability": "pid1571875_strict_comparison",
}
TRIPLETS = {"SGLang/gpu_instability": 264, "SGLang/cpu_frequency_reduction": 264, "vLLM/gpu_instability": 303}
SEED = SHARED / "seeds" / "strict_comparison_sglang_gpu_instability.md"


@cache
def compared(case: str) -> tuple[StrictReport, ProcessPair]:
    normal, abnormal = (
        read_perf_data(str(FOLDER / case / f"{side}_perf_data" / "result_perf_data.csv"))
        for side in ("normal", "abnormal")
    )
    (pair,) = all_pairs(normal.pids(), abnormal.pids())
    return strict_report(normal.of_pid(pair.normal), abnormal.of_pid(pair.abnormal), pair.labels), pair


def markdown(case: str) -> str:
    report, pair = compared(case)
    return strict_markdown(report, report_title("Processed\\" + case.replace("/", "\\"), pair))


def published(case: str, suffix: str) -> str:
    name = f"Processed_{case.replace('/', '_')}_{CASES[case]}.{suffix}"
    return Path(FOLDER / "reports" / name).read_bytes().decode("utf-8").replace("\r\n", "\n")


def normalized(text: str) -> list[str]:
    """Lines with sorted runs of detailed rows and of counters."""
    lines, run, kind = list[str](), list[str](), ""
    detailed = False
    for line in [*text.split("\n"), ""]:
        detailed |= line.startswith("### Detailed")
        now = "counter" if line.startswith("    - **`") else "row" if detailed and line.startswith("| ") else ""
        if now != kind:
            lines += sorted(run)
            run, kind = [], now
        run.append(line)
    return lines + sorted(run)


@pytest.mark.parametrize("case", CASES)
def test_every_cell_of_the_csv(case: str) -> None:
    ours = list(csv.reader(io.StringIO(strict_csv(compared(case)[0]))))
    theirs = list(csv.reader(io.StringIO(published(case, "csv"))))
    assert ours[0] == theirs[0]
    assert len(ours) == len(theirs) == TRIPLETS[case] + 1
    assert sorted(ours[1:]) == sorted(theirs[1:])


@pytest.mark.parametrize("case", CASES)
def test_every_line_of_the_markdown(case: str) -> None:
    ours, theirs = markdown(case), published(case, "md")
    assert len(ours) == len(theirs)
    assert normalized(ours) == normalized(theirs)


@pytest.mark.parametrize("case", CASES)
def test_rows_differ_in_place_only_where_scores_are_equal(case: str) -> None:
    ours = list(csv.reader(io.StringIO(strict_csv(compared(case)[0]))))
    theirs = list(csv.reader(io.StringIO(published(case, "csv"))))
    assert [row[3] for row in ours] == [row[3] for row in theirs]


def test_the_seed_report_line_for_line() -> None:
    seed = SEED.read_bytes().decode("utf-8")
    ours = markdown("SGLang/gpu_instability")
    assert "\r" not in seed
    assert normalized(ours) == normalized(seed)


def test_the_prose_of_the_seed_report_differs_only_in_the_order_of_two_equal_counters() -> None:
    seed = [line for line in SEED.read_text("utf-8").split("\n") if not line.startswith("| ")]
    ours = [line for line in markdown("SGLang/gpu_instability").split("\n") if not line.startswith("| ")]
    changed = {(a, b) for a, b in zip(ours, seed, strict=True) if a != b}
    clocks = {
        f"    - **`{name}`**: decreased from 118,687.50 to 21,000.00." for name in ("gpu_frequency", "gpu_sm_frequency")
    }
    assert {line for pair in changed for line in pair} <= clocks
