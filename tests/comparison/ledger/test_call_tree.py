"""The joint call tree: exact, mirrored by swapped sides, with notes about what one side lacks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import call_tree as analysis
from tb_perfcompare.comparison.ledger.call_tree import Frame, JointTree, joint_tree
from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.attribution.test_owned_modules import traces_with_modules
from tests.analysis.summaries import summarized, summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def run(*steps: dict[str, int], module: str = "") -> TraceBuilder:
    """Steps of 1 ms with these operators one after another; `outer/inner` is nested."""
    trace = TraceBuilder(vendor="cpu")
    for number, operators in enumerate(steps):
        start = at = 1000 * number
        trace.step(number, start, start + 1000)
        if module:
            trace.python(f"nn.Module: {module}", start, start + 900, number=number, module=0)
        for name, length in operators.items():
            outer, _, inner = name.partition("/")
            trace.op(outer, at, at + length)
            if inner:
                trace.op(inner, at + 1, at + length - 1)
            at += length
    return trace


def joint(a: TraceBuilder, b: TraceBuilder, most: int = 3000) -> JointTree:
    found = joint_tree(summary(a), summary(b), most)
    assert found is not None
    return found


def drawn(tree: JointTree) -> list[str]:
    """A line per frame: indented name, microseconds per step of both sides."""
    unit = tree.denominator * 1000
    return [f"{'  ' * f.depth}{f.key[2]} {f.baseline / unit:g} {f.candidate / unit:g}" for f in tree.frames]


def test_frames_of_both_sides_are_in_one_tree() -> None:
    got = joint(run({"mm/gemm": 20, "add": 5}), run({"mm/gemm": 40, "mul": 7}, {"mm/gemm": 60, "mul": 7}))
    assert drawn(got) == [
        "step 1000 1000",
        "  mm 20 50",
        "    gemm 18 48",
        "  mul 0 7",
        "  add 5 0",
        "  (nothing recorded) 975 943",
    ]
    assert [frame.status for frame in got.frames] == ["both", "both", "both", "added", "removed", "both"]
    assert got.frames[3].calls == (0, 1)


def test_the_smallest_frames_are_pooled_and_nothing_is_lost() -> None:
    one = run({"mm/gemm": 300, "a": 1, "b": 2, "c": 3})
    got = joint(one, run({"mm/gemm": 200, "a": 2, "b": 2, "c": 1}), most=4)
    assert drawn(got) == [
        "step 1000 1000", "  mm 300 200", "    gemm 298 198", "  (nothing recorded) 694 795",
        "  (smaller frames) 6 5",
    ]  # fmt: skip
    assert got.frames[-1].merged == 3


def test_a_frame_that_may_be_pooled_on_the_other_side_is_not_called_new(monkeypatch: pytest.MonkeyPatch) -> None:
    other = summary(run({"mm": 300, "h": 5, "new": 9}))
    monkeypatch.setattr(analysis, "MAX_FRAMES", 3)
    got = joint_tree(summary(run({"mm": 300, **dict.fromkeys("abcdefgh", 1)})), other)
    assert got is not None
    # h took 1 us among small frames that took 8 us; of these 9 us nothing can be there
    assert drawn(got) == [
        "step 1000 1000", "  mm 300 300", "  new 0 9", "  (nothing recorded) 692 686", "  (smaller frames) 8 5",
    ]  # fmt: skip
    assert got.frames[-1].merged == 9


def test_modules_of_one_side_alone_are_ignored() -> None:
    got = joint(run({"mm/gemm": 20}, module="Net_0"), run({"mm/gemm": 30}))
    assert got.with_modules == "baseline"
    assert drawn(got) == [
        "step 1000 1000", "  (code of modules) 880 0", "  mm 20 30", "    gemm 18 28", "  (nothing recorded) 100 970",
    ]  # fmt: skip
    assert "Only the baseline" in call_tree_table(got).notes[-1]


def test_the_table_has_a_row_per_frame_with_both_times() -> None:
    table = call_tree_table(joint(run({"mm/gemm": 20}), run({"mm/gemm": 40, "mul": 10})))

    def cells(row: int, *columns: str) -> tuple[Cell, ...]:
        return tuple(table.rows[row][table.places[name]] for name in columns)

    assert [cells(row, "frame", "below", "depth", "kind") for row in range(3)] == [
        ("step", "", 0, "step"), ("mm", "step", 1, "operator"), ("gemm", "step / mm", 2, "operator"),
    ]  # fmt: skip
    times = ("baseline_us", "candidate_us", "delta_us", "own_delta_us", "baseline_share", "status")
    assert cells(1, *times) == (20.0, 40.0, 20.0, 0.0, 0.02, "both")
    assert cells(3, *times) == (None, 10.0, 10.0, 10.0, None, "added")


def test_equally_named_siblings_are_distinguished() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 100)
    trace.op("gemm", 10, 60)
    trace.op("gemm", 20, 30)
    trace.op("other", 35, 37)
    trace.kernel("gemm", 70, 90, launch=(40, 45))
    table = call_tree_table(joint(trace, trace))
    keys = [row[:2] for row in table.rows]
    assert ("gemm [operator, CPU Exec]", "step / gemm") in keys
    assert ("gemm [device work, Kernel]", "step / gemm") in keys


def test_without_operators_on_a_side_there_is_no_table_but_a_note() -> None:
    bare = TraceBuilder()
    bare.step(0, 0, 100)
    bare.kernel("gemm", 20, 30)
    got = compare(run({"mm": 10}), bare)
    assert "call_tree" not in got.tables
    messages = [note.message for note in got.notes if "call_tree" in note.where]
    assert messages[0].startswith("candidate: the trace has no operators; record with experimental_config=")  # marked


def with_call_tree(trace: TraceBuilder) -> Summary:
    found = summarized(trace)
    assume(found.call_tree is not None)
    return found


def by_path(tree: JointTree) -> dict[tuple[Any, ...], Frame]:
    path: list[Any] = []
    out: dict[tuple[Any, ...], Frame] = {}
    for frame in tree.frames:
        path[frame.depth :] = [frame.key]
        out[tuple(path)] = frame
    return out


@given(traces_with_modules(), traces_with_modules(), st.sampled_from((3, 3000)))
def test_every_frame_is_its_own_time_and_the_frames_in_it(a: TraceBuilder, b: TraceBuilder, most: int) -> None:
    one, two = with_call_tree(a), with_call_tree(b)
    tree, ledger = joint_tree(one, two, most), build_ledger(one, two)
    assert tree is not None
    whole = tree.denominator, tree.frames[0].baseline, tree.frames[0].candidate
    assert whole == (ledger.denominator, ledger.baseline, ledger.candidate)
    frames = by_path(tree)
    assert len(frames) == len(tree.frames)
    for path, frame in frames.items():
        below = [other for where, other in frames.items() if where[:-1] == path]
        assert frame.own[0] + sum(other.baseline for other in below) == frame.baseline
        assert frame.own[1] + sum(other.candidate for other in below) == frame.candidate


@given(traces_with_modules(), traces_with_modules(), st.sampled_from((3, 3000)))
def test_swapping_the_sides_swaps_every_frame(a: TraceBuilder, b: TraceBuilder, most: int) -> None:
    one, two = with_call_tree(a), with_call_tree(b)
    forward, swapped = joint_tree(one, two, most), joint_tree(two, one, most)
    assert forward is not None and swapped is not None
    found = {path: (f.candidate, f.baseline, f.own[::-1], f.calls[::-1]) for path, f in by_path(forward).items()}
    assert found == {path: (f.baseline, f.candidate, f.own, f.calls) for path, f in by_path(swapped).items()}


def test_siblings_keep_the_order_in_which_they_ran() -> None:
    got = joint(run({"a": 1, "c": 1, "e": 1}), run({"a": 1, "b": 1, "c": 1, "d": 1}))
    assert [frame.key[2] for frame in got.frames] == ["step", "a", "b", "c", "d", "e", "(nothing recorded)"]
