"""Laws of the alignment on random traces: sums close, swapped sides mirror, a run matches itself."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.comparison.alignment.alignment import Alignment, align
from tb_perfcompare.comparison.alignment.kernel_matches import FUSED, SAME, SPLIT, Run
from tb_perfcompare.comparison.alignment.table import alignment_table
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarized
from tests.build import TraceBuilder
from tests.strategies import permutations_of, traces
from tests.work_pictures import calls

GPUS = ("cuda", "rocm", "mlu", "xpu")
OPERATORS = ("aten::mm", "aten::cudnn_convolution", "aten::miopen_convolution", "aten::conv2d", "DataParallel.forward")
KERNELS = ("gemm<4>", "gemm<8>", "Cijk", "copy", "Memcpy DtoH (Device -> Host)", "Memset")

MIRRORED = {FUSED: SPLIT, SPLIT: FUSED}
"""Kind of a match -> its kind if the sides are exchanged; the other kinds stay."""


@st.composite
def programs(draw: st.DrawFn) -> TraceBuilder:
    """Nested operators, with and without shapes, around few kernel names, so that almost anything may match."""
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        chain = draw(st.lists(st.sampled_from(OPERATORS), max_size=3))
        shaped = [name + draw(st.sampled_from(("", "[4]", "[8,2]"))) for name in chain]
        kernels = draw(st.lists(st.tuples(st.sampled_from(KERNELS), st.integers(1, 30)), min_size=1, max_size=4))
        times = draw(st.integers(1, 3))
        lines.append(f"{times}x {' > '.join(shaped)} | {'; '.join(f'{name} {us}' for name, us in kernels)}")
    trace = calls("\n".join(lines), steps=draw(st.integers(1, 3)))
    if draw(st.booleans()):
        trace.events = [event for event in trace.events if not event.name.startswith("ProfilerStep")]
    return trace


def side(trace: TraceBuilder, **options: object) -> Summary:
    found = summarized(trace, **options)
    assume(found.work is not None)
    return found


def aligned(one: Summary, two: Summary) -> Alignment:
    found = align(one, two)
    assert found is not None
    return found


ANY = programs() | traces(vendors=GPUS)


@given(ANY, ANY)
def test_every_device_event_of_both_sides_is_in_one_match(a: TraceBuilder, b: TraceBuilder) -> None:
    one, two = side(a), side(b)
    alignment = aligned(one, two)
    for number, of in enumerate((one, two)):
        assert of.work is not None
        assert alignment.total_ns(number) == int(of.work.work.totals()[0].sum())
        launches = Counter[tuple[str, str]]()
        for key, count in zip(of.work.work.keys, of.work.work.totals()[1].tolist(), strict=True):
            launches[key[0], key[1]] += count
        for _, kernel in alignment.kernel_matches():
            for run in kernel.candidate if number else kernel.baseline:
                launches[kernel.category, run.name] -= run.launches
        assert not any(launches.values())
        assert all(
            match.time_ns[number]
            == sum(run.time_ns for kernel in match.kernels for run in (kernel.candidate if number else kernel.baseline))
            for match in alignment.matches
        )
        parts = alignment.matched_ns(number), alignment.weak_ns(number), alignment.alone_ns(number)
        assert sum(parts) <= alignment.total_ns(number)
        assert alignment.kernels_ns(number) <= alignment.total_ns(number)


@given(ANY, ANY)
def test_swapping_the_sides_mirrors_every_match(a: TraceBuilder, b: TraceBuilder) -> None:
    one, two = side(a), side(b)
    assert drawn(aligned(one, two), mirrored=False) == drawn(aligned(two, one), mirrored=True)


def drawn(alignment: Alignment, *, mirrored: bool) -> Counter[object]:
    """The matches, without their order."""

    def swapped(pair: tuple[object, object]) -> tuple[object, object]:
        return (pair[1], pair[0]) if mirrored else pair

    def names(runs: tuple[Run, ...]) -> tuple[object, ...]:
        return tuple((run.name, run.launches, run.time_ns) for run in runs)

    return Counter(
        (
            match.operator, match.input_shape, match.rule, match.confidence, swapped(match.calls),
            swapped(match.time_ns),
            frozenset(Counter(
                (
                    kernel.category, swapped((names(kernel.baseline), names(kernel.candidate))), kernel.confidence,
                    MIRRORED.get(kernel.kind, kernel.kind) if mirrored else kernel.kind,
                )
                for kernel in match.kernels
            ).items()),
        )
        for match in alignment.matches
    )  # fmt: skip


@given(ANY)
def test_a_run_against_itself_matches_with_certainty(trace: TraceBuilder) -> None:
    of = side(trace)
    found = aligned(of, of)
    assert all(match.confidence == "certain" and match.time_ns[0] == match.time_ns[1] for match in found.matches)
    assert {kernel.kind for _, kernel in found.kernel_matches()} == {SAME}
    assert found.kernels_ns(0) == found.total_ns(0)


@given(programs(), programs(), st.data())
def test_the_order_of_events_in_the_file_changes_nothing(a: TraceBuilder, b: TraceBuilder, data: st.DataObject) -> None:
    one, two = side(a), side(b)
    again = side(b, order=data.draw(permutations_of(b)))
    assert aligned(one, two) == aligned(one, again)


@given(ANY, ANY)
def test_rows_of_the_table_have_unique_keys(a: TraceBuilder, b: TraceBuilder) -> None:
    table = alignment_table(aligned(side(a), side(b)))
    keys = [row[:3] for row in table.rows]
    assert len(set(keys)) == len(keys)
    assert all(len(row) == len(table.columns) for row in table.rows)
