"""Input shapes of operators and launches of kernels, as texts of a recording."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache

_SHOWN = 60
_NUMBER = re.compile(r"\d+")
_NUMBERS = re.compile(r"\[([\d, ]+)\]")


def input_texts(shape: str) -> list[str]:
    """Each input of a shape text, as text; [] if it says none."""
    try:
        inputs = json.loads(shape)
    except ValueError:
        return []
    return [str(one) for one in inputs] if isinstance(inputs, list) else []


@lru_cache(maxsize=1 << 14)
def input_elements(shape: str) -> tuple[int, ...]:
    """Elements of each input of a shape text such as [[32, 64], [], [[8, 8], [8]]], a list of tensors as one; () if it
    says none."""
    try:
        inputs = json.loads(shape)
    except ValueError:
        return ()
    return tuple(map(_elements, inputs)) if isinstance(inputs, list) else ()


@lru_cache(maxsize=1 << 14)
def input_sizes(shape: str) -> tuple[int, ...]:
    """Every size of every input of a shape text, in order; () if it says none."""
    return tuple(map(int, _NUMBER.findall(shape))) if input_elements(shape) else ()


def _elements(dims: object) -> int:
    if not isinstance(dims, list) or not dims:
        return 0
    return math.prod(dims) if all(isinstance(dim, int) for dim in dims) else sum(map(_elements, dims))


def shown_shape(shape: str) -> str:
    """A shape text that fits a sentence."""
    return shape if len(shape) <= _SHOWN else f"{shape[: _SHOWN - 1]}…"


@lru_cache(maxsize=1 << 12)
def launched_threads(launch: str) -> tuple[int, ...]:
    """Threads of `grid [64, 1, 1] block [256, 1, 1]`, as the only number; none where the text names none."""
    found = [math.prod(map(int, numbers.split(","))) for numbers in _NUMBERS.findall(launch)]
    return (math.prod(found),) if found else ()
