"""How clear "probably" has to be: the interval excludes zero and reaches into the threshold."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.pace.program import PROBABLY_SHARE, program_part
from tb_perfcompare.comparison.result.headline import Verdict
from tests.simulation.parts import OPTIONS, at_one_pace
from tests.simulation.worlds import World, drawn

PROBABLY = (Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)


@pytest.mark.parametrize(("captures", "change"), [(1, 0.05), (3, 0.012)])
def test_a_small_change_is_probable_at_a_fifth_of_alpha_and_otherwise_inconclusive(
    captures: int, change: float
) -> None:
    clear = PROBABLY_SHARE * OPTIONS.alpha
    worlds = [drawn(World(captures=captures, steps=30 // captures, change=change), seed) for seed in range(50)]
    parts = [program_part(at_one_pace(world, OPTIONS.alpha), OPTIONS) for world in worlds]
    probable = [part.estimate.p for part in parts if part.verdict in PROBABLY]
    assert probable and max(probable) <= clear
    unclear = [part for part in parts if 1e-6 < part.estimate.theta_low < OPTIONS.margin and part.estimate.p > clear]
    assert {part.verdict for part in unclear} == {Verdict.INCONCLUSIVE}
