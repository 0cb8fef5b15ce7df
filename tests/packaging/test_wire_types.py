"""The JSON schema and the page's types are those of the types that are sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from build_support import wire_types
from tb_perfcompare.comparison.result.plain_values import as_plain


def test_the_schema_is_current() -> None:
    """`python build_support/wire_types.py` writes it anew."""
    assert wire_types.JSON_SCHEMA.read_text("utf-8") == wire_types.json_schema()


def test_the_types_of_the_page_are_current() -> None:
    assert wire_types.TYPESCRIPT.read_text("utf-8") == wire_types.typescript()


@dataclass(frozen=True)
class Inner:
    way: Annotated[str, ("up", "down")]


@dataclass(frozen=True)
class Example:
    pair: tuple[int, int]
    size: Annotated[float, None]
    inner: Inner | None
    some: Sequence[Inner]
    DERIVED: ClassVar = ("twice",)

    @property
    def twice(self) -> Annotated[float, "two of them"]:
        return 2 * self.size


def test_a_type_is_written_as_a_schema_and_sent_as_it_says() -> None:
    shapes = wire_types.Shapes()
    assert shapes.of(Example) == {"$ref": "#/$defs/Example"}
    assert shapes.named["Example"]["properties"] == {
        "pair": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        "size": {"type": ["number", "null"]},
        "inner": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]},
        "some": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        "twice": {"type": "number", "description": "two of them"},
    }
    assert as_plain(Example((1, 2), float("inf"), None, (Inner("up"),))) == {
        "pair": [1, 2], "size": None, "inner": None, "some": [{"way": "up"}], "twice": None,
    }  # fmt: skip
