"""A short load on a real TensorBoard: answers stay right, nothing hangs, nothing is left; the long one is
`python -m benchmarks.load`."""

from __future__ import annotations

import pytest

from benchmarks.load import Load, markdown, percentile, run_load
from benchmarks.load_clients import BROKEN, HUNG, LEFT, RIGHT, WRONG

SHORT = Load(
    clients=10, seconds=1, rounds=1, kills=1, questions=8, wide=0, ranks=2, most_bytes=1500 * 2**20, settled_s=0.2,
    core_only=True,
)  # fmt: skip


def test_answers_under_a_short_load_are_those_of_a_server_at_rest() -> None:
    outcome = run_load(SHORT)
    (found,) = outcome.rounds
    kinds = found.tally.kinds
    assert (kinds[WRONG], kinds[HUNG], kinds[BROKEN]) == (0, 0, 0), found.tally.examples
    assert kinds[RIGHT] > 0
    assert kinds[LEFT] > 0
    assert found.killed > 0
    assert found.most_workers <= 2
    assert set(outcome.last) == {RIGHT}
    assert f"{kinds[RIGHT]:,} |" in markdown(outcome, SHORT)


@pytest.mark.parametrize(("percent", "value"), [(0, 1.0), (50, 51.0), (99, 100.0)])
def test_percentiles_are_by_rank(percent: float, value: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], percent) == value
    assert percentile([], percent) == 0.0
