"""alphabetical() gives the order of sorted()."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model import strings as module
from tb_perfcompare.model.strings import alphabetical

PIECES = st.sampled_from(
    ["", "aten::work_", "a", "b", "\x01", "\x7f", "~", "0123456789", "\u00e4", "\n", "\0", "x" * 70]
)
TEXTS = st.lists(st.lists(PIECES, max_size=6).map("".join), max_size=12, unique=True)
PLAIN = st.lists(st.text("ab\x01~", max_size=40), max_size=300, unique=True)


@pytest.mark.parametrize("texts", [TEXTS, PLAIN])
def test_alphabetical_equals_sorted(texts: st.SearchStrategy[list[str]]) -> None:
    @given(texts)
    def check(drawn: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_MANY", 1)
            found = alphabetical(drawn)
        assert [drawn[at] for at in found.tolist()] == sorted(drawn)

    check()


def test_fifty_thousand_texts_equal_sorted() -> None:
    texts = [f"aten::work_{n * 7919 % 50_021}" for n in range(50_021)] + ["aten::", "a" * 300, "a" * 299]
    assert [texts[at] for at in alphabetical(texts).tolist()] == sorted(texts)
