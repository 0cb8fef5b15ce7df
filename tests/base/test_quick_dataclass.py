"""Classes of quick_dataclass beside those of the standard library: the same, but for the time they take to make."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

import pytest

from tb_perfcompare import quick_dataclass

FORMS = [{"frozen": frozen, "slots": slots, "eq": eq} for frozen, slots, eq in product((True, False), repeat=3)]


def drawn(make: Callable[..., Any], **form: bool) -> type:
    @make(**form)
    class Drawn:
        """Drawn."""

        name: str
        count: int = 3
        places: list[int] = dataclasses.field(default_factory=list)
        hidden: int = dataclasses.field(default=5, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "count", self.count + 1)

    return Drawn


def empty(make: Callable[..., Any], **form: bool) -> type:
    @make(**form)
    class Empty:
        pass

    return Empty


def tried(kind: type, *steps: Callable[[Any], object]) -> list[str]:
    """What each step says of an instance: what it returns, or the error."""
    texts = []
    for step in steps:
        try:
            texts.append(repr(step(kind)))
        except Exception as error:
            texts.append(f"{type(error).__name__}: {error}")
    return texts


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_they_behave_as_those_of_the_standard_library(form: dict[str, bool]) -> None:
    def changed(one: Any) -> object:
        one.name = "b"
        return one

    def deleted(one: Any) -> object:
        del one.name
        return one

    steps: list[Callable[[Any], object]] = [
        lambda kind: kind("a"),
        lambda kind: kind(),
        lambda kind: kind("a", 1, [2], 4),
        lambda kind: kind("a", counts=1),
        lambda kind: kind("a") == kind("a"),
        lambda kind: kind("a") == kind("b"),
        lambda kind: kind("a", hidden=1) == kind("a"),
        lambda kind: kind("a") == 1,
        lambda kind: hash(kind("a", 1, (1,))) == hash(kind("a", 1, (1,))),
        lambda kind: {kind("a", 1, ()): 1},
        lambda kind: changed(kind("a")),
        lambda kind: deleted(kind("a")),
        lambda kind: dataclasses.replace(kind("a"), name="c"),
        lambda kind: dataclasses.asdict(kind("a")),
        lambda kind: copy.copy(kind("a")),
        lambda kind: copy.deepcopy(kind("a")),
        lambda kind: [field.name for field in dataclasses.fields(kind)],
        lambda kind: kind("a").places is kind("a").places,
        lambda kind: hasattr(kind("a"), "__dict__"),
        lambda kind: kind.__match_args__,
        inspect.signature,
        lambda kind: kind.__init__.__qualname__,
    ]
    theirs, ours = (tried(drawn(make, **form), *steps) for make in (dataclasses.dataclass, quick_dataclass._quick))
    assert ours == theirs


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_class_without_fields(form: dict[str, bool]) -> None:
    steps: list[Callable[[Any], object]] = [lambda kind: kind(), lambda kind: kind() == kind(), lambda kind: kind(1)]
    theirs, ours = (tried(empty(make, **form), *steps) for make in (dataclasses.dataclass, quick_dataclass._quick))
    assert ours == theirs


@quick_dataclass.dataclass(frozen=True, slots=True)
class Base:
    name: str


@quick_dataclass.dataclass(frozen=True, slots=True)
class Derived(Base):
    count: int = 1

    def __hash__(self) -> int:
        return 7


def test_a_class_of_a_class() -> None:
    one = Derived("a", 2)
    assert repr(one) == "Derived(name='a', count=2)"
    assert one != Base("a") and hash(one) == 7
    for name in ("name", "count", "unknown"):  # the standard library's own error about the last is another by version
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            setattr(one, name, "b")


def test_they_travel_between_processes() -> None:
    one = Derived("a", 2)
    assert pickle.loads(pickle.dumps(one)) == one


@quick_dataclass.dataclass(slots=True)
class Other:
    first: list[int] = dataclasses.field(default_factory=list)
    second: int = 2


def test_classes_of_as_many_fields_share_what_was_compiled() -> None:
    one = Derived.__init__.__code__
    before = quick_dataclass._code_of.cache_info().misses
    two = Other.__init__.__code__
    assert quick_dataclass._code_of.cache_info().misses == before
    assert (one.co_varnames, two.co_varnames) == (("self", "name", "count"), ("self", "first", "second"))
    assert (Other(second=3).first, Other([1], 3).first) == ([], [1])


def test_a_class_variable_is_no_field() -> None:
    @quick_dataclass._quick(slots=True)
    class Counted:
        MOST: ClassVar[int] = 3
        count: int = 1

    assert [field.name for field in dataclasses.fields(Counted)] == ["count"]
    assert (Counted.MOST, Counted().count) == (3, 1)
    assert dataclasses.replace(Counted(), count=2).count == 2  # type: ignore[type-var]


def test_the_standard_library_makes_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("which takes twice as long")

    monkeypatch.setattr(dataclasses, "dataclass", refused)
    assert drawn(quick_dataclass._quick, frozen=True, slots=True)("a").count == 4
