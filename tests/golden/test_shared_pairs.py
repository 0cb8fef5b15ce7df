"""Real pairs with known answers: the headline, the cause, and books that close."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared

NORMAL = "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
NORMAL_AGAIN = "kineto/resnet50_num_workers_0/worker0.1623143566756.pt.trace.json.gz"
LOADERS = "kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"
LOADERS_AGAIN = "kineto/resnet50_num_workers_4/worker0.1623213129365.pt.trace.json.gz"
MODELS = (
    "google_owlv2-large-patch14-ensemble__1016001",
    "Qwen_Qwen1.5-0.5B-Chat__1016005",
    "gaunernst_bert-small-uncased__1016001",
)


@lru_cache(maxsize=12)
def side(path: str, window: str = "device", span: str = "1") -> Summary:
    recording = read_trace(str(SHARED / path))
    return summarize(recording, Origin(path, path, "worker0", span), window)


def compare(a: str, b: str, window: str = "device") -> Comparison:
    return compare_summaries(side(a, window), side(b, window), CompareOptions(window=window))


def categories(got: Comparison) -> dict[str, float]:
    return {row.path[0]: row.delta / got.ledger.denominator / 1000 for row in got.ledger.rows if len(row.path) == 1}


def assert_books_close(comparison: Comparison) -> None:
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
        column = [column.name for column in table.columns].index("delta_us")
        whole = sum(round(float(row[column] or 0) * 1000 * comparison.ledger.denominator) for row in table.rows)
        assert whole == comparison.ledger.delta
    assert comparison.headline.delta is not None
    by_ledger = comparison.ledger.delta / comparison.ledger.denominator / 1000
    assert math.isclose(comparison.headline.delta, by_ledger, rel_tol=1e-12)


def test_kineto_names_the_data_loader_to_the_microsecond() -> None:
    got = compare(NORMAL, LOADERS)
    assert got.headline.delta is not None
    assert round(got.headline.delta) == -36_524
    rounded = {name: round(delta) for name, delta in categories(got).items()}
    assert rounded == {
        "Kernel": 556,
        "Memcpy": 1_244,
        "Memset": 9,
        "Communication": 0,
        "Runtime": 7_656,
        "DataLoader": -58_076,
        "CPU Exec": 8_991,
        "Other": 3_095,
    }
    assert got.findings[0].rule == "data_loader"
    assert_books_close(got)


def test_kineto_says_where_the_step_window_decides_the_verdict() -> None:
    got = compare(NORMAL, LOADERS)
    other = compare(NORMAL, LOADERS, "marker")
    notes = [note for note in got.notes if note.code is NoteCode.STEP_WINDOW_MATTERS]
    assert bool(notes) == (got.headline.verdict is not other.headline.verdict)
    assert_books_close(other)


def test_kineto_pooled_spans_respect_how_much_spans_of_one_run_differ() -> None:
    """Spans of one run differ by 13 %: no clear verdict may rest on less."""
    a = pool([side(NORMAL), side(NORMAL_AGAIN, span="2")])
    b = pool([side(LOADERS), side(LOADERS_AGAIN, span="2")])
    got = compare_summaries(a, b, CompareOptions())
    assert got.headline.n == (12, 12)
    assert "captures" in got.headline.reason
    assert got.headline.verdict is not Verdict.SLOWER
    assert_books_close(got)


def test_a_collision_of_devices_and_worlds_is_said_and_the_books_close() -> None:
    got = compare("hta/control.json.gz", "hta/test.json.gz")
    assert got.headline.verdict is Verdict.SLOWER
    assert_books_close(got)
    weak = {check.check for check in got.comparability if check.status != "ok"}
    assert {"device_kind", "world_size", "operators"} <= weak
    assert NoteCode.LINKED_BY_TIME in {note.code for note in got.notes}
    added = sum(row.status == "removed" for row in got.ledger.rows if len(row.path) == 2)
    assert added > 20


@pytest.mark.parametrize("model", MODELS)
def test_an_h100_against_an_mi300_compares_without_losing_time(model: str) -> None:
    got = compare(f"mixed_devices/h100/{model}.json.gz", f"mixed_devices/mi300/{model}.json.gz")
    assert (got.baseline.device.kind, got.candidate.device.kind) == ("cuda", "rocm")
    assert got.headline.n == (1, 1)
    assert got.headline.verdict is Verdict.INCONCLUSIVE
    assert_books_close(got)


def test_a_single_step_on_an_mlu_is_attributed_without_a_claim() -> None:
    comparison = compare(
        "mlu/resnet50_num_workers_0/worker0.1698925322189.pt.trace.json.gz",
        "mlu/resnet50_num_workers_4/worker0.1698927049665.pt.trace.json.gz",
    )
    assert comparison.headline.delta == -5_218_542
    assert categories(comparison) == {
        "Kernel": 3_266,
        "Memcpy": -7_123,
        "Memset": 0,
        "Communication": -6_920,
        "Runtime": -4_711_913,
        "DataLoader": 0,
        "CPU Exec": -463_148,
        "Other": -32_704,
    }
    assert comparison.headline.verdict is Verdict.INCONCLUSIVE
    assert comparison.headline.p is None
    assert comparison.findings[0].rule == "runtime_time"
    assert "aten::item" in comparison.findings[0].sentence
    assert_books_close(comparison)


def part_us(got: Comparison, *path: str) -> float:
    (row,) = [row for row in got.ledger.rows if row.path == path]
    return row.delta / got.ledger.denominator / 1000


def test_the_third_level_names_the_caller_the_shape_and_the_place_of_the_gap() -> None:
    mlu = compare(
        "mlu/resnet50_num_workers_0/worker0.1698925322189.pt.trace.json.gz",
        "mlu/resnet50_num_workers_4/worker0.1698927049665.pt.trace.json.gz",
    )
    assert part_us(mlu, "Runtime", "cnrtQueueSync", "aten::_local_scalar_dense") == -4_009_362
    owl = compare(f"mixed_devices/h100/{MODELS[0]}.json.gz", f"mixed_devices/mi300/{MODELS[0]}.json.gz")
    assert round(part_us(owl, "CPU Exec", "aten::max", "[[1, 5184, 1], [], []]")) == 39_718
    gap = "after enumerate(DataLoader).__next__, before aten::to"
    assert round(part_us(compare(NORMAL, LOADERS), "Other", "(nothing recorded)", gap)) == 2_385


@pytest.mark.parametrize("model", MODELS)
def test_modules_split_the_change_exactly(model: str) -> None:
    got = compare(f"mixed_devices/h100/{model}.json.gz", f"mixed_devices/mi300/{model}.json.gz")
    assert len(got.tables["modules_ledger"].rows) > 100
    assert_books_close(got)


TRACES = sorted(str(path.relative_to(SHARED)) for path in SHARED.glob("*/**/*.json.gz"))


@pytest.mark.parametrize("path", TRACES)
def test_every_level_of_every_trace_sums_to_its_steps(path: str) -> None:
    """Entities to steps, parts to entities and modules to steps, in every step, to the nanosecond."""
    got = side(path)
    owned, steps = got.owned, len(got.steps)
    assert owned.time_ns.sum(axis=0).tolist() == got.steps.total_ns.tolist()
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
    if got.modules is not None:
        whole = np.zeros(steps, dtype=np.int64)
        np.add.at(whole, got.modules.step, got.modules.time_ns)
        assert np.array_equal(whole, got.steps.total_ns)
