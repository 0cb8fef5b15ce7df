"""`dataclass` with the standard library's behavior for the arguments used here, at a tenth of the time per class.

The standard library compiles six functions for each class, about 0.5 ms, and parses the text of each annotation; a
command imports hundreds of classes.
Here `__eq__`, `__hash__`, `__repr__`, `__setattr__` and `__delattr__` are closures. `__init__` is built on first use
from code compiled once for all classes with the same number of fields. `fields`, `replace`, `is_dataclass`,
`__post_init__`, slots, copies and pickles work as usual.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from types import CellType, CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any


class _FromFactory:
    """Default of a parameter whose field has a default factory."""

    def __repr__(self) -> str:
        return "<factory>"


_FROM_FACTORY = _FromFactory()


def _quick(
    cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> type | Callable[[type], type]:
    """Equivalent of dataclasses.dataclass with these arguments.

    Not supported: InitVar, keyword-only fields, and standard library dataclasses derived from such a class.
    """
    if cls is None:
        return lambda decorated: _make_dataclass(decorated, frozen, slots, eq)
    return _make_dataclass(cls, frozen, slots, eq)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _quick


def _make_dataclass(cls: type, frozen: bool, slots: bool, eq: bool) -> type:
    cls.__doc__ = cls.__doc__ or f"{cls.__name__}."  # the default, made from the signature, is slow
    fields_by_name = _fields_of(cls)
    fields, names = tuple(fields_by_name.values()), tuple(fields_by_name)
    new_class = _with_slots(cls, names) if slots else cls
    members: dict[str, object] = {
        "__dataclass_fields__": fields_by_name,
        "__match_args__": tuple(field.name for field in fields if field.init),
        "__init__": _LazyInit(new_class, fields),
        "__repr__": _repr_of(tuple(field.name for field in fields if field.repr)),
    }
    if eq:
        compared = _values(tuple(field.name for field in fields if field.compare))
        members["__eq__"] = _eq_of(compared)
        members["__hash__"] = _hash_of(compared) if frozen else None
    if frozen:
        members["__setattr__"], members["__delattr__"] = _frozen_methods(new_class, frozenset(names))
        if slots:
            members["__getstate__"], members["__setstate__"] = _state_of(names)
    for name, value in members.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(new_class, name, value)
    return new_class


@dataclasses.dataclass
class _Sample:
    field: int


_PLAIN = dataclasses.fields(_Sample)[0]._field_type  # type: ignore[attr-defined]
"""Marks a field, as opposed to a class variable."""


def _fields_of(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """Fields of the base classes, then those of the class; their defaults become class attributes."""
    fields: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= getattr(base, "__dataclass_fields__", {})
    for name, kind in cls.__annotations__.items():
        if str(kind).removeprefix("typing.").startswith("ClassVar"):
            continue
        field: Any = getattr(cls, name, dataclasses.MISSING)
        if not isinstance(field, dataclasses.Field):
            slot = isinstance(field, MemberDescriptorType)
            field = dataclasses.field(default=dataclasses.MISSING if slot else field)
        elif field.default is dataclasses.MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, field.default)
        field.name, field.type, field._field_type, field.kw_only = name, kind, _PLAIN, False
        fields[name] = field
    return fields


def _with_slots(cls: type, names: tuple[str, ...]) -> type:
    """A copy of the class with slots, which can only be defined when a class is created."""
    above = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    body = {name: value for name, value in cls.__dict__.items() if name not in {*names, "__dict__", "__weakref__"}}
    slots = tuple(name for name in names if name not in above)
    made: type = type(cls)(cls.__name__, cls.__bases__, body | {"__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


class _LazyInit:
    """Descriptor that builds `__init__` on first access and replaces itself with it."""

    def __init__(self, cls: type, fields: tuple[dataclasses.Field[Any], ...]) -> None:
        self._cls = cls
        self._fields = fields

    def __get__(self, instance: object, owner: type) -> Any:
        init = _init_of(self._cls, self._fields)
        self._cls.__init__ = init  # type: ignore[misc]
        return init.__get__(instance, owner)


def _init_of(cls: type, fields: tuple[dataclasses.Field[Any], ...]) -> FunctionType:
    """Builds `__init__` from the code shared by all classes with as many parameters."""
    parameters = [field for field in fields if field.init]
    later = [field for field in fields if not field.init and _default_of(field) is not dataclasses.MISSING]
    defaults = tuple(default for default in map(_default_of, parameters) if default is not dataclasses.MISSING)
    names = ("self", *(field.name for field in parameters))
    held: dict[str, object] = {f"s{number}": _setter_of(cls, field) for number, field in enumerate(parameters)}
    ends = bool(later) or hasattr(cls, "__post_init__")
    if ends:
        held["end"] = _end_of(cls, later)
    code = _code_of(len(parameters), ends).replace(co_varnames=names)
    closure = tuple(CellType(held[name]) for name in code.co_freevars)
    init = FunctionType(code, sys.modules[cls.__module__].__dict__, "__init__", defaults, closure)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in parameters} | {"return": None}
    return init


@functools.cache
def _code_of(count: int, ends: bool) -> CodeType:
    """Code of a function that passes `count` parameters to the setters `s0`, `s1`, ..., then calls `end` if `ends`."""
    setters = [f"s{number}" for number in range(count)]
    free = [*setters, *(["end"] if ends else [])]
    body = [f"{name}(self, of_{name})" for name in setters] + (["end(self)"] if ends else [])
    lines = (
        f"def make({', '.join(free)}):",
        f" def __init__({', '.join(('self', *(f'of_{name}' for name in setters)))}):",
        *(f"  {line}" for line in body or ["pass"]),
        " return __init__",
    )
    made: dict[str, Callable[..., FunctionType]] = {}
    exec("\n".join(lines), {}, made)
    return made["make"](*free).__code__


def _default_of(field: dataclasses.Field[Any]) -> Any:
    """Default of the parameter; MISSING if there is none."""
    return field.default if field.default_factory is dataclasses.MISSING else _FROM_FACTORY


def _setter_of(cls: type, field: dataclasses.Field[Any]) -> Callable[[Any, Any], None]:
    """Function that stores a value in an instance, frozen or not."""
    name, fresh = field.name, field.default_factory
    slot = getattr(cls, name, None)
    put: Callable[[Any, Any], None] = (
        slot.__set__
        if isinstance(slot, MemberDescriptorType)
        else lambda instance, value: object.__setattr__(instance, name, value)
    )
    if fresh is dataclasses.MISSING:
        return put
    return lambda instance, value: put(instance, fresh() if value is _FROM_FACTORY else value)


def _end_of(cls: type, later: list[dataclasses.Field[Any]]) -> Callable[[Any], None]:
    """Function that sets the fields that are no parameters, then calls `__post_init__`."""
    setters = [(_setter_of(cls, field), _default_of(field)) for field in later]
    has_more = hasattr(cls, "__post_init__")

    def end(instance: Any) -> None:
        for put, value in setters:
            put(instance, value)
        if has_more:
            instance.__post_init__()

    return end


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[object, ...]]:
    """Function that returns these attributes of an instance as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _eq_of(values: Callable[[Any], tuple[object, ...]]) -> Callable[[Any, Any], bool]:
    def __eq__(self: Any, other: Any) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash_of(values: Callable[[Any], tuple[object, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _repr_of(names: tuple[str, ...]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _frozen_methods(cls: type, names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)  # type: ignore[arg-type]

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)  # type: ignore[arg-type]

    return __setattr__, __delattr__


def _state_of(names: tuple[str, ...]) -> tuple[Callable[[Any], list[object]], Callable[[Any, list[object]], None]]:
    def __getstate__(self: Any) -> list[object]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[object]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __getstate__, __setstate__
