"""Real pairs with known causes: what must be reported first, and what must not be."""

from __future__ import annotations

import math

import pytest

from tb_perfcompare import compare as compare_files
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.evidence.cause import Recorded
from tb_perfcompare.comparison.causes.evidence.findings import GENERAL
from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tests.answers.test_shared_answers import MLU
from tests.cycles.test_shared_tables import comparison_of as cycles
from tests.golden.test_shared_pairs import LOADERS, LOADERS_AGAIN, MODELS, NORMAL, NORMAL_AGAIN, compare, side
from tests.shared_data import needs_shared

pytestmark = needs_shared

SPECIFIC = {name for rule in RULES if rule.recorded is Recorded.STEPS for name in rule.names} - {
    name for rule in GENERAL.values() for name in rule.names
}


def first(found: Comparison) -> Finding:
    return found.findings[0]


def causes(found: Comparison) -> set[str]:
    """Rules that name what happened."""
    return {finding.rule for finding in found.findings if finding.rule in SPECIFIC}


def checks(found: Comparison) -> dict[str, str]:
    return {check.check: check.detail for check in found.comparability if check.status != "ok"}


def test_kineto_waits_for_its_data_loader_and_nothing_else_is_blamed() -> None:
    found = compare(NORMAL, LOADERS)
    assert first(found).rule == "data_loader"
    assert first(found).sentence.startswith("Data loader wait: −58.1 ms per step (59.3 → 1.19 ms)")
    assert causes(found) == set()
    assert {"runtime_time", "host_time"} <= {finding.rule for finding in found.findings}, "workers cost host time"


def test_kineto_candidate_has_two_groups_of_steps() -> None:
    spans = pool([side(LOADERS), side(LOADERS_AGAIN, span="2")])
    found = compare_summaries(pool([side(NORMAL), side(NORMAL_AGAIN, span="2")]), spans, CompareOptions())
    (note,) = [note for note in found.notes if note.code is NoteCode.TWO_GROUPS and note.where == "candidate"]
    assert note.message == "its steps fall into two groups: 8 around 123 ms and 4 around 176 ms"
    assert "captures of one run vary by 14.3 %" in found.headline.reason, "the noise floor of the baseline"
    assert first(found).rule == "data_loader"


@pytest.mark.parametrize("pair", [(NORMAL, NORMAL_AGAIN), (LOADERS, LOADERS_AGAIN)], ids=["0 workers", "4 workers"])
def test_two_spans_of_one_run_have_no_cause(pair: tuple[str, str]) -> None:
    found = compare(*pair)
    assert causes(found) == set()
    assert {finding.rule for finding in found.findings} <= {"data_loader"}, "where the first span really waits longer"


def test_mlu_answers_name_the_runtime_and_claim_no_repeatability() -> None:
    found = compare_files(MLU, f"{MLU}#2")
    finding = first(found)
    assert (finding.rule, finding.category) == ("runtime_time", "Runtime")
    assert finding.delta_us == pytest.approx(-4_711_913)
    assert "aten::item" in finding.sentence
    assert "repeatability unknown" in finding.confidence
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert causes(found) == set(), "answers hold too little for any"


def test_mlu_traces_say_the_same() -> None:
    found = compare(*MLU_TRACES)
    assert first(found).rule == "runtime_time" and "aten::item" in first(found).sentence
    assert "cnrtQueueSync −4.01 s (480 → 481 calls per step, mostly from time per call)" in first(found).sentence
    assert causes(found) == set(), "as many waits and copies of the same kind: one step shows no cause"


def test_sglang_gpu_work_is_slower_behind_the_host_and_its_clock_is_named() -> None:
    found = cycles("SGLang/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    finding = first(found)
    assert finding.sentence.startswith("GPU functions: +117 ms per cycle (44.9 → 161 ms, ×3.59)")
    assert "but the cycle is not clearly slower" in finding.sentence
    assert "gpu_frequency of GPU 7 1,155 → 210 MHz" in finding.sentence
    assert [finding.rule for finding in found.findings].count("function_time") == 1, "nothing within the spread"


def test_sglang_cycles_of_other_functions_are_withheld_and_have_no_cause() -> None:
    found = cycles("SGLang/cpu_frequency_reduction")
    assert found.headline.verdict is Verdict.WITHHELD
    assert "Scheduler.run_batch" in found.headline.reason and "1.56 %" in found.headline.reason
    assert {finding.rule for finding in found.findings} == {"counter_moved"}


def test_vllm_waits_for_the_slow_gpu_are_named() -> None:
    found = cycles("vLLM/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    sentences = [finding.sentence for finding in found.findings if finding.rule == "function_time"]
    assert sentences[0].startswith("GPU functions: +130 ms per cycle (50.9 → 181 ms, ×3.56)")
    assert sentences[1].startswith("Waits for the device (cpu_sync): +4.40 ms per cycle (49.1 µs → 4.45 ms, ×90.5)")
    assert len(sentences) == 2
    assert any(note.code is NoteCode.DRIFT for note in found.notes)


@pytest.mark.parametrize("model", MODELS)
def test_another_device_runs_other_kernels_and_its_calls_are_not_counted_against_each_other(model: str) -> None:
    found = compare(f"mixed_devices/h100/{model}.json.gz", f"mixed_devices/mi300/{model}.json.gz")
    findings = [finding for finding in found.findings if finding.rule == "kernel_replaced"]
    directions = {math.copysign(1, finding.delta_us or 0) for finding in findings}
    assert len(directions) == len(findings) > 0, "one a direction"
    assert all(finding.sentence.startswith("Different kernels on a different device: ") for finding in findings)
    assert not any("cudnn" in finding.look_at or "allow_tf32" in finding.look_at for finding in findings)
    of_one_runtime = {"synchronisation", "launch_bound", "allocator_calls", "graph_lost", "graph_gained"}
    assert not causes(found) & of_one_runtime
    assert {"device_kind", "kernels", "steps"} <= checks(found).keys()


def test_a_compiled_program_against_an_eager_one() -> None:
    """A graph is launched on one side, embeddings have other shapes, and small copies became many."""
    found = compare("hta/control.json.gz", "hta/test.json.gz")
    by_rule = {finding.rule: finding for finding in found.findings}
    assert "graph launches 0 → 2 per step" in by_rule["graph_gained"].sentence
    assert by_rule["workload_changed"].subject.endswith("SplitLookupFunction_rowwise_adagrad_Op>")
    copies = by_rule["more_copies"]
    assert copies.sentence.startswith("More memory copies: +") and "(38 → 803 copies)" in copies.sentence
    assert copies.delta_us is not None and copies.delta_us < 15_000, "no more than all copies together"
    assert {"device_kind", "world_size", "ranks"} <= checks(found).keys()


MLU_TRACES = (
    "mlu/resnet50_num_workers_0/worker0.1698925322189.pt.trace.json.gz",
    "mlu/resnet50_num_workers_4/worker0.1698927049665.pt.trace.json.gz",
)
