"""Splits the change of a mean into the time of iterations of each kind and how often each kind occurs.

Direct standardization at the baseline's mix (docs/method/iterations.md#kinds).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import percent_text, signed_time
from tb_perfcompare.comparison.statistics.distributions import chi_squared_tail
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.quick_dataclass import dataclass

MAX_KINDS = 200
"""Number of separate kinds; the rarest are merged."""

OTHERS = "(rarer kinds)"

SAME_MIX = 0.05
"""p below which kinds by content occur more or less often than before."""


@dataclass(frozen=True, slots=True, eq=False)
class MixSplit:
    """k kinds, the most frequent first.

    kinds       k texts
    baseline, candidate  k arrays: the steps of each kind, as positions in the side's steps
    time_ns     (k,) effect of the time of iterations of the kind, at the baseline's mix; 0 for one-sided kinds
    mix_ns      (k,) effect of how often they occur; with time_ns it adds up to total_ns exactly
    total_ns    change of the mean, rounded
    mean_ns     mean of the baseline
    by_content  kinds are what iterations consist of, rather than what their markers say was requested
    """

    kinds: tuple[str, ...]
    baseline: tuple[Ints, ...]
    candidate: tuple[Ints, ...]
    time_ns: Ints
    mix_ns: Ints
    total_ns: int
    mean_ns: float
    by_content: bool

    @property
    def is_same_mix(self) -> bool:
        """Whether kinds occur about as often on both sides (chi-squared test at SAME_MIX)."""
        counts = np.array([[len(own) for own in side] for side in (self.baseline, self.candidate)], dtype=np.float64)
        expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0) / counts.sum()
        distance = float(((counts - expected) ** 2 / expected).sum())
        return chi_squared_tail(distance, counts.shape[1] - 1) > SAME_MIX

    @property
    def is_mostly_mix(self) -> bool:
        """Whether the mix makes at least half of the change."""
        return 2 * int(self.mix_ns.sum()) * self.total_ns >= self.total_ns**2 > 0


def split_mix(
    kinds: tuple[Sequence[str], Sequence[str]], times_ns: tuple[Ints, Ints], *, by_content: bool = False
) -> MixSplit | None:
    """Splits the change by the kind and time of every step of both sides; None if all are of one kind."""
    frequent = [kind for kind, _ in Counter([*kinds[0], *kinds[1]]).most_common(MAX_KINDS)]
    if len(frequent) < 2:
        return None
    code_of = {kind: index for index, kind in enumerate(frequent)}
    rare = len(frequent)
    code = [np.array([code_of.get(kind, rare) for kind in side], dtype=np.int64) for side in kinds]
    names = [*frequent, OTHERS] if any((side == rare).any() for side in code) else frequent
    steps = [[np.flatnonzero(side == index) for index in range(len(names))] for side in code]
    count = [[len(own) for own in side] for side in steps]
    total = [[sum(times[own].tolist()) for own in side] for side, times in zip(steps, times_ns, strict=True)]
    all_a, all_b = map(sum, count)
    mean = Fraction(sum(total[0]), all_a)
    time, mix = list[Fraction](), list[Fraction]()
    for (n, m), (sum_a, sum_b) in zip(zip(*count, strict=True), zip(*total, strict=True), strict=True):
        moved = Fraction(m, all_b) - Fraction(n, all_a)
        both = n > 0 and m > 0
        time.append(Fraction(n, all_a) * (Fraction(sum_b, m) - Fraction(sum_a, n)) if both else Fraction(0))
        mix.append(moved * ((Fraction(sum_b, m) if m else Fraction(sum_a, n)) - mean))
    effects = _whole([*time, *mix])
    return MixSplit(
        tuple(names), tuple(steps[0]), tuple(steps[1]), effects[: len(names)], effects[len(names) :],
        int(effects.sum()), float(mean), by_content,
    )  # fmt: skip


def _whole(parts: Sequence[Fraction]) -> Ints:
    """Integers that add up to the rounded sum, each less than one from its part."""
    done, out, sum_ = 0, [], Fraction(0)
    for part in parts:
        sum_ += part
        out.append(round(sum_) - done)
        done += out[-1]
    return np.array(out, dtype=np.int64)


def mix_check(split: MixSplit, margin: float, *, directed: bool) -> Check:
    """Check that fails if the verdict's direction comes from the mix: without its change there would be none, or the
    other.

    margin    the threshold of the verdict, as a fraction of the step
    directed  whether the verdict is slower or faster
    """
    time, mix = int(split.time_ns.sum()), int(split.mix_ns.sum())
    detail = mix_text(split)
    least = margin * split.mean_ns
    if abs(mix) < least:
        return Check("iteration_mix", "ok", detail)
    if directed and not split.by_content and (abs(time) < least or (time > 0) != (split.total_ns > 0)):
        return Check("iteration_mix", "fail", f"the mix of iterations changed: {detail}", ("verdict",))
    return Check("iteration_mix", "warn", f"the mix of iterations changed: {detail}", ("verdict",))


def mix_text(split: MixSplit) -> str:
    """Both effects, and the kind whose share changed most: "... by mix alone −2.10 ms (decode 67.0 % → 83.0 %)".
    Without kinds of both sides there is only the mix."""
    time, mix = int(split.time_ns.sum()), int(split.mix_ns.sum())
    share = [[len(own) for own in side] for side in (split.baseline, split.candidate)]
    shares = [[count / sum(side) for count in side] for side in share]
    moved = max(range(len(split.kinds)), key=lambda index: abs(shares[1][index] - shares[0][index]))
    before, after = (percent_text(side[moved]) for side in shares)
    which = f" ({split.kinds[moved]} {before} → {after})" if mix else ""
    if not any(len(a) and len(b) for a, b in zip(split.baseline, split.candidate, strict=True)):
        return f"no kind is on both sides{which}"
    by_time = percent_text(time / split.mean_ns, signed=True)
    return (
        f"at the baseline's mix of iterations {signed_time(time / 1000)} ({by_time}); "
        f"by mix alone {signed_time(mix / 1000)}{which}"
    )
