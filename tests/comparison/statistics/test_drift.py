"""Drift: a change within a capture is found, scatter is not."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.statistics.drift import drift


def scattered(steps: int, seed: int, spread: float = 0.02) -> np.ndarray:
    return np.rint(1e6 * np.random.default_rng(seed).lognormal(0, spread, steps)).astype(np.int64)


@pytest.mark.parametrize("steps", [16, 100, 1000])
def test_a_change_half_way_is_found_with_its_size(steps: int) -> None:
    times = scattered(steps, 1)
    times[steps // 2 :] = times[steps // 2 :] * 11 // 10
    found = drift(times)
    assert found is not None
    assert abs(found.start - steps // 2) <= 1
    assert found.shift == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("steps", [12, 50, 400])
def test_noise_is_seldom_called_drift(steps: int) -> None:
    assert sum(drift(scattered(steps, seed, 0.2)) is not None for seed in range(200)) <= 6


def test_a_change_too_small_to_matter_is_none() -> None:
    assert drift(np.array([1000] * 10 + [1010] * 10)) is None


def test_few_or_equal_steps_have_no_drift() -> None:
    assert drift(np.array([1, 2, 3] * 3)) is None
    assert drift(np.full(30, 5)) is None
