"""Memory of results is bounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.workspace.sharing.byte_cache import ByteCache, size_of
from tests.analysis.summaries import summary
from tests.drawn_runs import drawn_trace


def test_the_least_recently_used_value_leaves_first() -> None:
    cache: ByteCache[np.ndarray] = ByteCache(350)
    for name in "abc":
        if name == "c":
            assert cache.get("a") is not None
        cache.put(name, np.zeros(100, dtype=np.int8))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.get("c") is not None


def test_a_value_larger_than_the_limit_is_not_kept_and_forgets_the_old_one() -> None:
    cache: ByteCache[np.ndarray] = ByteCache(100)
    cache.put("a", np.zeros(10, dtype=np.int8))
    cache.put("a", np.zeros(200, dtype=np.int8))
    assert cache.get("a") is None
    assert cache._used == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 120)), max_size=40))
def test_the_limit_holds_after_every_put(puts: list[tuple[int, int]]) -> None:
    cache: ByteCache[np.ndarray] = ByteCache(300)
    for key, size in puts:
        cache.put(key, np.zeros(size, dtype=np.int8))
        assert cache._used <= 300
    kept = [key for key in range(6) if cache.get(key) is not None]
    assert len(cache) == len(kept)


def test_what_may_be_better_soon_is_kept_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: ByteCache[np.ndarray] = ByteCache(1_000)
    value = np.zeros(1, dtype=np.int8)
    cache.put("whole", value)
    cache.put("lacks a file", value, provisional=True)
    assert cache.find("whole") == (value, False)
    assert cache.find("lacks a file") == (value, True)
    monkeypatch.setattr("time.monotonic", lambda: float("inf"))
    assert cache.find("whole") == (value, False)
    assert cache.find("lacks a file") is None
    assert len(cache) == 1


def test_keys_count_too() -> None:
    cache: ByteCache[np.ndarray] = ByteCache(10_000)
    for number in range(1_000):
        cache.put((number, "a long question " * 20), np.zeros(1, dtype=np.int8))
    assert 10 < len(cache) < 30


def test_the_size_of_a_summary_counts_its_arrays() -> None:
    small, large = summary(drawn_trace(steps=2)), summary(drawn_trace(steps=50))
    assert size_of(large) - size_of(small) > 48 * 8 * 3 * len(large.owned.key)
