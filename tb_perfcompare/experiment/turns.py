"""The order in which variants are recorded."""

from __future__ import annotations

import random
from collections.abc import Sequence


def turns(names: Sequence[str], rounds: int, seed: int) -> list[tuple[str, ...]]:
    """Returns the order of each round.

    Every second round is reversed (A B, B A), so that a machine that becomes steadily slower affects all variants
    equally; the order is drawn anew every two rounds.
    """
    chance = random.Random(seed)
    orders: list[tuple[str, ...]] = []
    for number in range(rounds):
        if number % 2:
            orders.append(orders[-1][::-1])
        else:
            orders.append(tuple(chance.sample(list(names), len(names))))
    return orders
