"""Launches one by one: a run's own view, and two runs side by side with sums that close."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from tb_perfcompare.analysis.listings.launches import summarize_launches
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.launches import table as launch_table
from tb_perfcompare.comparison.launches.rows import launch_rows
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import LaunchSequence
from tb_perfcompare.sources.ncu.kernel_listing import read_listing
from tests.comparison.compare import compare
from tests.listings.drawn import column, drawn, letters, listings
from tests.shared_data import SHARED, needs_shared

SWAPPED = {"added": "removed", "removed": "added", "both": "both", "replaced": "replaced"}
SEEDS = ("unet_training", "bert_training", "llm_inference")


def _of(table: Table, *names: str) -> Iterator[tuple[Cell, ...]]:
    return zip(*(column(table, name) for name in names), strict=True)


def seed(name: str) -> Summary:
    return summarize_launches(read_listing(str(SHARED / "seeds" / f"kernels_{name}.txt")), Origin(name, name))


def whole_ns(table: Table, name: str) -> int:
    """Sum of a column in nanoseconds; its microseconds have at most three decimals."""
    return sum(round(cell * 1000) for cell in column(table, name) if isinstance(cell, int | float))


def assert_sums_close(got: Comparison, a: Summary, b: Summary) -> None:
    totals = int(a.steps.total_ns.sum()), int(b.steps.total_ns.sum())
    assert (got.ledger.baseline, got.ledger.candidate) == totals
    entities = [row for row in got.ledger.rows if len(row.path) == 2]
    assert sum(row.delta for row in entities) == got.ledger.delta == totals[1] - totals[0]
    table = got.tables["launches"]
    assert (whole_ns(table, "baseline_us"), whole_ns(table, "candidate_us")) == totals
    assert whole_ns(table, "delta_us") == got.ledger.delta
    for side, summary in (("baseline", a), ("candidate", b)):
        assert summary.launches is not None
        seen = [index for index in column(table, f"{side}_index") if index is not None]
        assert seen == list(range(1, len(summary.launches) + 1))


def test_the_view_lists_launches_in_order() -> None:
    table = view_tables(drawn("gemm 30 .8 .1, copy 5 .0 .9, gemm 20 .7 .7, odd 1 - -, idle 2 - .1"))["launches"]
    assert table.rows == (
        (1, 0.0, "gemm", 30.0, 0.8, 0.1, "tensor-bound"),
        (2, 30.0, "copy", 5.0, 0.0, 0.9, "memory-bound"),
        (3, 35.0, "gemm", 20.0, 0.7, 0.7, "both"),
        (4, 55.0, "odd", 1.0, None, None, "not measured"),
        (5, 56.0, "idle", 2.0, None, 0.1, "neither"),
    )


def test_time_of_a_kernel_per_bound_class() -> None:
    run = drawn("gemm 30 .8 .1, gemm 10 .1 .9, gemm 20 .7 .7, gemm 30 .1 .1, gemm 10 - -, odd 1 - -")
    facts = run.groups["kernels"].facts
    row = 0
    shares = {name: float(facts[name][row]) for name in ("tensor_bound", "memory_bound", "both_bound", "neither_bound")}
    assert shares == pytest.approx({"tensor_bound": 0.3, "memory_bound": 0.1, "both_bound": 0.2, "neither_bound": 0.3})
    assert math.isnan(facts["tensor_bound"][1])


def test_the_kernel_view_has_calls_means_and_shares() -> None:
    table = view_tables(drawn("gemm 30 .8 .1, copy 20 .0 .9, gemm 30 .7 .1"))["kernels"]
    expected = ("name", "calls", "total_us", "mean_us", "share", "tensor_bound")
    assert [column(table, name)[0] for name in expected] == ["gemm", 2.0, 60.0, 30.0, 0.75, 1.0]


def test_the_kernel_table_has_the_figures_of_the_scatter_plot() -> None:
    table = compare(drawn("gemm 30 .8 .1, copy 20 .0 .9"), drawn("gemm 60 .4 .1, sort 1 - -")).tables["kernels"]
    expected = (
        "name", "baseline_us", "candidate_us", "baseline_mean_us", "candidate_mean_us", "baseline_share",
        "baseline_tensor_active", "candidate_tensor_active", "baseline_dram_active", "candidate_dram_active",
    )  # fmt: skip
    rows = list(zip(*(column(table, name) for name in expected), strict=True))
    assert rows == [
        ("gemm", 30.0, 60.0, 30.0, 60.0, 0.6, 0.8, 0.4, 0.1, 0.1),
        ("copy", 20.0, None, 20.0, None, 0.4, 0.0, None, 0.9, None),
        ("sort", None, 1.0, None, 1.0, None, None, None, None, None),
    ]
    kinds = {c.name: (c.kind, c.unit) for c in table.columns}
    assert kinds["baseline_tensor_active"] == kinds["candidate_dram_active"] == ("fraction", "fraction")


def test_two_runs_side_by_side() -> None:
    before, after = drawn("a 1, b 10 .8 .1, c 5 .0 .9, d 1"), drawn("a 2, x 30 .0 .2, c 5 .0 .4, new 3, d 1")
    table = compare(before, after).tables["launches"]
    names = ("place", "baseline_index", "candidate_index", "name", "candidate_name", "delta_us", "percent", "status")
    assert list(zip(*(column(table, name) for name in names), strict=True)) == [
        (1, 1, 1, "a", "", 1.0, 1.0, "both"),
        (2, 2, 2, "b", "x", 20.0, 2.0, "replaced"),
        (3, 3, 3, "c", "", 0.0, 0.0, "both"),
        (4, None, 4, "new", "", 3.0, None, "added"),
        (5, 4, 5, "d", "", 0.0, 0.0, "both"),
    ]
    assert column(table, "candidate_dram_active") == [None, 0.2, 0.4, None, None]
    assert column(table, "candidate_start_us") == [0.0, 2.0, 32.0, 37.0, 40.0]
    assert table.notes == (
        "Launches in order, aligned by kernel (docs/method/alignment.md): "
        "3 on both sides, 1 added, 0 removed, 1 replaced.",
    )


def test_a_long_table_keeps_the_largest_changes_in_order_and_sums_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_table, "MAX_ROWS", 2)
    before, after = drawn("a 5, b 4, c 5, d 1.5, e 1"), drawn("a 9, b 5, c 2, d 1.25, e 1")
    table = compare(before, after).tables["launches"]
    assert column(table, "name") == ["a", "c"]
    assert column(table, "place") == [1, 3]
    assert table.notes[1] == (
        "3 more rows, which changed by at most 1.00 µs each, are left out. Together: "
        "A 6.500 µs; B 7.250 µs; Δ 0.750 µs."
    )
    left_out = [round(float(text) * 1000) for text in re.findall(r"(-?\d+\.\d{3}) µs", table.notes[1])]
    assert whole_ns(table, "delta_us") + left_out[2] == compare(before, after).ledger.delta


def test_unaligned_launches_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_perfcompare.comparison.launches.edit_path.Budget.spend", lambda self, places: False)
    table = compare(letters("abcde"), letters("acbde")).tables["launches"]
    assert column(table, "status") == ["both", "removed", "removed", "added", "added", "both", "both"]
    assert table.notes[1] == (
        "Launches 2 to 3 of A and 2 to 3 of B are too different to be aligned: they are shown as removed and added."
    )


def test_pooled_listings_have_no_order_across_files() -> None:
    both = pool([letters("ab"), letters("ab")])
    assert "launches" not in view_tables(both)
    assert "launches" not in compare(both, letters("ab")).tables


@given(listings(), listings())
def test_kernels_and_launches_sum_to_the_ledger(a: Summary, b: Summary) -> None:
    got = compare(a, b)
    assert got.ledger.delta == int(b.steps.total_ns[0] - a.steps.total_ns[0])
    assert_sums_close(got, a, b)


@given(listings(), listings())
def test_swapping_the_sides_mirrors_the_launch_table(a: Summary, b: Summary) -> None:
    forward, swapped = compare(a, b).tables["launches"], compare(b, a).tables["launches"]
    figures = ("baseline_us", "delta_us", "status")
    rows = {(x, y): z for x, y, *z in _of(forward, "baseline_index", "candidate_index", "candidate_us", *figures)}
    mirrored = {(y, x): z for x, y, *z in _of(swapped, "baseline_index", "candidate_index", "candidate_us", *figures)}
    assert set(rows) == set(mirrored)
    for launch, (time_b, time_a, delta, status) in rows.items():
        assert mirrored[launch] == [time_a, time_b, -float(str(delta)), SWAPPED[str(status)]]


@given(listings())
def test_a_run_against_itself_is_the_same_without_findings(a: Summary) -> None:
    got = compare(a, a)
    assert set(column(got.tables["launches"], "status")) == {"both"}
    assert not any(column(got.tables["launches"], "delta_us"))
    assert (got.headline.verdict, got.findings) == (Verdict.SAME, ())


@needs_shared
@pytest.mark.parametrize("name", SEEDS)
def test_real_listings_have_a_row_per_launch(name: str) -> None:
    summary = seed(name)
    table = view_tables(summary)["launches"]
    assert len(table.rows) == {"unet_training": 560, "bert_training": 1_626, "llm_inference": 971}[name]
    assert whole_ns(table, "dur_us") == int(summary.steps.total_ns[0])


@needs_shared
@pytest.mark.parametrize(("first", "second"), [SEEDS[:2], SEEDS[1:], SEEDS[::2]])
def test_launches_of_real_listings_sum_to_the_ledger(first: str, second: str) -> None:
    a, b = seed(first), seed(second)
    assert_sums_close(compare(a, b), a, b)


@needs_shared
def test_a_real_listing_with_a_hundred_changes_is_aligned_around_them() -> None:
    a = seed("bert_training")
    assert a.launches is not None
    random = np.random.default_rng(5)
    kept = np.sort(random.choice(len(a.launches), 1_526, replace=False))
    fewer = LaunchSequence(
        a.launches.kernel[kept], a.launches.dur_ns[kept], a.launches.tensor[kept], a.launches.dram[kept]
    )
    rows = launch_rows(a, replace(a, launches=fewer))
    assert rows is not None
    assert (rows.at_b < 0).sum() == 100 and (rows.at_a < 0).sum() == 0


def test_the_overview_of_a_listing_has_launches_instead_of_steps() -> None:
    overview = view_tables(drawn("gemm 100 .5 .2, rest 50 .0 .1"))["overview"]
    assert [row[:2] for row in overview.rows] == [
        ("Kernel time", 150.0), ("Launches", 2), ("Captures", 1), ("Devices at work", 1),
    ]  # fmt: skip
    assert not [note for note in overview.notes if "tep" in note]
