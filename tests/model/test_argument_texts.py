"""Displayed texts of arguments."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.input_shapes import argument_text

VALUES = st.recursive(
    st.none() | st.integers() | st.floats() | st.booleans() | st.text(max_size=5), st.lists, max_leaves=6
)


@given(VALUES)
def test_a_value_is_shown_as_python_prints_it(value: object) -> None:
    assert argument_text(json.dumps(value)) == str(value)


@pytest.mark.parametrize("text", ["[1", "2]", "", "1,2", "nul", "[" * 100_000, "1" * 5000])
def test_a_value_that_is_not_json_is_shown_unchanged(text: str) -> None:
    assert argument_text(text) == text
