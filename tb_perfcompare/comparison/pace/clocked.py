"""Steps of both sides with their paces: times as recorded, and at equal machine speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.counted_work import CountedWork
from tb_perfcompare.comparison.pace.pace import Pace
from tb_perfcompare.comparison.pace.uninterrupted import UninterruptedSteps
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centres, middle_half
from tb_perfcompare.model.arrays import Floats, SidePair, unique
from tb_perfcompare.quick_dataclass import dataclass

ASKED = 0.02
"""Share of the step from which a kind of work counts when paces are compared ..."""

NEEDED = 0.1
"""... and from which its pace has to be known."""


@dataclass(frozen=True, slots=True)
class Follower:
    """Time of the step that follows a pace: (n,), (m,) ns per observation, None for the whole step.

    path_ns  on the critical path; `share` of the step
    most_ns  upper limit on any path through the step: the time in which such work runs at all
    """

    pace: Pace
    path_ns: SidePair | None
    most_ns: SidePair | None
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Clocked:
    """Observations of both sides, arrays of shape (n,) and (m,).

    times_ns   step time as recorded, above zero
    at_pace    ln of the step time if everything follows its pace
    alternatives  to at_pace, to be allowed for if the paces of the sides differ
    followers  the paces, and the time that follows each
    relative   ln of each pace, relative to its pace at at_pace
    strata     kinds of the steps, which are compared within their kinds
    uninterrupted  the uninterrupted steps, if known
    counted    work that one side does beyond the other's
    """

    captures: Captures
    times_ns: SidePair
    at_pace: SidePair
    alternatives: tuple[SidePair, ...]
    followers: tuple[Follower, ...]
    relative: tuple[SidePair, ...]
    strata: Strata | None = None
    uninterrupted: UninterruptedSteps | None = None
    counted: CountedWork | None = None

    @property
    def machine(self) -> SidePair:
        """ln of the machine's factor on the step time: recorded time over the time at equal machine speed."""
        return (
            np.log(self.times_ns[0]) - self.at_pace[0],
            np.log(self.times_ns[1]) - self.at_pace[1],
        )

    def at(self, times_ns: SidePair) -> Clocked:
        """Returns the same steps timed by another rule for where they end; the machine's factor stays the same."""
        by = tuple(np.log(new) - np.log(old) for new, old in zip(times_ns, self.times_ns, strict=True))

        def moved(pair: SidePair) -> SidePair:
            return pair[0] + by[0], pair[1] + by[1]

        return replace(
            self, times_ns=times_ns, at_pace=moved(self.at_pace), alternatives=tuple(map(moved, self.alternatives)),
            uninterrupted=self.uninterrupted if all(map(np.array_equal, times_ns, self.times_ns)) else None,
        )  # fmt: skip

    def only(self, kept: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> Clocked:
        """Returns only the observations marked in `kept`."""

        def those(pair: SidePair) -> SidePair:
            return pair[0][kept[0]], pair[1][kept[1]]

        return replace(
            self.mapped((self.captures[0][kept[0]], self.captures[1][kept[1]]), those, those),
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
            relative=tuple(map(ln_time, self.relative)),
            followers=tuple(
                replace(
                    follower,
                    pace=replace(follower.pace, log=ln_time(follower.pace.log), common=time(follower.pace.common)),
                    path_ns=None if follower.path_ns is None else time(follower.path_ns),
                    most_ns=None if follower.most_ns is None else time(follower.most_ns),
                )
                for follower in self.followers
            ),
        )


def by_one_pace(times_ns: SidePair, captures: Captures, pace: Pace) -> Clocked:
    """Clocks of recordings without device work: all of the step follows the host's pace, or only the common work
    does (`alternatives`)."""
    logs = np.log(times_ns[0]), np.log(times_ns[1])
    rest = tuple(
        np.log(pace.level + np.maximum(time - common, 0.0)) for time, common in zip(times_ns, pace.common, strict=True)
    )
    return Clocked(
        captures, times_ns, (logs[0] - pace.log[0], logs[1] - pace.log[1]), ((rest[0], rest[1]),),
        (Follower(pace, None, None, 1.0),), (pace.log,),
    )  # fmt: skip


def by_means(clocked: Clocked) -> Clocked:
    """One observation per capture: the mean of its steps."""
    places = [np.unique(side, return_inverse=True)[1] for side in clocked.captures]

    def mean(pair: SidePair) -> SidePair:
        one, two = (np.bincount(at, weights=side) / np.bincount(at) for at, side in zip(places, pair, strict=True))
        return one, two

    def mean_of_ln(pair: SidePair) -> SidePair:
        one, two = mean((np.exp(pair[0]), np.exp(pair[1])))
        return np.log(one), np.log(two)

    captures = unique(clocked.captures[0]), unique(clocked.captures[1])
    return replace(clocked.mapped(captures, mean, mean_of_ln), strata=None, uninterrupted=None, counted=None)


def by_captures(uninterrupted: UninterruptedSteps) -> Clocked:
    """One observation per capture: an uninterrupted step. Unsteady rows are given the same time on both sides."""
    steady, common, pace = uninterrupted.steady_ns(), uninterrupted.common_ns(), uninterrupted.pace
    captures = np.arange(len(steady[0]), dtype=np.int32), np.arange(len(steady[1]), dtype=np.int32)
    level = np.log(pace.level)
    log = np.log(common[0]) - level, np.log(common[1]) - level
    clocked = by_one_pace(steady, captures, replace(pace, log=log, common=common))

    def with_unsteady(pair: SidePair) -> SidePair:
        one, two = (np.log(np.exp(side) + more) for side, more in zip(pair, uninterrupted.usual_ns, strict=True))
        return one, two

    return replace(
        clocked, at_pace=with_unsteady(clocked.at_pace), alternatives=tuple(map(with_unsteady, clocked.alternatives))
    )


def by_their_paces(
    times_ns: SidePair, captures: Captures, followers: Sequence[Follower], unpaced: Sequence[SidePair]
) -> Clocked:
    """Clocks of recordings with device work: on the critical path every follower at its own pace, the rest as recorded.

    Each pace is normalised to that of the side where it is lower, or of the capture where it is lowest, whichever
    leaves the narrower interval. So nothing is slowed down much, and what was hidden stays hidden. At other weights
    the longest path is at least as long as the recorded path at these weights, and at most as long as a path that
    takes all time its parts can have, slowest first: a path consists of work that runs one after the other, which
    cannot exceed the time in which such work runs at all. `unpaced`: that time for work of unknown pace.
    """
    choices = []
    for from_lowest in (_from_lower_side, _from_fastest):
        relative = tuple(from_lowest(follower.pace.log, captures) for follower in followers)
        low, high = _bracket(times_ns, followers, unpaced, relative)
        choices.append((low, ((high[0], low[1]), (low[0], high[1])), relative))
    at_pace, alternatives, relative = min(choices, key=lambda choice: _left_open((choice[0], *choice[1]), captures))
    return Clocked(captures, times_ns, at_pace, alternatives, tuple(followers), relative)


def _left_open(possible: Sequence[SidePair], captures: Captures) -> float:
    """Width of the hull of the intervals over captures, at one level: the choice of a pace depends on the recordings
    alone, not on the options."""
    ends = list[float]()
    for pair in possible:
        one, two = (centres(side[None, :], at, middle_half) for side, at in zip(pair, captures, strict=True))
        between = between_captures(one, two, 0.05, shared=True)
        shift = two.mean(axis=1) - one.mean(axis=1)
        ends += (shift if between is None else np.concatenate([between.low, between.high])).tolist()
    return max(ends) - min(ends)


def _bracket(
    times_ns: SidePair, followers: Sequence[Follower], unpaced: Sequence[SidePair], logs: Sequence[SidePair]
) -> tuple[SidePair, SidePair]:
    """ln of the shortest and longest possible step times when divided by the paces with these logarithms."""
    low: list[Floats] = []
    high: list[Floats] = []
    for side in (0, 1):
        time = times_ns[side]
        paths, most = [], []
        for follower in followers:
            assert follower.path_ns is not None and follower.most_ns is not None
            paths.append(follower.path_ns[side])
            most.append(np.maximum(follower.most_ns[side], follower.path_ns[side]))
        rest = np.maximum(time - sum(paths), 0.0)
        paths.append(rest)
        most.append(np.maximum(rest, sum(one[side] for one in unpaced)))
        paces = [np.exp(log[side]) for log in logs] + [np.ones(len(time))]
        low.append(np.log(sum(path / pace for path, pace in zip(paths, paces, strict=True))))
        left, longest = time, np.zeros(len(time))
        for which in np.argsort([float(np.log(pace).mean()) for pace in paces], kind="stable"):
            taken = np.minimum(left, most[which])
            left = left - taken
            longest += taken / paces[which]
        high.append(np.log(longest + left))
    return (low[0], low[1]), (high[0], high[1])


def _from_lower_side(log: SidePair, captures: Captures) -> SidePair:
    """ln(pace) relative to the mean of the side where it is lower."""
    lower = min(float(np.mean(_of_captures(side, at))) for side, at in zip(log, captures, strict=True))
    return log[0] - lower, log[1] - lower


def _from_fastest(log: SidePair, captures: Captures) -> SidePair:
    """ln(pace) relative to the mean of the capture where it is lowest."""
    lowest = min(min(_of_captures(side, at)) for side, at in zip(log, captures, strict=True))
    return log[0] - lowest, log[1] - lowest


def _of_captures(values: Floats, capture: NDArray[np.int32]) -> list[float]:
    return [float(values[capture == which].mean()) for which in unique(capture)]
