"""Two sequences of launches side by side: what is matched, replaced, added and removed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_perfcompare.comparison.launches import edit_path
from tb_perfcompare.comparison.launches.alignment import align
from tb_perfcompare.comparison.launches.edit_path import Agreement
from tb_perfcompare.comparison.launches.rows import MAX_UNEQUAL, STATUSES, launch_rows
from tests.listings.drawn import drawn, letters
from tests.thorough import sample

SEQUENCES = st.lists(st.integers(0, 4), max_size=40).map(lambda numbers: np.array(numbers, dtype=np.int64))
LONG = 20_000


def picture(a: str, b: str) -> str:
    """One word per row: "x" on both sides, "-x" removed, "+x" added, "x>y" replaced."""
    rows = launch_rows(letters(a), letters(b))
    assert rows is not None
    words = {
        "both": lambda i, j: a[i], "removed": lambda i, j: f"-{a[i]}", "added": lambda i, j: f"+{b[j]}",
        "replaced": lambda i, j: f"{a[i]}>{b[j]}",
    }  # fmt: skip
    return " ".join(
        words[STATUSES[status]](i, j)
        for i, j, status in zip(rows.at_a.tolist(), rows.at_b.tolist(), rows.status.tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("a", "b", "rows"),
    [
        ("abc", "abc", "a b c"),
        ("abc", "abxc", "a b +x c"),
        ("abxc", "abc", "a b -x c"),
        ("abc", "axc", "a b>x c"),
        ("abcd", "axyd", "a b>x c>y d"),
        ("abab", "ababab", "a b a b +a +b"),
        ("abababab", "axaxaxax", "a b>x a b>x a b>x a b>x"),
        ("ab", "xy", "a>x b>y"),
        ("a", "a", "a"),
    ],
)
def test_launches_are_matched_by_kernel_and_order(a: str, b: str, rows: str) -> None:
    assert picture(a, b) == rows


def test_the_longest_of_several_launches_is_the_replaced_one() -> None:
    rows = launch_rows(drawn("a, bias 1, product 9, gelu 2, z"), drawn("a, fused 8, z"))
    assert rows is not None
    assert rows.at_b.tolist() == [0, -1, 1, -1, 2]
    assert [STATUSES[s] for s in rows.status.tolist()] == ["both", "removed", "replaced", "removed", "both"]


def test_a_long_uneven_stretch_has_no_replacements() -> None:
    many = "".join(chr(ord("A") + i) for i in range(MAX_UNEQUAL + 1))
    assert ">" in picture(f"a{many[:-1]}z", "axz")
    assert ">" not in picture(f"a{many}z", "axz")


@given(SEQUENCES, SEQUENCES)
def test_the_longest_common_subsequence_is_matched(a: np.ndarray, b: np.ndarray) -> None:
    found = align(a, b)
    assert a[found.at_a].tolist() == b[found.at_b].tolist()
    assert (np.diff(found.at_a) > 0).all() and (np.diff(found.at_b) > 0).all()
    assert len(found.at_a) == _longest_common(a.tolist(), b.tolist())


@given(SEQUENCES, SEQUENCES)
def test_swapping_the_sides_swaps_the_matches(a: np.ndarray, b: np.ndarray) -> None:
    forward, swapped = align(a, b), align(b, a)
    assert forward.at_a.tolist() == swapped.at_b.tolist()
    assert forward.at_b.tolist() == swapped.at_a.tolist()


@settings(max_examples=sample(500, 100))
@given(st.integers(0, 2**32), st.sampled_from((2, 5, 30)))
def test_long_sequences_are_aligned_piece_by_piece_and_mirror_too(seed: int, kernels: int) -> None:
    random = np.random.default_rng(seed)
    a = random.integers(0, kernels, LONG)
    b = np.delete(a, random.integers(0, LONG, LONG // 50))
    changed = random.integers(0, len(b), LONG // 50)
    b[changed] = random.integers(0, kernels, len(changed))
    forward, swapped = align(a, b), align(b, a)
    assert a[forward.at_a].tolist() == b[forward.at_b].tolist()
    assert (np.diff(forward.at_a) > 0).all() and (np.diff(forward.at_b) > 0).all()
    assert forward.at_a.tolist() == swapped.at_b.tolist() and forward.at_b.tolist() == swapped.at_a.tolist()
    assert forward.unaligned == ()
    assert len(forward.at_a) >= 0.95 * LONG


@pytest.mark.parametrize("extra", [1, 7])
def test_more_iterations_of_the_same_program_are_added(extra: int) -> None:
    program = np.random.default_rng(1).integers(0, 30, 500)
    found = align(np.tile(program, 100), np.tile(program, 100 + extra))
    assert len(found.at_a) == 100 * 500
    assert found.unaligned == ()


def test_long_unlike_sequences_are_reported_as_unaligned() -> None:
    random = np.random.default_rng(2)
    a, b = random.integers(0, 1000, 2 * LONG), random.integers(0, 1000, 2 * LONG)
    a[0] = b[0] = 7
    found = align(a, b)
    assert found.at_a.tolist()[:1] == [0]
    assert len(found.unaligned) >= 1
    assert len(found.at_a) < LONG / 10


def test_matches_after_an_unlike_stretch_are_found() -> None:
    random = np.random.default_rng(3)
    strange = random.integers(0, 100, (2, LONG))
    alike = random.integers(0, 100, (3, LONG))
    a = np.concatenate([alike[0], strange[0], alike[1], strange[1], alike[2]])
    b = np.concatenate([alike[0], strange[1][::-1], alike[1], strange[0][::-1], alike[2]])
    b[[100, 3 * LONG - 100, 5 * LONG - 100]] += 1  # no plain copies: the ends need a search
    found = align(a, b)
    matched = set(zip(found.at_a.tolist(), found.at_b.tolist(), strict=True))
    for begin in (0, 2 * LONG, 4 * LONG):
        assert sum((i, i) in matched for i in range(begin, begin + LONG)) > 0.98 * LONG
    assert len(found.unaligned) == 2


def test_a_search_without_budget_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_path.Budget, "spend", lambda self, places: False)
    found = align(np.array([1, 2, 3, 4, 9]), np.array([1, 3, 2, 4, 9]))
    assert found.at_a.tolist() == [0, 3, 4]
    assert found.unaligned == (1,)


@given(SEQUENCES, SEQUENCES)
def test_runs_of_equal_elements_are_counted_exactly(a: np.ndarray, b: np.ndarray) -> None:
    places = np.array(list(product(range(len(a) + 1), range(len(b) + 1))), dtype=np.int64)
    runs = Agreement(a, b).runs(places[:, 0], places[:, 1])
    for (x, y), run in zip(places.tolist(), runs.tolist(), strict=True):
        end = next((i for i, (p, q) in enumerate(zip(a[x:], b[y:], strict=False)) if p != q), None)
        assert run == (min(len(a) - x, len(b) - y) if end is None else end)


def _longest_common(a: list[int], b: list[int]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        last = row
        row = [0]
        for j, y in enumerate(b):
            row.append(last[j] + 1 if x == y else max(last[j + 1], row[j]))
    return row[-1]
