"""The work of one operator call, or the reason why it is unknown."""

from __future__ import annotations

import msgspec


class NoModelError(Exception):
    """The work of a call is unknown; the message is the reason."""


class Work(msgspec.Struct, frozen=True):
    """The work of one operator call.

    flops      arithmetic operations; a multiply-add counts two
    bytes      least bytes moved: every input read once, every output written once
    data_type  "fp64", "fp32", "fp16", "bf16", "fp8", "int8", ... of the arithmetic; "" if mixed
    family     "matrix product", "convolution", ...: a row of docs/method/work.md
    """

    flops: int
    bytes: int
    data_type: str
    family: str


def need(fits: bool) -> None:
    """Raises NoModelError unless `fits`: sizes contradict each other."""
    if not fits:
        raise NoModelError("the sizes of the inputs contradict each other")
