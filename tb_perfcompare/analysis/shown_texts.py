"""JSON texts of arguments as they are shown: Python's spelling of the value, `[[32, 3, 224, 224], []]`.

A recording has hundreds of different ones. Decoding them one by one takes several times as long as decoding them all at
once, as elements of one list.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable

_MOST = 1 << 14

_known: dict[str, str] = {}


def shown_text(raw: str) -> str:
    """One text as shown; what is no JSON as it is."""
    shown = _known.get(raw)
    if shown is None:
        learn([raw])
        shown = _known.get(raw) or _one(raw)
    return shown


def learn(texts: Iterable[str]) -> None:
    """Decodes texts that are going to be asked for."""
    if len(_known) > _MOST:
        _known.clear()
    new = [text for text in dict.fromkeys(texts) if text not in _known][:_MOST]
    if new:
        _known.update(zip(new, _all_at_once(new) or map(_one, new), strict=True))


def _all_at_once(texts: list[str]) -> list[str] | None:
    """None where any is no JSON of its own: a mark that nobody knows stands between each two of them."""
    mark = secrets.token_hex(8)
    try:
        values = json.loads(f'[{f",{json.dumps(mark)},".join(texts)}]')
    except (ValueError, RecursionError):
        return None
    if len(values) != 2 * len(texts) - 1 or any(value != mark for value in values[1::2]):
        return None
    try:
        return [str(value) for value in values[::2]]
    except ValueError:  # an integer with thousands of digits
        return None


def _one(raw: str) -> str:
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw
