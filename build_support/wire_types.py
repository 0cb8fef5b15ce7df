"""The JSON contract, made from the Python types that are sent: docs/comparison.schema.json and the page's types.

`python build_support/wire_types.py` writes both anew; tests/packaging/test_wire_types.py says when that is due.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from tb_perfcompare.comparison.result.comparison import SCHEMA, ComparisonDict
from tb_perfcompare.model.note import NoteCode

REPOSITORY = Path(__file__).parents[1]
JSON_SCHEMA = REPOSITORY / "docs" / "comparison.schema.json"
TYPESCRIPT = REPOSITORY / "frontend" / "src" / "contract" / "comparison.ts"

_ABOUT = (
    "Answer of `tb-perfcompare diff --format json` and of api/comparison. Times are microseconds unless the key says "
    'otherwise; null is "not measured". Keys may be added; none changes its meaning within this schema number.'
)
_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", NoteCode: "string"}
_SCRIPT = {"integer": "number", "array": "unknown[]", "object": "unknown"}
_Shape = dict[str, Any]


class Shapes:
    """The types that a document is made of, by name, as JSON schemas in the order in which they are met."""

    def __init__(self) -> None:
        self.named: dict[str, _Shape] = {}

    def of(self, kind: Any) -> _Shape:
        """The schema of a type: named ones are referred to."""
        if get_origin(kind) is Annotated:
            base, *more = get_args(kind)
            return self._annotated(self.of(base), more)
        if isinstance(kind, type) and kind in _SIMPLE:
            return {"type": _SIMPLE[kind]}
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [item.value for item in kind]}
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Literal:
            return {"enum": list(inner)}
        if origin in (Union, types.UnionType):
            return _one_of([self.of(item) for item in inner])
        if origin is tuple and inner[-1] is not Ellipsis:
            return {"type": "array", "items": self.of(inner[0]), "minItems": len(inner), "maxItems": len(inner)}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        if isinstance(origin, type) and issubclass(origin, Sequence):
            return {"type": "array", "items": self.of(inner[0])}
        return self._reference(kind)

    def _annotated(self, shape: _Shape, more: list[Any]) -> _Shape:
        for extra in more:
            if extra is None:
                shape = {"type": [shape["type"], "null"]}
            else:
                shape = {"enum": list(extra)} if isinstance(extra, tuple) else {**shape, "description": extra}
        return shape

    def _reference(self, kind: type) -> _Shape:
        name = kind.__name__.removesuffix("Dict")
        if name not in self.named:
            self.named[name] = {}
            members = {key: self.of(member) for key, member in _members(kind).items()}
            about = {} if dataclasses.is_dataclass(kind) else {"description": " ".join((kind.__doc__ or "").split())}
            self.named[name] = {**about, "type": "object", "required": list(members), "properties": members}
        return {"$ref": f"#/$defs/{name}"}


def _members(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    if not dataclasses.is_dataclass(kind):
        return hints
    names = [field.name for field in dataclasses.fields(kind)]
    derived = {
        name: get_type_hints(inspect.getattr_static(kind, name).fget, include_extras=True)["return"]
        for name in getattr(kind, "DERIVED", ())
    }
    return {name: hints[name] for name in names} | derived


def _one_of(shapes: list[_Shape]) -> _Shape:
    if all(set(shape) == {"type"} for shape in shapes):
        return {"type": [shape["type"] for shape in shapes]}
    return {"anyOf": shapes}


def json_schema() -> str:
    """docs/comparison.schema.json."""
    shapes = Shapes()
    shapes.of(ComparisonDict)
    root = shapes.named.pop("Comparison")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA, "description": _ABOUT}
    document = {**head, **{key: root[key] for key in ("type", "required", "properties")}, "$defs": shapes.named}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def typescript() -> str:
    """frontend/src/contract/comparison.ts."""
    shapes = Shapes()
    shapes.of(ComparisonDict)
    lines = ["// Made by build_support/wire_types.py of types in tb_perfcompare/comparison/result: do not edit.", ""]
    for name, shape in reversed(shapes.named.items()):
        lines += [f"export interface {name} {{"]
        for key, member in shape["properties"].items():
            lines += [f"  /** {member['description']} */"] if "description" in member else []
            lines += [f"  {key}: {_script(member)};"]
        lines += ["}", ""]
    return "\n".join(lines)


def _script(shape: _Shape) -> str:
    """A schema as a TypeScript type."""
    if "$ref" in shape:
        return typing.cast(str, shape["$ref"]).rpartition("/")[2]
    if "anyOf" in shape:
        return " | ".join(map(_script, shape["anyOf"]))
    if "enum" in shape:
        return " | ".join(f"'{value}'" for value in shape["enum"])
    if "additionalProperties" in shape:
        return f"Record<string, {_script(shape['additionalProperties'])}>"
    if "minItems" in shape:
        return f"[{', '.join([_script(shape['items'])] * shape['minItems'])}]"
    if "items" in shape:
        inner = _script(shape["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return " | ".join(dict.fromkeys(str(_SCRIPT.get(kind, kind)) for kind in kinds))


if __name__ == "__main__":
    JSON_SCHEMA.write_text(json_schema(), "utf-8")
    TYPESCRIPT.write_text(typescript(), "utf-8")
