"""One side without device work is one cause, and its device times are absent."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.render.formats import render
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, rows_of, rules_of


def training(*, device: bool, sorts: bool = False, untraced: int = 0, calls: bool = False) -> TraceBuilder:
    """Eight steps that copy, multiply and wait; without device events only operators and the device name remain, and
    the calls of the device's runtime with `calls`."""
    trace = TraceBuilder()
    for step in range(8):
        at = (2000 + untraced) * step
        trace.step(step, at, at + 1900 + untraced)
        for call in range(12):
            begin = at + 100 * call
            trace.op("aten::mm", begin + 5, begin + 60)
            if device:
                trace.memcpy(begin + 20, begin + 30, launch=(begin + 6, begin + 9))
                trace.kernel("gemm", begin + 32, begin + 92 + step % 3, launch=(begin + 10, begin + 15))
            elif calls:
                trace.call("cudaLaunchKernel", begin + 10, begin + 15)
        trace.op("aten::item", at + 1200, at + 1320)
        if device or calls:
            trace.call("cudaStreamSynchronize", at + 1201, at + 1319)
        if sorts:
            trace.op("aten::sort", at + 1400, at + 1700)
    trace.devices.add(0)
    return trace


@pytest.mark.parametrize("silent", [0, 1])
def test_missing_device_work_is_the_only_cause_in_either_direction(silent: int) -> None:
    found = compare(*(training(device=side != silent) for side in (0, 1)))
    (finding,) = found.findings
    assert finding.rule == "without_device"
    assert f"the {('baseline', 'candidate')[silent]} has none, the other side kernel time" in finding.sentence
    check = check_of(found, "device_kind")
    assert check.status == "warn" and "verdict" in check.invalidates
    assert "recorded no device work" in check.detail


def test_device_times_of_a_cpu_recording_are_absent_in_every_table() -> None:
    found = compare(training(device=False), training(device=True))
    assert found.ledger.not_recorded == (("Kernel", "Memcpy", "Memset", "Runtime"), ())

    def cells(table: Table, row: str, *names: str) -> list[object]:
        return [rows_of(table)[row][name] for name in names]

    kernel = cells(found.table("categories"), "Kernel", "baseline_us", "candidate_us", "delta_us")
    assert kernel[0] is None and kernel[1] == kernel[2] and kernel[1] > 0
    assert cells(found.table("kernels"), "gemm", "baseline_us", "baseline_calls", "candidate_calls") == [None, None, 12]
    own = cells(found.table("operators"), "aten::mm", "baseline_device_self_us", "device_self_delta_us")
    assert own == [None, None]
    step = cells(found.table("steps"), "baseline", "kernel_us", "launches", "cpu_exec_us")
    assert step == [None, None, 780]
    assert re.search(r"\n  Kernel +– +\d", render(found, "text").decode())
    assert re.search(r"<td>Kernel</td>(?:(?!<tr>).)*>–</td>", render(found, "html").decode())
    assert found.table("device").rows[0][-1] == "the baseline recorded the CPU alone"


def test_between_two_cpus_there_is_no_device_time() -> None:
    found = compare(training(device=False), training(device=False))
    assert {row[0] for row in found.table("categories").rows} == {"CPU Exec", "Other", "DataLoader", "Communication"}
    assert not any("device" in column.name for column in found.table("operators").columns)


def test_calls_that_launch_are_no_device_work() -> None:
    found = compare(training(device=True), training(device=False, calls=True))
    assert rules_of(found) == ["without_device"]
    assert found.ledger.not_recorded == ((), ("Kernel", "Memcpy", "Memset"))


def test_one_sided_operators_are_still_reported() -> None:
    found = compare(training(device=True), training(device=False, sorts=True))
    assert rules_of(found) == ["operators_changed", "without_device"]


def test_advice_names_a_truncated_file() -> None:
    silent = summary(training(device=False))
    cut = replace(silent, notes=(*silent.notes, Note(NoteCode.TRUNCATED, "the file ends inside traceEvents", "a.json")))
    (finding,) = compare(training(device=True), cut).findings
    assert finding.look_at == "the file of the candidate, which is cut off"


@pytest.mark.parametrize("device", [False, True])
def test_profiler_overhead_is_not_reported_between_a_cpu_and_a_device(device: bool) -> None:
    recorded = training(device=False, untraced=3000)
    recorded.properties["profile_memory"] = 1
    rules = set(rules_of(compare(training(device=device), recorded)))
    assert ("without_device" in rules, "profiler_overhead" in rules) == (device, not device)
