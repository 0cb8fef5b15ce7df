"""Packs values of the model into JSON and arrays, and unpacks them: the format of summaries on disk.

Layout: length of a JSON text (8 bytes), the text, then the arrays, little-endian, each aligned to 8 bytes. The JSON
refers to arrays and to pools of texts shared by columns by number; it lists the arrays' types and shapes and the pools.
Reading copies no array, never executes code, and accepts only arrays of the type that the class declares.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.texts import TextPool
from tb_perfcompare.sources.saved.msgspec_warmup import inspected

T = TypeVar("T")
Array = NDArray[Any]

_SIZE = struct.Struct("<Q")
_ALIGNED = 8
_LONGEST = 1 << 40
_KIND = regex(r"[<|](?:[iu][1248]|f[248])")


def packed(value: object) -> bytes:
    """The value as bytes. Raises ValueError for a text that is not valid Unicode."""
    arrays: list[Array] = []
    pools: dict[int, int] = {}  # pools shared by several columns are written once
    texts: list[list[str]] = []

    def placed(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            arrays.append(part)
            return len(arrays) - 1
        if isinstance(part, np.generic):
            return part.item()
        if isinstance(part, TextPool):
            if id(part) not in pools:
                pools[id(part)] = len(texts)
                texts.append(part.texts)
            return pools[id(part)]
        if isinstance(part, StringTable):
            return list(part.texts)
        raise TypeError(f"{type(part).__name__} in what is kept")

    text = msgspec.json.encode(value, enc_hook=placed)
    little = [np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")) for array in arrays]
    shapes = [(array.dtype.str, array.shape) for array in arrays]
    head = msgspec.json.encode(_Head(msgspec.Raw(text), [_Shape(kind, shape) for kind, shape in shapes], texts))
    parts: list[bytes | memoryview] = [_SIZE.pack(len(head)), head, _padding(len(head))]
    for array in little:
        parts += [array.data, _padding(array.nbytes)]
    return b"".join(parts)


def unpacked(data: bytes, kind: type[T]) -> T:
    """The value stored in `data`; its arrays are read-only views of `data`.

    Raises ValueError (the base of msgspec's errors) for invalid data.
    """
    try:
        (size,) = _SIZE.unpack_from(data)
    except struct.error as error:
        raise ValueError("it is too short") from error
    head = msgspec.json.decode(data[_SIZE.size : _SIZE.size + size], type=inspected(_Head))
    arrays = list(_arrays(data, _SIZE.size + _rounded(size), head.arrays))
    pools = list(map(TextPool, head.texts))

    def taken(wanted: Any, stored: Any) -> Any:
        if wanted is StringTable:
            return StringTable(msgspec.convert(stored, list[str]))
        if wanted is TextPool:
            if type(stored) is not int or not 0 <= stored < len(pools):
                raise ValueError("texts that are not there")
            return pools[stored]
        if type(stored) is not int or not 0 <= stored < len(arrays):
            raise ValueError("an array that is not there")
        (scalar,) = get_args(get_args(wanted)[1])
        if arrays[stored].dtype != np.dtype(scalar):
            raise ValueError(f"an array of {arrays[stored].dtype} instead of {np.dtype(scalar)}")
        return arrays[stored]

    return msgspec.json.decode(head.value, type=inspected(kind), dec_hook=taken)


class _Shape(msgspec.Struct, array_like=True, frozen=True):
    kind: str
    shape: tuple[int, ...]


class _Head(msgspec.Struct, frozen=True):
    value: msgspec.Raw
    arrays: list[_Shape]
    texts: list[list[str]] = []


def _arrays(data: bytes, at: int, shapes: list[_Shape]) -> Iterator[Array]:
    """Views of the arrays in `data`. Allocates no more memory than `data`, whatever the shapes claim."""
    for shape in shapes:
        if not _KIND.fullmatch(shape.kind) or any(not 0 <= length <= _LONGEST for length in shape.shape):
            raise ValueError(f"an array of {shape.kind[:20]} and shape {shape.shape}")
        dtype = np.dtype(shape.kind)
        count = math.prod(shape.shape)
        if at + count * dtype.itemsize > len(data):
            raise ValueError(f"an array of shape {shape.shape} that is not there")
        stored = np.frombuffer(data, dtype, count, at) if count else np.zeros(0, dtype)
        native = stored.astype(dtype.newbyteorder("="), copy=False)
        native.setflags(write=False)
        yield native.reshape(shape.shape)
        at += _rounded(count * dtype.itemsize)


def _rounded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _padding(size: int) -> bytes:
    return b" " * (_rounded(size) - size)


def structure_of(*kinds: type) -> str:
    """Digest that changes whenever a field of these classes, or of a class in them, is added, removed or retyped."""
    lines: dict[str, None] = {}
    pending: list[Any] = list(kinds)
    seen: set[Any] = set()
    while pending:
        kind = pending.pop()
        if get_origin(kind) is not None or not isinstance(kind, type):
            pending += get_args(kind)
        elif is_dataclass(kind) and kind not in seen:
            seen.add(kind)
            lines |= dict.fromkeys(f"{kind.__name__}.{field.name}: {field.type}" for field in fields(kind))
            pending += get_type_hints(kind).values()
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
