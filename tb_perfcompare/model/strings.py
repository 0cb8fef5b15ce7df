"""Interned strings: every distinct text is stored once and columns hold its index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class StringTable:
    """Distinct strings in order of first appearance; `intern` gives the index of a text.

    Built by a reader, read-only by convention once the recording exists.
    """

    __slots__ = ("_index", "_texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._index: dict[str, int] = {}
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

    def __getitem__(self, index: int) -> str:
        return self._texts[index]

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def texts(self) -> Sequence[str]:
        """All strings, position = index."""
        return self._texts
