"""Parses the texts in which recordings state operators' input shapes and kernels' launch configurations."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache

_SHOWN = 60
_NUMBER = re.compile(r"\d+")
_NUMBERS = re.compile(r"\[([\d, ]+)\]")


@lru_cache(maxsize=1 << 14)
def input_texts(shape: str) -> tuple[str, ...]:
    """Text of each input in a shape text; () if it lists none."""
    try:
        inputs = json.loads(shape)
    except ValueError:
        return ()
    return tuple(map(str, inputs)) if isinstance(inputs, list) else ()


@lru_cache(maxsize=1 << 14)
def input_elements(shape: str) -> tuple[int, ...]:
    """Element count of each input in a shape text such as [[32, 64], [], [[8, 8], [8]]]; () if it lists none.

    A list of tensors counts as one input.
    """
    try:
        inputs = json.loads(shape)
    except ValueError:
        return ()
    return tuple(map(_elements, inputs)) if isinstance(inputs, list) else ()


@lru_cache(maxsize=1 << 14)
def input_sizes(shape: str) -> tuple[int, ...]:
    """Every dimension of every input in a shape text, in order; () if it lists none."""
    return tuple(map(int, _NUMBER.findall(shape))) if input_elements(shape) else ()


def _elements(dims: object) -> int:
    if not isinstance(dims, list) or not dims:
        return 0
    return math.prod(dims) if all(isinstance(dim, int) for dim in dims) else sum(map(_elements, dims))


def shown_shape(shape: str) -> str:
    """A shape text cut to a length that fits a sentence."""
    return shape if len(shape) <= _SHOWN else f"{shape[: _SHOWN - 1]}…"


@lru_cache(maxsize=1 << 12)
def launched_threads(launch: str) -> tuple[int, ...]:
    """Thread count of `grid [64, 1, 1] block [256, 1, 1]` as a tuple of one; () if the text has no numbers."""
    extents = [math.prod(map(int, numbers.split(","))) for numbers in _NUMBERS.findall(launch)]
    return (math.prod(extents),) if extents else ()
