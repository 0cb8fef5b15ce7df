"""Names laid end to end: what is nowhere in all of them need not be asked of each, and a search through one long text
takes less time than looking at a million short ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

_MANY = 4
"""If more than one in so many names holds a word, it is sought in each."""

_PORTION = 1 << 18


class JoinedNames:
    """Names in one text, a line feed before each.

    names     as they were given
    is_plain  whether places in the text tell the names, and lower() leaves them where they are
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._text = "\n".join(["", *names])
        self.is_plain = self._text.isascii() and self._text.count("\n") == len(names)

    @cached_property
    def _lower(self) -> str:
        return self._text.lower()

    def holding(self, word: str, *, any_case: bool = False) -> list[int]:
        """Which names hold a word, which is in lower case where `any_case`; of plain ones. One that begins with a line
        feed is the beginning of the name."""
        text = self._lower if any_case else self._text
        found: list[int] = []
        before = line = 0
        at = text.find(word)
        while at >= 0:
            line += text.count("\n", before, at + 1)
            before = at + 1
            found.append(line - 1)
            if len(found) * _MANY > len(self.names):
                return self._one_by_one(word, any_case)
            end = text.find("\n", at + 1)
            at = text.find(word, end) if end >= 0 else -1
        return found

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether it is found anywhere."""
        return pattern.search(self._text) is not None

    def has_run(self, letters: str, length: int) -> bool:
        """Whether so many of these letters stand one behind the other anywhere."""
        is_letter = np.zeros(256, dtype=bool)
        is_letter[list(letters.encode())] = True
        text = np.frombuffer(self._text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        for begin in range(0, len(text), _PORTION):
            runs, known = is_letter[text[begin : begin + _PORTION + length]], 1
            while known < length:  # runs[i]: whether `known` letters stand from i on
                further = min(known, length - known)
                runs = runs[:-further] & runs[further:]
                known += further
            if runs.any():
                return True
        return False

    def _one_by_one(self, word: str, any_case: bool) -> list[int]:
        names = map(str.lower, self.names) if any_case else self.names
        if word.startswith("\n"):
            return [at for at, name in enumerate(names) if name.startswith(word[1:])]
        return [at for at, name in enumerate(names) if word in name]
