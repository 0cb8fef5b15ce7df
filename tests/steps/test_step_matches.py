"""Matching the events of two steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.step_view.event_figures import name_totals
from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.comparison.alignment.step_matches import match_steps, name_differences
from tb_perfcompare.model.summary.step_events import NO_EVENT, StepEvents
from tests.analysis.summaries import recording
from tests.build import TraceBuilder
from tests.picture import picture
from tests.steps.drawn import cut, named, two_steps
from tests.strategies import traces
from tests.work_pictures import calls


def pairs(a: StepEvents, b: StepEvents) -> list[tuple[str, str]]:
    """Names of the matched events, in the order of a."""
    matches = match_steps(a, b)
    return [
        (a.names[int(a.name[one])].name, b.names[int(b.name[other])].name)
        for one, other in enumerate(matches.of_a.tolist())
        if other != NO_EVENT
    ]


def first_step(text: str, **options: str) -> StepEvents:
    """The first step of a list of calls."""
    return cut(calls(text, steps=1, **options), "0")


def test_every_event_of_a_step_is_found_in_the_next() -> None:
    a, b = cut(two_steps(), "1"), cut(two_steps(), "2")
    found = match_steps(a, b)
    assert (found.of_a != NO_EVENT).all()
    assert not found.renamed.any(), "ProfilerStep#1 and ProfilerStep#2 are one name"


def test_an_extra_operator_leaves_other_matches_alone() -> None:
    a = first_step("2x aten::mm | gemm 10")
    b = first_step("aten::relu | relu 2\n2x aten::mm | gemm 10")
    matches = match_steps(a, b)
    assert (matches.of_a != NO_EVENT).all()
    alone = {b.names[int(b.name[i])].name for i in np.flatnonzero(matches.of_b == NO_EVENT)}
    assert alone == {"aten::relu", "relu", "cudaLaunchKernel"}
    assert [matches.of_a[one] for one in named(a, "gemm")] == named(b, "gemm")


def test_the_same_name_below_another_operator_is_matched_last() -> None:
    """`empty` below `add` matches `empty` below `add`."""
    a = picture("main |[aten::add.......][aten::relu]\nmain | [aten::empty]", vendor="cpu")
    b = picture("main |[aten::empty][aten::add.......][aten::relu]\nmain |              [aten::empty]", vendor="cpu")
    one, other = cut(a, "0"), cut(b, "0")
    assert match_steps(one, other).of_a[named(one, "aten::empty")].tolist() == named(other, "aten::empty")[1:]


def test_another_kernel_below_the_same_operator_is_its_counterpart() -> None:
    a = first_step("aten::mm | volta_gemm 10; bias 2")
    b = first_step("aten::mm | ampere_gemm 8; bias 2")
    assert ("volta_gemm", "ampere_gemm") in pairs(a, b)
    matches = match_steps(a, b)
    renamed = [a.names[int(a.name[i])].name for i in np.flatnonzero(matches.renamed)]
    assert renamed == ["volta_gemm"]


def test_runtime_calls_of_two_vendors_match_by_function() -> None:
    text = "aten::mm | gemm 10\naten::add | add 3"
    found = pairs(first_step(text, vendor="cuda"), first_step(text, vendor="rocm"))
    assert found.count(("cudaLaunchKernel", "hipLaunchKernel")) == 2
    assert ("gemm", "gemm") in found


def test_operators_that_differ_only_in_a_library_name_match() -> None:
    a, b = first_step("aten::cudnn_convolution | c 5"), first_step("aten::miopen_convolution | c 5")
    assert ("aten::cudnn_convolution", "aten::miopen_convolution") in pairs(a, b)


def test_a_wrapper_around_everything_does_not_matter() -> None:
    a = picture("""
        main |[ProfilerStep#1..............]
        main | [aten::mm] [aten::relu]
        """, vendor="cpu")  # fmt: skip
    b = picture("""
        main |[ProfilerStep#1..............]
        main |[DistributedDataParallel.forward]
        main | [aten::mm] [aten::relu]
        """, vendor="cpu")  # fmt: skip
    assert pairs(cut(a), cut(b)) == [(name, name) for name in ("ProfilerStep#1", "aten::mm", "aten::relu")]


def steps_of(trace: TraceBuilder) -> list[StepEvents]:
    cutter = StepCutter(recording(trace), "device")
    return [cutter.cut(label) for label in cutter.labels]


@given(traces())
def test_a_step_matches_itself(trace: TraceBuilder) -> None:
    for step in steps_of(trace):
        found = match_steps(step, step)
        assert found.of_a.tolist() == found.of_b.tolist() == list(range(len(step)))
        assert not found.renamed.any()
        assert all(each.delta_ns == 0 for each in name_differences(name_totals(step), name_totals(step)))


@given(traces(), traces())
def test_swapping_the_sides_swaps_the_matches(one: TraceBuilder, other: TraceBuilder) -> None:
    for a, b in zip(steps_of(one), steps_of(other), strict=False):
        found, turned = match_steps(a, b), match_steps(b, a)
        assert (found.of_a.tolist(), found.of_b.tolist()) == (turned.of_b.tolist(), turned.of_a.tolist())
        mirrored = found.turned(b)
        assert mirrored.renamed.tolist() == turned.renamed.tolist()
        matched = np.flatnonzero(found.of_a != NO_EVENT)
        assert found.of_b[found.of_a[matched]].tolist() == matched.tolist(), "one counterpart each"
        assert (kinds(a)[matched] == kinds(b)[found.of_a[matched]]).all() or _same_place(a, b, found.of_a, matched)
        forward = {(each.name, each.kind): each.delta_ns for each in name_differences(name_totals(a), name_totals(b))}
        swapped = name_differences(name_totals(b), name_totals(a))
        assert sorted(forward.values()) == sorted(-each.delta_ns for each in swapped)


def kinds(step: StepEvents) -> np.ndarray:
    return np.array([name.kind for name in step.names])[step.name]


def _same_place(a: StepEvents, b: StepEvents, partner: np.ndarray, matched: np.ndarray) -> bool:
    """Kinds may differ only for equal names, such as a range recorded as an annotation."""
    differs = matched[kinds(a)[matched] != kinds(b)[partner[matched]]]
    return all(a.names[int(a.name[i])].key == b.names[int(b.name[partner[i]])].key for i in differs)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 3))
def test_repeated_calls_are_matched_in_their_order(n: int, m: int, extra: int) -> None:
    a = first_step(f"aten::start | s 1\n{'aten::mm | gemm 10' + chr(10) if n else ''}" * max(n, 1))
    more = "aten::x | x 1\n" * extra
    b = first_step(f"aten::start | s 1\n{'aten::mm | gemm 10' + chr(10) if m else ''}" * max(m, 1) + more)
    of_a = match_steps(a, b).of_a[named(a, "aten::start")].tolist()
    known = [number for number in of_a if number != NO_EVENT]
    assert known == sorted(known) and len(known) == min(max(n, 1), max(m, 1))
