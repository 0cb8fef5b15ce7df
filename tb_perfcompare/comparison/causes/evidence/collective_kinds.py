"""What to look at if a program makes more or fewer collectives, by the kind of collective."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SHARDED = "reducescatter"

_SHARDING = (
    "sharded parameters: reshard_after_forward, which modules are wrapped, gradient accumulation; prefetching"
)
"""FSDP gathers parameters and scatters gradients."""

LOOK_AT = {
    "barrier": "barrier() in each step: timing, logging, checkpoints",
    _SHARDED: _SHARDING,
    "allreduce": "bucket sizes (bucket_cap_mb), gradient accumulation with no_sync(), losses and metrics that are "
    "reduced in each step",
    "gather": "metrics, losses and objects (all_gather_object) that are gathered in each step, SyncBatchNorm",
    "broadcast": "buffers that DistributedDataParallel sends in each forward pass (broadcast_buffers), weights or "
    "objects that are sent in each step",
    "alltoall": "experts and sequence parallelism: how often tokens are exchanged",
    "all2all": "experts and sequence parallelism: how often tokens are exchanged",
    "scatter": "data that one rank sends to the others in each step",
    "send": "pipeline stages: number of stages and of micro-batches",
    "recv": "pipeline stages: number of stages and of micro-batches",
    "reduce": "losses and metrics that are reduced in each step",
}
"""Kind -> what to look at. A name is of the first kind that it contains, without regard to case and separators: all
vendors spell them alike (`nccl:_all_gather_base`, `ncclDevKernel_SendRecv`, `HcclAllreduce`, `c10d::broadcast_`)."""

_SEPARATORS = re.compile(r"[^a-z0-9]")


def collective_kind(name: str) -> str:
    """Kind of a collective, a key of LOOK_AT; "" if its name does not tell."""
    plain = _SEPARATORS.sub("", name.lower())
    return next((kind for kind in LOOK_AT if kind in plain), "")


def look_at_collectives(name: str, others: Iterable[str]) -> str:
    """What to look at if the number of this collective changed in a program that makes these `others`; "" if its name
    does not tell its kind. Gathers next to reduce-scatters are those of sharded parameters."""
    kind = collective_kind(name)
    if kind == "gather" and any(collective_kind(other) == _SHARDED for other in others):
        return _SHARDING
    return LOOK_AT.get(kind, "")
