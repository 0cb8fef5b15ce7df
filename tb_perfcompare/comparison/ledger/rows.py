"""One row of the ledger: its change, split by the number of calls, by their mix and by the time per call. Formulas:
docs/method/ledger.md."""

from __future__ import annotations

from collections.abc import Iterable

from tb_perfcompare.comparison.result.exact_integers import half_to_even
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(slots=True)
class Total:
    """One entry on one side: owned time in ledger units, calls over all admitted steps, steps, display name. Treated
    as immutable, but not frozen: there are thousands, and frozen ones take four times as long to create."""

    time: int
    calls: int
    steps: int
    name: str

    def plus(self, other: Total) -> Total:
        """Sum of both, with this name."""
        return Total(self.time + other.time, self.calls + other.calls, self.steps, self.name)


def row_of(path: tuple[str, ...], a: Total, b: Total, parts: Iterable[tuple[Total, Total]] = ()) -> LedgerRow:
    """Builds the row of one entry; `parts` are all of its parts on both sides, if it has any."""
    count = count_effect(a, b)
    delta = b.time - a.time
    has_a, has_b = bool(a.time or a.calls), bool(b.time or b.calls)
    return LedgerRow(
        path=path,
        name=a.name or b.name,
        baseline=a.time,
        candidate=b.time,
        delta=delta,
        calls=(a.calls / a.steps, b.calls / b.steps),
        count_effect=count,
        rate_effect=delta - count,
        status="removed" if has_a and not has_b else "added" if has_b and not has_a else "both",
        mix_effect=mix_effect(a, b, parts),
    )


def count_effect(a: Total, b: Total) -> int:
    """Part of the change of time that the change in calls per step explains, (c_b - c_a)(m_a + m_b)/2 with m the time
    per call.

    A side without calls takes the other's mean, so added and removed entries are count effects in full. Rounded half
    to even, which keeps the sign symmetric if the sides are exchanged.
    """
    more = b.calls * a.steps - a.calls * b.steps
    if not more:
        return 0
    if not a.calls or not b.calls:
        # Only time with calls can come from calls; the tail of work from an earlier step cannot.
        return -a.time if a.calls else b.time
    # all in integers: a Fraction is reduced at every step
    means = a.time * a.steps * b.calls + b.time * b.steps * a.calls
    return half_to_even(more * means, 2 * a.steps * b.steps * a.calls * b.calls)


def mix_effect(a: Total, b: Total, parts: Iterable[tuple[Total, Total]]) -> int:
    """Part of the rate effect from calling parts in other proportions, (c_a + c_b)/2 x sum over parts of (p_b -
    p_a)(m_a + m_b)/2 with p the part's share of the entry's calls.

    The rest of the rate effect is the same parts taking a different time per call. A part without calls on a side takes
    the other's mean. Each part's term is rounded half to even, so that exchanging the sides negates it.
    """
    if not a.calls or not b.calls:
        return 0  # the whole change is a count effect
    both, steps_and_calls = a.calls * b.steps + b.calls * a.steps, a.steps * b.steps * a.calls * b.calls
    total = 0
    for x, y in parts:
        shift = y.calls * a.calls - x.calls * b.calls
        if not shift:
            continue
        if x.calls and y.calls:
            mean, over = x.time * x.steps * y.calls + y.time * y.steps * x.calls, 2 * x.calls * y.calls
        else:
            only = x if x.calls else y
            mean, over = only.time * only.steps, only.calls
        total += half_to_even(both * shift * mean, 2 * steps_and_calls * over)
    return total
