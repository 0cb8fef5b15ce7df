"""How clear "probably" has to be: the interval excludes zero and reaches into the threshold."""

from __future__ import annotations

from tb_perfcompare.comparison.pace.program import PROBABLY_SHARE, program_part
from tb_perfcompare.comparison.result.headline import Verdict
from tests.simulation.parts import OPTIONS, at_one_pace
from tests.simulation.worlds import World, drawn

PROBABLY = (Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)


def test_a_small_change_is_probable_at_a_fifth_of_alpha_and_otherwise_inconclusive() -> None:
    clear = PROBABLY_SHARE * OPTIONS.alpha
    parts = [program_part(at_one_pace(drawn(World(change=0.012), seed), OPTIONS.alpha), OPTIONS) for seed in range(50)]
    probable = [part.estimate.p for part in parts if part.verdict in PROBABLY]
    assert probable and max(probable) <= clear
    above_zero = [part for part in parts if part.estimate.theta_low > 1e-6 and part.estimate.p > clear]
    assert {part.verdict for part in above_zero} == {Verdict.INCONCLUSIVE}
