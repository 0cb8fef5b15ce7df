"""Findings of real pairs with known causes."""

from __future__ import annotations

import math

import pytest

from tb_perfcompare import compare as compare_files
from tb_perfcompare.comparison.causes.evidence.general_rules import GENERAL
from tb_perfcompare.comparison.causes.evidence.rule import Recorded
from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.note import NoteCode
from tests.answers.test_shared_answers import MLU
from tests.cycles.test_shared_tables import comparison_of as cycles
from tests.golden.test_shared_pairs import (
    EAGER_AND_COMPILED,
    LOADERS,
    LOADERS_AGAIN,
    MODELS,
    NORMAL,
    NORMAL_AGAIN,
    compare,
    devices,
)
from tests.golden.test_shared_pairs import MLU as MLU_TRACES
from tests.shared_data import needs_shared

pytestmark = needs_shared

SPECIFIC = {name for rule in RULES if rule.recorded is Recorded.STEPS for name in rule.names} - {
    name for rule in GENERAL.values() for name in rule.names
}


def causes(found: Comparison) -> set[str]:
    """Rules of specific causes that were found."""
    return {finding.rule for finding in found.findings if finding.rule in SPECIFIC}


def checks(found: Comparison) -> dict[str, str]:
    return {check.check: check.detail for check in found.comparability if check.status != "ok"}


def test_the_cause_of_kineto_is_the_data_loader_on_a_slower_host() -> None:
    found = compare(NORMAL, LOADERS)
    assert found.findings[0].rule == "data_loader"
    assert found.findings[0].sentence.startswith("Data loader wait: −58.1 ms per step (59.3 → 1.19 ms)")
    assert causes(found) == {"host_pace"}, "the headline has it, too: machine 11 % slower"
    assert {"runtime_time", "host_time"} <= {finding.rule for finding in found.findings}, "workers cost host time"


@pytest.mark.parametrize(("pair", "rules"), [
    ((NORMAL, NORMAL_AGAIN), {"data_loader"}),  # the first span really waits longer
    ((LOADERS, LOADERS_AGAIN), {"host_pace"}),  # "these two captures: the same work runs 5.3 % faster"
], ids=["0 workers", "4 workers"])  # fmt: skip
def test_two_spans_of_one_run_have_no_cause_in_the_program(pair: tuple[str, str], rules: set[str]) -> None:
    assert {finding.rule for finding in compare(*pair).findings} == rules


def test_saved_mlu_answers_report_runtime_calls_of_unknown_repeatability() -> None:
    found = compare_files(MLU, f"{MLU}#2")
    finding = found.findings[0]
    assert (finding.rule, finding.category) == ("runtime_time", "Runtime")
    assert finding.delta_us == pytest.approx(-4_711_913)
    assert "aten::item" in finding.sentence
    assert "repeatability unknown" in finding.confidence
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert causes(found) == set(), "answers hold too little for any"


def test_mlu_traces_report_the_same_runtime_calls() -> None:
    found = compare(*MLU_TRACES)
    assert found.findings[0].rule == "runtime_time" and "aten::item" in found.findings[0].sentence
    assert "cnrtQueueSync −4.01 s (480 → 481 calls per step, mostly from time per call)" in found.findings[0].sentence
    assert causes(found) == set(), "as many waits and copies of the same kind: one step shows no cause"


def test_sglang_reports_slower_gpu_work_and_its_clock() -> None:
    found = cycles("SGLang/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    finding = found.findings[0]
    assert finding.sentence.startswith("GPU functions: +117 ms per cycle (44.9 → 161 ms, ×3.59)")
    assert "but the cycle is not clearly slower" in finding.sentence
    assert "gpu_frequency of GPU 7 1,155 → 210 MHz" in finding.sentence
    assert [finding.rule for finding in found.findings].count("function_time") == 1, "nothing within the spread"


def test_sglang_cycles_of_different_functions_get_no_verdict_and_no_cause() -> None:
    found = cycles("SGLang/cpu_frequency_reduction")
    assert found.headline.verdict is Verdict.WITHHELD
    assert "Scheduler.run_batch" in found.headline.reason and "1.56 %" in found.headline.reason
    assert {finding.rule for finding in found.findings} == {"counter_moved"}


def test_vllm_reports_slower_gpu_work_and_waits_for_it() -> None:
    found = cycles("vLLM/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    sentences = [finding.sentence for finding in found.findings if finding.rule == "function_time"]
    assert sentences[0].startswith("GPU functions: +130 ms per cycle (50.9 → 181 ms, ×3.56)")
    assert sentences[1].startswith("Waits for the device (cpu_sync): +4.40 ms per cycle (49.1 µs → 4.45 ms, ×90.5)")
    assert len(sentences) == 2
    assert any(note.code is NoteCode.DRIFT for note in found.notes)


@pytest.mark.parametrize("model", MODELS)
def test_another_device_has_replaced_kernels_and_no_runtime_causes(model: str) -> None:
    found = compare(*devices(model))
    findings = [finding for finding in found.findings if finding.rule == "kernel_replaced"]
    directions = {math.copysign(1, finding.delta_us or 0) for finding in findings}
    assert len(directions) == len(findings) > 0, "one a direction"
    assert all(finding.sentence.startswith("Different kernels on a different device: ") for finding in findings)
    assert not any("cudnn" in finding.look_at or "allow_tf32" in finding.look_at for finding in findings)
    of_one_runtime = {"synchronization", "launch_bound", "allocator_calls", "graph_lost", "graph_gained"}
    assert not causes(found) & of_one_runtime
    assert {"device_kind", "kernels", "steps"} <= checks(found).keys()


def test_a_compiled_program_against_an_eager_one_reports_graphs_shapes_and_copies() -> None:
    found = compare(*EAGER_AND_COMPILED)
    by_rule = {finding.rule: finding for finding in found.findings}
    assert "graph launches 0 → 2 per step" in by_rule["graph_gained"].sentence
    assert by_rule["workload_changed"].subject.endswith("SplitLookupFunction_rowwise_adagrad_Op>")
    copies = by_rule["more_copies"]
    assert copies.sentence.startswith("More memory copies: +") and "(38 → 803 copies)" in copies.sentence
    assert copies.delta_us is not None and copies.delta_us < 15_000, "no more than all copies together"
    assert {"device_kind", "world_size", "ranks"} <= checks(found).keys()
