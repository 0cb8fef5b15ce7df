"""Parses the texts in which recordings state operators' input shapes and types, and kernels' launch configurations."""

from __future__ import annotations

import ast
import math
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from msgspec import json

from tb_perfcompare.lazy_regex import regex

_SHOWN = 60
_SCALAR = regex(r"(?<=\[)\[\], |, \[\](?=[\],])")
"""An argument that is not a tensor, in the list of a call's input shapes."""

_NUMBER = regex(r"\d+")
_NUMBERS = regex(r"\[([\d, ]+)\]")

NO_TENSOR: Final = frozenset(
    ("", "Scalar", "ScalarList", "TensorList", "GenericList", "GenericDict", "Int", "Double", "Bool", "String",
     "Device", "Generator", "Tuple", "None", "ComplexDouble", "SymInt", "SymFloat", "SymBool", "Stream", "Storage",
     "Object", "PyObject", "Enum", "Quantizer", "nullptr (uninitialized)")
)  # fmt: skip
"""Values of "Input type" for arguments that are not tensors: lists, scalars, absent ones."""

_SPELLINGS: Final = {
    "long": "long int", "long long": "long int", "long long int": "long int", "int64_t": "long int",
    "__int64": "long int", "short": "short int", "char": "signed char", "unsigned short": "short unsigned int",
    "unsigned long": "long unsigned int", "unsigned long long": "long unsigned int",
    "long long unsigned int": "long unsigned int", "unsigned __int64": "long unsigned int", "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
}  # fmt: skip
_TYPE = regex(r"""(?<=['"])[^'",]+(?=['"])""")

NO_TYPES: Final = frozenset(("", "[]"))
"""Lists of types of calls without arguments, and of PyTorch 1.8, which records none."""


@lru_cache(maxsize=1 << 14)
def input_texts(shape: str) -> tuple[str, ...]:
    """Text of each input in a shape text; () if it lists none."""
    return tuple(map(str, _inputs(shape)))


@lru_cache(maxsize=1 << 14)
def input_elements(shape: str) -> tuple[int, ...]:
    """Element count of each input in a shape text such as [[32, 64], [], [[8, 8], [8]]]; () if it lists none.

    A list of tensors counts as one input.
    """
    return tuple(map(_elements, _inputs(shape)))


@lru_cache(maxsize=1 << 14)
def input_sizes(shape: str) -> tuple[int, ...]:
    """Every dimension of every input in a shape text, in order; () if it lists none."""
    return tuple(map(int, _NUMBER.findall(shape))) if input_elements(shape) else ()


@lru_cache(maxsize=1 << 14)
def without_lists(shape: str) -> str:
    """The shape text with [] for each list of tensors: "[[8, 8], [[2], [2]]]" -> "[[8, 8], []]"."""
    if ", [[" not in shape and "[[[" not in shape:
        return shape
    inputs = _inputs(shape)
    if not inputs:
        return shape
    is_list = [isinstance(dims, list) and any(isinstance(dim, list) for dim in dims) for dims in inputs]
    return str([[] if of_tensors else dims for of_tensors, dims in zip(is_list, inputs, strict=True)])


def one_spelling(kind: str) -> str:
    """A C++ type as builds of PyTorch by GCC spell it: int64_t is "long int", but "long" by Clang, "long long" on
    macOS, "__int64" on Windows."""
    kind = kind.removeprefix("struct ").removeprefix("class ")
    return _SPELLINGS.get(kind, kind)


def types_in_one_spelling(types: str) -> str:
    """A list such as ['__int64', 'Scalar'] with each type in one spelling."""
    return _TYPE.sub(lambda kind: one_spelling(kind[0]), types)


@lru_cache(maxsize=1 << 12)
def tensor_types(types: str) -> tuple[str, ...]:
    """Types of the tensors in a list such as ['c10::Half', 'Scalar'], without PyTorch's namespace. Types of other
    arguments depend on the version of PyTorch that recorded them: a list of sizes is "", `Scalar` or `ScalarList`."""
    try:
        kinds = ast.literal_eval(types)
    except (ValueError, SyntaxError, TypeError):
        kinds = None
    if not isinstance(kinds, list):
        return (shown_shape(types),) if types else ()
    return tuple(kind.removeprefix("c10::") for kind in map(str, kinds) if kind not in NO_TENSOR)


@lru_cache(maxsize=1 << 14)
def argument_text(raw: str) -> str:
    """A JSON argument as Python writes its value: `[[32, 3, 224, 224], []]`; unchanged if it is invalid JSON."""
    with suppress(ValueError, RecursionError):
        return str(json.decode(raw))
    from json import loads  # also takes NaN, numbers beyond a double and lone surrogates

    with suppress(ValueError, RecursionError):
        return str(loads(raw))
    return raw


def _inputs(shape: str) -> list[Any]:
    """The inputs in a shape text; [] if it lists none."""
    try:
        inputs = json.decode(shape)
    except ValueError:
        return []
    return inputs if isinstance(inputs, list) else []


def _elements(dims: object) -> int:
    if not isinstance(dims, list) or not dims:
        return 0
    return math.prod(dims) if all(isinstance(dim, int) for dim in dims) else sum(map(_elements, dims))


def tensor_shapes(text: str) -> str:
    """Removes arguments that are not tensors: `aten::mm [[2, 3], [3, 4], []]` becomes `aten::mm [[2, 3], [3, 4]]`."""
    return _SCALAR.sub("", text)


def shown_shape(shape: str) -> str:
    """A shape text of tensors alone, cut to a length that fits a sentence."""
    shown = tensor_shapes(shape)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


@lru_cache(maxsize=1 << 12)
def launched_threads(launch: str) -> tuple[int, ...]:
    """Thread count of `grid [64, 1, 1] block [256, 1, 1]` as a tuple of one; () if the text has no numbers."""
    extents = [math.prod(map(int, numbers.split(","))) for numbers in _NUMBERS.findall(launch)]
    return (math.prod(extents),) if extents else ()
