"""Comparability checks: for each, a pair that trips it and one that passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import DroppedStep, Summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, judge
from tests.planted.faults import BASE as SHORT
from tests.planted.faults import batch, half
from tests.planted.programs import Program
from tests.planted.sides import side, summary
from tests.planted.training import record

Change = Callable[[Summary], Summary]

BASE = SHORT.changed(steps=14)
LARGER = BASE.changed(layers=tuple(batch(layer, 48) for layer in BASE.layers))
HALF = BASE.changed(layers=tuple(half(layer) for layer in BASE.layers))

HEALTHY = side(BASE, 1)
AGAIN = side(BASE, 2)


def environment(**values: str) -> Change:
    def change(summary: Summary) -> Summary:
        settings = {name.replace("__", "."): text for name, text in values.items()}
        return replace(summary, environment=tuple((dict(summary.environment) | settings).items()))

    return change


def device(**what: object) -> Change:
    return lambda summary: replace(summary, device=replace(summary.device, **what))


def dropped(count: int) -> Change:
    steps = tuple(DroppedStep(0, str(number), 1000, "incomplete") for number in range(count))
    return lambda summary: replace(summary, dropped=steps)


def noted(code: NoteCode) -> Change:
    return lambda summary: replace(summary, notes=(Note(code, "ends in the middle", "a.json"),))


def other_program(program: Program) -> Change:
    return lambda _: side(program, 2)


def unmarked(_: Summary) -> Summary:
    """Neither markers nor iterations, and more work than a step of the other side."""
    return replace(side(BASE.changed(repeats=4), 2), marked=False, iterations=None)


def same(_: Summary) -> Summary:
    return HEALTHY


def renamed(summary: Summary) -> Summary:
    """The same figures from a recompressed file."""
    capture = HEALTHY.captures[0]
    return replace(HEALTHY, captures=(replace(capture, file=replace(capture.file, sha256="f" * 64)),))


def twice(summary: Summary) -> Summary:
    """One recording under two names."""
    capture = summary.captures[0]
    copied = replace(capture, span="2", file=replace(capture.file, sha256="e" * 64))
    return pool([summary, replace(summary, captures=(copied,))])


def two_workers(summary: Summary) -> Summary:
    other = side(BASE, 3)
    return pool([summary, replace(other, captures=(replace(other.captures[0], worker="worker1"),))])


TRIPPED: list[tuple[str, str, Change, str]] = [
    ("same_capture", "warn", same, "a run compared with itself: the same file on both sides"),
    ("same_capture", "warn", renamed, "identical figures"),
    ("same_capture", "warn", twice, "1 duplicate recording in the candidate"),
    ("device_kind", "warn", device(kind="rocm", name="AMD Instinct MI300X"), "different kinds of device"),
    ("device_kind", "warn", device(name="NVIDIA H100"), "different device models"),
    ("device_kind", "warn", device(kind="unknown", name=""), "does not name its device"),
    ("device_kind", "warn", environment(device__multiprocessors="54"), "device multiprocessors 108 → 54"),
    ("device_count", "warn", device(count=8), "1 vs 8 devices"),
    ("step_marker", "fail", other_program(BASE.changed(marked=False, repeats=4)), "different units of work"),
    ("step_marker", "fail", unmarked, "has no step markers"),
    ("step_marker", "fail", other_program(BASE.changed(iterations=3)), "holds 3 iterations"),
    ("kernels", "warn", other_program(BASE.changed(casts=6)), "of kernel launches per step are shared"),
    ("operators", "warn", other_program(BASE.changed(repeats=3)), "of operator calls per step are shared"),
    ("steps", "warn", other_program(BASE.changed(steps=4)), "14 vs 4 steps"),
    ("left_out", "warn", dropped(5), "5 of 19 steps of the candidate (incomplete)"),
    ("left_out", "fail", noted(NoteCode.DEVICE_AFTER_STEPS), "(--step-marker whole)"),
    ("world_size", "warn", environment(distributed__world_size="8"), "world size not recorded vs 8"),
    ("ranks", "warn", two_workers, "1 worker in the baseline, 2"),
    ("profiler_flags", "warn", other_program(BASE.changed(flags=("with_stack",))), "differs: with_stack false → true"),
    ("profiler_flags", "warn", other_program(BASE.changed(flags=("profile_memory",))), "profile_memory false → true"),
    ("complete_files", "warn", noted(NoteCode.TRUNCATED), "ends in the middle"),
    ("complete_files", "warn", noted(NoteCode.DROPPED_EVENTS), "ends in the middle"),
    ("input_shapes", "warn", other_program(LARGER), "input shapes"),
    ("input_types", "warn", other_program(HALF), "input types"),
]  # fmt: skip
"""(check, status, how the candidate differs, part of the detail)."""


@pytest.mark.parametrize(("name", "status", "change", "says"), TRIPPED, ids=[f"{row[0]}: {row[3]}" for row in TRIPPED])
def test_a_difference_trips_its_check_which_names_what_it_weakens(
    name: str, status: str, change: Change, says: str
) -> None:
    result = check_of(judge(HEALTHY, change(AGAIN)), name)
    assert (result.status, says in result.detail) == (status, True), result.detail
    assert result.invalidates


@pytest.mark.parametrize("name", sorted({row[0] for row in TRIPPED}))
def test_two_recordings_of_one_program_pass(name: str) -> None:
    result = check_of(judge(HEALTHY, AGAIN), name)
    assert (result.status, result.invalidates) == ("ok", ())


@pytest.mark.parametrize(
    ("name", "words", "values"),
    [
        ("cuda_driver", "CUDA driver version", ("12020", "12040")),
        ("cuda_runtime", "CUDA runtime version", ("12010", "12040")),
        ("cupti", "CUPTI version", ("18", "22")),
        ("torch", "PyTorch version", ("2.6.0", "2.7.0")),
    ],
)
def test_recorded_versions_are_compared(name: str, words: str, values: tuple[str, str]) -> None:
    def versioned(value: str, seed: int) -> Summary:
        trace = record(BASE.changed(seed=seed, steps=4))
        trace.properties[f"{name}_version"] = value
        return summary(trace)

    result = check_of(judge(*(versioned(value, seed) for seed, value in enumerate(values))), "versions")
    assert result.status == "warn" and f": {words} {values[0]} → {values[1]}" in result.detail
    assert result.invalidates == ("cause",)
    alone = check_of(judge(HEALTHY, versioned(values[1], 3)), "versions")
    assert (alone.status, alone.detail) == ("ok", "only the candidate names its library versions")


def test_nccl_and_schema_versions_are_compared() -> None:
    sides = [
        environment(distributed__nccl_version=version)(one) for one, version in ((HEALTHY, "2.18"), (AGAIN, "2.21"))
    ]
    assert "NCCL version 2.18 → 2.21" in check_of(judge(*sides), "versions").detail
    other_schema = check_of(judge(HEALTHY, environment(trace__schema="2")(AGAIN)), "versions")
    assert "trace schema version 1 → 2" in other_schema.detail


def test_few_dropped_steps_are_reported_and_weaken_nothing() -> None:
    result = check_of(judge(HEALTHY, dropped(1)(AGAIN)), "left_out")
    assert (result.status, result.detail) == ("ok", "1 of 15 steps of the candidate (incomplete)")


def test_some_ranks_of_a_job_weaken_communication() -> None:
    sides = [summary(record(BASE.changed(collective_us=200.0, seed=seed), rank=0, world_size=4)) for seed in (1, 2)]
    result = check_of(judge(*sides), "ranks")
    assert result.detail.startswith("only 1 of 4 ranks of the baseline, 1 of 4 ranks of the candidate compared")
    assert result.invalidates == ("communication",)


def test_the_documentation_lists_every_check() -> None:
    text = (Path(__file__).parents[3] / "docs" / "method" / "comparison.md").read_text("utf-8")
    rows = re.search(r"^## Comparability$(.*)", text, re.MULTILINE | re.DOTALL)
    assert rows is not None
    for row in TRIPPED:
        assert f"`{row[0]}`" in rows[1], row[0]
    for one in judge(HEALTHY, AGAIN).checks:
        assert f"`{one.check}`" in rows[1], one.check


def test_recordings_that_differ_in_hidden_time_alone_are_two_recordings() -> None:
    def overlapped(hidden_us: int) -> TraceBuilder:
        trace = TraceBuilder()
        for step in range(8):
            at = 1000 * step
            trace.step(step, at, at + 900)
            trace.op("aten::mm", at, at + 20)
            trace.kernel("gemm", at + 20, at + 820, launch=(at + 5, at + 10))
            trace.collective("all_reduce", (at + 11, at + 15), (at + 30, at + 30 + hidden_us))
        return trace

    found = compare(overlapped(100), overlapped(300))
    assert found.ledger.delta == 0
    assert check_of(found, "same_capture").status == "ok"
