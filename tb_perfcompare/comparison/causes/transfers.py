"""Copies between host and device, and collectives between ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.cause import Cause, cause
from tb_perfcompare.comparison.causes.pair import Pair, total
from tb_perfcompare.comparison.causes.wording import more_or_less, number_text, short, time_text
from tb_perfcompare.comparison.comparison import Evidence
from tb_perfcompare.model.summary import Summary

MOST = 0.5
"""Share of a category's change that must come from the number of operations, or from waiting."""


def transfer_rules(pair: Pair) -> Iterator[Cause]:
    """Causes in what moves between devices."""
    yield from _more_copies(pair)
    yield from _collectives(pair)


def _more_copies(pair: Pair) -> Iterator[Cause]:
    exposed = pair.exposed("Memcpy")
    rows = pair.entities("Memcpy")
    counted = sum(row.count_effect for row in rows) / pair.unit
    if abs(exposed) < pair.least_us or abs(counted) < MOST * abs(exposed) or (counted > 0) != (exposed > 0):
        return
    first = max(rows, key=lambda row: (abs(row.delta), row.path))
    before, after = (sum(row.calls[side] for row in rows) for side in (0, 1))
    sentence = (
        f"{'More' if exposed > 0 else 'Fewer'} copies to, from and on the device: {number_text(before)} to "
        f"{number_text(after)} per step, {more_or_less(exposed)}; the largest change is {short(first.path[1])}."
    )
    yield cause(
        pair, "more_copies", first.path[1], "Memcpy", exposed, sentence, (Evidence("memcpy", first.path[1]),),
        confidence="certain: copies are counted",
        look_at=".to(device), .cpu() and .item() inside the step; data prepared on the host",
        rank=3,
    )  # fmt: skip


def _collectives(pair: Pair) -> Iterator[Cause]:
    exposed = pair.exposed("Communication")
    if abs(exposed) < pair.least_us or not pair.is_clear("Communication"):
        return
    amount = total(pair.amounts("communication").values())
    rows = pair.entities("Communication")
    first = max(rows, key=lambda row: (abs(row.delta), row.path))
    split = _waiting(pair.baseline), _waiting(pair.candidate)
    if split[0] is not None and split[1] is not None:
        waiting = split[1].waiting_us - split[0].waiting_us
        if abs(waiting) >= MOST * abs(amount.delta_us) and (waiting > 0) == (exposed > 0):
            side = split[1] if waiting > 0 else split[0]
            sentence = (
                f"Ranks wait {'longer' if waiting > 0 else 'less'} for each other in collectives: waiting "
                f"{time_text(split[0].waiting_us)} to {time_text(split[1].waiting_us)} per step and rank, the transfer "
                f"itself {time_text(split[0].transfer_us)} to {time_text(split[1].transfer_us)}; {side.late} "
                f"{'arrives' if waiting > 0 else 'arrived'} last ({more_or_less(exposed)} per step not hidden)."
            )
            yield cause(
                pair, "late_rank", side.late, "Communication", exposed, sentence,
                (Evidence("communication", first.path[1]),),
                confidence="the rank whose own collectives are shortest is the one the others wait for",
                look_at=f"what {side.late} does before its collectives: data loading, uneven work, a slower device",
                rank=2,
            )  # fmt: skip
            return
    hidden = amount.delta_us - exposed
    if abs(amount.delta_us) >= MOST * abs(exposed):
        own = f"collectives take {time_text(amount.us_a)} to {time_text(amount.us_b)} per step"
    else:
        own = f"they take what they took, but {time_text(abs(hidden))} {'less' if hidden < 0 else 'more'} is hidden"
    alone = split[0] is None or split[1] is None
    ranks = "; one rank was compared, so that waiting for a late rank looks the same" if alone else ""
    sentence = (
        f"Collectives cost {more_or_less(exposed)} per step that no kernel hides: {own}, mostly "
        f"{short(first.path[1])}{ranks}."
    )
    yield cause(
        pair, "collective_slower", first.path[1], "Communication", exposed, sentence,
        (Evidence("communication", first.path[1]),),
        confidence="cannot be told from a late rank" if alone else "the transfer itself, the same on all ranks",
        look_at="network and topology, bucket sizes, overlap with the backward pass; compare all ranks",
        rank=2,
    )  # fmt: skip


class _Split:
    """Microseconds per step and rank: the transfer itself, and waiting for others; `late` is the worker waited for."""

    __slots__ = ("late", "transfer_us", "waiting_us")

    def __init__(self, transfer_us: float, waiting_us: float, late: str) -> None:
        self.transfer_us, self.waiting_us, self.late = transfer_us, waiting_us, late


def _waiting(summary: Summary) -> _Split | None:
    """Own transfer is the shortest time of a step's collectives over ranks, waiting what the others take longer. None
    unless all of several workers recorded the same steps."""
    group = summary.groups.get("communication")
    workers = sorted({capture.worker for capture in summary.captures})
    if group is None or len(workers) < 2:
        return None
    time = group.measures_ns["total"].sum(axis=0)
    by_step: dict[tuple[str, str], dict[str, int]] = {}
    for at, label, own in zip(summary.steps.capture.tolist(), summary.steps.label, time.tolist(), strict=True):
        capture = summary.captures[at]
        by_step.setdefault((capture.span, label), {})[capture.worker] = own
    matrix = [[times[worker] for worker in workers] for times in by_step.values() if len(times) == len(workers)]
    if not matrix:
        return None
    ranks: NDArray[np.float64] = np.array(matrix, dtype=np.float64) / 1000
    transfer = ranks.min(axis=1, keepdims=True)
    late = workers[int((ranks == transfer).sum(axis=0).argmax())]
    return _Split(float(transfer.mean()), float((ranks - transfer).mean()), late)
