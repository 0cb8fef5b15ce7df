"""Steps of marked recordings are found without their markers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare.analysis.iterations.training import STEP
from tests.analysis.iterations.unmarked import compared, found_again, is_mark, recordings

DEMO = Path(__file__).resolve().parents[3] / "demo_logs"
MARKED = ("cpu_training", "cpu_repeat", "gpu_training_synthetic", "mlu_training_synthetic")
LEAST_EQUAL = 0.95


@pytest.mark.parametrize(("marker", "group"), [("", MARKED), (STEP, MARKED[2:]), ("detected", MARKED)])
def test_without_markers_the_same_steps_are_found(marker: str, group: tuple[str, ...]) -> None:
    recovered = [
        found_again(recording, marker, "marker") for _, recording in recordings([str(DEMO / name) for name in group])
    ]
    assert len(recovered) >= 6
    assert all(run.found == run.marked - 1 for run in recovered)
    assert sum(run.equal for run in recovered) >= LEAST_EQUAL * sum(run.found for run in recovered)


def test_the_verdict_is_the_same_without_markers() -> None:
    sides = [str(DEMO / "gpu_training_synthetic" / side) for side in ("baseline", "candidate")]
    marked, bare = (compared(sides, removed).headline for removed in (lambda name: False, is_mark))
    assert (marked.verdict, marked.ratio) == (bare.verdict, pytest.approx(bare.ratio, rel=0.01))
