"""Exports compared with exports and with kernel listings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare.analysis.listings.launches import summarize_launches
from tb_perfcompare.comparison.checks.comparability import check_comparability
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.sources.registry import read
from tests.comparison.compare import compare, rows_of
from tests.ncu.exports import DURATION, OCCUPANCY, SM, TENSOR, Launch, details_page, launch, raw_page, write

LISTING = "Kernel Latency Tensor DRAM\ngemm | 1000 0.80 0.10\nscan | 3000 0.00 0.70\n"


def side(folder: Path, content: str, name: str = "launches.csv") -> Summary:
    recording = read(write(folder, content, name))
    assert isinstance(recording, LaunchRecording)
    return summarize_launches(recording, Origin(name, name))


def export(scan_ns: int = 3000, **who: str) -> str:
    return raw_page([launch("gemm", 1000, 80.0, 10.0, **who), launch("scan", scan_ns, 0.0, 70.0, **who)])


def check(a: Summary, b: Summary, name: str) -> Check:
    return next(check for check in check_comparability(a, b, TextNumbers()) if check.check == name)


def test_two_exports_compare_by_the_sum_of_their_kernels(tmp_path: Path) -> None:
    got = compare(side(tmp_path, export()), side(tmp_path, export(5000), "b.csv"))
    assert (got.headline.metric, got.headline.delta, got.ledger.delta) == ("kernel_time", 2.0, 2000)
    assert got.baseline.format == "ncu_csv" and got.baseline.device.kind == "cuda"
    assert {row[0]: row[3] for row in got.tables["bound"].rows} == {"tensor-bound": 0.0, "memory-bound": 2.0}


def test_an_export_against_itself_is_the_same_on_either_page(tmp_path: Path) -> None:
    raw = side(tmp_path, export())
    details = side(tmp_path, details_page([launch("gemm", 1000, 80.0, 10.0), launch("scan", 3000, 0.0, 70.0)]), "b.csv")
    got = compare(raw, details)
    assert (got.headline.verdict, got.headline.delta, got.findings) == (Verdict.SAME, 0.0, ())
    assert check(raw, details, "utilisation_metrics").status == "ok"


def test_an_export_and_a_listing_of_the_same_launches_have_the_same_figures(tmp_path: Path) -> None:
    listing, ncu = side(tmp_path, LISTING, "kernels.txt"), side(tmp_path, export())
    assert compare(listing, ncu).headline.delta == 0.0
    assert listing.bound_ns == ncu.bound_ns
    for fact in ("tensor_active", "dram_active"):
        assert listing.groups["kernels"].facts[fact] == pytest.approx(ncu.groups["kernels"].facts[fact])
    metrics = check(listing, ncu, "utilisation_metrics")
    assert metrics.status == "warn"
    assert f"the baseline does not name its metric, the candidate's is {TENSOR}" in metrics.detail
    assert check(listing, ncu, "device_kind").detail == (
        "the baseline does not name its device: the devices may differ"
    )


def test_different_metrics_for_one_figure_warn(tmp_path: Path) -> None:
    active = TENSOR.replace("elapsed", "active")
    other = raw_page([Launch("gemm", {DURATION: "1000", active: "90"})])
    a, b = side(tmp_path, export()), side(tmp_path, other, "b.csv")
    found = check(a, b, "utilisation_metrics")
    assert found.status == "warn" and found.invalidates == ("tensor_active", "bound")
    assert found.detail == f"figures of different metrics are not comparable: tensor pipe: {TENSOR} vs {active}"
    assert check(b, a, "utilisation_metrics").detail.endswith(f"{active} vs {TENSOR}")


def test_the_environment_names_metrics_and_device(tmp_path: Path) -> None:
    got = dict(side(tmp_path, export()).environment)
    assert got["metric.tensor_active"] == TENSOR and got["device.compute_capability"] == "8.0"


def test_other_compute_capabilities_are_other_devices(tmp_path: Path) -> None:
    a, b = side(tmp_path, export()), side(tmp_path, export(cc="9.0"), "b.csv")
    assert check(a, b, "device_kind").detail == "different devices: device compute capability 8.0 → 9.0"


def test_measured_occupancy_has_its_own_column(tmp_path: Path) -> None:
    got = side(tmp_path, raw_page([Launch("gemm", {DURATION: "1000", OCCUPANCY: "25", SM: "50"})]))
    row = rows_of(view_tables(got)["kernels"])["gemm"]
    assert (row["achieved_occupancy"], row["sm_throughput"]) == (0.25, 0.5)
    assert "occupancy" not in row
