"""Display texts of JSON arguments, as Python writes the value: `[[32, 3, 224, 224], []]`.

A recording has hundreds of distinct ones. Decoding them all as elements of one list is several times faster than one by
one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from tb_perfcompare.lazy_regex import regex

_MAX_TEXTS = 1 << 14

_known: dict[str, str] = {}

_INTEGER_LISTS = regex(r"[][0-9, \n]*")


def shown_texts(raw: Sequence[str]) -> list[str]:
    """Returns the display texts of arguments; those of invalid JSON are unchanged."""
    shown: dict[str, Any] = {text: _known.get(text) for text in raw}
    new = [text for text, known in shown.items() if known is None]
    if new:
        shown.update(zip(new, _all_at_once(new) or map(_decoded, new), strict=True))
        if len(_known) > _MAX_TEXTS:
            _known.clear()
        _known.update((text, shown[text]) for text in new[:_MAX_TEXTS])
    return [shown[text] for text in raw]


def _all_at_once(texts: list[str]) -> list[str] | None:
    """Decodes all texts together, with a random separator between them; None if any is not valid JSON by itself."""
    mark = os.urandom(8).hex()
    try:
        values = json.loads(f'[{f",{json.dumps(mark)},".join(texts)}]')
    except (ValueError, RecursionError):
        return None
    if len(values) != 2 * len(texts) - 1 or values[1::2].count(mark) != len(texts) - 1:
        return None
    lines = "\n".join(texts)
    if lines.count("\n") == len(texts) - 1 and _INTEGER_LISTS.fullmatch(lines):  # shapes: only blanks change
        return lines.replace(" ", "").replace(",", ", ").split("\n")
    try:
        return [str(value) for value in values[::2]]
    except ValueError:  # an integer with thousands of digits
        return None


def _decoded(raw: str) -> str:
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw
