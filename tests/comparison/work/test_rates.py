"""Rates of a drawn matrix product, by hand; the split of the change of its time."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.rank_mean import RankMean
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.table import cells_of
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.comparison.work.row_work import table_work
from tb_perfcompare.comparison.work.split import work_effects
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.device_peaks import DEVICES, device_peaks, parse_peak
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rows_of

SIDE = 1024
FLOPS = 2 * SIDE**3
BYTES = 3 * 4 * SIDE**2


def products(us: float, calls: int = 1, rows: int = SIDE, name: str = "aten::mm", steps: int = 6) -> TraceBuilder:
    """Steps with products of rows x 1024 by 1024 x 1024 in fp32, each with a kernel of `us` µs."""
    trace = TraceBuilder()
    for step in range(steps):
        start = 10_000 * step
        trace.step(step + 1, start, start + 10_000)
        for call in range(calls):
            at = start + 100 + 1000 * call
            trace.op(name, at, at + 50, dims=[[rows, SIDE], [SIDE, SIDE]])
            jitter = step / 100
            trace.kernel("sgemm", at + 60, at + 60 + us + jitter, launch=(at + 5, at + 15))
        trace.kernel("odd", start + 9000, start + 9010, launch=(start + 8900, start + 8910))
    return trace


def compared(a: TraceBuilder, b: TraceBuilder, *peaks: str) -> Comparison:
    return compare(a, b, peaks=tuple(map(parse_peak, peaks)))


def row_of(found: Comparison, table: str = "operators_by_shape", name: str = "aten::mm", place: int = 0) -> dict:
    of = found.table(table)
    rows = [row for row in of.rows if row[0] == name]
    return dict(zip(of.places, rows[place], strict=True))


def test_rates_are_work_over_device_time() -> None:
    row = row_of(compared(products(200), products(400)))
    seconds = 200.025e-6
    assert row["baseline_flops"] == FLOPS
    assert row["baseline_moved_bytes"] == BYTES
    assert row["baseline_flop_rate"] == pytest.approx(FLOPS / seconds)
    assert row["baseline_byte_rate"] == pytest.approx(BYTES / seconds)
    assert row["baseline_intensity"] == pytest.approx(FLOPS / BYTES)
    assert row["baseline_roof_share"] == pytest.approx(FLOPS / 19.5e12 / seconds)  # of an A100
    assert (row["baseline_bound"], row["baseline_data_type"]) == ("compute-bound", "fp32")
    assert row["rate_change"] == "slower"
    assert (row["work_effect_us"], row["speed_effect_us"]) == (0, 200)


@pytest.mark.parametrize(
    ("memory", "bound"),
    [("30", "memory-bound"), ("90", "memory-bound"), ("100", ""), ("130", ""), ("140", "compute-bound")],
)
def test_within_a_fifth_of_the_ridge_nothing_bounds(memory: str, bound: str) -> None:
    """171 FLOP per byte; with 19.5 TFLOP/s the ridge is at 114 GB/s."""
    row = row_of(compared(products(200), products(200), f"memory={memory}"))
    assert row["baseline_bound"] == row["candidate_bound"] == bound


def test_far_below_the_peak_nothing_bounds() -> None:
    """10.7 TFLOP/s are 55 % of the peak, 1.79 TFLOP/s are 9.2 %."""
    row = row_of(compared(products(200), products(1200)))
    assert (row["baseline_bound"], row["candidate_bound"]) == ("compute-bound", "")


def test_without_a_peak_of_the_type_only_copies_are_memory_bound() -> None:
    def bound(name: str) -> str:
        trace = TraceBuilder()
        trace.step(1, 0, 100)
        trace.op(name, 10, 30, dims=[[1024, 1024], [1024, 1024]], **{"Input type": ["long int"] * 2})
        trace.kernel("k", 40, 60, launch=(12, 20))
        return str(row_of(compared(trace, trace), name=name)["baseline_bound"])

    assert (bound("aten::copy_"), bound("aten::add")) == ("memory-bound", "")


def test_more_work_at_the_same_rate_is_all_work() -> None:
    row = row_of(compared(products(200, calls=1), products(200, calls=3)))
    assert row["work_effect_us"] == pytest.approx(2 * 200.025)
    assert row["speed_effect_us"] == pytest.approx(0, abs=1e-9)
    assert row["rate_change"] == "unchanged"


def test_the_split_closes_and_swaps() -> None:
    sides = products(200, calls=2), products(330, calls=3)
    one, two = row_of(compared(*sides)), row_of(compared(*sides[::-1]))
    change = one["candidate_modelled_us"] - one["baseline_modelled_us"]
    assert one["work_effect_us"] + one["speed_effect_us"] == pytest.approx(change)
    for effect in ("work_effect_us", "speed_effect_us", "flop_rate_delta", "roof_share_delta"):
        assert one[effect] == pytest.approx(-two[effect])


def test_effects_are_whole_nanoseconds_that_sum_to_the_change() -> None:
    sides = products(201.013, calls=3, rows=1000, steps=6), products(330.007, calls=2, rows=777, steps=7)
    one, two = (
        work_effects(*(table_work(summary(side), "operators", {("aten::mm",): 0}, 1, None) for side in pair))
        for pair in (sides, sides[::-1])
    )
    assert one.denominator == 42
    assert one.work.dtype == one.rate.dtype == np.int64
    times = [int(summary(side).groups["operator_work"].measures_ns["total"][0].sum()) for side in sides]
    assert (one.work + one.rate).tolist() == [times[1] * 6 - times[0] * 7]
    exact = Fraction(2 * 777 - 3 * 1000) * (Fraction(times[0], 6) / 3000 + Fraction(times[1], 7) / 1554) / 2
    assert one.work.tolist() == [round(exact * 42)]
    assert [two.work.tolist(), two.rate.tolist()] == [(-one.work).tolist(), (-one.rate).tolist()]
    row = row_of(compared(*sides), "operators")
    for column, effect in (("work_effect_us", one.work), ("speed_effect_us", one.rate)):
        assert row[column] == effect[0] / 42_000


def test_an_operator_of_one_side_is_all_work() -> None:
    found = compared(products(200), products(200, rows=2 * SIDE))
    gone, new = (row_of(found, place=place) for place in (0, 1))
    assert sorted((gone["work_effect_us"], new["work_effect_us"])) == pytest.approx([-200.025, 200.025])
    assert gone["speed_effect_us"] == new["speed_effect_us"] == 0
    whole = row_of(found, "operators")
    assert whole["work_effect_us"] > 0 > whole["speed_effect_us"]  # twice the work in the same time


def test_given_peaks_replace_those_of_the_device() -> None:
    found = compared(products(200), products(200), "candidate:fp32=39")
    row = row_of(found)
    assert row["candidate_roof_share"] == pytest.approx(row["baseline_roof_share"] / 2)
    peaks = found.to_dict()["peaks"]
    assert peaks["baseline"] is not None and peaks["baseline"]["tflops"]["fp32"] == 19.5
    assert peaks["candidate"] is not None and peaks["candidate"]["tflops"]["fp32"] == 39


def test_a_rate_above_the_peak_is_flagged() -> None:
    slow, fast = (compared(products(us), products(us)).table("operators_by_shape") for us in (200, 50))
    assert not any("above 100 %" in note for note in slow.notes)
    assert any("above 100 %" in note for note in fast.notes)


def test_families_and_reasons_close_to_the_device_time() -> None:
    found = compared(products(200, name="mine::odd"), products(300))
    table = found.table("work_by_family")
    families = cells_of(table.rows, 0)
    assert families[0] == "matrix product"
    assert all(str(name).startswith("no model: ") for name in families[1:])
    assert sum(row["candidate_us"] or 0 for row in rows_of(table).values()) == pytest.approx(300.025 + 10)


def test_a_single_run_has_the_same_rates() -> None:
    views = view_tables(summary(products(200)))
    of = views["operators_by_shape"]
    assert rows_of(of)["aten::mm"]["flop_rate"] == pytest.approx(FLOPS / 200.025e-6)
    json.dumps(of.to_dict(), allow_nan=False)
    assert views["work_by_family"].rows[0][0] == "matrix product"


def test_a_kernel_has_the_rate_of_its_operator() -> None:
    found = compared(products(200), products(400))
    row = row_of(found, "kernels", "sgemm")
    assert row["baseline_flop_rate"] == pytest.approx(FLOPS / 200.025e-6)
    assert (row["work_effect_us"], row["speed_effect_us"], row["rate_change"]) == (0, 200, "slower")
    odd = row_of(found, "kernels", "odd")
    assert odd["baseline_flop_rate"] is None and odd["no_model"] == "launched by no recorded operator"


def test_the_ledger_of_kernels_is_split_by_work_and_rate() -> None:
    sides = products(200, calls=2), products(330, calls=3, rows=700, steps=7)
    found = compared(*sides)
    row, odd = row_of(found, "kernels", "sgemm"), row_of(found, "kernels", "odd")
    (entry,) = [entity for entity in found.ledger.entities("Kernel") if entity.path[1] == "sgemm"]
    whole = 1000 * found.ledger.denominator
    parts = [row[name] * whole for name in ("exposed_work_effect_us", "exposed_speed_effect_us")]
    assert [round(part) for part in parts] == pytest.approx(parts, abs=1e-6)
    assert sum(map(round, parts)) == entry.delta
    work_a, work_b = 2 * 1024, 3 * 700
    per_a, per_b = Fraction(entry.baseline, work_a), Fraction(entry.candidate, work_b)
    assert round(parts[0]) == round((work_b - work_a) * (per_a + per_b) / 2)
    assert odd["exposed_work_effect_us"] is None
    swapped = row_of(compared(*sides[::-1]), "kernels", "sgemm")
    assert swapped["exposed_work_effect_us"] == -row["exposed_work_effect_us"]
    itself = row_of(compared(sides[0], sides[0]), "kernels", "sgemm")
    assert (itself["exposed_work_effect_us"], itself["exposed_speed_effect_us"]) == (0, 0)


def test_without_shapes_there_are_no_rates() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 30)
    trace.kernel("sgemm", 40, 60, launch=(12, 20))
    found = compared(trace, trace)
    assert "work_by_family" not in found.tables
    assert not any(column.name == "baseline_flop_rate" for column in found.table("operators").columns)


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM 80 GB"),
        ("NVIDIA A100 80GB PCIe", "NVIDIA A100 PCIe 80 GB"),
        ("NVIDIA A100-PCIE-40GB", "NVIDIA A100 40 GB"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM"),
        ("NVIDIA H100 PCIe, NVIDIA H100 PCIe", "NVIDIA H100 PCIe"),
        ("Tesla V100-DGXS-32GB", "NVIDIA V100 SXM2"),
        ("AMD Instinct MI300X VF", "AMD Instinct MI300X"),
        ("NVIDIA GB200", "NVIDIA GB200"),
        ("NVIDIA H800", "NVIDIA H800 SXM"),
        ("NVIDIA H20", "NVIDIA H20"),
        ("NVIDIA H20-3e", None),
        ("NVIDIA A800-SXM4-80GB", "NVIDIA A800 SXM 80 GB"),
        ("NVIDIA RTX A6000", "NVIDIA RTX A6000"),
        ("NVIDIA RTX 6000 Ada Generation", None),
        ("NVIDIA A40", "NVIDIA A40"),
        ("NVIDIA A40-8Q", None),
        ("NVIDIA GeForce RTX 5090", "NVIDIA GeForce RTX 5090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("AMD Instinct MI355X", "AMD Instinct MI355X"),
        ("NVIDIA GH200 480GB", None),
        ("NVIDIA A10G", None),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", None),
        ("NVIDIA L4, NVIDIA T4", None),
        ("", None),
    ],
)
def test_peaks_by_device_name(name: str, device: str | None) -> None:
    found = device_peaks(name)
    assert (None if found is None else found.device) == device


def test_every_device_has_a_source_and_a_memory() -> None:
    assert all(one.source.startswith("https://") and one.memory_gbs > 0 and one.tflops for _, one in DEVICES)


@pytest.mark.parametrize("text", ["bf16", "bf16=", "bf16=-1", "bf16=nan", "half=3", "other:bf16=3", "memory=inf"])
def test_an_invalid_peak_is_refused(text: str) -> None:
    with pytest.raises(PerfCompareError):
        parse_peak(text)


def test_captures_without_shapes_do_not_lower_the_rate() -> None:
    bare = products(200)
    for event in bare.events:
        for argument in ("Input Dims", "Input type"):
            (event.args or {}).pop(argument, None)
    both = pool([summary(products(200)), summary(bare, span="2")])
    found = compare(both, both)
    assert row_of(found, "operators")["baseline_flop_rate"] == pytest.approx(FLOPS / 200.025e-6)


def test_the_rate_of_ranks_is_their_mean() -> None:
    mean = RankMean()
    for rank, us in enumerate((200, 400)):
        mean.add(summary(products(us), worker=f"worker{rank}"))
    job = mean.finish()
    assert job is not None
    row = row_of(compare(job, job))
    assert row["baseline_flops"] == FLOPS
    assert row["baseline_flop_rate"] == pytest.approx(FLOPS / 300.025e-6, rel=1e-6)
