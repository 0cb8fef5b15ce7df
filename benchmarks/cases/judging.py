"""Which figure of some rounds counts for a goal, and when none does."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figures import median, spread
from benchmarks.rounds import Rounds
from benchmarks.setting import Peers


def counted(rounds: Rounds, above: str, below: str) -> list[float]:
    """Ratios of elapsed time; of processor time where neighbours disturb."""
    return rounds.ratios(above, below, "cpu_seconds" if rounds.noisy else "seconds")


def by_what(rounds: Sequence[Rounds]) -> str:
    """What `counted` looked at, where that is not the elapsed time."""
    noisy = sum(one.noisy for one in rounds)
    return "" if not noisy else " (CPU, noisy machine)" if noisy == len(rounds) else " (CPU where noisy)"


def steady(rounds: Sequence[Rounds]) -> list[Rounds]:
    """Those that count."""
    return [one for one in rounds if not one.rejected]


def why_rejected(rounds: Sequence[Rounds]) -> str:
    """Why none of these count, "" if any does."""
    if not rounds or steady(rounds):
        return ""
    return f"the base moved {min(one.moved for one in rounds):.2f}x between rounds"


def rejections(named: Sequence[tuple[str, Rounds]]) -> list[str]:
    """A sentence per input that does not count."""
    text = "its base moved {:.2f}x between rounds, it does not count for the goal"
    return [f"{title}: {text.format(one.moved)}." for title, one in named if one.rejected]


def ratio_cells(rounds: Rounds, above: str, below: str, digits: int = 1) -> list[str]:
    """Cells: ratio of elapsed time with its range, median ratio of processor time; why there are none."""
    failure = rounds.failure(above) or rounds.failure(below)
    if failure or above not in rounds.samples or below not in rounds.samples:
        return ["failed" if failure else "—"] * 2
    elapsed, cpu = (rounds.ratios(above, below, what) for what in ("seconds", "cpu_seconds"))
    return [spread(elapsed, digits), median(cpu, digits)]


def failures(rounds: Sequence[Rounds]) -> list[str]:
    """A sentence per task that failed."""
    said = {f"{key} failed on a file: {one.failure(key)}" for one in rounds for key in one.samples if one.failure(key)}
    return sorted(said)


def missing(peers: Peers, *names: str) -> list[str]:
    """A sentence per peer that is not there."""
    return [why for name in names if (why := peers.missing(name))]
