"""Laws of every comparison, on random traces through the whole engine."""

from __future__ import annotations

import math

from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.workspace.disk_cache.comparison_codec import as_bytes, from_bytes
from tests.analysis.summaries import summarized
from tests.build import TraceBuilder
from tests.comparison.compare import assert_finite, assert_no_time_is_told_twice, compare
from tests.strategies import permutations_of, traces

SWAPPED = {"added": "removed", "removed": "added", "both": "both"}
WORDS = {
    Verdict.SLOWER: Verdict.FASTER,
    Verdict.FASTER: Verdict.SLOWER,
    Verdict.PROBABLY_SLOWER: Verdict.PROBABLY_FASTER,
    Verdict.PROBABLY_FASTER: Verdict.PROBABLY_SLOWER,
}


@given(traces(), traces())
def test_every_level_of_the_ledger_sums_to_the_headline(a: TraceBuilder, b: TraceBuilder) -> None:
    baseline, candidate = summarized(a), summarized(b)
    comparison = compare(baseline, candidate)
    heads = [row for row in comparison.ledger.rows if len(row.path) == 1]
    assert sum(row.delta for row in heads) == comparison.ledger.delta
    for head in heads:
        below = [row for row in comparison.ledger.rows if len(row.path) == 2 and row.path[0] == head.path[0]]
        for figure in ("baseline", "candidate", "delta", "count_effect", "rate_effect"):
            assert sum(getattr(row, figure) for row in below) == getattr(head, figure)
    for row in comparison.ledger.rows:
        assert row.count_effect + row.rate_effect == row.delta == row.candidate - row.baseline
        assert row.mix_effect + row.same_shape_effect == row.rate_effect
        below = [part for part in comparison.ledger.rows if len(part.path) == 3 and part.path[:2] == row.path]
        for figure in ("baseline", "candidate", "delta") if below else ():
            assert sum(getattr(part, figure) for part in below) == getattr(row, figure)
        assert len(below) != 1
    steps_a, steps_b = len(baseline.steps), len(candidate.steps)
    total = comparison.ledger.denominator
    assert comparison.ledger.baseline == int(baseline.steps.total_ns.sum()) * (total // steps_a)
    assert comparison.ledger.candidate == int(candidate.steps.total_ns.sum()) * (total // steps_b)
    assert comparison.headline.delta is not None
    assert math.isclose(comparison.headline.delta, comparison.ledger.delta / total / 1000, rel_tol=1e-12, abs_tol=1e-9)


@given(traces(), traces())
def test_no_time_is_told_twice(a: TraceBuilder, b: TraceBuilder) -> None:
    assert_no_time_is_told_twice(compare(summarized(a), summarized(b)))


@given(traces())
def test_a_run_against_itself_has_no_change_and_no_findings(trace: TraceBuilder) -> None:
    one = summarized(trace)
    got = compare(one, one)
    of_no_step = any(note.code is NoteCode.DEVICE_AFTER_STEPS for note in one.notes)
    assert got.headline.verdict is (Verdict.WITHHELD if of_no_step else Verdict.SAME)
    assert got.headline.delta == 0
    assert got.findings == ()
    assert all(row.delta == 0 and row.status == "both" for row in got.ledger.rows)
    for table in got.tables.values():
        for position, column in enumerate(table.columns):
            if column.role == "delta":
                assert all(not row[position] for row in table.rows)


@given(traces(), traces())
def test_swapping_the_sides_negates_every_delta(a: TraceBuilder, b: TraceBuilder) -> None:
    baseline, candidate = summarized(a), summarized(b)
    forward, backward = compare(baseline, candidate), compare(candidate, baseline)
    assert forward.headline.delta == -(backward.headline.delta or 0)
    assert backward.headline.verdict is WORDS.get(forward.headline.verdict, forward.headline.verdict)
    assert forward.headline.p == backward.headline.p
    mirrored = {row.path: row for row in backward.ledger.rows}
    for row in forward.ledger.rows:
        other = mirrored[row.path]
        assert (row.delta, row.count_effect, row.rate_effect) == (-other.delta, -other.count_effect, -other.rate_effect)
        assert (row.mix_effect, len(mirrored)) == (-other.mix_effect, len(forward.ledger.rows))
        assert row.status == SWAPPED[other.status]
    for name, table in forward.tables.items():
        if name in ("steps", "recommendations", "memory_curves"):  # rows of one side each
            continue
        keys = [i for i, column in enumerate(table.columns) if column.role == "key"]
        opposite = {tuple(row[i] for i in keys): row for row in backward.tables[name].rows}
        for row in table.rows:
            other_row = opposite[tuple(row[i] for i in keys)]
            for i, column in enumerate(table.columns):
                if column.role == "delta" and row[i] is not None:
                    assert row[i] == -other_row[i]
                if column.role == "status":
                    assert row[i] == SWAPPED[str(other_row[i])]
    # The floor of what is material is a share of the baseline's step: one direction may name a cause the other omits.
    timed = [finding for finding in forward.findings if finding.delta_us is not None]
    other_way = {(f.rule, f.category, f.subject): f.delta_us for f in backward.findings if f.delta_us is not None}
    both = [finding for finding in timed if (finding.rule, finding.category, finding.subject) in other_way]
    assert [f.delta_us for f in both] == [-other_way[f.rule, f.category, f.subject] for f in both]


@given(traces(), traces(), st.integers(1, 10**9), st.data())
def test_shuffled_events_and_a_shifted_clock_change_nothing(
    a: TraceBuilder, b: TraceBuilder, shift: int, data: st.DataObject
) -> None:
    one, two = summarized(a), summarized(b)
    before = compare(one, two)
    assume("compared with itself" not in before.headline.reason)  # at another time it is another recording
    order = data.draw(permutations_of(b))
    b.base_ns += shift * 1000
    after = compare(one, summarized(b, order=order))
    assert after.headline == before.headline
    assert after.ledger == before.ledger
    assert after.findings == before.findings
    assert {n: t.rows for n, t in after.tables.items()} == {n: t.rows for n, t in before.tables.items()}


@given(traces(), traces())
def test_tables_join_by_key_and_hold_no_nan(a: TraceBuilder, b: TraceBuilder) -> None:
    got = compare(summarized(a), summarized(b))
    for name, table in got.tables.items():
        keys = [i for i, column in enumerate(table.columns) if column.role == "key"]
        seen = [tuple(row[i] for i in keys) for row in table.rows]
        assert len(set(seen)) == len(seen), name
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert_finite(got)
    assert from_bytes(as_bytes(got)).tables.keys() == got.tables.keys()
