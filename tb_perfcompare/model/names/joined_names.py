"""Names in one text: one search through a long text is faster than a million through short ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

_MANY = 4
"""If more than 1/_MANY of the names contain a word, each name is searched by itself."""


class JoinedNames:
    """Names in one text, each preceded by a line feed: one search through a long text is faster than a million through
    short ones.

    names     as given
    is_plain  whether positions in the text identify the names, and lower() leaves positions unchanged
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._text = "\n".join(["", *names])
        self.is_plain = self._text.isascii() and self._text.count("\n") == len(names)

    @cached_property
    def _lower(self) -> str:
        return self._text.lower()

    def holding(self, word: str, *, any_case: bool = False) -> list[int]:
        """Ascending indices of the names that contain `word`; only if `is_plain`.

        With `any_case`, `word` is in lower case. A leading line feed in `word` anchors it to the start of a name.
        """
        text = self._lower if any_case else self._text
        indices: list[int] = []
        before = line = 0
        at = text.find(word)
        while at >= 0:
            line += text.count("\n", before, at + 1)
            before = at + 1
            indices.append(line - 1)
            if len(indices) * _MANY > len(self.names):
                return self._one_by_one(word, any_case)
            end = text.find("\n", at + 1)
            at = text.find(word, end) if end >= 0 else -1
        return indices

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern occurs anywhere in the text."""
        return pattern.search(self._text) is not None

    def has_run(self, letters: str, length: int) -> bool:
        """Whether `length` consecutive characters anywhere are all among `letters`."""
        text = self._text.encode("utf-8", "surrogatepass")
        return b"\1" * length in text.translate(bytes(byte in letters.encode() for byte in range(256)))

    def _one_by_one(self, word: str, any_case: bool) -> list[int]:
        names = map(str.lower, self.names) if any_case else self.names
        if word.startswith("\n"):
            return [at for at, name in enumerate(names) if name.startswith(word[1:])]
        return [at for at, name in enumerate(names) if word in name]
