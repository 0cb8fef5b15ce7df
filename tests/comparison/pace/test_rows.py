"""Which rows of the same work show the pace."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.pace.rows import WorkRows, row_changes


@pytest.mark.parametrize(("calls", "kept"), [(2.0, True), (4.0, False)])
def test_a_row_that_runs_more_often_has_to_change_as_the_others(calls: float, kept: bool) -> None:
    """Five kernels as before and one 8 % faster per launch: more launches are of other inputs."""
    keys = tuple((f"kernel{at}", "") for at in range(6))
    before, after = np.full((6, 4), 2.0), np.full((6, 4), 2.0)
    after[5] = calls
    times = before * 1000.0, after * 1000.0
    times[1][5] *= 0.92
    captures = np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32)
    changes = row_changes(WorkRows(keys, (before, after), times), captures)
    assert changes.kept.tolist() == [True] * 5 + [kept]
