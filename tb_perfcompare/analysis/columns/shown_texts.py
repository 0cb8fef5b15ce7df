"""JSON texts of arguments as they are shown: Python's spelling of the value, `[[32, 3, 224, 224], []]`.

A recording has hundreds of different ones. Decoding them one by one takes several times as long as decoding them all at
once, as elements of one list.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence

_MOST = 1 << 14

_known: dict[str, str] = {}

_WHOLE_NUMBERS = re.compile(r"[][0-9, \n]*")


def shown_text(raw: str) -> str:
    """One text as shown; what is no JSON as it is."""
    shown = _known.get(raw)
    if shown is None:
        learn([raw])
        shown = _known.get(raw) or _one(raw)
    return shown


def shown_texts(raw: Sequence[str]) -> list[str]:
    """Many texts as shown."""
    learn(raw)
    known = _known
    if all(map(known.__contains__, raw)):
        return list(map(known.__getitem__, raw))
    return list(map(shown_text, raw))


def learn(texts: Iterable[str]) -> None:
    """Decodes texts that are going to be asked for."""
    if len(_known) > _MOST:
        _known.clear()
    new = [text for text in dict.fromkeys(texts) if text not in _known][:_MOST]
    if new:
        _known.update(zip(new, _all_at_once(new) or map(_one, new), strict=True))


def _all_at_once(texts: list[str]) -> list[str] | None:
    """None if any is not JSON by itself: a random separator is between each two of them."""
    mark = os.urandom(8).hex()
    try:
        values = json.loads(f'[{f",{json.dumps(mark)},".join(texts)}]')
    except (ValueError, RecursionError):
        return None
    if len(values) != 2 * len(texts) - 1 or values[1::2].count(mark) != len(texts) - 1:
        return None
    lines = "\n".join(texts)
    if lines.count("\n") == len(texts) - 1 and _WHOLE_NUMBERS.fullmatch(lines):  # shapes: but for blanks, as they are
        return lines.replace(" ", "").replace(",", ", ").split("\n")
    try:
        return [str(value) for value in values[::2]]
    except ValueError:  # an integer with thousands of digits
        return None


def _one(raw: str) -> str:
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw
