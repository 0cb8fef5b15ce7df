"""Interned strings: every distinct text is stored once and columns hold its index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


class StringTable:
    """Distinct strings in order of first appearance; `intern` gives the index of a text.

    Built by a reader, read-only by convention once the recording exists.
    """

    __slots__ = ("_index", "_ranks", "_texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._index: dict[str, int] = {}
        self._ranks: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        for text in texts:
            self.intern(text)

    def intern(self, text: str) -> int:
        """Index of `text`, added if new."""
        index = self._index.get(text)
        if index is None:
            index = self._index[text] = len(self._texts)
            self._texts.append(text)
        return index

    def find(self, text: str) -> int:
        """Index of `text`, or -1."""
        return self._index.get(text, -1)

    def ranks(self) -> NDArray[np.int64]:
        """(n,) place of each string in sorted order: a tie-break that does not depend on file order."""
        if len(self._ranks) != len(self._texts):
            ranks = np.empty(len(self._texts), dtype=np.int64)
            ranks[sorted(range(len(self._texts)), key=self._texts.__getitem__)] = np.arange(len(self._texts))
            self._ranks = ranks
        return self._ranks

    def __getitem__(self, index: int) -> str:
        return self._texts[index]

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def texts(self) -> Sequence[str]:
        """All strings, position = index."""
        return self._texts
