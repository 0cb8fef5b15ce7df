"""Searching concatenated names finds what searching each name finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.names import joined_names as module
from tb_perfcompare.model.names.joined_names import JoinedNames

NAMES = st.lists(st.text("aAb0", max_size=6), max_size=12)


@pytest.mark.parametrize("many", [1, 1_000_000])
@given(NAMES, st.sampled_from(["a", "ab", "\na", "\nab", "b0"]), st.booleans())
def test_holding_finds_names_that_contain_a_word(many: int, names: list[str], word: str, any_case: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MANY", many)
        found = JoinedNames(names).holding(word, any_case=any_case)
    cased = [name.lower() if any_case else name for name in names]
    assert found == [at for at, name in enumerate(cased) if word in "\n" + name]


@given(NAMES, st.integers(1, 9))
def test_has_run_finds_runs_of_letters(names: list[str], length: int) -> None:
    assert JoinedNames(names).has_run("ab", length) == any(re.search(f"[ab]{{{length}}}", name) for name in names)


@given(NAMES)
def test_has_finds_a_pattern(names: list[str]) -> None:
    assert JoinedNames(names).has(re.compile("a0")) == any("a0" in name for name in names)


@pytest.mark.parametrize("names", [["a\nb"], ["\u00e4"], ["\n", "a"]])
def test_line_breaks_and_letters_beyond_ascii_are_not_plain(names: list[str]) -> None:
    assert not JoinedNames(names).is_plain
    assert JoinedNames(["a", "", "b"]).is_plain
