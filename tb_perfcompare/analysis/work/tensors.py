"""Tensors of a call: sizes, types and strides."""

from __future__ import annotations

from math import prod
from typing import Final

import msgspec

from tb_perfcompare.analysis.work.work import NoModelError
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DataType:
    """Type of a tensor's elements.

    name  as in Work.data_type
    size  bytes of one element
    rank  0 bool, 1 integer, 2 floating point, 3 complex; of mixed types the highest rank wins
    """

    name: str
    size: int
    rank: int


BOOL, INT32, INT64 = DataType("bool", 1, 0), DataType("int32", 4, 1), DataType("int64", 8, 1)
FP32, FP64 = DataType("fp32", 4, 2), DataType("fp64", 8, 2)
FP16, BF16, FP8 = DataType("fp16", 2, 2), DataType("bf16", 2, 2), DataType("fp8", 1, 2)
UINT8, INT8, INT16 = DataType("uint8", 1, 1), DataType("int8", 1, 1), DataType("int16", 2, 1)
COMPLEX64, COMPLEX128 = DataType("complex64", 8, 3), DataType("complex128", 16, 3)

DATA_TYPES: Final[dict[str, DataType]] = {
    "float": FP32, "double": FP64, "bool": BOOL, "unsigned char": UINT8, "signed char": INT8, "short int": INT16,
    "int": INT32, "long int": INT64, "c10::Half": FP16, "c10::BFloat16": BF16, "c10::complex<float>": COMPLEX64,
    "c10::complex<double>": COMPLEX128, "c10::Float8_e4m3fn": FP8, "c10::Float8_e4m3fnuz": FP8,
    "c10::Float8_e5m2": FP8, "c10::Float8_e5m2fnuz": FP8, "c10::Float8_e8m0fnu": FP8,
    "short unsigned int": DataType("uint16", 2, 1), "unsigned int": DataType("uint32", 4, 1),
    "long unsigned int": DataType("uint64", 8, 1), "c10::qint8": INT8, "c10::quint8": UINT8, "c10::qint32": INT32,
}  # fmt: skip
"""C++ type in "Input type", in one spelling -> type. Only tensors have one: scalars are "Scalar", once "Int"."""

OPAQUE_TYPES: Final = {f"OpaqueType<{size}u>": DataType("", size, 0) for size in (1, 2, 4, 8, 16)}
"""Element types in names of kernels that only copy: a size, whatever the type."""

SCALAR_TYPES: Final[dict[str, DataType]] = {
    "0": UINT8, "1": INT8, "2": INT16, "3": INT32, "4": INT64, "5": FP16, "6": FP32, "7": FP64, "9": COMPLEX64,
    "10": COMPLEX128, "11": BOOL, "15": BF16, "23": FP8, "24": FP8, "25": FP8, "26": FP8,
}  # fmt: skip
"""Number of a `dtype` argument (c10/core/ScalarType.h) -> type."""


class Tensor(msgspec.Struct, frozen=True):
    """A tensor argument; strides are None if not recorded."""

    sizes: tuple[int, ...]
    type: DataType
    strides: tuple[int, ...] | None

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a tensor without dimensions."""
        return prod(self.sizes)

    @property
    def written(self) -> int:
        """Bytes of all its elements, as those of a new tensor of its sizes."""
        return self.elements * self.type.size

    @property
    def bytes(self) -> int:
        """Bytes of its distinct elements: expanded tensors (stride 0) and overlapping windows are read once."""
        if not self.strides:
            return self.written
        span, stored = 1, 1
        for size, stride in zip(self.sizes, self.strides, strict=True):
            if not size:
                return 0
            span += (size - 1) * stride
            if stride:
                stored *= size
        return min(stored, span) * self.type.size


def broadcast(*tensors: Tensor) -> tuple[int, ...]:
    """Returns the sizes to which the tensors are broadcast. Raises NoModelError if they are incompatible.

    https://docs.pytorch.org/docs/stable/notes/broadcasting.html
    """
    if len({tensor.sizes for tensor in tensors}) == 1:
        return tensors[0].sizes
    rank = max(len(tensor.sizes) for tensor in tensors)
    result = [1] * rank
    for tensor in tensors:
        for index, size in enumerate(tensor.sizes, rank - len(tensor.sizes)):
            if size != 1:
                if result[index] not in (1, size):
                    raise NoModelError("the sizes of the inputs contradict each other")
                result[index] = size
    return tuple(result)


def same(*tensors: Tensor) -> str:
    """Returns the name of the tensors' common type, "" if they differ."""
    names = {tensor.type.name for tensor in tensors}
    return names.pop() if len(names) == 1 else ""
