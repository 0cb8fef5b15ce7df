"""Every figure of small tables, worked out by hand."""

from __future__ import annotations

import csv
import io
import math
import sys
from pathlib import Path

import pytest

from tb_perfcompare.comparison.strict.findings import key_findings
from tb_perfcompare.comparison.strict.report import StrictReport, strict_report
from tb_perfcompare.render.strict.report import strict_markdown
from tb_perfcompare.render.strict.tables import rank_table, strict_csv, summary_table
from tb_perfcompare.sources.perf_data.csv_tables import read_perf_data
from tests.runs.hostile_names import CONTROLS, WRITTEN_OUT, assert_no_controls
from tests.strict.tables import ABNORMAL, NORMAL, row, table, write

LABELS = ("normal", "abnormal")
GEMM_USAGE, GEMM_CLOCK = ("gemm<64, 64>", "gpu_usage", "GPU 0"), ("gemm<64, 64>", "gpu_frequency", "GPU 0")
COPY, ONCPU = ("copy", "gpu_pcie_transmit", "GPU 0"), ("oncpu", "host_cpu_usage", "Host")


def example() -> StrictReport:
    """Process 10 of the example folder: 3 cycles per side, four triplets, one function without a counter."""
    return strict_report(read_perf_data(str(NORMAL)).of_pid(10), read_perf_data(str(ABNORMAL)).of_pid(10), LABELS)


def student_4(t: float) -> float:
    """Two-sided p of Student's t with 4 degrees of freedom, in closed form."""
    x = t / math.sqrt(4 + t * t)
    return 1 - (x * (3 - x * x)) / 2


def test_shares_deviations_and_scores() -> None:
    report = example()
    assert report.triplets == (GEMM_USAGE, GEMM_CLOCK, COPY, ONCPU)
    assert report.beta.normal.mean.tolist() == [12.0, 12.0, 0.0, 150.0]
    assert report.beta.normal.sd.tolist() == [2.0, 2.0, 0.0, 0.0]
    assert report.beta.abnormal.mean.tolist() == [22.0, 22.0, 1.5, 150.0]
    assert report.beta.delta.tolist() == [10.0, 10.0, 1.5, 0.0]
    assert report.beta.z.tolist() == [5.0, 5.0, 0.0, 0.0]
    assert report.mu.z.tolist() == [3.0, 0.0, 0.0, 0.0]
    logs_a, logs_b = [math.log(x) for x in (6, 7, 8)], [math.log(x) for x in (9, 10, 11)]
    mean_a, mean_b = sum(logs_a) / 3, sum(logs_b) / 3
    z = (mean_b - mean_a) / math.sqrt(sum((x - mean_a) ** 2 for x in logs_a) / 2)
    assert report.score.tolist() == pytest.approx([10 * (5 + z), 50.0, 0.0, 0.0], rel=1e-13)


def test_p_values() -> None:
    report = example()
    # t = 10 / sqrt(4/3 + 4/3), equal deviations and sizes: 4 degrees of freedom; the counter: 3 / sqrt(2/3)
    beta, mu = student_4(10 / math.sqrt(8 / 3)), student_4(3 / math.sqrt(2 / 3))
    assert report.welch_beta[:3].tolist() == pytest.approx([beta, beta, 1.0], rel=1e-12)
    assert math.isnan(report.welch_beta[3]), "two equal constants"
    assert report.welch_mu[:3].tolist() == pytest.approx([mu, 0.0, 1.0], rel=1e-12), "two constants: exactly 0"
    # complete separation of 3 and 3: 2 of the 20 orderings; with ties the normal one with continuity correction
    deviation = math.sqrt(9 / 12 * (7 - 48 / 30))
    tied = math.erfc((9 - 4.5 - 0.5) / deviation / math.sqrt(2))
    assert report.rank_beta.tolist() == pytest.approx([0.1, 0.1, 1.0, 1.0], rel=1e-12)
    assert report.rank_mu.tolist() == pytest.approx([0.1, tied, 1.0, 1.0], rel=1e-12)


def test_rows_without_a_counter_are_lost() -> None:
    report = example()
    assert report.lost == (3, 3)
    assert not any("Synchronize" in triplet[0] for triplet in report.triplets)


def test_names_with_control_characters_are_escaped(tmp_path: Path) -> None:
    expected = dict(zip(CONTROLS, WRITTEN_OUT, strict=True))
    if sys.version_info < (3, 11):  # whose csv module writes no NUL
        expected = {name: written for name, written in expected.items() if "\0" not in name}
    rows = [row(function_name=name, cycle=cycle) for name in expected for cycle in (1, 2)]
    sides = [write(tmp_path / f"{side}_perf_data.csv", rows) for side in "ab"]
    report = strict_report(*(read_perf_data(str(path)) for path in sides), LABELS)
    assert_no_controls(strict_markdown(report, "\x1b[2Jcase"))
    drawn = strict_csv(report)
    assert_no_controls(drawn)
    assert {each[0] for each in list(csv.reader(io.StringIO(drawn, newline="")))[1:]} == {*expected.values()}


def test_csv_of_the_example() -> None:
    head, first, second, third, fourth = strict_csv(example()).splitlines()
    assert head.startswith(
        "Function Name,Metric Name,Device,Suspicion Score,β_normal(%),β_abnormal(%),Δβ(%),Z-Score(β)"
    )
    assert first.startswith('"gemm<64, 64>",gpu_usage,GPU 0,75.019976,12.000000,22.000000,10.000000,5.000000,0.003602,')
    assert second.endswith(",0.100000,141000.000000,21000.000000,-120000.000000,0.000000,0.000000,0.000000,0.046854")
    assert third.startswith("copy,gpu_pcie_transmit,GPU 0,0.000000,0.000000,1.500000,1.500000,0.000000,1.000000,")
    assert fourth == "oncpu,host_cpu_usage,Host," + ",".join(
        ["0.000000", "150.000000", "150.000000", "0.000000", "0.000000", "", "1.000000",
         "3.000000", "3.000000", "0.000000", "0.000000", "0.000000", "", "1.000000"]
    )  # fmt: skip


def test_summary_and_ranks_of_the_example() -> None:
    assert summary_table(example()).splitlines()[2:] == [
        "| Total Cycles        | 3        | 3          |                    0    | -            |",
        "| Avg Cycle Time (us) | 1,000.00 | 1,150.17   |                  150.17 | +15.02%      |",
    ]
    assert rank_table(example()).splitlines() == [
        "|   Time Rank |   normal Time (us) |   abnormal Time (us) |   Δ (us) | Δ (%)   |",
        "|------------:|-------------------:|---------------------:|---------:|:--------|",
        "|           1 |           1,010.00 |             1,200.00 |   190.00 | +18.81% |",
        "|           2 |           1,000.00 |             1,150.50 |   150.50 | +15.05% |",
        "|           3 |             990.00 |             1,100.00 |   110.00 | +11.11% |",
    ]


def test_without_a_score_above_the_threshold_there_is_no_finding_and_no_recommendation() -> None:
    same = table({GEMM_USAGE: ([1.0, 2.0], [5.0, 5.0])})
    text = strict_markdown(strict_report(same, same, LABELS), "title")
    assert "above 10" in text and "`normal` and `abnormal`" in text
    assert "Key Findings" not in text and "Recommendation" not in text


def test_a_score_at_the_threshold_is_no_finding() -> None:
    """Shares 10, 20, 30 have a deviation of 10; ten points more make Z = 1 and the score 10."""
    at_ten = strict_report(
        table({GEMM_USAGE: ([10.0, 20.0, 30.0], [0.0] * 3)}),
        table({GEMM_USAGE: ([20.0, 30.0, 40.0], [0.0] * 3)}),
        LABELS,
    )
    assert at_ten.score.tolist() == [10.0]
    assert key_findings(at_ten) == ()


def test_three_findings_of_distinct_functions_with_three_counters_each() -> None:
    """Function f5 changed most; its counter m0 did not."""
    normal = {(f"f{i}", f"m{j}", "GPU 0"): ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) for i in range(1, 6) for j in range(5)}
    abnormal = {
        (f"f{i}", f"m{j}", "GPU 0"): ([1.0 + 10 * i, 2.0 + 10 * i, 3.0 + 10 * i], [1.0 + j, 2.0 + j, 3.0 + j])
        for i in range(1, 6)
        for j in range(5)
    }
    findings = key_findings(strict_report(table(normal), table(abnormal), LABELS))
    assert [finding.function for finding in findings] == ["f5", "f4", "f3"]
    assert [change.metric for change in findings[0].counters] == ["m4", "m3", "m2"]
    assert findings[0].delta == 50.0


def test_equal_scores_have_a_fixed_order() -> None:
    """No deviation: all scores are 0. Then the larger change of the share, then the names."""
    shares = {"d": -3.0, "c": 2.0, "a": 2.0, "b": 5.0}
    normal = table({(name, "m", "GPU 0"): ([1.0, 1.0], [0.0, 0.0]) for name in shares})
    abnormal = table({(name, "m", "GPU 0"): ([x, x], [0.0, 0.0]) for name, x in shares.items()})
    order = [triplet[0] for triplet in strict_report(normal, abnormal, LABELS).triplets]
    assert order == ["b", "d", "a", "c"]


def test_a_change_of_more_than_the_whole_cycle_is_explained() -> None:
    normal = table({ONCPU: ([150.0, 152.0, 154.0], [1.0, 2.0, 3.0])})
    abnormal = table({ONCPU: ([180.0, 182.0, 184.0], [1.0, 2.0, 3.0])})
    text = strict_markdown(strict_report(normal, abnormal, LABELS), "title")
    assert "greater than 100%" in text


def test_a_cycle_time_of_zero_has_no_percentage() -> None:
    zero, one = table({GEMM_USAGE: ([1.0], [1.0])}), table({GEMM_USAGE: ([1.0], [1.0])})
    zero.cycle_us[:] = 0.0
    assert "+inf%" in summary_table(strict_report(zero, one, LABELS))
