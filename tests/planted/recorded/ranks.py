"""Data-parallel training on two processes with gloo: is each change found and named?

python -m tests.planted.recorded.ranks OUT [--change NAME ...] [--judge-only]      needs torch with gloo

15 changes and six equal pairs; both ranks of three recordings per side, alternately. Changes and expected findings were
fixed before any result was read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from tests.planted.recorded.everyday import Change, Direction, run

RANKS = 2


@dataclass(frozen=True, slots=True)
class Program:
    """A program of ranks_training.py, and how it differs from the ordinary one."""

    model: str
    habit: str = ""


def _change(model: str, habit: str, direction: Direction, says: str, before: str = "") -> Change:
    return Change(f"{model}, {habit}", Program(model, before), Program(model, habit), direction, tuple(says.split()))


CHANGES: tuple[Change, ...] = (
    # what is sent
    _change("perceptron", "small buckets", "any", "more_calls operators_changed *allreduce* *all_reduce*"),
    _change("perceptron", "every micro batch sent", "slower", "more_calls operators_changed *allreduce* *all_reduce*",
            "micro batches"),
    _change("perceptron", "sent after the backward pass", "any",
            "more_calls operators_changed operator_replaced *allreduce* *all_reduce*"),
    _change("perceptron", "sent as float16", "any", "data_type_changed operators_changed *copy* *to*"),
    _change("perceptron", "losses gathered", "slower", "operators_changed *gather* *item* synchronization"),
    _change("convolution", "buffers sent", "any", "operators_changed more_calls *broadcast*"),
    _change("transformer", "optimizer shared", "any", "operators_changed operator_replaced more_calls *broadcast*"),
    # one rank is late
    _change("perceptron", "twice the batch on one rank", "slower", "late_rank uneven_work workload_changed"),
    _change("transformer", "a pause on one rank", "slower", "late_rank unrecorded_time"),
    _change("convolution", "slow loader on one rank", "slower", "late_rank data_loader"),
    _change("transformer", "weights written by one rank", "slower", "slow_steps late_rank"),
    # all ranks do more
    _change("transformer", "longer inputs", "slower", "workload_changed"),
    _change("transformer", "third layer", "slower", "more_calls"),
    _change("convolution", "gradients clipped", "slower", "operators_changed more_calls *norm*"),
    _change("convolution", "slow loader", "slower", "data_loader"),
)  # fmt: skip

EQUAL: tuple[Change, ...] = tuple(
    Change(f"equal {model} {number}", Program(model), Program(model), "none")
    for model in ("perceptron", "transformer", "convolution")
    for number in (1, 2)
)

if __name__ == "__main__":
    sys.exit(run(__doc__ or "", (*CHANGES, *EQUAL), "tests.planted.recorded.ranks_training"))
