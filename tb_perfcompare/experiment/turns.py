"""The order in which variants take turns."""

from __future__ import annotations

import random
from collections.abc import Sequence


def turns(names: Sequence[str], rounds: int, seed: int) -> list[tuple[str, ...]]:
    """The order of each round. Every second round goes backwards (A B, B A), so that a machine that becomes steadily
    slower does so for all alike; which order comes first is drawn every two rounds."""
    chance = random.Random(seed)
    found: list[tuple[str, ...]] = []
    for number in range(rounds):
        if number % 2:
            found.append(found[-1][::-1])
        else:
            found.append(tuple(chance.sample(list(names), len(names))))
    return found
