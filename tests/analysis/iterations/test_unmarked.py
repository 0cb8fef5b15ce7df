"""Steps of marked recordings are found again without their marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare.analysis.iterations.training import STEP
from tests.analysis.iterations.unmarked import compared, found_again, is_mark, recordings

DEMO = Path(__file__).resolve().parents[3] / "demo_logs"
MARKED = ("cpu_training", "cpu_repeat", "gpu_training_synthetic", "mlu_training_synthetic")
LEAST_EQUAL = 0.95


@pytest.mark.parametrize(("marker", "group"), [("", MARKED), (STEP, MARKED[2:]), ("detected", MARKED)])
def test_the_same_steps_of_the_same_length(marker: str, group: tuple[str, ...]) -> None:
    again = [
        found_again(recording, marker, "marker") for _, recording in recordings([str(DEMO / name) for name in group])
    ]
    assert len(again) >= 6
    assert all(one.found == one.marked - 1 for one in again)
    assert sum(one.alike for one in again) >= LEAST_EQUAL * sum(one.found for one in again)


def test_the_answer_is_the_same_without_marks() -> None:
    sides = [str(DEMO / "gpu_training_synthetic" / side) for side in ("baseline", "candidate")]
    marked, bare = (compared(sides, away).headline for away in (lambda name: False, is_mark))
    assert (marked.verdict, marked.ratio) == (bare.verdict, pytest.approx(bare.ratio, rel=0.01))
