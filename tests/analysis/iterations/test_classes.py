"""Kinds of iterations by the operators that only some iterations have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.build import TraceBuilder
from tests.cli.invoke import csv_rows, json_of

STEP_US = 1_000


def accumulating(every: int, steps: int = 16, *, micro_us: int = 300, update_us: int = 400) -> TraceBuilder:
    """Marked steps with gradient accumulation: the optimizer runs in every `every`-th."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(steps):
        begin = at
        for part, name in enumerate(("aten::linear", "aten::relu", "aten::mse_loss")):
            trace.op(name, at + part * micro_us // 3, at + (part + 1) * micro_us // 3 - 5)
        at += micro_us
        if number % every == every - 1:
            trace.annotation("Optimizer.step#SGD.step", at + 10, at + update_us)
            trace.op("aten::_foreach_add_", at + 20, at + update_us - 10)
            at += update_us
        trace.step(number, begin, at + 10)
        at += 20
    return trace


def steps_with(name: str, steps: Sequence[int], count: int = 12) -> TraceBuilder:
    """Steps of two operators; the listed steps have a third."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(count):
        at = number * STEP_US
        trace.step(number, at, at + 900)
        trace.op("aten::linear", at + 10, at + 300)
        trace.op("aten::relu", at + 310, at + 500)
        if number in steps:
            trace.op(name, at + 510, at + 800)
    return trace


def written(trace: TraceBuilder, folder: Path) -> Path:
    trace.write(folder / "worker0.1700000000001.pt.trace.json")
    return folder


def kind_rows(a: Path, b: Path, *options: str) -> dict[str, dict[str, str]]:
    return {row["kind"]: row for row in csv_rows("diff", a, b, "--table", "iteration_kinds", *options)}


UPDATE = "update step (Optimizer.step#SGD.step)"


def test_accumulated_and_update_steps_are_two_kinds(tmp_path: Path) -> None:
    a = written(accumulating(4), tmp_path / "a")
    b = written(accumulating(4, update_us=600), tmp_path / "b")
    rows = kind_rows(a, b)
    assert set(rows) == {"plain", UPDATE}
    assert float(rows["plain"]["mean_delta_us"]) == 0 and float(rows[UPDATE]["mean_delta_us"]) == 200
    assert {kind: row["time_effect_us"] for kind, row in kind_rows(b, a).items()} == {
        kind: str(-float(row["time_effect_us"])) if float(row["time_effect_us"]) else row["time_effect_us"]
        for kind, row in rows.items()
    }


def test_update_steps_are_not_dropped_for_their_length(tmp_path: Path) -> None:
    a = written(accumulating(4), tmp_path / "a")
    answer = json_of("diff", a, a)
    assert answer["baseline"]["steps"]["admitted"] == 16


def test_an_operator_in_some_steps_makes_a_kind(tmp_path: Path) -> None:
    a = written(steps_with("aten::save", (2, 5, 8)), tmp_path / "a")
    assert set(kind_rows(a, a)) == {"plain", "with aten::save"}
    assert set(kind_rows(a, a, "--kind", "with*")) == set()


def test_an_operator_in_the_first_steps_only_is_not_a_kind(tmp_path: Path) -> None:
    a = written(steps_with("aten::warm_up", (0, 1, 2, 3)), tmp_path / "a")
    assert kind_rows(a, a) == {}


def test_an_operator_of_one_side_only_is_not_a_kind(tmp_path: Path) -> None:
    a, b = written(steps_with("", ()), tmp_path / "a"), written(steps_with("aten::save", (2, 5, 8)), tmp_path / "b")
    assert kind_rows(a, b) == {}


def test_a_more_frequent_call_is_reported_as_a_change_of_the_mix(tmp_path: Path) -> None:
    a = written(steps_with("aten::save", (3, 15, 21, 30, 35), 40), tmp_path / "a")
    b = written(steps_with("aten::save", range(1, 40, 2), 40), tmp_path / "b")
    answer = json_of("diff", a, b)
    assert "of its kind" not in answer["headline"]["reason"]
    assert "by mix alone" in answer["headline"]["reason"]
