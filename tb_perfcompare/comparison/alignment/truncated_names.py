"""Joins kernel names that one tool truncated and another wrote in full, before the sides are compared.

`ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_s...` is the kernel of the other side whose name starts like that, if
there is exactly one. Several candidates share a row, since the truncated name fits all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tb_perfcompare.comparison.alignment.renaming import Joins, renamed_kernels
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import listed

CUT = "..."

MIN_LETTERS = 16
"""Fewest characters before the dots for a truncated name to be used; tools cut at 30 to 100."""

_MAX_NAMED = 3
_TABLE = "kernels"


def join_truncated_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with common names of their kernels, and notes on what was joined. Sides without truncated
    names are returned unchanged."""
    names = [_kernels(side) for side in (baseline, candidate)]
    if not any(map(_is_cut, names[0])) and not any(map(_is_cut, names[1])):
        return baseline, candidate, ()
    joins, notes = matched_names(*names)
    if not joins:
        return baseline, candidate, ()
    return renamed_kernels(baseline, joins), renamed_kernels(candidate, joins), notes


def matched_names(a: Sequence[str], b: Sequence[str]) -> tuple[Joins, tuple[Note, ...]]:
    """Joins names that are on one side only; names on both sides need no joining."""
    common = {*a} & {*b}
    only = [sorted({*side} - common) for side in (a, b)]
    groups = _Groups()
    for own, others in (only, only[::-1]):
        shortest = None
        for name in sorted(filter(_is_cut, own), key=_text):
            text = _text(name)
            is_inside = shortest is not None and text.startswith(shortest)
            if not is_inside:
                shortest = text
            # what starts like this name also starts like the shorter one: it is in one group already
            for other in islice(_starting_with(text, others), 1 if is_inside else None):
                groups.unite(name, other)
    joins: dict[str, str] = {}
    alone, several = 0, []
    for members in groups.members():
        full = max(members, key=lambda name: (len(_text(name)), not _is_cut(name), name))
        if len(members) == 2:
            alone += 1
            shared = full
        else:
            shared = min(members, key=lambda name: (len(_text(name)), not _is_cut(name), name))
            several.append((shared, len(members) - 1))
        joins |= {name: shared for name in members if name != shared}
    return joins, tuple(_notes(alone, several))


def _notes(matched: int, several: list[tuple[str, int]]) -> Iterable[Note]:
    if matched:
        names = "1 kernel name" if matched == 1 else f"{matched} kernel names"
        message = f"{names} cut on one side matched to the only name on the other that starts alike"
        yield Note(NoteCode.CUT_NAMES, message, _TABLE)
    if several:
        shared = listed((f"{name} ({number} names)" for name, number in several), _MAX_NAMED)
        message = f"names that begin like a truncated one cannot be distinguished and share a row: {shared}"
        yield Note(NoteCode.CUT_NAMES, message, _TABLE)


class _Groups:
    """Groups of names that may be the same kernel, directly or through others (union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def unite(self, name: str, other: str) -> None:
        low, high = sorted((self._top(name), self._top(other)))
        self._above[high] = low

    def _top(self, name: str) -> str:
        self._above.setdefault(name, name)
        while (above := self._above[name]) != name:
            self._above[name] = self._above[above]
            name = above
        return name

    def members(self) -> list[list[str]]:
        groups: dict[str, list[str]] = {}
        for name in sorted(self._above):
            groups.setdefault(self._top(name), []).append(name)
        return list(groups.values())


def _starting_with(text: str, names: list[str]) -> Iterator[str]:
    """Yields the sorted names that start with the text; a truncated name must be at least as long."""
    index = bisect_left(names, text)
    while index < len(names) and names[index].startswith(text):
        if len(_text(names[index])) >= len(text):
            yield names[index]
        index += 1


def _is_cut(name: str) -> bool:
    return name.endswith(CUT) and len(name) >= MIN_LETTERS + len(CUT)


def _text(name: str) -> str:
    return name[: -len(CUT)] if _is_cut(name) else name


def _kernels(side: Summary) -> list[str]:
    table = side.groups.get(_TABLE)
    return [key[0] for key in table.keys] if table is not None and table.key_columns == ("name",) else []
