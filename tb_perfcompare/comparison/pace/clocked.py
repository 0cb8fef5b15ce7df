"""Steps of both sides with their paces: times as recorded, and at equal machine speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.counted_work import CountedWork
from tb_perfcompare.comparison.pace.pace import Pace, capture_means
from tb_perfcompare.comparison.pace.paced_time import largest_share
from tb_perfcompare.comparison.pace.uninterrupted_steps import UninterruptedSteps
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts, middles
from tb_perfcompare.comparison.statistics.mean_effect import long_steps
from tb_perfcompare.model.arrays import Floats, SidePair, each_side, unique_places
from tb_perfcompare.quick_dataclass import dataclass

ASKED = 0.02
"""Share of the step from which a kind of work counts when paces are compared ..."""

NEEDED = 0.1
"""... and from which its pace has to be known."""


@dataclass(frozen=True, slots=True)
class Follower:
    """A pace, and the share of the step that follows it: of the time on the critical path; all without device work."""

    pace: Pace
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Clocked:
    """Observations of both sides, arrays of shape (n,) and (m,).

    times_ns   step time as recorded, above zero
    at_pace    ln of the step time if everything follows its pace
    alternatives  to at_pace, to be allowed for if the paces of the sides differ
    followers  the paces
    relative   "host", "device" -> ln of its pace, relative to that at at_pace; None without device work
    strata     kinds of the steps, which are compared within their kinds
    uninterrupted  the uninterrupted steps, if known
    counted    work that one side does beyond the other's
    """

    captures: Captures
    times_ns: SidePair
    at_pace: SidePair
    alternatives: tuple[SidePair, ...]
    followers: tuple[Follower, ...]
    relative: Mapping[str, SidePair] | None = None
    strata: Strata | None = None
    uninterrupted: UninterruptedSteps | None = None
    counted: CountedWork | None = None

    @property
    def machine(self) -> SidePair:
        """ln of the machine's factor on the step time: recorded time over the time at equal machine speed."""
        return each_side(lambda time, paced: np.log(time) - paced, self.times_ns, self.at_pace)

    def at(self, times_ns: SidePair) -> Clocked:
        """Returns the same steps timed by another rule for where they end; the machine's factor stays the same."""

        def moved(pair: SidePair) -> SidePair:
            return each_side(lambda ln, new, old: ln + (np.log(new) - np.log(old)), pair, times_ns, self.times_ns)

        return replace(
            self, times_ns=times_ns, at_pace=moved(self.at_pace), alternatives=tuple(map(moved, self.alternatives)),
            uninterrupted=self.uninterrupted if all(map(np.array_equal, times_ns, self.times_ns)) else None,
        )  # fmt: skip

    def only(self, kept: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> Clocked:
        """Returns only the observations marked in `kept`."""

        def those(pair: tuple[Any, Any]) -> tuple[Any, Any]:
            return each_side(lambda side, marked: side[marked], pair, kept)

        return replace(
            self.mapped(those(self.captures), those, those),
            strata=None if self.strata is None else self.strata.only(kept),
            uninterrupted=None if self.uninterrupted is None else self.uninterrupted.only(kept),
        )

    def mapped(
        self, captures: Captures, time: Callable[[SidePair], SidePair], ln_time: Callable[[SidePair], SidePair]
    ) -> Clocked:
        """Returns observations of these captures, computed from all times and all logarithms."""
        return replace(
            self,
            captures=captures,
            times_ns=time(self.times_ns),
            at_pace=ln_time(self.at_pace),
            alternatives=tuple(map(ln_time, self.alternatives)),
            relative=None if self.relative is None else {of: ln_time(log) for of, log in self.relative.items()},
            followers=tuple(
                replace(
                    follower,
                    pace=replace(follower.pace, log=ln_time(follower.pace.log), common=time(follower.pace.common)),
                )
                for follower in self.followers
            ),
        )


def by_one_pace(times_ns: SidePair, captures: Captures, pace: Pace) -> Clocked:
    """Clocks of recordings without device work: all of the step follows the host's pace, or only the common work
    does (`alternatives`)."""
    at_pace = each_side(lambda time, log: np.log(time) - log, times_ns, pace.log)
    rest = each_side(lambda time, common: np.log(pace.level + np.maximum(time - common, 0.0)), times_ns, pace.common)
    return Clocked(captures, times_ns, at_pace, (rest,), (Follower(pace, 1.0),))


def without_long_steps(clocked: Clocked) -> Clocked:
    """Returns the steps of both sides but the few that are far longer than the others; all with steps of several kinds,
    or if a capture would have none left."""
    kept = each_side(lambda side: ~long_steps(np.log(side)), clocked.times_ns)
    captures = each_side(lambda side, marked: side[marked], clocked.captures, kept)
    if clocked.strata is not None or capture_counts(captures) != capture_counts(clocked.captures):
        return clocked
    return clocked if all(map(np.all, kept)) else clocked.only(kept)


def by_means(clocked: Clocked) -> Clocked:
    """One observation per capture: the mean of its steps."""
    captures, places = zip(*map(unique_places, clocked.captures), strict=True)

    def mean(pair: SidePair) -> SidePair:
        return each_side(lambda side, at: np.bincount(at, weights=side) / np.bincount(at), pair, places)

    def mean_of_ln(pair: SidePair) -> SidePair:
        return each_side(np.log, mean(each_side(np.exp, pair)))

    return replace(clocked.mapped(captures, mean, mean_of_ln), strata=None, uninterrupted=None, counted=None)


def by_captures(uninterrupted: UninterruptedSteps) -> Clocked:
    """One observation per capture: an uninterrupted step. Unsteady rows are given the same time on both sides."""
    steady, common, pace = uninterrupted.steady_ns(), uninterrupted.common_ns(), uninterrupted.pace
    captures = each_side(lambda side: np.arange(len(side), dtype=np.int32), steady)
    log = each_side(lambda side: np.log(side) - np.log(pace.level), common)
    clocked = by_one_pace(steady, captures, replace(pace, log=log, common=common))

    def with_unsteady(pair: SidePair) -> SidePair:
        return each_side(lambda side, more: np.log(np.exp(side) + more), pair, uninterrupted.usual_ns)

    return replace(
        clocked, at_pace=with_unsteady(clocked.at_pace), alternatives=tuple(map(with_unsteady, clocked.alternatives))
    )


def by_their_paces(
    times_ns: SidePair, captures: Captures, paces: Sequence[Pace], paths: Mapping[str, SidePair],
    limits: Mapping[str, SidePair], unpaced: Sequence[SidePair],
) -> Clocked:  # fmt: skip
    """Clocks of recordings with device work: on the critical path every pace's time at that pace, the rest as recorded.

    Each pace is normalized to that of the side where it is lower, or of the capture where it is lowest, whichever
    leaves the narrower interval. So nothing is slowed down much, and what was hidden stays hidden. At other weights
    the longest path is at least as long as the recorded path at these weights, and at most as long as a path that
    takes all time its parts can have, slowest first: a path consists of work that runs one after the other, which
    cannot exceed the time in which such work runs at all.

    paths    "host", "device" -> (n,), (m,) ns on the critical path that follow its pace
    limits   the same for the time in which such work runs at all
    unpaced  that time for work of unknown pace
    """
    choices = []
    for of_side in (np.mean, min):
        relative = {pace.of: _from_lowest(pace.log, captures, of_side) for pace in paces}
        low, high = _bracket(times_ns, paths, limits, unpaced, relative)
        choices.append((low, ((high[0], low[1]), (low[0], high[1])), relative))
    at_pace, alternatives, relative = min(choices, key=lambda choice: _left_open((choice[0], *choice[1]), captures))
    followers = tuple(Follower(pace, largest_share(paths[pace.of], times_ns)) for pace in paces)
    return Clocked(captures, times_ns, at_pace, alternatives, followers, relative)


def _left_open(possible: Sequence[SidePair], captures: Captures) -> float:
    """Width of the hull of the intervals over captures, at one level: the choice of a pace depends on the recordings
    alone, not on the options."""
    ends = list[float]()
    for pair in possible:
        one, two = middles(pair, captures)
        between = between_captures(one, two, 0.05, shared=True)
        shift = two.mean(axis=1) - one.mean(axis=1)
        ends += (shift if between is None else np.concatenate([between.low, between.high])).tolist()
    return max(ends) - min(ends)


def _bracket(
    times_ns: SidePair, paths: Mapping[str, SidePair], limits: Mapping[str, SidePair], unpaced: Sequence[SidePair],
    logs: Mapping[str, SidePair],
) -> tuple[SidePair, SidePair]:  # fmt: skip
    """ln of the shortest and longest possible step times when divided by the paces with these logarithms."""
    low: list[Floats] = []
    high: list[Floats] = []
    for side in (0, 1):
        time = times_ns[side]
        path = [paths[of][side] for of in logs]
        most = [np.maximum(limits[of][side], own) for of, own in zip(logs, path, strict=True)]
        rest = np.maximum(time - sum(path), 0.0)
        path.append(rest)
        most.append(np.maximum(rest, sum(one[side] for one in unpaced)))
        paces = [np.exp(log[side]) for log in logs.values()] + [np.ones(len(time))]
        low.append(np.log(sum(own / pace for own, pace in zip(path, paces, strict=True))))
        left, longest = time, np.zeros(len(time))
        for which in np.argsort([float(np.log(pace).mean()) for pace in paces], kind="stable"):
            taken = np.minimum(left, most[which])
            left = left - taken
            longest += taken / paces[which]
        high.append(np.log(longest + left))
    return (low[0], low[1]), (high[0], high[1])


def _from_lowest(log: SidePair, captures: Captures, of_side: Callable[[Floats], Any]) -> SidePair:
    """ln(pace) relative to that of the side where it is lowest; `of_side` gives it from the means of its captures."""
    lowest = min(float(of_side(capture_means(side, at))) for side, at in zip(log, captures, strict=True))
    return each_side(lambda side: side - lowest, log)
