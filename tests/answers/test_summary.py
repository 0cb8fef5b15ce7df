"""The summary of saved answers: totals become exact tables, categories sum to the step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.answers.answer_tables import kernel_table, operator_table
from tb_perfcompare.analysis.answers.summarize_answers import saved_answer, summarize_answers
from tb_perfcompare.errors import CorruptInput, InputError, SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.answers import SavedKernel, SavedOperator
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOT_SPLIT
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.answers.reader import read_answers
from tests.answers.saved import kernel_pie, kernels, operator_pies, operators, overview, write
from tests.comparison.compare import notes_of


def summary(tmp_path: Path, *answers: Any, window: str = "device") -> Summary:
    recording = read_answers(str(write(tmp_path / "a.jsonl", *answers)))
    return summarize_answers(recording, Origin("a", "a", "answers", "default"), window)


def part(found: Summary, label: str) -> list[int]:
    times: list[int] = found.owned.by_category()[CATEGORY_LABELS.index(label)].tolist()
    return times


def disagreements(found: Summary) -> list[str]:
    return notes_of(found, NoteCode.ANSWERS_DISAGREE)


def test_every_step_is_a_sample_and_every_category_one_entity(tmp_path: Path) -> None:
    found = summary(tmp_path, overview({"Kernel": 40, "CPU Exec": 60}, {"Kernel": 41, "CPU Exec": 60}))
    assert found.steps.label == ("3", "4")
    assert found.steps.total_ns.tolist() == [100_000, 101_000]
    assert part(found, "Kernel") == [40_000, 41_000]
    assert found.owned.key == (NOT_SPLIT, NOT_SPLIT)
    assert found.marked
    assert (found.is_timed, found.is_split) == (True, False)
    assert found.format == "profiler_answers"


def test_a_single_step_0_means_no_step_markers(tmp_path: Path) -> None:
    found = summary(tmp_path, overview({"CPU Exec": 60}, labels=["0"]))
    assert not found.marked
    assert [note.code for note in found.notes] == [NoteCode.NO_STEPS]


def test_categories_beyond_the_total_are_cut_in_owning_order(tmp_path: Path) -> None:
    # The profiler counts what follows a part that fills the step whole.
    found = summary(tmp_path, overview({"Kernel": 90, "Runtime": 30, "CPU Exec": 5}, total=100))
    assert (part(found, "Kernel"), part(found, "Runtime"), part(found, "CPU Exec")) == ([90_000], [10_000], [0])
    assert disagreements(found) == [
        "step 3: its parts add up to 125 µs, its total is 100 µs; the parts are taken in owning order up to the total, "
        "Other is the rest"
    ]


def test_steps_whose_parts_exceed_their_totals_share_a_note(tmp_path: Path) -> None:
    found = summary(tmp_path, overview(*[{"Kernel": 90, "Runtime": 30}] * 3, total=100))
    (text,) = disagreements(found)
    assert text.startswith("3 of 3 steps, the first step 3: its parts add up to 120 µs, its total is 100 µs; ")


def test_the_rest_of_a_step_is_other(tmp_path: Path) -> None:
    found = summary(tmp_path, overview({"Kernel": 90, "Other": 2}, total=100))
    assert part(found, "Other") == [10_000]


def test_a_step_of_zero_length_is_left_out(tmp_path: Path) -> None:
    found = summary(tmp_path, overview({"Kernel": 9}, {}, {"Kernel": 8}, labels=["2", "2", "3"]))
    assert found.steps.label == ("2", "3")
    assert [(step.label, step.reason) for step in found.dropped] == [("2", "no length")]
    with pytest.raises(CorruptInput, match="no step of the overview has a length"):
        summary(tmp_path, overview({}))


def test_device_and_environment_of_the_overview(tmp_path: Path) -> None:
    metrics = {
        "Name": "Tesla V100", "Memory": "31.74 GB", "Compute Capability": "7.0", "GPU Utilization": "55.51 %",
        "Est. SM Efficiency": "broken", "Kernel Time using Tensor Cores": "0.0 %",
    }  # fmt: skip
    advice = "<li>Try <a href='x'>AMP</a> &amp; more.</li>"
    found = summary(tmp_path, overview({"Kernel": 9}, metrics=metrics, advice=advice))
    assert (found.device.kind, found.device.name, found.device.count) == ("cuda", "Tesla V100", 1)
    figures = {metric.name: (metric.value, metric.reason) for metric in found.device_metrics}
    assert figures == {
        "utilisation": (0.5551, ""),
        "sm_efficiency": (None, "'broken' is no percentage"),
        "occupancy": (None, "not in the saved overview"),
        "tensor_core_share": (0.0, ""),
    }
    assert dict(found.environment)["device.memory"] == "31.74 GB"
    assert dict(found.environment)["workers"] == "2"
    assert found.recommendations == ("Try AMP & more.",)


def test_tensor_cores_do_not_apply_to_an_mlu(tmp_path: Path) -> None:
    metrics = {"MLU Utilization": "9.18 %", "Kernel Time using Tensor Cores": "0.0 %"}
    found = summary(
        tmp_path, overview({"Kernel": 9}, word="MLU", metrics=metrics), kernels(("gemm", "No", 2, 40, 20, 25, 15))
    )
    assert (found.device.kind, found.device.word) == ("mlu", "MLU")
    figures = {metric.name: (metric.value, metric.reason) for metric in found.device_metrics}
    assert figures["utilisation"] == (0.0918, "")
    assert figures["tensor_core_share"] == (None, "not applicable: the device has none")
    assert "tensor_cores" not in found.groups["kernels"].facts


def test_a_cpu_run_has_no_device(tmp_path: Path) -> None:
    found = summary(tmp_path, overview({"CPU Exec": 9}, word="CPU", columns=("DataLoader", "CPU Exec", "Other")))
    assert (found.device.kind, found.device.count, found.device_metrics) == ("cpu", 0, ())


def test_kernels_have_calls_times_and_facts(tmp_path: Path) -> None:
    extra = ("Mean Blocks Per SM", "Mean Est. Achieved Occupancy (%)")
    rows = (("gemm", "Yes", 2, 40, 20, 25, 15, 3.5, 50), ("relu", "No", 1, 5, 5, 5, 5, 1, 25))
    kernel = summary(tmp_path, overview({"Kernel": 9}), kernels(*rows, extra=extra)).groups["kernels"]
    assert kernel.keys == (("gemm",), ("relu",))
    assert kernel.calls.tolist() == [[2], [1]]
    assert kernel.measures_ns["total"].tolist() == [[40_000], [5_000]]
    assert kernel.min_ns is not None and kernel.max_ns is not None
    assert (kernel.min_ns.tolist(), kernel.max_ns.tolist()) == ([15_000, 5_000], [25_000, 5_000])
    assert {name: values.tolist() for name, values in kernel.facts.items()} == {
        "blocks_per_sm": [3.5, 1.0], "occupancy": [50.0, 25.0], "tensor_cores": [1.0, 0.0],
    }  # fmt: skip


def test_rows_by_shape_make_both_operator_tables(tmp_path: Path) -> None:
    rows = [{"name": "mm", "calls": 1, "host": 5, "shape": shape} for shape in ("[[1]]", "[[2]]", "None")]
    groups = summary(tmp_path, overview({"CPU Exec": 9}), operators(*rows)).groups
    assert groups["operators"].keys == (("mm",),)
    assert groups["operators"].calls.tolist() == [[3]]
    assert groups["operators_by_shape"].keys == (("mm", "[[1]]"), ("mm", "[[2]]"), ("mm", ""))


def test_rows_by_operator_are_added_up_by_kernel(tmp_path: Path) -> None:
    table = kernels(
        ("gemm", "No", 2, 40, 20, 25, 15, "mm"), ("gemm", "No", 1, 10, 10, 10, 10, "bmm"), extra=["Operator"]
    )
    kernel = summary(tmp_path, table).groups["kernels"]
    assert (kernel.keys, kernel.calls.tolist(), kernel.measures_ns["total"].tolist()) == (
        (("gemm",),),
        [[3]],
        [[50_000]],
    )
    assert kernel.min_ns is not None
    assert kernel.min_ns.tolist() == [10_000]


def test_pies_give_the_digits_that_tables_round(tmp_path: Path) -> None:
    answers = (
        overview({"CPU Exec": 9}),
        operators({"name": "mm", "calls": 1, "host": 12, "device": 7}),
        operator_pies(host_total={"mm": 12.345}),
        kernels(("gemm", "No", 2, 40, 20, 25, 15)),
        kernel_pie({"gemm": 39.5}),
    )
    found = summary(tmp_path, *answers)
    assert found.groups["operators"].measures_ns["host_total"].tolist() == [[12_345]]
    assert found.groups["operators"].measures_ns["host_self"].tolist() == [[12_000]]
    assert found.groups["kernels"].measures_ns["total"].tolist() == [[39_500]]
    assert disagreements(found) == []


def test_contradictions_are_noted_and_tables_win(tmp_path: Path) -> None:
    answers = (
        overview({"CPU Exec": 9}) | {"performance": [{"name": "Average Step Time", "value": 11}]},
        operators({"name": "mm", "calls": 1, "host": 12}, {"name": "add", "calls": 1, "host": 3}),
        operator_pies(host_total={"mm": 13, "add": 3}),
        kernels(("gemm", "No", 2, 40, 20, 25, 15)),
        kernel_pie({"gemm": 40, "relu": 2}),
    )
    found = summary(tmp_path, *answers)
    assert disagreements(found) == [
        "the overview's average step is 11 µs, that of its steps 9 µs; the steps are used",
        "the pie host_total_time and the table disagree about 1 of 2 names, first mm: 13 µs against 12 µs; "
        "the table is used",
        "the pie kernel and the table disagree about 1 of 2 names, first relu: 2 µs against 0 µs; the table is used",
    ]
    assert found.groups["operators"].measures_ns["host_total"].sum() == 15_000


def test_without_an_overview_step_times_are_unknown(tmp_path: Path) -> None:
    found = summary(tmp_path, kernels(("gemm", "No", 2, 40, 20, 25, 15)))
    assert not found.is_timed
    assert "no overview was saved" in found.absent["steps"]
    assert found.groups["kernels"].measures_ns["total"].tolist() == [[40_000]]


def test_another_step_window_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave --step-window out"):
        summary(tmp_path, overview({"Kernel": 9}), window="marker")


def test_a_saved_answer_is_returned_by_route(tmp_path: Path) -> None:
    answers = overview({"Kernel": 9}), operators({"name": "mm", "calls": 1, "host": 12, "shape": "[[1]]"})
    recording = read_answers(str(write(tmp_path / "a.jsonl", *answers)))
    assert saved_answer(recording, "overview", None) == answers[0]
    assert saved_answer(recording, "operation/table", "OperationAndInputShape") == answers[1]
    with pytest.raises(SelectionError, match=r"operation/table is not among the saved ones; there are: overview, oper"):
        saved_answer(recording, "operation/table", None)


@given(totals=st.lists(st.integers(-(10**6), 10**12), min_size=1, max_size=20), steps=st.integers(1, 9))
def test_shared_out_totals_add_up_exactly(totals: list[int], steps: int) -> None:
    rows = [SavedOperator(f"op{n}", None, abs(t), t, t, None, None) for n, t in enumerate(totals)]
    table = operator_table(rows, {}, steps, by_shape=False)
    assert table.measures_ns["host_self"].sum(axis=1).tolist() == totals
    assert table.calls.sum(axis=1).tolist() == [abs(t) for t in totals]
    assert int(np.ptp(table.measures_ns["host_self"], axis=1).max()) <= 1
    assert set(table.measures_ns) == {"host_self", "host_total"}


@given(times=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**9)), min_size=1, max_size=12))
def test_kernels_of_one_name_add_up(times: list[tuple[str, int]]) -> None:
    rows = [SavedKernel(name, 1, ns, ns, ns, None, 50.0, None) for name, ns in times]
    table = kernel_table(rows, {}, 3, tensor_cores=True)
    expected = {name: sum(ns for found, ns in times if found == name) for name, _ in times}
    totals = table.measures_ns["total"].sum(axis=1).tolist()
    assert dict(zip([key for (key,) in table.keys], totals, strict=True)) == expected
    assert table.facts["occupancy"].tolist() == pytest.approx([50.0] * len(expected))
    assert "tensor_cores" not in table.facts
