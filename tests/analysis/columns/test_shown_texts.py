"""Displayed texts of arguments, decoded in bulk or singly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns import shown_texts as module

VALUES = st.recursive(st.none() | st.integers() | st.booleans() | st.text(max_size=5), st.lists, max_leaves=6)


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_known", {})


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_values_are_shown_as_python_prints_them(values: list[object]) -> None:
    texts = [json.dumps(value) for value in values]
    assert module.shown_texts(texts) == [str(value) for value in values]


@given(st.lists(st.sampled_from(("[1,2]", "[1", "2]", "", "1,2", '""', "nul", "{}")), min_size=1, max_size=6))
def test_a_value_that_is_not_json_is_shown_unchanged(texts: list[str]) -> None:
    assert module.shown_texts(texts) == [{"[1,2]": "[1, 2]", '""': ""}.get(text, text) for text in texts]


def test_texts_beyond_the_cache_size_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_TEXTS", 2)
    for texts in (["[1]", "[2]", "[3]", "[4]"], [f"[{number}, 0]" for number in range(5)]):
        assert module.shown_texts(texts) == texts
        assert len(module._known) <= 2 * module._MAX_TEXTS
