"""The string table: texts by number."""

from __future__ import annotations

from tb_perfcompare.model.strings import StringTable


def test_texts_added_together_are_found_and_not_added_again() -> None:
    strings = StringTable(["a"])
    strings.add_distinct(["b", "c"])
    assert [strings.find(text) for text in ("a", "b", "c", "d")] == [0, 1, 2, -1]
    assert [strings.intern(text) for text in ("c", "d", "a")] == [2, 3, 0]
    assert list(strings.texts) == ["a", "b", "c", "d"]


def test_a_hundred_texts_are_found() -> None:
    strings = StringTable()
    strings.add_distinct([str(n) for n in range(100)])
    assert [strings.find(str(n)) for n in range(101)] == [*range(100), -1]


def test_find_uses_the_known_order() -> None:
    strings = StringTable()
    strings.add_distinct(["b", "", "a"])
    assert strings.in_order().tolist() == [1, 2, 0]
    assert [strings.find(text) for text in ("a", "b", "", "aa", "c")] == [2, 0, 1, -1, -1]


def test_texts_by_their_beginning() -> None:
    strings = StringTable(["Iter 1", "aten::iter", "step_2", "ITERATION", "i", "st", "\u0130ter", "s\u017fx"])
    assert strings.beginning(["iter"]) == [0, 3, 6]
    assert strings.beginning(["step", "iter"]) == [0, 2, 3, 5, 6, 7]
    assert strings.beginning([]) == [6]
