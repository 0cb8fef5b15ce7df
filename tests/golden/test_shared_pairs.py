"""Real pairs with known answers: deltas by category, and tables that sum exactly."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared

NORMAL = "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
NORMAL_AGAIN = "kineto/resnet50_num_workers_0/worker0.1623143566756.pt.trace.json.gz"
LOADERS = "kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"
LOADERS_AGAIN = "kineto/resnet50_num_workers_4/worker0.1623213129365.pt.trace.json.gz"
MLU = (
    "mlu/resnet50_num_workers_0/worker0.1698925322189.pt.trace.json.gz",
    "mlu/resnet50_num_workers_4/worker0.1698927049665.pt.trace.json.gz",
)
EAGER_AND_COMPILED = "hta/control.json.gz", "hta/test.json.gz"
MODELS = (
    "google_owlv2-large-patch14-ensemble__1016001",
    "Qwen_Qwen1.5-0.5B-Chat__1016005",
    "gaunernst_bert-small-uncased__1016001",
)


@lru_cache(maxsize=12)
def side(path: str, window: str = "device", span: str = "1") -> Summary:
    recording = read_trace(str(SHARED / path))
    return summarize(recording, Origin(path, path, "worker0", span), window)


def devices(model: str) -> tuple[str, str]:
    """Traces of a model on an H100 and on an MI300."""
    return f"mixed_devices/h100/{model}.json.gz", f"mixed_devices/mi300/{model}.json.gz"


@lru_cache(maxsize=12)
def compare(a: str, b: str, window: str = "device") -> Comparison:
    return compare_summaries(side(a, window), side(b, window), CompareOptions(window=window))


def categories(found: Comparison) -> dict[str, float]:
    return {row.path[0]: row.delta / found.ledger.denominator / 1000 for row in found.ledger.rows if len(row.path) == 1}


def assert_sums(comparison: Comparison) -> None:
    """Entities sum to categories, parts to entities, modules and categories to the delta."""
    heads = [row for row in comparison.ledger.rows if len(row.path) == 1]
    assert sum(row.delta for row in heads) == comparison.ledger.delta
    for head in heads:
        below = [row for row in comparison.ledger.rows if len(row.path) == 2 and row.path[0] == head.path[0]]
        assert sum(row.delta for row in below) == head.delta
        assert sum(row.count_effect + row.rate_effect for row in below) == head.delta
    parts: dict[tuple[str, ...], list[LedgerRow]] = {}
    for row in comparison.ledger.rows:
        assert row.count_effect + row.mix_effect + row.same_shape_effect == row.delta
        if len(row.path) == 3:
            parts.setdefault(row.path[:2], []).append(row)
    for row in comparison.ledger.rows:
        for figure in ("baseline", "candidate", "delta") if row.path in parts else ():
            assert sum(getattr(part, figure) for part in parts[row.path]) == getattr(row, figure)
    if "modules_ledger" in comparison.tables:
        table = comparison.tables["modules_ledger"]
        column = table.places["delta_us"]
        whole = sum(round(float(row[column] or 0) * 1000 * comparison.ledger.denominator) for row in table.rows)
        assert whole == comparison.ledger.delta
    assert comparison.headline.delta is not None
    by_ledger = comparison.ledger.delta / comparison.ledger.denominator / 1000
    assert math.isclose(comparison.headline.delta, by_ledger, rel_tol=1e-12)


def test_kineto_deltas_are_attributed_to_categories() -> None:
    found = compare(NORMAL, LOADERS)
    assert found.headline.delta is not None
    assert round(found.headline.delta) == -36_524
    assert {name: round(delta) for name, delta in categories(found).items()} == {
        "Kernel": 556, "Memcpy": 1_244, "Memset": 9, "Communication": 0, "Runtime": 7_656, "DataLoader": -58_076,
        "CPU Exec": 8_991, "Other": 3_095,
    }  # fmt: skip
    assert_sums(found)


def test_kineto_has_a_note_if_the_step_window_changes_the_verdict() -> None:
    found = compare(NORMAL, LOADERS)
    other = compare(NORMAL, LOADERS, "marker")
    notes = [note for note in found.notes if note.code is NoteCode.STEP_WINDOW_MATTERS]
    assert bool(notes) == (found.headline.verdict is not other.headline.verdict)
    assert_sums(other)


def test_an_eager_and_a_compiled_program_on_different_devices_are_compared_with_caveats() -> None:
    found = compare(*EAGER_AND_COMPILED)
    assert found.headline.verdict is Verdict.SLOWER
    assert_sums(found)
    failed = {check.check for check in found.comparability if check.status != "ok"}
    assert {"device_kind", "world_size", "operators"} <= failed
    assert NoteCode.LINKED_BY_TIME in {note.code for note in found.notes}
    assert sum(row.status == "removed" for row in found.ledger.rows if len(row.path) == 2) > 20


@pytest.mark.parametrize("model", MODELS)
def test_an_h100_and_an_mi300_are_compared_with_exact_sums(model: str) -> None:
    found = compare(*devices(model))
    assert (found.baseline.device.kind, found.candidate.device.kind) == ("cuda", "rocm")
    assert found.headline.n == (1, 1)
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert len(found.tables["modules_ledger"].rows) > 100
    assert_sums(found)


def test_a_single_mlu_step_is_attributed_without_a_verdict() -> None:
    comparison = compare(*MLU)
    assert comparison.headline.delta == -5_138_909  # the candidate's device clock is 79.6 ms behind the host's
    assert categories(comparison) == {
        "Kernel": 3_266, "Memcpy": -7_123, "Memset": 0, "Communication": -6_920, "Runtime": -4_689_263,
        "DataLoader": 0, "CPU Exec": -406_165, "Other": -32_704,
    }  # fmt: skip
    assert comparison.headline.verdict is Verdict.INCONCLUSIVE
    assert comparison.headline.p is None
    assert_sums(comparison)


def part_us(found: Comparison, *path: str) -> float:
    (row,) = [row for row in found.ledger.rows if row.path == path]
    return row.delta / found.ledger.denominator / 1000


def test_parts_are_split_by_caller_shape_and_gap() -> None:
    assert part_us(compare(*MLU), "Runtime", "cnrtQueueSync", "aten::_local_scalar_dense") == -4_009_362
    assert round(part_us(compare(*devices(MODELS[0])), "CPU Exec", "aten::max", "[[1, 5184, 1], [], []]")) == 39_718
    gap = "after enumerate(DataLoader).__next__, before aten::to"
    assert round(part_us(compare(NORMAL, LOADERS), "Other", "(nothing recorded)", gap)) == 2_385


TRACES = sorted(str(path.relative_to(SHARED)) for path in SHARED.glob("*/**/*.json.gz"))


@pytest.mark.parametrize("path", TRACES)
def test_owned_time_parts_and_modules_of_a_trace_sum_to_its_steps(path: str) -> None:
    found = side(path)
    owned, steps = found.owned, len(found.steps)
    assert owned.time_ns.sum(axis=0).tolist() == found.steps.total_ns.tolist()
    assert owned.parts is not None
    row_of = {
        (CATEGORY_LABELS[category], key): row
        for row, (category, key) in enumerate(zip(owned.category.tolist(), owned.key, strict=True))
    }
    entity = np.array([row_of[key[0], key[1]] for key in owned.parts.keys])
    time, calls = np.zeros_like(owned.time_ns), np.zeros_like(owned.calls)
    np.add.at(time, (entity[owned.parts.row], owned.parts.step), owned.parts.time_ns)
    np.add.at(calls, (entity[owned.parts.row], owned.parts.step), owned.parts.calls)
    assert np.array_equal(time, owned.time_ns) and np.array_equal(calls, owned.calls)
    if found.modules is not None:
        whole = np.zeros(steps, dtype=np.int64)
        np.add.at(whole, found.modules.step, found.modules.time_ns)
        assert np.array_equal(whole, found.steps.total_ns)
