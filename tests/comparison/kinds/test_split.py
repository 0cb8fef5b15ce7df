"""The change of the mean by time and by mix."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.kinds.split import MAX_KINDS, OTHERS, MixSplit, mix_text, split_mix
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean

SIDE = st.lists(st.tuples(st.sampled_from("pdq"), st.integers(0, 10**12)), min_size=1, max_size=30)


def split(a: list[tuple[str, int]], b: list[tuple[str, int]]) -> MixSplit | None:
    kinds = [kind for kind, _ in a], [kind for kind, _ in b]
    times = np.array([ns for _, ns in a], dtype=np.int64), np.array([ns for _, ns in b], dtype=np.int64)
    return split_mix(kinds, times)


def effects(found: MixSplit | None) -> dict[str, tuple[int, int]]:
    assert found is not None
    return dict(zip(found.kinds, zip(found.time_ns.tolist(), found.mix_ns.tolist(), strict=True), strict=True))


def test_slower_decodes_at_the_same_mix_are_an_effect_of_time() -> None:
    found = effects(split([("p", 900), ("d", 300), ("d", 300)], [("p", 900), ("d", 360), ("d", 360)]))
    assert found == {"d": (40, 0), "p": (0, 0)}


def test_more_decodes_are_an_effect_of_mix() -> None:
    found = effects(split([("p", 900), ("d", 300)], [("p", 900), ("d", 300), ("d", 300), ("d", 300)]))
    assert [time for time, _ in found.values()] == [0, 0]
    assert sum(mix for _, mix in found.values()) == 450 - 600


def test_slower_kinds_behind_a_faster_mix_are_separated() -> None:
    found = split([("p", 900), ("d", 300)], [("p", 990), ("d", 330), ("d", 330), ("d", 330)])
    assert found is not None
    assert (int(found.time_ns.sum()), found.total_ns) == (60, -105)


def test_a_kind_of_one_side_has_no_effect_of_time() -> None:
    found = effects(split([("p", 900), ("d", 300)], [("d", 300), ("d", 300)]))
    assert found == {"d": (0, -150), "p": (0, -150)}


def test_without_kinds_of_both_sides_only_the_mix_is_named() -> None:
    found = split([("p", 900), ("d", 300)], [("q", 990), ("q", 330)])
    assert found is not None and mix_text(found) == "no kind is on both sides (q 0 % → 100 %)"
    shared = split([("p", 900), ("d", 300)], [("p", 990), ("q", 330)])
    assert shared is not None and mix_text(shared).startswith("at the baseline's mix of iterations +45.0 ns")


def test_more_of_a_longer_kind_is_mostly_mix() -> None:
    prefill, decode = [("p", 900)], [("d", 300)]
    few, many = prefill + 5 * decode, 3 * prefill + 3 * decode
    for found in (split(few, many), split(many, few)):
        assert found is not None and found.is_mostly_mix
    slower = split(few, [("p", 1800)] + 5 * [("d", 600)])
    assert slower is not None and not slower.is_mostly_mix


def test_one_kind_has_no_split() -> None:
    assert split([("d", 1)], [("d", 2), ("d", 3)]) is None


def test_rare_kinds_are_pooled() -> None:
    many = [(str(number), number) for number in range(MAX_KINDS + 5)]
    found = split(many, many)
    assert found is not None and found.kinds[-1] == OTHERS and len(found.kinds) == MAX_KINDS + 1


@given(SIDE, SIDE)
def test_the_effects_add_up_exactly(a: list[tuple[str, int]], b: list[tuple[str, int]]) -> None:
    found = split(a, b)
    if found is None:
        return
    means = [exact_mean(np.array([ns for _, ns in side], dtype=np.int64)) for side in (a, b)]
    assert int(found.time_ns.sum()) + int(found.mix_ns.sum()) == found.total_ns == round(means[1] - means[0])
    itself = split(a, a)
    assert itself is None or not (itself.time_ns.any() or itself.mix_ns.any())
