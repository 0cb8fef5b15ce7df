"""The headline's sentence with unusual figures."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.pace.words import with_sentence
from tb_perfcompare.comparison.result.headline import Basis, Part, Verdict
from tests.render.examples import headline

STILL = Part(0.0, -0.001, 0.001, 1.0, Verdict.SAME, rows=9, kept=9, coverage=0.9, tau=0.0)


def sentence(program: Part) -> str:
    recorded = headline(Verdict.SLOWER, basis=Basis.PROGRAM, machine=STILL, program=program)
    return with_sentence(recorded, (3, 3)).sentence


def test_a_thousandfold_change_is_not_a_percentage() -> None:
    grown = replace(STILL, estimate=46_098.37, low=46_000.0, high=46_200.0, verdict=Verdict.SLOWER)
    assert sentence(grown) == "Slower: the program takes 46,099 times as long (×46,001 to ×46,201)."


def test_a_twofold_change_is_a_percentage() -> None:
    grown = replace(STILL, estimate=1.19, low=1.11, high=1.28, verdict=Verdict.SLOWER)
    assert sentence(grown) == "Slower: the program takes 119 % longer (111 to 128 %)."


def test_one_capture_is_singular() -> None:
    (how,) = [
        fact.text
        for fact in with_sentence(headline(basis=Basis.PROGRAM, machine=STILL, program=STILL), (1, 1)).facts
        if fact.label == "Same work"
    ]
    assert how.endswith("1 and 1 capture")


def test_a_range_beyond_the_threshold_is_inconclusive_with_a_reason() -> None:
    """One step in each of three captures, or two captures that differ."""
    wide = replace(STILL, estimate=0.61, low=0.52, high=0.7, p=0.1, verdict=Verdict.INCONCLUSIVE)
    open_ = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=wide)
    for counts, few in (((3, 3), "steps"), ((2, 3), "captures")):
        text = with_sentence(open_, counts).sentence
        assert text == f"Inconclusive: the program changed by +52 to +70 %, from too few {few}."


def test_an_interval_that_spans_everything_is_inconclusive() -> None:
    anything = replace(STILL, estimate=1.03, low=-0.99995, high=8561.0, verdict=Verdict.INCONCLUSIVE)
    open_ = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=anything)
    result = with_sentence(open_, (2, 2))
    assert result.sentence == "Inconclusive: the captures differ too much to tell how the program changed."
    (line,) = [fact.text for fact in result.facts if fact.label == "Program"]
    assert "(<×0.01 to ×8,562)" in line
