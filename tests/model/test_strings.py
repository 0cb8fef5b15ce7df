"""Texts by number, however they were added."""

from __future__ import annotations

from tb_perfcompare.model.strings import StringTable


def test_texts_added_together_are_found_and_not_added_again() -> None:
    strings = StringTable(["a"])
    strings.add_distinct(["b", "c"])
    assert [strings.find(text) for text in ("a", "b", "c", "d")] == [0, 1, 2, -1]
    assert [strings.intern(text) for text in ("c", "d", "a")] == [2, 3, 0]
    assert list(strings.texts) == ["a", "b", "c", "d"]


def test_many_are_sought() -> None:
    strings = StringTable()
    strings.add_distinct([str(n) for n in range(100)])
    assert [strings.find(str(n)) for n in range(101)] == [*range(100), -1]
