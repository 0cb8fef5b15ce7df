"""The ledger closes on every level and splits changes into counts and rates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.ledger.rows import Total, count_effect, mix_effect
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, sequence


def cpu_steps(*steps: list[tuple[Any, ...]]) -> TraceBuilder:
    """Steps of 100 µs with these operators."""
    return sequence(([*calls, ("", 100 - sum(call[1] for call in calls))] for calls in steps), vendor="cpu")


def ledger_of(a: TraceBuilder, b: TraceBuilder) -> Ledger:
    return build_ledger(summary(a), summary(b))


def row(ledger: Ledger, *path: str) -> LedgerRow:
    return next(row for row in ledger.rows if row.path == path)


def test_more_calls_of_the_same_length_are_a_count_effect() -> None:
    ledger = ledger_of(cpu_steps([("mm", 10)]), cpu_steps([("mm", 10), ("mm", 10), ("mm", 10)]))
    mm = row(ledger, "CPU Exec", "mm")
    assert (mm.delta, mm.count_effect, mm.rate_effect, mm.calls) == (20_000, 20_000, 0, (1, 3))


def test_longer_calls_are_a_rate_effect() -> None:
    ledger = ledger_of(cpu_steps([("mm", 10)]), cpu_steps([("mm", 30)]))
    mm = row(ledger, "CPU Exec", "mm")
    assert (mm.delta, mm.count_effect, mm.rate_effect) == (20_000, 0, 20_000)


def test_an_added_operator_is_a_count_effect() -> None:
    ledger = ledger_of(cpu_steps([("mm", 10)]), cpu_steps([("mm", 10), ("new", 7)]))
    new = row(ledger, "CPU Exec", "new")
    assert (new.status, new.baseline, new.delta, new.count_effect) == ("added", 0, 7_000, 7_000)


def test_different_numbers_of_steps_use_their_common_multiple() -> None:
    """Two steps of 10 and 20 us of mm against three of 10: means 15 and 10 us."""
    ledger = ledger_of(cpu_steps([("mm", 10)], [("mm", 20)]), cpu_steps([("mm", 10)], [("mm", 10)], [("mm", 10)]))
    mm = row(ledger, "CPU Exec", "mm")
    assert ledger.denominator == 6
    assert (mm.baseline, mm.candidate) == (15_000 * 6, 10_000 * 6)


def test_all_eight_categories_are_there_largest_change_first() -> None:
    ledger = ledger_of(cpu_steps([("mm", 10)]), cpu_steps([("mm", 30)]))
    heads = [row.path[0] for row in ledger.rows if len(row.path) == 1]
    assert heads[:2] == ["CPU Exec", "Other"]
    assert len(heads) == 8


def shaped(*calls: tuple[list[list[int]], float]) -> TraceBuilder:
    """One step of 100 µs with calls of an operator: (input shapes, µs)."""
    return cpu_steps([("mm", us, dims) for dims, us in calls])


def parts(ledger: Ledger, *entity: str) -> dict[str, int]:
    return {row.path[2]: row.delta for row in ledger.rows if len(row.path) == 3 and row.path[:2] == entity}


SMALL, LARGE = [[8, 8]], [[64, 64]]


def test_an_operator_is_split_by_input_shape() -> None:
    before, after = shaped((SMALL, 10), (LARGE, 40)), shaped((SMALL, 15), (LARGE, 38))
    ledger = ledger_of(before, after)
    assert parts(ledger, "CPU Exec", "mm") == {"[[8, 8]]": 5_000, "[[64, 64]]": -2_000}
    small = row(ledger, "CPU Exec", "mm", "[[8, 8]]")
    assert (small.baseline, small.candidate, small.calls, small.status) == (10_000, 15_000, (1, 1), "both")


def test_calling_other_shapes_is_a_mix_effect() -> None:
    """The number and the lengths of calls are equal; one small shape became a large one."""
    before, after = shaped((SMALL, 10), (SMALL, 10), (LARGE, 40)), shaped((SMALL, 10), (LARGE, 40), (LARGE, 40))
    mm = row(ledger_of(before, after), "CPU Exec", "mm")
    assert (mm.delta, mm.count_effect, mm.rate_effect) == (30_000, 0, 30_000)
    assert (mm.mix_effect, mm.same_shape_effect) == (30_000, 0)


def test_the_same_shapes_taking_longer_is_no_mix_effect() -> None:
    mm = row(ledger_of(shaped((SMALL, 10), (LARGE, 20)), shaped((SMALL, 15), (LARGE, 30))),
             "CPU Exec", "mm")  # fmt: skip
    assert (mm.mix_effect, mm.same_shape_effect) == (0, 15_000)


def test_mix_and_time_at_once_are_averaged() -> None:
    """Shares of the small shape 1/2 and 3/4, of 2 and 4 calls; means 10 and 12 us small, 20 and 20 us large.

    mix = (2 + 4)/2 x ((3/4 - 1/2)(10 + 12)/2 + (1/4 - 1/2)(20 + 20)/2) = 3 x (2.75 - 5) = -6.75 us.
    """
    before = shaped((SMALL, 10), (LARGE, 20))
    after = shaped((SMALL, 12), (SMALL, 12), (SMALL, 12), (LARGE, 20))
    mm = row(ledger_of(before, after), "CPU Exec", "mm")
    assert mm.mix_effect == -6_750
    assert mm.count_effect == 2 * (15_000 + 14_000) // 2
    assert mm.count_effect + mm.mix_effect + mm.same_shape_effect == mm.delta == 26_000


def test_an_operator_of_one_shape_has_no_parts() -> None:
    ledger = ledger_of(shaped((SMALL, 10), (SMALL, 10)), shaped((SMALL, 30)))
    assert parts(ledger, "CPU Exec", "mm") == {}


def test_shapes_of_one_side_alone_split_nothing() -> None:
    ledger = ledger_of(cpu_steps([("mm", 10), ("mm", 30)]), shaped((SMALL, 20), (LARGE, 50)))
    mm = row(ledger, "CPU Exec", "mm")
    assert parts(ledger, "CPU Exec", "mm") == {}
    assert (mm.mix_effect, mm.same_shape_effect) == (0, 30_000)


def test_parts_that_hardly_changed_share_a_row() -> None:
    """Parts below a thousandth of the step, here 100 ns, are pooled."""
    before = shaped(*(([[n]], 10) for n in range(6)))
    after = shaped(*(([[n]], us) for n, us in enumerate((10, 12, 10.05, 9.9, 10.06, 10))))
    ledger = ledger_of(before, after)
    assert parts(ledger, "CPU Exec", "mm") == {"[[1]]": 2_000, "[[3]]": -100, "(4 others)": 110}
    others = row(ledger, "CPU Exec", "mm", "(4 others)")
    assert (others.baseline, others.calls) == (40_000, (4, 4))


def test_a_gap_is_split_by_its_neighbors() -> None:
    def steps(wait: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        trace.step(1, 0, 100 + wait)
        trace.op("load", 0, 50)
        trace.op("train", 60 + wait, 100 + wait)
        trace.op("end", 75 + wait, 100 + wait)
        return trace

    found = parts(ledger_of(steps(0), steps(30)), "Other", "(nothing recorded)")
    assert found == {}  # one gap
    two = steps(30)
    two.step(2, 130, 200)
    two.op("train", 190, 200)
    found = parts(ledger_of(steps(0), two), "Other", "(nothing recorded)")
    assert found == {"after train, before train": 60_000, "after load, before train": 40_000 - 20_000}


def test_every_row_comes_before_its_children() -> None:
    before, after = shaped((SMALL, 10), (LARGE, 40)), shaped((SMALL, 15), (LARGE, 38))
    seen: list[tuple[str, ...]] = []
    for found in ledger_of(before, after).rows:
        assert len(found.path) == 1 or found.path[:-1] == next(p for p in seen[::-1] if len(p) < len(found.path))
        seen.append(found.path)
    assert len({*seen}) == len(seen)


def test_a_kernel_with_a_truncated_name_keeps_its_parts() -> None:
    def run(name: str, long: int) -> Summary:
        trace = TraceBuilder()
        trace.step(1, 0, 200)
        for number, dims in enumerate((SMALL, LARGE)):
            at = 50 * number
            trace.op("aten::mm", at, at + 20, dims=dims)
            trace.kernel(name, at + 100, at + 110 + number * long, launch=(at + 5, at + 8))
        return summary(trace)

    full = "ampere_fp16_s16816gemm_fp16_128x128"
    got = compare(run(full, 0), run("ampere_fp16_s16816gemm...", 30))
    assert parts(got.ledger, "Kernel", full) == {"aten::mm [[64, 64]]": 30_000, "aten::mm [[8, 8]]": 0}


def mix_in_fractions(a: Total, b: Total, pairs: list[tuple[Total, Total]]) -> int:
    """The formula of docs/method/ledger.md."""
    if not a.calls or not b.calls:
        return 0
    calls = (Fraction(a.calls, a.steps) + Fraction(b.calls, b.steps)) / 2
    total = 0
    for x, y in pairs:
        means = [Fraction(side.time * side.steps, side.calls) for side in (x, y) if side.calls]
        if means:
            shares = Fraction(y.calls, b.calls) - Fraction(x.calls, a.calls)
            total += round(calls * shares * sum(means) / len(means))
    return total


TOTALS = st.lists(st.tuples(*[st.integers(0, 10**6), st.integers(0, 20)] * 2), min_size=1, max_size=6)


@given(TOTALS, st.integers(1, 6), st.integers(1, 6))
def test_the_mix_changes_sign_with_the_sides_and_is_zero_for_equal_shares(
    drawn: list[tuple[int, ...]], steps_a: int, steps_b: int
) -> None:
    def whole(sides: list[Total]) -> Total:
        return Total(sum(side.time for side in sides), sum(side.calls for side in sides), sides[0].steps, "")

    a = [Total(time, calls, steps_a, "") for time, calls, _, _ in drawn]
    b = [Total(time, calls, steps_b, "") for _, _, time, calls in drawn]
    forward = mix_effect(whole(a), whole(b), zip(a, b, strict=True))
    assert forward == mix_in_fractions(whole(a), whole(b), list(zip(a, b, strict=True)))
    assert forward == -mix_effect(whole(b), whole(a), zip(b, a, strict=True))
    doubled = [Total(one.time, 2 * one.calls, steps_b, "") for one in a]
    assert mix_effect(whole(a), whole(doubled), zip(a, doubled, strict=True)) == 0


def count_in_fractions(a: Total, b: Total) -> int:
    """The formula of docs/method/ledger.md."""
    calls = [Fraction(side.calls, side.steps) for side in (a, b)]
    means = [side.time / each for side, each in zip((a, b), calls, strict=True) if each]
    if calls[0] == calls[1]:
        return 0
    return round((calls[1] - calls[0]) * sum(means) / len(means)) if len(means) == 2 else b.time if b.calls else -a.time


SIDES = st.builds(Total, st.integers(0, 10**9), st.integers(0, 600), st.integers(1, 12), st.just(""))


@given(SIDES, SIDES)
def test_effects_change_sign_with_the_sides(a: Total, b: Total) -> None:
    assert count_effect(a, b) == -count_effect(b, a) == count_in_fractions(a, b)
