"""How much work a step does, where that varies from step to step at random: requests of any length, batches padded to
their longest sample, graphs of any size. Steps are compared at equal amount. Rules: docs/method/amount_of_work.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from tb_perfcompare.comparison.amount.curve import along_curve, explained, slopes
from tb_perfcompare.comparison.result.headline import AmountFacts
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts, centers, row_means
from tb_perfcompare.comparison.statistics.distributions import quantile, student_p
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.samples import Samples, mean_per_observation, observations
from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, Ints, SidePair, each_side, sample_quantile
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

MIN_EXPLAINED = 0.3
"""Share of the variation of the step time within captures that the amount of work has to explain on both sides ..."""

NEARLY_AS_MUCH = 0.1
"""... and how much less than the best it may explain. Of several, the one that varies by the fewest calls or elements
counts: tokens rather than what is called in every layer for each."""

MIN_STEPS = 8
"""Fewest steps of a side: in fewer, anything explains much of their variation."""

VARIES = 1.1
"""Ratio of the largest to the smallest amount of a side from which it varies."""

MIN_PRESENT = 0.9
"""Share of the steps in which the amount is above zero."""

MIN_SHARE = 0.3
"""Share of the operators' time that has to be in operators whose calls or inputs vary."""

LIKE_ANOTHER = 2e-3
"""Largest deviation, relative to the largest value, of calls (elements) from one function of the amount."""

MAX_OTHER_SIZES = 0.25
"""Largest share of the operators' time in operators that are called as often at equal amount, but on other sizes.
Beyond it steps differ in a second way, as in batch size and length: at equal amount they are not equal."""

_MOST, _MOST_ROWS = 300, 100_000
"""Names that are tried as amounts, those with most time; rows (name and shapes) above which none is searched for."""

_ROWS_AT_ONCE = 2_000  # their slopes between all pairs of steps are held at once

OUTER = 0.1
"""Share of a side's steps on either side of the amount at which the sides are compared: nothing is extrapolated."""

LEAST_LEFT = 0.5
"""Least that is left of a value at a smaller amount, relative to one in proportion: a short step of a noisy capture may
lie far below the line."""

CLEAR_SHARE = 0.2
"""Fraction of alpha at which the steps' amounts count as different: which requests came is chance, and others come next
time. Their captures have to differ at alpha."""


@dataclass(frozen=True, slots=True, eq=False)
class AmountOfWork:
    """The amount of work of each observation, (n,) and (m,), by calls or by input elements of one operator.

    operator  its name
    of        "calls" or "input elements"
    amounts   calls (elements) per observation
    captures  of the observations
    level     the amount at which the sides are compared: the mean of both sides' means
    times_ns  (n,), (m,) int64 step times at that amount
    explained share of the variation of the step time within captures, of the side where it is lower
    """

    operator: str
    of: str
    amounts: SidePair
    captures: Captures
    level: float
    times_ns: tuple[Ints, Ints]
    explained: float

    def at_level(self, values: SidePair) -> SidePair:
        """(..., n), (..., m) values that each step would have at equal amount of work."""
        return _at_level(values, self.amounts, self.captures, self.level)

    def rows_at_level(self, values: tuple[Ints, Ints]) -> SidePair:
        """The same for (r, n) and (r, m) times of any rows; those that are not in most steps stay as they are."""
        a, b = (side.astype(np.float64) for side in values)
        often = np.flatnonzero(((a > 0).mean(axis=1) > 0.5) & ((b > 0).mean(axis=1) > 0.5))
        for start in range(0, len(often), _ROWS_AT_ONCE):
            rows = often[start : start + _ROWS_AT_ONCE]
            a[rows], b[rows] = self.at_level((a[rows], b[rows]))
        return a, b

    def same_work(self, values: SidePair) -> Flags:
        """(r,) whether (r, n) and (r, m) calls, or sizes, are the same function of the amount on both sides."""
        return follows(np.concatenate(values, axis=1), np.concatenate(self.amounts))

    def facts(self, recorded: SidePair, alpha: float) -> AmountFacts:
        """The amounts and the change of their mean: by Welch over steps, as they are drawn one by one; with an interval
        over captures where that is wider. `recorded`: step times, for the change that the amount alone makes."""
        means = each_side(lambda side: float(side.mean()), self.amounts)
        parts = each_side(lambda side, mean: float(side.var(ddof=1)) / len(side) / mean**2, self.amounts, means)
        theta, error = math.log(means[1]) - math.log(means[0]), math.sqrt(parts[0] + parts[1])
        weights = each_side(lambda part, side: part**2 / (len(side) - 1), parts, self.amounts)
        degrees_of_freedom = (parts[0] + parts[1]) ** 2 / (weights[0] + weights[1])
        half = quantile(degrees_of_freedom, 1 - alpha / 2) * error
        p = float(student_p(np.array([theta / error]), np.array([degrees_of_freedom]))[0])
        clear = p <= CLEAR_SHARE * alpha
        each = each_side(lambda side, own: centers(side[None, :], own, row_means), self.amounts, self.captures)
        if min(capture_counts(self.captures)) > 1 and all((side > 0).all() for side in each):
            between = between_captures(*each_side(np.log, each), alpha)
            assert between is not None
            half = max(half, float(between.high[0] - between.low[0]) / 2)
            p = max(p, float(between.p[0]))
        lengthened = each_side(
            lambda time, equal: math.log(float(time.mean())) - math.log(float(equal.mean())), recorded, self.times_ns
        )
        return AmountFacts(
            self.operator, self.of, means[0], means[1], fraction_of(theta), fraction_of(theta - half),
            fraction_of(theta + half), p, clear and p <= alpha, fraction_of(lengthened[1] - lengthened[0]),
            self.explained,
        )  # fmt: skip


def amount_of_work(sides: tuple[Summary, Summary]) -> AmountOfWork | None:
    """Finds the amount that explains most of how the step time varies on both sides; None if it does not vary, if none
    explains it, or if the sides have no common amount at which they could be compared."""
    groups = each_side(_operators, sides)
    if None in groups or any(side.metric != STEP_TIME or not side.is_timed for side in sides):
        return None
    samples = each_side(observations, sides)
    captures = each_side(lambda seen: seen.capture, samples)
    times = each_side(lambda side, seen: seen.means(side.steps.total_ns).astype(np.float64), sides, samples)
    if any(len(side) < MIN_STEPS or (side <= 0).any() for side in times):
        return None
    every = each_side(lambda group, seen: rows_by_name(group, "host_self", seen, input_elements), groups, samples)
    both = of_both(*every)
    shares = each_side(lambda own, all_: own.time_ns.sum(axis=1) / max(float(all_.time_ns.sum()), 1.0), both, every)
    calls, sizes = each_side(lambda side: side.calls, both), each_side(lambda side: side.size, both)
    explaining = [
        (min(each_side(explained, times, pair, captures)), name, of, pair)
        for name, of, pair in _amounts(both[0].names, calls, sizes, shares)
    ]
    best = max((share for share, *_ in explaining), default=0.0)
    if best < MIN_EXPLAINED:
        return None
    nearly_best = (entry for entry in explaining if entry[0] >= max(best - NEARLY_AS_MUCH, MIN_EXPLAINED))
    share, name, of, pair = min(nearly_best, key=lambda entry: (_deviation(entry[3]), *entry[1:3]))
    by_calls, by_sizes = (follows(np.concatenate(values, axis=1), np.concatenate(pair)) for values in (calls, sizes))
    if max(float(side[by_calls & ~by_sizes].sum()) for side in shares) > MAX_OTHER_SIZES:
        return None
    level = (float(pair[0].mean()) + float(pair[1].mean())) / 2
    ends = [(sample_quantile(side, OUTER), sample_quantile(side, 1 - OUTER)) for side in pair]
    if any(not low <= level <= high for low, high in ends):
        return None
    rounded = each_side(lambda side: np.rint(side).astype(np.int64), _at_level(times, pair, captures, level))
    return AmountOfWork(name, of, pair, captures, level, rounded, share)


def follows(values: Floats, amount: Floats) -> Flags:
    """(r,) whether (r, n) values are a function of (n,) amounts: a straight line or a parabola, as for attention over a
    sequence that grows."""
    middle, half = (amount.max() + amount.min()) / 2, max((amount.max() - amount.min()) / 2, 1.0)
    x = (amount - middle) / half
    powers = np.stack([np.ones_like(x), x, x * x], axis=1)
    fitted = values @ np.linalg.pinv(powers).T @ powers.T
    fits: Flags = np.abs(values - fitted).max(axis=1, initial=0.0) <= LIKE_ANOTHER * values.max(axis=1, initial=0.0)
    return fits


def _operators(side: Summary) -> GroupTable | None:
    """Operators by input shapes, without shapes by name; None without times of single steps."""
    group = side.groups.get("operators_by_shape", side.groups.get("operators"))
    if group is None or not group.sampled or "host_self" not in group.measures_ns:
        return None
    return group if 0 < len(group) <= _MOST_ROWS else None


def _deviation(pair: SidePair) -> float:
    return float(pair[0].std()) + float(pair[1].std())


def _amounts(
    names: Sequence[str], calls: SidePair, sizes: SidePair, shares: SidePair
) -> Iterator[tuple[str, str, SidePair]]:
    """Yields what can be the amount: calls or elements of an operator that vary on both sides. Of several that grow
    together in every step, the one that grows most nearly in proportion to the work, without a constant part such as
    weights."""
    vary = [np.logical_and(*each_side(_vary, of)) for of in (calls, sizes)]
    if any(float(share[vary[0] | vary[1]].sum()) < MIN_SHARE for share in shares):
        return
    order = np.argsort(-(shares[0] + shares[1]), kind="stable")[:_MOST]
    alike: dict[bytes, tuple[float, float, str, str, SidePair]] = {}
    for of, values, varying in (("calls", calls, vary[0]), ("input elements", sizes, vary[1])):
        for row in order[varying[order]].tolist():
            pair = values[0][row], values[1][row]
            every = np.concatenate(pair)
            shape = np.rint((every - every.min()) / (every.max() - every.min()) / LIKE_ANOTHER).astype(np.int32)
            deviation = _deviation(pair)
            relative = round(deviation / (float(pair[0].mean()) + float(pair[1].mean())), 3)
            entry = -relative, deviation, names[row], of, pair
            known = alike.get(shape.tobytes())
            if known is None or entry[:4] < known[:4]:
                alike[shape.tobytes()] = entry
    for *_, name, of, pair in alike.values():
        yield name, of, pair


def _vary(values: Floats) -> Flags:
    """(r,) whether (r, n) values differ from step to step, and hardly any is 0."""
    present = (values > 0).mean(axis=1) >= MIN_PRESENT
    varying: Flags = present & (values.max(axis=1, initial=0.0) > VARIES * values.min(axis=1, initial=np.inf))
    return varying


def _at_level(values: SidePair, amounts: SidePair, captures: Captures, level: float) -> SidePair:
    """Moves (n,) and (m,) values along one curve; where they have none, and each row of (r, n) and (r, m), along the
    slope of their capture."""
    moved = along_curve(values, amounts, captures, level) if values[0].ndim == 1 else None
    if moved is None:
        moved = each_side(partial(_on_slopes, level), values, amounts, captures)
    shares = each_side(lambda amount: np.minimum(level / np.maximum(amount, level / 2), 1.0) * LEAST_LEFT, amounts)
    return each_side(lambda side, own, share: np.maximum(side, own * share), moved, values, shares)


def _on_slopes(level: float, values: Floats, amount: Floats, capture: CaptureIndex) -> Floats:
    rows = np.atleast_2d(values)
    return (rows - slopes(rows, amount, capture) * (amount - level)).reshape(values.shape)


@dataclass(frozen=True, slots=True, eq=False)
class NamedRows:
    """r operators or kernels by name in n observations.

    names    r different names, in order
    calls    (r, n) float64
    size     (r, n) float64 elements of all inputs, or threads launched
    time_ns  (r, n) float64
    """

    names: tuple[str, ...]
    calls: Floats
    size: Floats
    time_ns: Floats


def rows_by_name(
    group: GroupTable, measure: str, samples: Samples, sizes_of: Callable[[str], tuple[int, ...]]
) -> NamedRows:
    """Sums rows of equal names; `sizes_of` gives the parts of a call's size from the second part of the row's key."""
    names = sorted({key[0] for key in group.keys})
    number = {name: index for index, name in enumerate(names)}
    row = np.array([number[key[0]] for key in group.keys], dtype=np.int64)
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], np.arange(len(names)))
    size = np.array([math.fsum(sizes_of(key[1])) if len(key) > 1 else 0.0 for key in group.keys])

    def summed(values: Ints | Floats) -> Floats:
        if not len(names):
            return np.zeros((0, len(samples.label)))
        return mean_per_observation(np.add.reduceat(values[order], starts, axis=0), samples)

    return NamedRows(
        tuple(names), summed(group.calls), summed(group.calls * size[:, None]), summed(group.measures_ns[measure])
    )


def of_both(a: NamedRows, b: NamedRows) -> tuple[NamedRows, NamedRows]:
    """The rows of the names that both sides have, in the same order."""
    shared = set(a.names) & set(b.names)

    def only(rows: NamedRows) -> NamedRows:
        kept = np.array([name in shared for name in rows.names], dtype=bool)
        names = tuple(name for name in rows.names if name in shared)
        return NamedRows(names, rows.calls[kept], rows.size[kept], rows.time_ns[kept])

    return only(a), only(b)
