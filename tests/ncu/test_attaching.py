"""A listing or an export attached to a trace: kernels gain utilization, and nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.listings.attach_launches import attach_launches
from tb_perfcompare.analysis.listings.launches import BOUND_SHARES, summarize_launches
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import BOUND_CLASSES, Summary
from tb_perfcompare.sources.registry import read
from tests.analysis.summaries import summary as summary_of
from tests.build import TraceBuilder
from tests.comparison.compare import compare, notes_of, rows_of
from tests.ncu.exports import DURATION, OCCUPANCY, Launch, launch, raw_page, write
from tests.shared_data import SHARED, needs_shared
from tests.strategies import traces

MUL = "void at::native::elementwise<4, Mul<float> >(int, Mul<float>)"
ADD = "void at::native::elementwise<4, Add<float> >(int, Add<float>)"


def trace(*kernels: tuple[str, float], steps: int = 1, factor: float = 1.0) -> TraceBuilder:
    """Steps of 1 ms that run each (kernel, µs) once."""
    drawn = TraceBuilder()
    for number in range(steps):
        drawn.step(number, number * 1000, number * 1000 + 1000)
        at = number * 1000.0 + 10
        for name, us in kernels:
            drawn.kernel(name, at, at + us * factor, launch=(at - 5, at - 4))
            at += us * factor + 10
    return drawn


def launches(folder: Path, content: str, name: str = "kernels.txt") -> LaunchRecording:
    got = read(write(folder, content, name))
    assert isinstance(got, LaunchRecording)
    return got


def listing(folder: Path, *lines: str) -> LaunchRecording:
    return launches(folder, "Kernel Latency Tensor DRAM\n" + "\n".join(lines) + "\n")


def facts(of: Summary, fact: str) -> dict[str, float]:
    table = of.groups["kernels"]
    return {key[0]: round(float(value), 9) for key, value in zip(table.keys, table.facts[fact], strict=True)
            if np.isfinite(value)}  # fmt: skip


def test_a_kernel_gets_the_mean_of_its_launches_weighted_by_their_time(tmp_path: Path) -> None:
    got = attach_launches(
        summary_of(trace(("gemm", 100), ("scan", 50))),
        listing(tmp_path, "gemm | 1000 0.80 0.10", "gemm | 3000 0.40 0.20", "scan | 500 - 0.70"),
    )
    assert facts(got, "tensor_active") == {"gemm": 0.5}
    assert facts(got, "dram_active") == {"gemm": 0.175, "scan": 0.7}
    assert notes_of(got, NoteCode.ATTACHED_LAUNCHES) == [
        "100 % of the kernel time has figures of the kernel listing (2 of 2 kernels)"
    ]


def test_the_time_of_the_trace_is_split_like_the_launches(tmp_path: Path) -> None:
    got = attach_launches(
        summary_of(trace(("gemm", 100), ("scan", 50), ("other", 7))),
        listing(tmp_path, "gemm | 1000 0.80 0.10", "gemm | 3000 0.40 0.20", "scan | 500 - 0.70"),
    )
    assert got.bound_ns == {
        "tensor-bound": 25_000, "memory-bound": 50_000, "both": 0, "neither": 75_000, "not measured": 7_000,
    }  # fmt: skip
    assert facts(got, "tensor_bound") == {"gemm": 0.25, "scan": 0.0}


def test_kernels_without_figures_and_figures_without_kernels_are_reported(tmp_path: Path) -> None:
    got = attach_launches(
        summary_of(trace(("gemm", 30), ("scan", 70))), listing(tmp_path, "gemm | 900 0.8 0.1", "gone | 100 0.5 0.1")
    )
    assert "scan" not in facts(got, "tensor_active")
    assert notes_of(got, NoteCode.ATTACHED_LAUNCHES) == [
        "30.0 % of the kernel time has figures of the kernel listing (1 of 2 kernels); "
        "1 of its 2 names, 10.0 % of its time, are not in the trace"
    ]


def test_kernels_behind_one_name_get_its_figure_and_that_is_reported(tmp_path: Path) -> None:
    got = attach_launches(
        summary_of(trace((MUL, 10), (ADD, 20), ("gemm", 5))),
        listing(tmp_path, "elementwise | 900 0.0 0.75", "gemm | 100 0.9 0.1"),
    )
    assert facts(got, "dram_active") == {MUL: 0.75, ADD: 0.75, "gemm": 0.1}
    assert notes_of(got, NoteCode.SHARED_FIGURES) == [
        "2 kernels have a figure in common with others, because the kernel listing has one name for them: "
        "elementwise (2)"
    ]


def test_an_export_has_separate_figures_for_kernels_of_one_function(tmp_path: Path) -> None:
    ncu = raw_page(
        [launch(MUL.replace("<4", "<(int)4").replace("> >(int, Mul<float>)", ">>(int, T2)"), 10, 0.0, 60.0),
         launch(ADD.replace("<4", "<(int)4").replace("> >(int, Add<float>)", ">>(int, T2)"), 10, 0.0, 20.0)]
    )  # fmt: skip
    got = attach_launches(summary_of(trace((MUL, 10), (ADD, 20))), launches(tmp_path, ncu, "launches.csv"))
    assert facts(got, "dram_active") == {MUL: 0.6, ADD: 0.2}
    assert not notes_of(got, NoteCode.SHARED_FIGURES)
    assert dict(got.environment)["launches.file"] == "launches.csv"
    assert dict(got.environment)["metric.dram_active"].startswith("gpu__dram_throughput")


def test_measured_occupancy_is_kept_with_the_estimate(tmp_path: Path) -> None:
    ncu = raw_page([Launch("gemm", {DURATION: "10", OCCUPANCY: "25"})])
    got = attach_launches(summary_of(trace(("gemm", 10))), launches(tmp_path, ncu, "launches.csv"))
    assert facts(got, "achieved_occupancy") == {"gemm": 0.25}
    assert facts(got, "occupancy") == {"gemm": 50.0}
    assert got.bound_ns["not measured"] == 10_000


def test_another_device_is_reported(tmp_path: Path) -> None:
    drawn = replace(summary_of(trace(("gemm", 10))), environment=(("device.compute_capability", "7.0"),))
    got = attach_launches(drawn, launches(tmp_path, raw_page([launch("gemm", 10, 1.0)]), "launches.csv"))
    assert "measured on compute capability 8.0, the trace on 7.0" in notes_of(got, NoteCode.ATTACHED_LAUNCHES)[1]


def test_notes_of_the_file_are_kept(tmp_path: Path) -> None:
    got = attach_launches(summary_of(trace(("gemm", 10))), listing(tmp_path, "gemm | 10 0.5 0.5", "torn | 5"))
    assert notes_of(got, NoteCode.DROPPED_EVENTS) == ["1 line dropped, the first: line 3: 1 figure instead of 3"]


def test_a_run_without_kernels_is_unchanged(tmp_path: Path) -> None:
    host = TraceBuilder(vendor="cpu")
    host.step(1, 0, 100)
    got = attach_launches(summary_of(host), listing(tmp_path, "gemm | 10 0.5 0.5"))
    assert got.bound_ns == {} and "no kernels" in notes_of(got, NoteCode.ATTACHED_LAUNCHES)[0]


def test_launches_are_attached_to_traces_only(tmp_path: Path) -> None:
    recording = listing(tmp_path, "gemm | 10 0.5 0.5")
    with pytest.raises(SelectionError, match="its own figures"):
        attach_launches(summarize_launches(recording, Origin("a", "a")), recording)


def test_a_pooled_run_gets_figures(tmp_path: Path) -> None:
    recording = listing(tmp_path, "gemm | 10 0.5 0.7")
    both = pool([summary_of(trace(("gemm", 10)), span="1"), summary_of(trace(("gemm", 30)), span="2")])
    got = attach_launches(both, recording)
    assert facts(got, "dram_active") == {"gemm": 0.7} and got.bound_ns["memory-bound"] == 40_000


def test_lost_throughput_shows_in_the_comparison_of_two_traces(tmp_path: Path) -> None:
    a = attach_launches(summary_of(trace(("scan", 100))), listing(tmp_path, "scan | 10 0.0 0.8"))
    b = attach_launches(summary_of(trace(("scan", 200))), listing(tmp_path, "scan | 20 0.0 0.4"))
    got = compare(a, b)
    row = rows_of(got.tables["kernels"])["scan"]
    assert (row["baseline_dram_active"], row["candidate_dram_active"]) == (0.8, 0.4)
    assert {line[0]: line[1:4] for line in got.tables["bound"].rows} == {
        "memory-bound": (100.0, 0.0, -100.0), "neither": (0.0, 200.0, 200.0),
    }  # fmt: skip


# -- laws --------------------------------------------------------------------------------------------------------------

_MAY_CHANGE = {"groups", "bound_ns", "environment", "notes"}


def assert_same(a: object, b: object) -> None:
    """Equal in every field, arrays by their numbers."""
    if isinstance(a, np.ndarray):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    elif isinstance(a, Mapping) and isinstance(b, Mapping):
        assert list(a) == list(b)
        for key in a:
            assert_same(a[key], b[key])
    elif hasattr(a, "__dataclass_fields__"):
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name))
    else:
        assert a == b


figures = st.one_of(st.none(), st.floats(0, 1.2))
listed = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 10**9), figures, figures), max_size=12)
NAMES = ("sgemm_128x64_nn", "add", "void at::native::add<float>(int)", "volta_fp16...", "elementwise", "elem...", "x",
         "void at::native::add<double>(int)")  # fmt: skip


@given(traces(vendors=("cuda", "rocm")), listed)
def test_attaching_changes_no_time_no_count_and_no_ledger(
    tmp_path_factory: pytest.TempPathFactory, drawn: TraceBuilder, lines: list[tuple[int, int, float, float]]
) -> None:
    drawn.op("aten::mm", 0, 20)  # something to time
    before = summary_of(drawn)
    text = [f"{NAMES[name]} | {ns} {'-' if t is None else t} {'-' if d is None else d}" for name, ns, t, d in lines]
    recording = listing(tmp_path_factory.mktemp("law"), "x | 1 - -", *text)
    after = attach_launches(before, recording)
    for field in fields(Summary):
        if field.name not in _MAY_CHANGE:
            assert_same(getattr(before, field.name), getattr(after, field.name))
    for name, group in before.groups.items():
        found = after.groups[name]
        assert_same(group, replace(found, facts={fact: found.facts[fact] for fact in group.facts}))
    compared = [compare(side, side) for side in (before, after)]
    assert_same(compared[0].ledger, compared[1].ledger)
    assert compared[0].headline == compared[1].headline
    if "kernels" in before.groups:
        total = int(before.groups["kernels"].measures_ns["total"].sum())
        assert sum(after.bound_ns.values()) == total and min(after.bound_ns.values()) >= 0
        shares = np.sum([after.groups["kernels"].facts[name] for name in BOUND_SHARES], axis=0)
        assert ((shares <= 1 + 1e-12) | np.isnan(shares)).all()
        assert tuple(after.bound_ns) == BOUND_CLASSES


# -- real shapes -------------------------------------------------------------------------------------------------------


def full_name(short: str, number: int) -> str:
    """A trace's name for a name of the listing."""
    if short.endswith("..."):
        return short.removesuffix("...") + "_stages_64x3_tn"
    return f"void at::native::{short}<{number}, at::native::Functor<float> >(int, at::native::Functor<float>)"


@needs_shared
@pytest.mark.parametrize("name", ["unet_training", "bert_training", "llm_inference"])
def test_a_real_listing_covers_a_trace_of_its_kernels(name: str) -> None:
    recording = read(str(SHARED / "seeds" / f"kernels_{name}.txt"))
    assert isinstance(recording, LaunchRecording)
    alone = summarize_launches(recording, Origin(name, name))
    drawn = TraceBuilder()
    order, at = recording.launches, 0.0
    for code, ns in zip(order.name.tolist(), order.dur_ns.tolist(), strict=True):
        drawn.kernel(full_name(order.strings[code], 4), at, at + ns / 1000)
        at += ns / 1000 + 1
    drawn.step(1, 0, at)
    traced = summary_of(drawn)
    got = attach_launches(traced, recording)
    assert notes_of(got, NoteCode.ATTACHED_LAUNCHES)[0].startswith("100 % of the kernel time")
    assert sum(got.bound_ns.values()) == sum(alone.bound_ns.values())
    whole = got.groups["kernels"]
    time = whole.measures_ns["total"].sum(axis=1)
    figures = {metric.name: metric.value for metric in alone.device_metrics}
    for fact in ("tensor_active", "dram_active"):
        assert float((whole.facts[fact] * time).sum() / time.sum()) == pytest.approx(figures[fact], abs=1e-6)
