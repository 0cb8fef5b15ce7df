"""Forged saved summaries are refused before anything is computed from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tb_perfcompare.model.recordings.launches import LaunchTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency, launches_inconsistency
from tb_perfcompare.model.summary.tables import GroupTable
from tests.fuzz.readers.seeds import a_summary


def kernels(change: Callable[[GroupTable], dict[str, Any]]) -> Callable[[Summary], Summary]:
    def changed(summary: Summary) -> Summary:
        table = summary.groups["kernels"]
        return replace(summary, groups={**summary.groups, "kernels": replace(table, **change(table))})

    return changed


def part(name: str, change: Callable[[Any], dict[str, Any]]) -> Callable[[Summary], Summary]:
    return lambda summary: replace(summary, **{name: replace(getattr(summary, name), **change(getattr(summary, name)))})


def full(array: np.ndarray[Any, Any], value: float) -> np.ndarray[Any, Any]:
    return np.full_like(array, value)


FORGED: dict[str, tuple[Callable[[Summary], Summary], str]] = {
    "keys of other parts": (kernels(lambda table: {"key_columns": ("operator",)}), "a table kernels of operator"),
    "keys of more parts": (
        kernels(lambda table: {"key_columns": ("name", "x"), "keys": tuple((*key, "") for key in table.keys)}),
        "a table kernels of name, x"),
    "no times": (kernels(lambda table: {"measures_ns": {}}), "without its times"),
    "times beyond all": (
        kernels(lambda table: {"measures_ns": {"total": full(table.calls, 2**62)}}), "cannot be added up"),
    "an infinite figure": (
        kernels(lambda table: {"facts": {"occupancy": np.full(len(table), np.inf)}}), "cannot be added up"),
    "a table of another name": (
        lambda summary: replace(summary, groups={"x": summary.groups["kernels"]}), "a table x of name"),
    "a frame of no kind": (part("call_tree", lambda tree: {"kind": full(tree.kind, 100)}), "kinds of frames"),
    "a frame of no category": (
        part("call_tree", lambda tree: {"category": full(tree.category, 100)}), "categories of frames"),
    "parts of an owner without a shape": (
        part("owned", lambda owned: {"parts": replace(owned.parts, keys=tuple(key[:3] for key in owned.parts.keys))}),
        "keys of split time"),
    "work of another category": (
        part("work", lambda work: {"work": replace(work.work, keys=tuple(("x", *key[1:]) for key in work.work.keys))}),
        "keys of split time"),
}  # fmt: skip


def test_a_computed_summary_fits() -> None:
    assert inconsistency(a_summary()) == ""


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_summary_is_refused(case: str) -> None:
    change, expected = FORGED[case]
    assert expected in inconsistency(change(a_summary()))


@pytest.mark.parametrize(
    ("name", "dur_ns", "expected"),
    [([0, 1], [1, 2], ""), ([0, 2], [1, 2], "names of launches"), ([0, 1], [1, -2], "cannot be added up"),
     ([0, 1], [2**62, 2**62], "cannot be added up"), ([0, 1], [1], "of shape (1,)")],
)  # fmt: skip
def test_forged_launches_are_refused(name: list[int], dur_ns: list[int], expected: str) -> None:
    none = np.full(2, np.nan)
    table = LaunchTable(
        StringTable(("gemm", "copy")), np.array(name, np.int32), np.array(dur_ns, np.int64), none, none
    )  # fmt: skip
    assert expected in launches_inconsistency(table)
    assert bool(expected) == bool(launches_inconsistency(table))
