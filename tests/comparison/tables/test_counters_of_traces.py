"""Laws of the counters table for traces with any counters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.result.table import Table
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare
from tests.drawn_runs import drawn_trace

STEPS = 5


@st.composite
def counted_traces(draw: st.DrawFn) -> TraceBuilder:
    """Steps of a millisecond with samples of up to three counters before, in and after them."""
    trace = drawn_trace(steps=STEPS, extra_us=draw(st.sampled_from((0, 200))))
    names = st.sampled_from(["GPU 0 load", "GPU 3 load", "power (W)"])
    samples = st.tuples(names, st.integers(0, 7000), st.integers(-3, 9) | st.floats(-1e12, 1e12))
    for name, at, value in draw(st.lists(samples, max_size=20)):
        trace.counter(name, at, value=value)
    return trace


def table(a: TraceBuilder, b: TraceBuilder) -> Table | None:
    return compare(a, b).tables.get("counters")


def cells(of: Table | None, *names: str) -> list[tuple[object, ...]]:
    """The named cells of every row, sorted."""
    if of is None:
        return []
    at = [of.places[name] for name in names]
    return sorted((tuple(row[k] for k in at) for row in of.rows), key=repr)


@given(counted_traces())
def test_a_run_against_itself_has_no_difference(trace: TraceBuilder) -> None:
    for (delta,) in cells(table(trace, trace), "delta"):
        assert delta == 0


@given(counted_traces(), counted_traces())
def test_swapped_sides_negate_deltas_and_exchange_added_and_removed(a: TraceBuilder, b: TraceBuilder) -> None:
    other = {"both": "both", "added": "removed", "removed": "added"}
    names = ("counter", "device", "unit", "baseline", "candidate", "delta", "q", "status")
    one, exchanged = cells(table(a, b), *names), cells(table(b, a), *names)
    swapped = [
        (*key, y, x, None if delta is None else -delta, q, other[str(status)])
        for *key, x, y, delta, q, status in exchanged
    ]
    assert one == sorted(swapped, key=repr) or _alike(one, swapped)


def _alike(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> bool:
    """Equal rows up to the sign of zero."""
    return sorted(map(str, one)) == sorted(str(row).replace("-0.0", "0.0") for row in other)


@given(counted_traces(), counted_traces())
def test_rows_are_unique_and_means_lie_within_the_samples(a: TraceBuilder, b: TraceBuilder) -> None:
    found = table(a, b)
    rows = cells(found, "counter", "device", "unit", "baseline", "baseline_coverage", "baseline_samples")
    assert len({row[:3] for row in rows}) == len(rows)
    values = [value for event in a.events if event.ph == "C" for value in (event.args or {}).values()]
    for *_, mean, coverage, samples in rows:
        if mean is not None:
            slack = 1e-9 * max(map(abs, values))
            assert min(values) - slack <= mean <= max(values) + slack
            assert 0 <= coverage <= 1 and 0 <= samples <= len(values)


@given(counted_traces())
def test_the_table_is_there_or_absent_with_a_reason(trace: TraceBuilder) -> None:
    one = summary(trace)
    assert (one.counters is None) == ("counters" in one.absent)
