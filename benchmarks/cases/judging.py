"""Which figures of the rounds are compared with a goal, and when none is."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figures import median, spread
from benchmarks.rounds import Rounds
from benchmarks.setting import Peers


def counted(rounds: Rounds, above: str, below: str) -> list[float]:
    """Returns ratios of elapsed time, or of CPU time if other processes disturbed the rounds."""
    return rounds.ratios(above, below, "cpu_seconds" if rounds.noisy else "seconds")


def by_what(rounds: Sequence[Rounds]) -> str:
    """Suffix that says where `counted` used CPU time; "" if nowhere."""
    noisy = sum(item.noisy for item in rounds)
    return "" if not noisy else " (CPU, noisy machine)" if noisy == len(rounds) else " (CPU where noisy)"


def steady(rounds: Sequence[Rounds]) -> list[Rounds]:
    """Returns the rounds that were not rejected."""
    return [item for item in rounds if not item.rejected]


def why_rejected(rounds: Sequence[Rounds]) -> str:
    """Says why all rounds were rejected; "" if some were not."""
    if not rounds or steady(rounds):
        return ""
    return f"the base moved {min(item.moved for item in rounds):.2f}x between rounds"


def rejections(named: Sequence[tuple[str, Rounds]]) -> list[str]:
    """Returns a sentence for each input whose rounds were rejected."""
    text = "its base moved {:.2f}x between rounds, it does not count for the goal"
    return [f"{title}: {text.format(item.moved)}." for title, item in named if item.rejected]


def ratio_cells(rounds: Rounds, above: str, below: str, digits: int = 1) -> list[str]:
    """Returns two cells: the ratio of elapsed times with its range, and the median ratio of CPU times; or "failed" or
    "—" twice."""
    failure = rounds.failure(above) or rounds.failure(below)
    if failure or above not in rounds.samples or below not in rounds.samples:
        return ["failed" if failure else "—"] * 2
    elapsed, cpu = (rounds.ratios(above, below, what) for what in ("seconds", "cpu_seconds"))
    return [spread(elapsed, digits), median(cpu, digits)]


def failures(rounds: Sequence[Rounds]) -> list[str]:
    """Returns a sentence for each task that failed."""
    sentences = {
        f"{key} failed on a file: {item.failure(key)}" for item in rounds for key in item.samples if item.failure(key)
    }
    return sorted(sentences)


def missing(peers: Peers, *names: str) -> list[str]:
    """Returns a sentence for each other tool that is not installed."""
    return [why for name in names if (why := peers.missing(name))]
