"""Recordings of inference servers with a fault injected on one side."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import rows_of
from tests.cycles.drawn import summary
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared


@lru_cache(maxsize=8)
def side(case: str, which: str) -> Summary:
    return summary(SHARED / "latencyprism" / case / f"{which}_perf_data" / "result_perf_data.csv", case)


@lru_cache(maxsize=4)
def comparison_of(case: str) -> Comparison:
    return compare_summaries(side(case, "normal"), side(case, "abnormal"), CompareOptions())


def admitted(found: Comparison) -> tuple[int, ...]:
    return tuple(n for s in (found.baseline, found.candidate) for n in (s.steps_admitted, s.steps_total))


def percent(value: float | None) -> float:
    assert value is not None
    return round(100 * value, 2)


def finding(found: Comparison, rule: str, subject: str) -> Finding:
    return next(f for f in found.findings if f.rule == rule and subject in f.subject)


def test_a_slow_gpu_behind_a_busy_host_sglang() -> None:
    """Two slow cycles raise the mean; the typical cycle of 10 and 6 stays the same."""
    found = comparison_of("SGLang/gpu_instability")
    headline = found.headline
    assert admitted(found) == (10, 12, 6, 10)
    assert headline.verdict is Verdict.INCONCLUSIVE and "a few long cycles move the mean" in headline.reason
    assert headline.shift is not None and headline.p is not None
    assert [percent(x) for x in (headline.shift.estimate, headline.shift.low, headline.shift.high)] == [
        0.87,
        -3.07,
        29.65,
    ]
    assert (round(headline.p, 2), round(headline.inflation, 2)) == (0.62, 1.7)
    assert headline.ratio is not None and percent(headline.ratio - 1) == 7.8
    assert {step.reason for step in (*found.baseline.dropped, *found.candidate.dropped)} == {"incomplete"}
    assert [step.label for step in found.candidate.dropped] == ["1", "2", "4", "5"]
    assert any(
        '12 and 10 of them, the verdict stays "inconclusive", the typical change +0.35 %' in note.message
        for note in found.notes
    )


def test_a_slow_gpu_is_named_with_its_clock() -> None:
    found = comparison_of("SGLang/gpu_instability")
    cause = finding(found, "function_time", "GPU functions")
    assert cause is found.findings[0]
    assert cause.sentence.startswith(
        "GPU functions: +117 ms per cycle (44.9 → 161 ms, ×3.59), but the cycle is not clearly slower; "
        "985 calls per cycle; functions ×3.76 per call across the board"
    )
    assert "gpu_frequency of GPU 7 1,155 → 210 MHz (interpolated)" in cause.sentence
    assert finding(found, "counter_moved", "gpu_frequency").delta_us is None


def test_kernels_by_type_have_their_known_totals() -> None:
    """44.8 to 161.2 ms of kernels per complete cycle."""
    total = []
    for which in ("normal", "abnormal"):
        found = side("SGLang/gpu_instability", which)
        table = found.groups["functions"]
        own = [row for row, key in enumerate(table.keys) if key[1] == "gpu_compute"]
        total.append(table.measures_ns["total"][own].sum() / len(found.steps) / 1e6)
    assert [round(float(ms), 1) for ms in total] == [44.8, 161.2]


def test_a_slow_gpu_behind_a_busy_host_vllm() -> None:
    found = comparison_of("vLLM/gpu_instability")
    headline = found.headline
    assert admitted(found) == (16, 19, 16, 19)
    assert headline.verdict is Verdict.INCONCLUSIVE and headline.shift is not None and headline.p is not None
    assert [percent(x) for x in (headline.shift.estimate, headline.shift.low, headline.shift.high)] == [
        1.9,
        -14.16,
        23.84,
    ]
    assert (round(headline.p, 2), round(headline.inflation, 2)) == (0.78, 8.01)
    waits = finding(found, "function_time", "cpu_sync")
    assert "(49.1 µs → 4.45 ms, ×90.5)" in waits.sentence, "functions without counters are not lost"
    assert "gpu_frequency of GPU 3 1,236 → 210 MHz" in finding(found, "function_time", "GPU functions").sentence


def test_cycles_of_different_functions_are_not_compared() -> None:
    found = comparison_of("SGLang/cpu_frequency_reduction")
    assert found.headline.verdict is Verdict.WITHHELD
    failed = {check.check: check.detail for check in found.comparability if check.status == "fail"}
    assert set(failed) == {"step_marker", "functions"}
    assert "Scheduler.run_batch" in failed["step_marker"] and "Qwen3DecoderLayer" in failed["step_marker"]
    assert failed["functions"].startswith("different work: 1.56 % of the device launches")
    assert [f.rule for f in found.findings] == ["counter_moved"] * len(found.findings)
    assert found.findings[0].sentence == "Counter cpu_frequency of the host: 85.2 → 22.5 % of the maximum (−73.6 %)."


@pytest.mark.parametrize("case", ["SGLang/gpu_instability", "vLLM/gpu_instability", "SGLang/cpu_frequency_reduction"])
def test_the_books_close_and_units_stay_apart(case: str) -> None:
    found = comparison_of(case)
    assert found.ledger.rows[0].delta == found.ledger.rows[1].delta == found.ledger.delta
    counters = rows_of(found.tables["counters"])
    assert counters["gpu_frequency"]["unit"] == "MHz" and counters["gpu_usage"]["unit"] == "%"
    assert counters["gpu_frequency"]["baseline_coverage"] == 0, "one sample a second, interpolated between"
    assert counters["gpu_frequency"]["baseline_samples"] is None and counters["host_cpu_usage"]["baseline_samples"] > 0


@pytest.mark.parametrize(("case", "which"), [("SGLang/gpu_instability", "normal"), ("vLLM/gpu_instability", "normal")])
def test_one_half_of_a_recording_is_not_slower_than_the_other(case: str, which: str) -> None:
    whole = side(case, which)
    numbers = [int(label) for label in whole.steps.label]
    middle = numbers[len(numbers) // 2]
    halves = select_steps(whole, (numbers[0], middle - 1)), select_steps(whole, (middle, numbers[-1]))
    found = compare_summaries(*halves, CompareOptions())
    assert found.headline.verdict in (Verdict.SAME, Verdict.INCONCLUSIVE)
    changes = {row["change"] for row in rows_of(found.tables["functions"]).values()}
    assert changes <= {"unchanged", "cannot tell", "added", "removed"}
