"""Short forms of kernel names, the same here and in the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.short_names import short_name, short_names

CASES = json.loads((Path(__file__).parents[1] / "short_names.json").read_text("utf-8"))
"""frontend/test/text.test.ts has the page make the same ones."""

pieces = st.sampled_from(
    ["void ", "at::native::", "(anonymous namespace)::", "foo", "kernel", "<", ">", ", ", "(", ")", "4", "AddFunctor",
     "128x64", "{lambda()#1}", "float", " "]
)  # fmt: skip
signatures = st.lists(pieces, min_size=4, max_size=16).map("".join)


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_names_become_short(case: dict[str, Any]) -> None:
    assert short_names(case["names"]) == case["short"]


@given(st.lists(signatures, max_size=8))
def test_different_names_stay_different(names: list[str]) -> None:
    made = short_names(names)
    clashes = {text for text, group in grouped(made, names).items() if len(group) > 1}
    assert not clashes


@given(signatures)
def test_a_short_name_is_not_empty(name: str) -> None:
    assert short_name(name).strip() or not name.strip()


def grouped(keys: list[str], values: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, set()).add(value)
    return found
