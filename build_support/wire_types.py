"""Generates the JSON schemas in docs/guide, and for the page TypeScript types of responses and constants of the server.

`python -m build_support.wire_types` writes them; tests/packaging/test_wire_types.py fails if one is out of date.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tb_perfcompare.comparison.result.comparison import SCHEMA, ComparisonDict
from tb_perfcompare.comparison.result.table_places import MADE_OF, VIEWS
from tb_perfcompare.comparison.strict.answer import SCHEMA as STRICT_SCHEMA
from tb_perfcompare.model.formats import FORMATS
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import BOUND, BOUND_CLASSES
from tb_perfcompare.render.strict.wire import StrictAnswerDict
from tb_perfcompare.render.wire.events import EventAnswerDict
from tb_perfcompare.render.wire.pages import TablePageDict
from tb_perfcompare.render.wire.rows import RowLinesDict, RowPathsDict
from tb_perfcompare.workspace.listing.history_responses import HistoryAnswerDict
from tb_perfcompare.workspace.queries.candidates import VerdictsAnswerDict
from tb_perfcompare.workspace.queries.row_responses import RowStepsDict

REPOSITORY = Path(__file__).parents[1]
TYPESCRIPT = REPOSITORY / "frontend" / "src" / "contract" / "sent.ts"
CONSTANTS = TYPESCRIPT.with_name("constants.ts")
SCHEMAS = {
    REPOSITORY / "docs" / "guide" / "comparison.schema.json": (SCHEMA, ComparisonDict),
    REPOSITORY / "docs" / "guide" / "strict.schema.json": (STRICT_SCHEMA, StrictAnswerDict),
}
"""File -> (title of its schema, type of its document)."""
SENT = (
    ComparisonDict, TablePageDict, RowStepsDict, RowPathsDict, RowLinesDict, StrictAnswerDict, EventAnswerDict,
    VerdictsAnswerDict, HistoryAnswerDict,
)  # fmt: skip
"""Types of the responses that the page reads."""

_SIMPLE = {
    str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", NoteCode: "string"
}  # fmt: skip
_SCRIPT = {"integer": "number"}
_Shape = dict[str, Any]


class Shapes:
    """Converts types to JSON schemas, and collects the named ones in the order of their first use."""

    def __init__(self) -> None:
        self.named: dict[str, _Shape] = {}

    def of(self, kind: Any) -> _Shape:
        """Returns the schema of a type; a named type becomes a reference."""
        if get_origin(kind) is Annotated:
            base, *annotations = get_args(kind)
            return self._annotated(self.of(base), annotations)
        if kind is Any:
            return {}
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

    @staticmethod
    def _annotated(shape: _Shape, annotations: list[Any]) -> _Shape:
        """Applies annotations to a schema: None allows null, a tuple lists the possible values, a text is the
        description."""
        for extra in annotations:
            if extra is None:
                shape = {**shape, "type": [shape["type"], "null"]}
            elif isinstance(extra, tuple):
                shape = {"enum": list(extra), **{key: shape[key] for key in ("description",) if key in shape}}
            else:
                shape = {**shape, "description": extra}
        return shape

    def _reference(self, kind: type) -> _Shape:
        name = kind.__name__.removesuffix("Dict")
        if name not in self.named:
            self.named[name] = {}
            members = {key: self.of(member) for key, member in members_of(kind).items()}
            optional: frozenset[str] = getattr(kind, "__optional_keys__", frozenset())
            self.named[name] = {
                "description": _about(kind),
                "type": "object",
                "required": [key for key in members if key not in optional],
                "properties": members,
            }
        return {"$ref": f"#/$defs/{name}"}


def _about(kind: type) -> str:
    """Returns a type's description: its docstring, or the first sentence of it for a dataclass."""
    text = " ".join((kind.__doc__ or "").split())
    return f"{text.partition('. ')[0].rstrip('.')}." if dataclasses.is_dataclass(kind) else text


def members_of(kind: type) -> dict[str, Any]:
    """Returns key -> type of a TypedDict, or of a dataclass as `as_plain` encodes it."""
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


def json_schema(title: str, kind: type) -> str:
    """Returns the JSON schema of a document type."""
    shapes = Shapes()
    shapes.of(kind)
    root = shapes.named.pop(kind.__name__.removesuffix("Dict"))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return _lines({**head, **root, "$defs": shapes.named}) + "\n"


def _lines(value: Any, indent: str = "") -> str:
    """Formats JSON with a line per definition and per member."""
    if not (isinstance(value, dict) and (not indent or any(isinstance(item, dict) for item in value.values()))):
        return json.dumps(value, ensure_ascii=False)
    if "items" in value or "additionalProperties" in value or "anyOf" in value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    members = [f"{inner}{json.dumps(key)}: {_lines(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"


def typescript(*kinds: type) -> str:
    """Returns TypeScript interfaces for the types and all types they refer to."""
    shapes = Shapes()
    for kind in kinds:
        shapes.of(kind)
    lines = ["// Written by build_support/wire_types.py from the types that the server sends: do not edit."]
    for name, shape in shapes.named.items():
        lines += ["", f"/** {shape['description']} */", f"export interface {name} {{"]
        for key, member in shape["properties"].items():
            about = f" // {member['description']}" if "description" in member else ""
            lines += [f"  {key}{'' if key in shape['required'] else '?'}: {_script(member)};{about}"]
        lines += ["}"]
    return "\n".join([*lines, ""])


def _script(shape: _Shape) -> str:
    """Converts a schema to a TypeScript type."""
    if "$ref" in shape:
        return cast(str, shape["$ref"]).rpartition("/")[2]
    if "anyOf" in shape:
        return " | ".join(map(_script, shape["anyOf"]))
    if "enum" in shape:
        return " | ".join("null" if value is None else f"'{value}'" for value in shape["enum"])
    if "additionalProperties" in shape:
        return f"Record<string, {_script(shape['additionalProperties'])}>"
    if "minItems" in shape:
        return f"[{', '.join([_script(shape['items'])] * shape['minItems'])}]"
    if "items" in shape:
        inner = _script(shape["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if "type" not in shape:
        return "unknown"
    kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return " | ".join(dict.fromkeys(str(_SCRIPT.get(kind, kind)) for kind in kinds))


def constants() -> str:
    """Returns the facts of the server that the page needs before any response, as TypeScript constants."""
    values: dict[str, tuple[str, Any]] = {
        "VIEWS": ('view -> kind of row -> table -> grouping, in display order; "" is the title of the table', VIEWS),
        "MADE_OF": ("table -> the table whose absence explains its own", MADE_OF),
        "FORMATS": (
            "format -> its name, alone and with its article",
            {key: [kind.title, kind.with_article] for key, kind in FORMATS.items()},
        ),
        "BOUND": ("a resource limits a launch from this share of its peak on", BOUND),
        "BOUND_CLASSES": ("what limits a launch", BOUND_CLASSES),
    }
    lines = ["// Written by build_support/wire_types.py from constants of the server: do not edit."]
    for name, (about, value) in values.items():
        lines += ["", f"/** {about} */", f"export const {name} = {_lines(value)} as const;"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    for path, (title, kind) in SCHEMAS.items():
        path.write_text(json_schema(title, kind), "utf-8")
    TYPESCRIPT.write_text(typescript(*SENT), "utf-8")
    CONSTANTS.write_text(constants(), "utf-8")
