"""Message sizes of collectives and the bytes they put on the links, both as defined by nccl-tests.

https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md; docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tb_perfcompare.quick_dataclass import dataclass

_MAX_BYTES = 2**50
"""Larger message sizes are taken as corrupt."""

ELEMENT_BYTES = {
    **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz",
                     "Float8_e8m0fnu", "QInt8", "QUInt8"), 1),
    **dict.fromkeys(("Short", "Half", "BFloat16", "UInt16"), 2),
    **dict.fromkeys(("Int", "Float", "UInt32", "ComplexHalf", "QInt32"), 4),
    **dict.fromkeys(("Long", "Double", "UInt64", "ComplexFloat"), 8),
    "ComplexDouble": 16,
}  # fmt: skip
"""Element type as named in torch's NCCL annotations -> bytes."""


@dataclass(frozen=True, slots=True)
class _Collective:
    """A collective's message size and bus bandwidth factor, as in nccl-tests.

    `elements(in, out, ranks)` is the message's element count, None if the counts contradict each other; `factor(ranks)`
    is bus bandwidth divided by algorithm bandwidth.
    """

    name: str
    elements: Callable[[int, int, int], int | None]
    factor: Callable[[int], Fraction]


def _same(sent: int, received: int, ranks: int) -> int | None:
    return sent if sent == received else None


def _gathered(sent: int, received: int, ranks: int) -> int | None:
    return received if received == sent * ranks else None


def _scattered(sent: int, received: int, ranks: int) -> int | None:
    return sent if sent == received * ranks else None


def _one_way(ranks: int) -> Fraction:
    return Fraction(1)


def _to_others(ranks: int) -> Fraction:
    return Fraction(ranks - 1, ranks)


_ALL_REDUCE = _Collective("all_reduce", _same, lambda ranks: 2 * _to_others(ranks))
_ALL_GATHER = _Collective("all_gather", _gathered, _to_others)
_REDUCE_SCATTER = _Collective("reduce_scatter", _scattered, _to_others)
_BROADCAST = _Collective("broadcast", _same, _one_way)
_REDUCE = _Collective("reduce", _same, _one_way)

_COLLECTIVES = {
    **dict.fromkeys(("allreduce", "allreducecoalesced"), _ALL_REDUCE),
    **dict.fromkeys(("allgather", "allgatherbase", "allgatherintotensorcoalesced"), _ALL_GATHER),
    **dict.fromkeys(("reducescatter", "reducescatterbase", "reducescattertensorcoalesced"), _REDUCE_SCATTER),
    **dict.fromkeys(("broadcast", "broadcastoop"), _BROADCAST),
    **dict.fromkeys(("reduce", "reduceoop"), _REDUCE),
    "alltoall": _Collective("all_to_all", _same, _to_others),
    "gather": _Collective("gather", _gathered, _to_others),
    "scatter": _Collective("scatter", _scattered, _to_others),
    "send": _Collective("send", _same, _one_way),
    "recv": _Collective("recv", _same, _one_way),
}  # fmt: skip
"""Torch's name without underscores -> collective. all_to_allv is missing: its split sizes are not recorded."""


@dataclass(frozen=True, slots=True)
class Message:
    """`size` is nccl-tests' message size in bytes, `bus_bytes` is `size` times the bus bandwidth factor."""

    collective: str
    ranks: int
    size: int
    bus_bytes: Fraction

    @property
    def key(self) -> tuple[str, str, str]:
        """Key of the message's row in the table of messages."""
        return self.collective, str(self.ranks), size_text(self.size)


def message(called: str, element_type: str, sent: int, received: int, ranks: int) -> Message | None:
    """Message of one rank's call, from torch's annotation: collective, element type, elements in and out, group size.

    None if any of these is missing, unknown or contradicts the others, and for a group of one rank.
    """
    collective = _COLLECTIVES.get(called.strip('"').replace("_", "").lower())
    width = ELEMENT_BYTES.get(element_type.strip('"'))
    if collective is None or width is None or sent <= 0 or received <= 0 or ranks < 2:
        return None
    elements = collective.elements(sent, received, ranks)
    if elements is None or elements * width > _MAX_BYTES:
        return None
    return Message(collective.name, ranks, elements * width, elements * width * collective.factor(ranks))


def size_text(size: int) -> str:
    """Exact size with a binary unit if divisible by it: "64 MiB", "4,100 B"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << power) == 0:
            return f"{size >> power:,} {unit}"
    return f"{size:,} B"
