"""Message sizes of collectives and the bytes that they put on the links, both as nccl-tests counts them
(https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md). Docs: docs/method/metrics.md."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tb_perfcompare.quick_dataclass import dataclass

_MOST_BYTES = 2**50
"""No message is larger: sizes beyond this are damaged."""

ELEMENT_BYTES = {
    **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz",
                     "Float8_e8m0fnu", "QInt8", "QUInt8"), 1),
    **dict.fromkeys(("Short", "Half", "BFloat16", "UInt16"), 2),
    **dict.fromkeys(("Int", "Float", "UInt32", "ComplexHalf", "QInt32"), 4),
    **dict.fromkeys(("Long", "Double", "UInt64", "ComplexFloat"), 8),
    "ComplexDouble": 16,
}  # fmt: skip
"""Element type as torch's NCCL annotations name it -> bytes."""


@dataclass(frozen=True, slots=True)
class _Collective:
    """`elements` of (in, out, n ranks) gives the elements of nccl-tests' message, None where they contradict each
    other; `factor` of n is bus bandwidth over algorithm bandwidth."""

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
"""Torch's name of a collective without underscores. Not here: all_to_allv, whose split sizes are not recorded."""


@dataclass(frozen=True, slots=True)
class Message:
    """`size` bytes as nccl-tests states them, `bus_bytes` of them times the factor of the bus bandwidth."""

    collective: str
    ranks: int
    size: int
    bus_bytes: Fraction

    @property
    def key(self) -> tuple[str, str, str]:
        """That of the row of the table by message."""
        return self.collective, str(self.ranks), size_text(self.size)


def message(called: str, element_type: str, sent: int, received: int, ranks: int) -> Message | None:
    """The message of one call on one rank, from what torch records: name of the collective, type and elements in and
    out, size of the group. None where any of it is missing, unknown or contradicts another part, and without a link."""
    known = _COLLECTIVES.get(called.strip('"').replace("_", "").lower())
    width = ELEMENT_BYTES.get(element_type.strip('"'))
    if known is None or width is None or sent <= 0 or received <= 0 or ranks < 2:
        return None
    elements = known.elements(sent, received, ranks)
    if elements is None or elements * width > _MOST_BYTES:
        return None
    return Message(known.name, ranks, elements * width, elements * width * known.factor(ranks))


def size_text(size: int) -> str:
    """Exact: "64 MiB", "4,100 B"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << power) == 0:
            return f"{size >> power:,} {unit}"
    return f"{size:,} B"
