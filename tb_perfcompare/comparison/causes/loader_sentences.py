"""What the findings on the wait for data say: who loads, and what in it takes longer."""

from __future__ import annotations

from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.general_rules import MAIN_SHARE
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import operators_of_loader
from tb_perfcompare.comparison.causes.general_change import Change, Known
from tb_perfcompare.comparison.result.wording import calls_text, many, numbers_text, short, signed_time
from tb_perfcompare.model.environment import LOADED_BY, MAIN_PROCESS

WORKERS = (
    "num_workers and prefetch_factor: several workers deliver batches at once; persistent_workers=True, or each epoch "
    "starts them again"
)
"""What to look at if the wait for data recurs every few steps."""

LOADING = "Dataset.__getitem__ and collate_fn, which run in the main process (num_workers=0)"
"""What to look at if the main process itself loads batches."""

MAX_NAMED = 3
"""Operators in a data loader that are named."""


def loads_itself(known: Known, delta_us: float) -> bool:
    """Whether the side that waits longer for data loads it in its main process."""
    return dict(known.sides[delta_us > 0].environment).get(LOADED_BY) == MAIN_PROCESS


def loader_clauses(change: Change, known: Known) -> list[str]:
    """Clause on the function, else on the operators, that make much of what the main process takes longer to load."""
    if change.inside is not None or not loads_itself(known, change.delta_us):
        return [change.inside.clause] if change.inside is not None else []
    way = np.sign(change.delta_us)
    grown = {name: one for name, one in operators_of_loader(known.context).items() if way * one.delta_us > 0}
    largest = sorted(grown, key=lambda name: (-abs(grown[name].delta_us), name))[:MAX_NAMED]
    us = fsum(one.delta_us for one in grown.values())
    if abs(us) < MAIN_SHARE * abs(change.delta_us):
        return []
    named = [f"{short(name)} {signed_time(grown[name].delta_us)} ({_calls(grown[name], known)})" for name in largest]
    rest = f" and {many(len(grown) - MAX_NAMED, 'other')}" if len(grown) > MAX_NAMED else ""
    return [f"operators in it {signed_time(us)}: {', '.join(named)}{rest}"]


def _calls(amount: Amount, known: Known) -> str:
    if not call_count_changed(amount.calls_a, amount.calls_b):
        return calls_text(amount.calls_b, known.per)
    return f"{numbers_text(amount.calls_a, amount.calls_b)} calls{known.per}"
