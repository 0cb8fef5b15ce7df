"""Ranks whose counted work changed much more than that of the other ranks, and what one rank does beyond the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.ranks.sides import Pairs, Ranks
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import many, ratio_text, short, signed_time
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.multiple_testing import holm
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Floats, Ints, median
from tb_perfcompare.model.summary.amounts import AMOUNTS
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

_MUCH, _ALIKE = math.log1p(0.1), math.log1p(0.01)
"""Growth from which work counts as more, and up to which it counts as equal, as a logarithm."""

_STEADY = 0.1
"""Largest spread of a rank's steps on either side, as a share of its change, for the change to be certain untested."""

_CONTROLS, _FAR = 4, 3.0

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class WorkChange:
    """Growth of one rank's work. `amounts`: (name, candidate over baseline, the same of the median rank without such a
    change), all in one direction."""

    amounts: tuple[tuple[str, float, float], ...]

    @property
    def is_more(self) -> bool:
        return self.amounts[0][1] > 1

    @property
    def word(self) -> str:
        return "more work" if self.is_more else "less work"

    @property
    def name(self) -> str:
        """The most telling amount that changed."""
        return self.amounts[0][0]

    @property
    def by_name(self) -> dict[str, tuple[float, float]]:
        return {name: (grown, other) for name, grown, other in self.amounts}


def work_text(keys: Sequence[str], works: Mapping[int, WorkChange], both: int) -> str:
    """ "Ranks 1 and 6 do more work than before: FLOPs ×1.50–2.00 (the other ranks as before)"; names of workers stay as
    they are. `works`: those in one direction by the number of the key, the main one first, of `both` ranks that both
    sides have."""
    first, *_ = works.values()
    alike = {keys[number]: work.by_name for number, work in sorted(works.items()) if first.name in work.by_name}
    who = _counted_on([key.removeprefix("rank ") for key in alike])
    if all(key.startswith("rank ") for key in alike):
        who = f"Rank{'s' * (len(alike) > 1)} {who}"
    shared = [name for name in first.by_name if all(name in amounts for amounts in alike.values())]
    growths = {name: [amounts[name] for amounts in alike.values()] for name in shared[: 3 if len(alike) == 1 else 2]}
    own = ", ".join(f"{name} {_ratios(grown for grown, _ in of_ranks)}" for name, of_ranks in growths.items())
    others = [other for of_ranks in growths.values() for _, other in of_ranks]
    said = "as before" if all(abs(math.log(other)) <= _ALIKE for other in others) else _ratios(others)
    does, left = "does" if len(alike) == 1 else "do", "rank" if both - len(works) == 1 else "ranks"
    rest = len(works) - len(alike)
    more = f", as {'does' if rest == 1 else 'do'} {many(rest, 'other rank')}" if rest else ""
    return f"{who} {does} {first.word} than before: {own} (the other {left} {said}){more}"


def _counted_on(keys: list[str]) -> str:
    """ "0", "0 and 1", "0, 1 and 4", "0, 1, 4 and 2 other ranks"."""
    rest = len(keys) - _MAX_NAMED
    keys = [*keys[:_MAX_NAMED], many(rest, "other rank")] if rest > 0 else keys
    return " and ".join(filter(None, (", ".join(keys[:-1]), keys[-1])))


def _ratios(ratios: Iterable[float]) -> str:
    """ "×2.00", or "×1.50–2.00" for several that differ."""
    ordered = sorted(ratios)
    low, high = ratio_text(ordered[0]), ratio_text(ordered[-1])
    return low if low == high else f"{low}–{high.removeprefix('×')}"


def uneven_work(a: Ranks, b: Ranks, pairs: Pairs, options: CompareOptions) -> list[WorkChange | None]:
    """Change of each rank's work beyond that of the others; None if there is none. Each rank is compared with itself
    on the other side, so that ranks may do different work."""
    amounts_of: list[list[tuple[str, float, float]]] = [[] for _ in pairs]
    both = [number for number, (x, y) in enumerate(pairs) if x is not None and y is not None]
    columns = [(a.columns[pairs[number][0] or 0], b.columns[pairs[number][1] or 0]) for number in both]
    captures = [(a.capture[x], b.capture[y]) for x, y in columns]
    for at, name in enumerate(AMOUNTS):
        steps = [(a.amounts[at, x], b.amounts[at, y]) for x, y in columns]
        for place, growth, usual in _uneven(steps, captures, options.alpha):
            amounts_of[both[place]].append((name, math.exp(growth), math.exp(usual)))
    # in the direction of the first amount, the most telling one
    same = ([amount for amount in amounts if (amount[1] > 1) == (amounts[0][1] > 1)] for amounts in amounts_of)
    return [WorkChange(tuple(amounts)) if amounts else None for amounts in same]


def _uneven(
    steps: Sequence[tuple[Ints, Ints]], captures: Sequence[Captures], alpha: float
) -> Iterator[tuple[int, float, float]]:
    """(place, ln of its growth, the same of the others) for each rank whose amount changed beyond that of the others.
    `steps`: the amount in each step of both sides, rank by rank."""
    if len(steps) < 2 or any(not len(side) or side.min() <= 0 for pair in steps for side in pair):
        return
    growth = np.array([math.log(after.mean()) - math.log(before.mean()) for before, after in steps])
    others = [np.delete(growth, place) for place in range(len(growth))]
    beyond = [_is_beyond(own, those) for own, those in zip(growth.tolist(), others, strict=True)]
    tested = zip(steps, captures, beyond, strict=True)
    p = [_p(pair, own, alpha) if is_beyond else 1.0 for pair, own, is_beyond in tested]
    uneven = np.array(beyond) & (holm(np.array(p)) <= alpha)
    for place in np.flatnonzero(uneven).tolist():
        yield place, float(growth[place]), float(median(others[place] if uneven.all() else growth[~uneven]))


def _p(steps: tuple[Ints, Ints], captures: Captures, alpha: float) -> float:
    """p of the change; zero if the amount is nearly the same in all steps of a side: it is certain then."""
    before, after = steps
    spread = max(int(np.ptp(before)), int(np.ptp(after)))
    if min(len(before), len(after)) > 1 and spread <= _STEADY * abs(float(after.mean() - before.mean())):
        return 0.0
    return float(row_shifts(before[None], after[None], captures, alpha).p[0])


def _is_beyond(own: float, others: Floats) -> bool:
    """Whether a growth is large, and as much larger than that of the others."""
    further = own - float(median(others))
    return abs(own) >= _MUCH and abs(further) >= _MUCH and own * further > 0 and lies_apart(own, others)


def lies_apart(value: float, others: Floats) -> bool:
    """Whether a value lies beyond three robust deviations of the others; True with fewer than four of them."""
    if len(others) < _CONTROLS:
        return True
    middle = float(median(others))
    return abs(value - middle) > _FAR * MAD_TO_SIGMA * float(median(np.abs(others - middle)))


_UNNAMED = (StepCategory.COMMUNICATION, StepCategory.DATALOADER)
"""Categories whose entities are not named: waiting is not work, and for the loader the category says everything."""


@dataclass(frozen=True, slots=True)
class ExtraWork:
    """One entity of a category: microseconds per step beyond the other ranks, in addition to any excess in the other
    run. `is_alone`: no other rank has it, and no rank had it in the other run."""

    category: str
    key: str
    us: float
    is_alone: bool

    @property
    def text(self) -> str:
        """Extra work in words: "aten::sort +60.0 ms, new on this rank alone"."""
        return f"{short(self.key)} {signed_time(self.us)}{', new on this rank alone' if self.is_alone else ''}"


def extra_work(
    side: Summary, ranks: Ranks, rank: int, before: Summary, ranks_before: Ranks, rank_before: int | None
) -> tuple[ExtraWork, ...]:
    """What takes this rank of a side longer than the others and did not in the other run, largest first;
    communication and unowned time are left out. Empty if tables hold means over many ranks."""
    now = _by_rank(side, ranks, rank)
    then = {} if rank_before is None else _by_rank(before, ranks_before, rank_before)
    extra = []
    for (category, key), (own, others) in now.items():
        once, once_others = then.get((category, key), (0.0, 0.0))
        us = (own - others) - (once - once_others)
        if us > 0 and category not in _UNNAMED and key != NOTHING_RECORDED:
            extra.append(ExtraWork(CATEGORY_LABELS[category], key, us, not (others or once or once_others)))
    return tuple(sorted(extra, key=lambda work: (-work.us, work.category, work.key)))


def _by_rank(summary: Summary, ranks: Ranks, rank: int) -> dict[tuple[int, str], tuple[float, float]]:
    """(category, entity) -> microseconds per step on this rank, and on the others on average, in steps of all ranks."""
    if summary.ranks is not None or len(ranks) < 2 or not ranks.common.shape[1]:
        return {}
    owned = summary.owned
    mean = np.stack([owned.time_ns[:, columns].mean(axis=1) / 1000 for columns in ranks.common], axis=1)
    others = (mean.sum(axis=1) - mean[:, rank]) / (len(ranks) - 1)
    entities = zip(owned.category.tolist(), owned.key, strict=True)
    return dict(zip(entities, zip(mean[:, rank].tolist(), others.tolist(), strict=True), strict=True))
