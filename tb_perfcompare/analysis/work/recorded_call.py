"""Recorded arguments of one operator call, and the models that find its work in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec

from tb_perfcompare.analysis.work.tensors import DATA_TYPES, OPAQUE_TYPES, SCALAR_TYPES, DataType, Tensor
from tb_perfcompare.analysis.work.work import NoModelError, Work
from tb_perfcompare.model.input_shapes import NO_TENSOR, one_spelling

LARGEST: Final = 1 << 62
"""Sizes, FLOPs and bytes from here on are implausible; int64 holds smaller ones."""


class Call(msgspec.Struct, frozen=True):
    """One call. Entry i of each list belongs to argument i; strides and values are empty if not recorded.

    listed  element types of tensor lists: one for all, or one for each argument starting with the first; () if unknown
    """

    name: str
    dims: list[Any]
    types: tuple[str, ...]
    strides: list[Any]
    values: tuple[str, ...]
    listed: tuple[str, ...] = ()

    def kind(self, index: int) -> str:
        """Returns the argument's "Input type"; "" if it is absent."""
        return self.types[index] if index < len(self.types) else ""

    def is_tensor(self, index: int) -> bool:
        """Whether the argument is a tensor, of any type."""
        return self.kind(index) not in NO_TENSOR

    def tensor(self, index: int) -> Tensor:
        """Returns the tensor argument. Raises NoModelError if it is not a tensor."""
        kind = self.kind(index)
        data_type = DATA_TYPES.get(kind)
        if data_type is None:
            if kind in NO_TENSOR:
                raise NoModelError(f"input {index} is not recorded as a tensor")
            raise NoModelError(f"unknown data type: {kind[:60]}")
        return _tensor(self.dims[index], data_type, self.strides[index] if self.strides else None, index)

    def tensors(self, index: int) -> list[Tensor]:
        """Returns the tensors of a list argument. Raises NoModelError if it is no list of tensors or incomplete."""
        if self.kind(index) != "TensorList":
            raise NoModelError(f"input {index} is not recorded as a list of tensors")
        dims, strides = self.dims[index], self.strides[index] if self.strides else None
        if not isinstance(dims, list) or not dims:
            raise NoModelError("the sizes of the tensors in a list are not recorded (lists of more than 30, old torch)")
        if strides is not None and (not isinstance(strides, list) or len(strides) != len(dims)):
            raise NoModelError(f"input {index} has not as many sizes as strides")
        if not self.listed:
            raise NoModelError("the types of the tensors in a list are not recorded")
        kind = one_spelling(self.listed[index if len(self.listed) > index > 0 else 0])
        data_type = DATA_TYPES.get(kind) or OPAQUE_TYPES.get(kind)
        if data_type is None:
            raise NoModelError(f"unknown data type: {kind[:60]}")
        return [
            _tensor(size, data_type, step, index)
            for size, step in zip(dims, strides if strides is not None else [None] * len(dims), strict=True)
        ]

    def optional(self, index: int) -> Tensor | None:
        """Returns the tensor argument, None if it is absent."""
        return self.tensor(index) if self.is_tensor(index) else None

    def optional_bytes(self, *indices: int) -> int:
        """Sums the bytes of those arguments that are tensors."""
        return sum(tensor.bytes for index in indices if (tensor := self.optional(index)) is not None)

    def value(self, index: int) -> str:
        """Returns the text of the argument's value; "" for None, a default and a tensor.

        Raises NoModelError if values are not recorded.
        """
        if not self.values:
            raise NoModelError("the trace does not record the values of arguments (torch before 2.1)")
        return self.values[index] if index < len(self.values) else ""

    def output_type(self, index: int, default: DataType, *, out: int | None = None) -> DataType:
        """Returns the type of the output: of the tensor `out` (None: at `index`), of the `dtype` at `index`, or the
        default."""
        given = self.optional(index if out is None else out)
        if given is not None:
            return given.type
        text = self.values[index] if index < len(self.values) else ""
        if text and text not in SCALAR_TYPES:
            raise NoModelError("unknown type of the output")
        return SCALAR_TYPES[text] if text else default

    def number(self, index: int) -> float:
        try:
            return float(self.value(index))
        except ValueError:
            raise NoModelError(f"input {index} is not recorded as a number") from None

    def flag(self, index: int) -> bool:
        """Returns a recorded True or False."""
        text = self.value(index)
        if text not in ("True", "False"):
            raise NoModelError(f"input {index} is not recorded as True or False")
        return text == "True"

    def integer(self, index: int) -> int:
        text = self.value(index)
        try:
            return int(text) if len(text) < 20 else LARGEST
        except ValueError:
            raise NoModelError(f"input {index} is not recorded as an integer") from None

    def integer_of_dimension(self, index: int, rank: int) -> int:
        """Returns a recorded dimension of a tensor with `rank` dimensions, counted from the front."""
        return self._dimension(self.integer(index), index, rank)

    def dimensions(self, index: int, rank: int) -> list[int]:
        """Returns a recorded list of dimensions such as "[-2, -1]", counted from the front."""
        text = self.value(index)
        parts = text[1:-1].split(",") if text not in ("", "[]") else []
        try:
            recorded = [int(part) for part in (parts if text[:1] + text[-1:] == "[]" else [text] if text else [])]
        except ValueError:
            raise NoModelError("the dimensions are not recorded as whole numbers") from None
        return [self._dimension(dim, index, rank) for dim in recorded]

    @staticmethod
    def _dimension(dim: int, index: int, rank: int) -> int:
        if not -rank <= dim < rank:
            raise NoModelError(f"input {index} is not recorded as a dimension")
        return dim % rank

    def integers(self, index: int) -> tuple[int, ...]:
        """Returns a recorded list of integers such as "[14, 14]"."""
        return _integers(self.value(index), index)

    def flags(self, index: int) -> tuple[bool, ...]:
        """Returns a recorded list of booleans such as "[True, False]"."""
        text = self.value(index)
        parts = text[1:-1].replace(" ", "").split(",")
        if text[:1] + text[-1:] != "[]" or not set(parts) <= {"True", "False"}:
            raise NoModelError(f"input {index} is not recorded as a list of True and False")
        return tuple(part == "True" for part in parts)


def read_call(name: str, dims: str, types: str, strides: str, values: str, listed: str = "") -> Call:
    """Parses a call from its recorded texts and the element types of its lists.

    Raises NoModelError if they are inconsistent.
    """
    if not dims or not types:
        raise NoModelError("the trace does not record sizes and types (record_shapes)")
    sizes, kinds = _decoded(dims, "the sizes"), _kinds(types)
    steps = _decoded(strides, "the strides") if strides else []
    texts = _strings(values, "the values") if values else ()
    if len(sizes) != len(kinds) or (steps and len(steps) != len(kinds)) or (texts and len(texts) != len(kinds)):
        raise NoModelError("sizes, types, strides and values are not of the same inputs")
    return Call(name, sizes, kinds, steps, texts, tuple(listed.split(", ")) if listed else ())


@lru_cache(maxsize=1024)
def _integers(text: str, index: int) -> tuple[int, ...]:
    """Parses a list of integers; cached, as there are few distinct ones: strides, paddings, kernels."""
    return _sizes(_decoded(text, f"the value of input {index}"), "the value", index)


def _decoded(text: str, what: str) -> list[Any]:
    try:
        entries = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise NoModelError(f"{what} cannot be read") from None
    if not isinstance(entries, list):
        raise NoModelError(f"{what} are not a list")
    return entries


@lru_cache(maxsize=4096)
def _kinds(text: str) -> tuple[str, ...]:
    return tuple(map(one_spelling, _strings(text, "the types")))


_TEXTS: Final = msgspec.json.Decoder(tuple[str, ...])


def _strings(text: str, what: str) -> tuple[str, ...]:
    try:
        return _TEXTS.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        _decoded(text, what)
        raise NoModelError(f"{what} are not texts") from None


def _tensor(dims: Any, data_type: DataType, strides: Any, index: int) -> Tensor:
    """Builds a tensor from the sizes and, unless None, strides that the trace records for argument `index`."""
    sizes = _sizes(dims, "the sizes", index)
    if strides is None:
        return Tensor(sizes, data_type, None)
    steps = _sizes(strides, "the strides", index)
    if sizes and not steps:
        raise NoModelError("the tensor is sparse: its number of elements is not recorded")
    if len(steps) != len(sizes):
        raise NoModelError(f"input {index} has {len(sizes)} sizes and {len(steps)} strides")
    return Tensor(sizes, data_type, steps)


def _sizes(entry: Any, what: str, index: int) -> tuple[int, ...]:
    if isinstance(entry, list):
        for size in entry:
            if type(size) is not int or not 0 <= size < LARGEST:
                break
        else:
            return tuple(entry)
    raise NoModelError(f"{what} of input {index} are not all known whole numbers")


Model = Callable[[Call], Work]
MODELS: dict[str, Model] = {}
"""Operator -> its model, of all families."""


def models(*operators: str) -> Callable[[Model], Model]:
    """Makes a function the model of these operators."""

    def made(model: Model) -> Model:
        MODELS.update(dict.fromkeys(operators, model))
        return model

    return made
