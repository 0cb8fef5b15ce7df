"""Steps that fall into two groups are named; a spread or a few slow steps are not."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.statistics.drift import TwoGroups, two_groups


def grouped(*times: int) -> TwoGroups | None:
    return two_groups(np.array(times, dtype=np.int64))


def test_two_groups_have_their_sizes_and_medians() -> None:
    assert grouped(100, 101, 102, 150, 151, 155, 103) == TwoGroups(4, 101.5, 3, 151.0)


@pytest.mark.parametrize(
    "times",
    [
        (100, 110, 120, 130, 140, 150),  # evenly spread
        (100, 101, 102, 103, 104, 105, 200, 201),  # two slow steps are no group
        (100, 100, 100, 101, 101, 101),  # a gap that does not matter
        (100, 100, 100, 100, 100, 100),
        (100, 100, 200, 200),
        (),
    ],
)
def test_one_group_or_too_few_steps_have_no_groups(times: tuple[int, ...]) -> None:
    assert grouped(*times) is None


def test_groups_that_are_captures_are_not_named() -> None:
    times = np.array([100, 101, 102, 150, 151, 155, 103, 156], dtype=np.int64)
    own = np.array([0, 0, 0, 1, 1, 1, 0, 1], dtype=np.int32)
    mixed = np.array([0, 0, 1, 1, 0, 1, 0, 1], dtype=np.int32)
    assert two_groups(times, own) is None
    assert two_groups(times, mixed) == two_groups(times) is not None


@pytest.mark.parametrize("steps", [6, 10, 20, 100])
def test_normal_samples_seldom_have_groups(steps: int) -> None:
    random = np.random.default_rng(steps)
    samples = np.rint(random.normal(1e6, 2e5, (1000, steps))).astype(np.int64)
    assert sum(two_groups(sample) is not None for sample in samples) <= 25
