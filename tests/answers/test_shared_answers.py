"""Saved answers of four real runs: the known differences, and the same as their traces give."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare import compare
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tests.answers.test_comparing import assert_sums_close, column
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared

MLU = f"{SHARED}/seeds/mlu_resnet50_api_answers.jsonl"
KINETO = f"{SHARED}/kineto/api_answers.jsonl"


def categories(got: Comparison) -> dict[str, float]:
    unit = got.ledger.denominator * 1000
    return {row.path[0]: row.delta / unit for row in got.ledger.rows if len(row.path) == 1}


@pytest.fixture(scope="module")
def mlu() -> Comparison:
    return compare(MLU, f"{MLU}#2")


@pytest.fixture(scope="module")
def kineto() -> Comparison:
    return compare(KINETO, f"{KINETO}#2")


def test_the_mlu_runs_differ_by_their_runtime(mlu: Comparison) -> None:
    assert mlu.headline.delta == -5_218_542
    assert categories(mlu) == {
        "Runtime": -4_711_913, "CPU Exec": -463_148, "Other": -32_704, "Memcpy": -7_123, "Communication": -6_920,
        "Kernel": 3_266, "DataLoader": 0, "Memset": 0,
    }  # fmt: skip
    assert_sums_close(mlu)
    assert (mlu.headline.p, mlu.headline.verdict) == (None, Verdict.INCONCLUSIVE)
    assert "one step per side" in mlu.headline.reason


def test_the_first_mlu_finding_names_the_operator(mlu: Comparison) -> None:
    first = mlu.findings[0]
    assert first.rule == "runtime_time"
    assert "aten::item" in first.sentence
    assert "host time 4.55 s → 105 ms" in first.sentence


def test_the_mlu_answers_are_complete_and_consistent(mlu: Comparison) -> None:
    assert {note.code.value for note in mlu.notes} == {"no_steps", "table_absent"}
    calls = {row[0]: row for row in mlu.tables["operators"].rows}
    assert len(calls) == 93
    assert len(mlu.tables["kernels"].rows) == 62
    device = mlu.tables["device"]
    rows = [dict(zip(device.places, row, strict=True)) for row in device.rows]
    (tensor,) = [row for row in rows if row["metric"] == "Tensor-core share"]
    assert (tensor["baseline"], tensor["candidate"]) == (None, None)
    assert tensor["reason"] == "not applicable: the device has none"


def test_the_kineto_answers_compare_as_their_traces_do(kineto: Comparison) -> None:
    folders = [f"{SHARED}/kineto/resnet50_num_workers_{n}" for n in (0, 4)]
    traces = compare(*folders, span="1")
    split = ("sentence", "facts", "basis", "machine", "program", "paces", "unsplit")  # answers have no pace
    assert kineto.headline == replace(traces.headline, **{name: getattr(kineto.headline, name) for name in split})
    assert kineto.headline.delta == pytest.approx(-36_524.17, abs=0.01)
    assert categories(kineto) == categories(traces)
    assert_sums_close(kineto)
    assert kineto.findings[0].rule == traces.findings[0].rule == "data_loader"


def test_answers_compare_with_a_trace(kineto: Comparison) -> None:
    trace = side_from_path(f"{SHARED}/kineto/resnet50_num_workers_4", None, "1")
    mixed = compare(KINETO, trace)
    assert categories(mixed) == categories(kineto)
    assert_sums_close(mixed)
    assert column(mixed.tables["kernels"], "delta_us") == pytest.approx(column(kineto.tables["kernels"], "delta_us"))
