"""Short forms of kernel names."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.names.short_names import short_name, short_names, signature_of

CASES = json.loads((Path(__file__).parents[1] / "short_names.json").read_text("utf-8"))
"""frontend/test/ui/names.test.ts has the page make the same ones."""

LENGTH = 50_000
LEAST_S = 1e-5
"""Resolution of the clock."""

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


@pytest.mark.parametrize(
    "name",
    [
        lambda n: "<" * n,
        lambda n: "f::" * n,
        lambda n: f"void f<{'a_' * n}>(int)",
        lambda n: f"void f<{',' * n}>(int)",
        lambda n: f"void f<{'gpu_' * n}>(int)",
        lambda n: "_1x1" * n,
        lambda n: f"_Z1fI{'Z' * n}",
        lambda n: f"_Z{'1f' * n}",
        lambda n: f"void f<{'(a::' * n}>(int)",
    ],
    ids=[
        "brackets",
        "scopes",
        "one word",
        "arguments",
        "around an operation",
        "tiles",
        "local names",
        "mangled scopes",
        "casts",
    ],
)
def test_time_for_a_long_name_grows_with_its_length(name: Callable[[int], str]) -> None:
    """A hundred times the length takes about a hundred times as long; backtracking would take ten thousand."""
    short, long = (best_of_three([name(size), name(size + 1)]) for size in (LENGTH // 100, LENGTH))
    assert long < 1_000 * max(short, LEAST_S)


def best_of_three(names: list[str]) -> float:
    """Seconds that shortening takes."""
    took = []
    for _ in range(3):
        signature_of.cache_clear()
        start = time.process_time()
        short_names(names)
        took.append(time.process_time() - start)
    return min(took)


def grouped(keys: list[str], values: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, set()).add(value)
    return found
