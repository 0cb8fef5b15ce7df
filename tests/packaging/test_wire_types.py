"""The JSON schemas and the page's types are those of the types that are sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict

import pytest

from build_support import wire_types
from tb_perfcompare.comparison.result.plain_values import Unbounded, as_plain


@pytest.mark.parametrize("path", wire_types.SCHEMAS, ids=lambda path: path.name)
def test_the_schemas_are_current(path: Path) -> None:
    """`python -m build_support.wire_types` writes them."""
    assert path.read_text("utf-8") == wire_types.json_schema(*wire_types.SCHEMAS[path])


def undescribed(named: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Keys without a description, each with the name of its type."""
    return [
        f"{name}.{key}"
        for name, kind in named.items()
        for key, shape in kind["properties"].items()
        if not shape.get("description")
    ]


@pytest.mark.parametrize("path", wire_types.SCHEMAS, ids=lambda path: path.name)
def test_every_key_of_a_schema_is_described(path: Path) -> None:
    schema = json.loads(path.read_text("utf-8"))
    assert undescribed({"": schema, **schema["$defs"]}) == []


@pytest.mark.parametrize("kind", wire_types.SENT, ids=lambda kind: kind.__name__)
def test_every_key_that_the_page_reads_is_described(kind: type) -> None:
    shapes = wire_types.Shapes()
    shapes.of(kind)
    assert undescribed(shapes.named) == []


def test_the_types_and_constants_of_the_page_are_current() -> None:
    assert wire_types.TYPESCRIPT.read_text("utf-8") == wire_types.typescript(*wire_types.SENT)
    assert wire_types.CONSTANTS.read_text("utf-8") == wire_types.constants()


@dataclass(frozen=True)
class Inner:
    """Where it goes. And more."""

    way: Annotated[str, ("up", "down")]


@dataclass(frozen=True)
class Example:
    """An example."""

    pair: tuple[int, int]
    size: Unbounded
    inner: Inner | None
    some: Sequence[Inner]
    by_name: Mapping[str, int]
    DERIVED: ClassVar[tuple[str, ...]] = ("twice",)

    @property
    def twice(self) -> Annotated[Unbounded, "two of them"]:
        return 2 * self.size


class _Whole(TypedDict):
    example: Example


class WholeDict(_Whole, total=False):
    """All of it."""

    more: Annotated[str, "what is left"]


def test_a_type_is_written_as_a_schema_and_sent_as_it_says() -> None:
    shapes = wire_types.Shapes()
    assert shapes.of(WholeDict) == {"$ref": "#/$defs/Whole"}
    assert shapes.named["Whole"]["required"] == ["example"]
    assert shapes.named["Example"]["properties"] == {
        "pair": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        "size": {"type": ["number", "null"]},
        "inner": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]},
        "some": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        "by_name": {"type": "object", "additionalProperties": {"type": "integer"}},
        "twice": {"type": ["number", "null"], "description": "two of them"},
    }
    assert as_plain(Example((1, 2), float("inf"), None, (Inner("up"),), {"a": 1})) == {
        "pair": [1, 2], "size": None, "inner": None, "some": [{"way": "up"}], "by_name": {"a": 1}, "twice": None,
    }  # fmt: skip


def test_the_page_has_the_same_type() -> None:
    assert wire_types.typescript(WholeDict).splitlines()[2:] == [
        "/** All of it. */", "export interface Whole {", "  example: Example;",
        "  more?: string; // what is left", "}", "",
        "/** An example. */", "export interface Example {", "  pair: [number, number];", "  size: number | null;",
        "  inner: Inner | null;", "  some: Inner[];", "  by_name: Record<string, number>;",
        "  twice: number | null; // two of them", "}", "",
        "/** Where it goes. */", "export interface Inner {", "  way: 'up' | 'down';", "}",
    ]  # fmt: skip
