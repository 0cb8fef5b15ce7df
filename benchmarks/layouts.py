"""Layouts of traces as tools write them (as Kineto does, indented, or on one line), and formats of their times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NATIVE, INDENT, COMPACT = "native", "indent", "compact"
LAYOUTS = (NATIVE, INDENT, COMPACT)

RELATIVE, ABSOLUTE, WHOLE = "relative", "absolute", "whole"
TIME_FORMS = (RELATIVE, ABSOLUTE, WHOLE)
"""Microseconds with three decimals since the root's baseTimeNanoseconds; with three decimals since 1970; whole since
1970."""

BASE_NS = 1_750_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Layout:
    """Formats values, events and the document. Templates keep `%s` for the parts that differ between events."""

    name: str

    def value(self, value: Any) -> str:
        """Formats the value of an argument."""
        if self.name == INDENT:
            return json.dumps(value, indent=2).replace("\n", "\n        ")
        return json.dumps(value, separators=(",", ":") if self.name == COMPACT else None)

    def event(self, members: Mapping[str, str], args: Mapping[str, str] | None = None) -> str:
        """Returns the template of an event; values are JSON texts."""
        pairs = [f'"{key}": {text}' for key, text in members.items()]
        inner = [f'"{key}": {text}' for key, text in (args or {}).items()]
        if self.name == COMPACT:
            if inner:
                pairs.append(f'"args":{{{_dense(inner)}}}')
            return f"{{{_dense(pairs)}}}"
        if self.name == INDENT:
            if inner:
                pairs.append('"args": {\n        ' + ",\n        ".join(inner) + "\n      }")
            return "    {\n      " + ",\n      ".join(pairs) + "\n    }"
        first, second = pairs[:-2], pairs[-2:]
        text = "  {\n    " + ", ".join(first) + ",\n    " + ", ".join(second)
        if inner:
            text += ',\n    "args": {\n      ' + ", ".join(inner) + "\n    }"
        return text + "\n  }"

    @property
    def between(self) -> str:
        """Separator of two events."""
        return "," if self.name == COMPACT else ",\n"

    def head(self, root: Mapping[str, Any]) -> str:
        """Returns the text before the first event."""
        if self.name == COMPACT:
            return json.dumps(root, separators=(",", ":"))[:-1] + ',"traceEvents":['
        text = json.dumps(root, indent=2)[:-2]
        return f'{text},\n  "traceEvents": [\n'

    @property
    def foot(self) -> str:
        """Text after the last event."""
        return "]}" if self.name == COMPACT else "\n  ]\n}\n"


def _dense(pairs: list[str]) -> str:
    return ",".join(pair.replace('": ', '":', 1) for pair in pairs)


@dataclass(frozen=True, slots=True)
class TimeForm:
    """Formats times given in nanoseconds. WHOLE writes them as whole microseconds, a thousand times as long, so that
    nothing is rounded."""

    name: str

    def start(self, ns: int) -> str:
        """Formats a start (`ts`)."""
        if self.name == WHOLE:
            return str(BASE_NS // 1000 + ns)
        if self.name == ABSOLUTE:
            ns += BASE_NS
        return f"{ns // 1000}.{ns % 1000:03d}"

    def length(self, ns: int) -> str:
        """Formats a duration (`dur`)."""
        return str(ns) if self.name == WHOLE else f"{ns // 1000}.{ns % 1000:03d}"
