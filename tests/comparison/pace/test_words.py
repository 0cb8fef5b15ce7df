"""The headline's sentence with unusual figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.pace.words.phrases import speed_text, takes_text
from tb_perfcompare.comparison.pace.words.sentence import with_sentence
from tb_perfcompare.comparison.result.headline import AmountFacts, Basis, Certainty, PaceFacts, Part, Verdict
from tb_perfcompare.number_text import times
from tests.render.examples import headline

STILL = Part(0.0, -0.001, 0.001, 1.0, Verdict.SAME, rows=9, kept=9, coverage=0.9, tau=0.0)


def sentence(program: Part) -> str:
    recorded = headline(Verdict.SLOWER, basis=Basis.PROGRAM, machine=STILL, program=program)
    return with_sentence(recorded, (3, 3)).sentence


def test_a_thousandfold_change_is_not_a_percentage() -> None:
    grown = replace(STILL, estimate=46_098.37, low=46_000.0, high=46_200.0, verdict=Verdict.SLOWER)
    assert sentence(grown) == "Slower: the program takes 46,099 times as long (×46,001 to ×46,201)."


def test_a_change_is_a_multiple_where_its_interval_is() -> None:
    grown = replace(STILL, estimate=9.4, low=8.5, high=12.0, verdict=Verdict.SLOWER)
    assert sentence(grown) == "Slower: the program takes 10 times as long (×9.5 to ×13)."


def test_a_twofold_change_is_a_percentage() -> None:
    grown = replace(STILL, estimate=1.19, low=1.11, high=1.28, verdict=Verdict.SLOWER)
    assert sentence(grown) == "Slower: the program takes 119 % longer (111 to 128 %)."


def test_two_times_is_twice_but_not_for_speeds() -> None:
    assert [times(factor) for factor in (1.9, 2.0, 2.2)] == ["1.9 times", "twice", "2.2 times"]
    assert speed_text(replace(STILL, estimate=1.0)) == "2 times slower"


def test_a_time_that_did_not_change_is_as_long() -> None:
    assert takes_text(replace(STILL, estimate=0.001, low=-0.96, high=21.0)) == "as long (×0.04 to ×22)"


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
    for counts, few in (((3, 3), "the steps"), ((2, 3), "2 and 3 captures")):
        text = with_sentence(open_, counts).sentence
        assert text == f"Inconclusive: the program changed by +52 to +70 %, but {few} are too few."


def test_the_mean_is_at_equal_work_too() -> None:
    """The mean step grew by 50 %, all of it by more work."""
    little = replace(STILL, low=-0.06, high=0.06, verdict=Verdict.INCONCLUSIVE)
    work = AmountFacts("aten::argmax", "calls", 10.0, 16.0, 0.6, -0.1, 1.9, 0.2, False, 0.5, 0.9)
    open_ = replace(
        headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=little),
        baseline=1000.0, candidate=1500.0, amount=work,
    )  # fmt: skip
    result = with_sentence(open_, (3, 3))
    assert result.sentence == "Inconclusive: the program changed by −6 to +6 % at equal work."
    sentence = with_sentence(replace(open_, amount=None), (3, 3)).sentence
    assert sentence.endswith("; a few long steps move the mean by +50 %.")
    (line,) = [fact.text for fact in result.facts if fact.label == "Amount of work"]
    assert line.startswith("+60 % (−10 to +190 %) by calls of aten::argmax per step, p = 0.2")


@pytest.mark.parametrize(
    ("mean_ns", "words"),
    [
        (1_040.0, "the program changed by less than 1 %"),
        (1_090.0, "the typical step changed by under 1 %, the mean by +9 %"),
    ],
)
def test_the_same_typical_step_may_have_another_mean(mean_ns: float, words: str) -> None:
    """Each tenth step writes a checkpoint."""
    same = replace(
        headline(Verdict.SAME, basis=Basis.PROGRAM, machine=STILL, program=STILL), baseline=1_000.0, candidate=mean_ns
    )
    assert with_sentence(same, (3, 3)).sentence == f"Same: {words}."


def test_an_interval_that_spans_everything_is_inconclusive() -> None:
    anything = replace(STILL, estimate=1.03, low=-0.99995, high=8561.0, verdict=Verdict.INCONCLUSIVE)
    open_ = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=anything)
    result = with_sentence(open_, (2, 2))
    assert result.sentence == "Inconclusive: the captures differ too much to tell how the program changed."
    (line,) = [fact.text for fact in result.facts if fact.label == "Program"]
    assert "(<×0.01 to ×8,562)" in line


def words_of(machine: float, low: float, high: float) -> tuple[str, str]:
    """The sentence, and the machine's line, of a host that is 19 % faster and a device twice as slow."""
    paces = tuple(
        PaceFacts(of, 9, 9, 0.9, 0.0, 0.5, estimate, estimate) for of, estimate in (("host", -0.19), ("device", 1.0))
    )
    wide = replace(STILL, estimate=0.07, low=-0.43, high=1.09, verdict=Verdict.INCONCLUSIVE)
    part = replace(STILL, estimate=machine, low=low, high=high, verdict=Verdict.INCONCLUSIVE)
    found = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=part, program=wide, paces=paces)
    worded = with_sentence(found, (3, 3))
    return worded.sentence, next(fact.text for fact in worded.facts if fact.label == "Machine")


def test_a_clear_pace_of_these_captures_is_reported_though_the_program_is_open() -> None:
    sentence, line = words_of(0.8, 0.22, 1.67)
    assert sentence == "Inconclusive: in these captures the same work runs 1.8 times slower; program −43 to +109 %."
    assert line == "the same work takes 80 % longer (22 to 167 %) (host −19 %, device +100 %)"


def test_a_far_pace_of_these_captures_is_reported_though_others_may_not_show_it() -> None:
    assert words_of(0.8, -0.5, 5.0)[0].startswith("Inconclusive: in these captures the same work runs 1.8 times ")
    assert words_of(0.3, -0.5, 5.0)[0].startswith("Inconclusive: the program changed by ")


def test_the_machine_is_not_slower_than_both_its_paces() -> None:
    sentence, line = words_of(-0.3, -0.5, -0.1)
    assert sentence == "Inconclusive: the program changed by −43 to +109 %."
    assert line == "no clear effect on the step, −50 to −10 % (host −19 %, device +100 %)"


def test_a_machine_just_outside_its_paces_has_an_effect() -> None:
    assert words_of(-0.2, -0.25, -0.15)[1].startswith("the same work takes 20 % less time (15 to 25 %)")


def test_a_mean_far_outside_the_programs_range_is_named_beside_the_typical_step() -> None:
    """One step in three has a long pause: the typical step hides it."""
    program = replace(STILL, estimate=-0.03, low=-0.088, high=0.03, verdict=Verdict.INCONCLUSIVE)
    open_ = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=program)
    for mean, sentence in (
        (46.3, "Inconclusive: the typical step changed by −8.8 to +3 %; a few long steps move the mean by +76 %."),
        (27.0, "Inconclusive: the program changed by −8.8 to +3 %."),
    ):
        assert with_sentence(replace(open_, baseline=26.3, candidate=mean), (3, 3)).sentence == sentence


def test_a_range_without_zero_says_why_it_decides_nothing() -> None:
    """Its end near zero lies within the threshold, and "probably" needs a smaller p."""
    program = replace(STILL, estimate=0.077, low=0.0045, high=0.39, verdict=Verdict.INCONCLUSIVE)
    open_ = headline(Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=program)
    for mean, counts, sentence in (
        (28.0, (2, 2), "the program changed by +0.45 to +39 %, but 2 and 2 captures are too few."),
        (28.0, (4, 4), "the program changed by +0.45 to +39 %, but the steps are too few."),
        (52.0, (2, 2), "the typical step changed by +0.45 to +39 %, but 2 and 2 captures are too few; a few long "
         "steps move the mean by +98 %."),
    ):  # fmt: skip
        text = with_sentence(replace(open_, baseline=26.3, candidate=mean), counts).sentence
        assert text == f"Inconclusive: {sentence}"


@pytest.mark.parametrize(
    ("estimate", "high", "mean", "sentence"),
    [
        (0.039, 0.15, 67.4, "the typical step takes 3.9 % longer (1.2 to 15 %), the mean 172 % longer"),
        (0.039, 0.15, 12.4, "the typical step takes 3.9 % longer (1.2 to 15 %), the mean 50 % less time"),
        (0.039, 0.15, 29.0, "the program takes 3.9 % longer (1.2 to 15 %)"),
        (0.039, 0.9, 29.0, "the program takes 3.9 % longer (1.2 to 90 %)"),
        (0.5, 0.6, 67.4, "the program takes 50 % longer (1.2 to 60 %)"),
    ],
)
def test_a_verdict_on_the_typical_step_names_a_mean_far_outside_its_range(
    estimate: float, high: float, mean: float, sentence: str
) -> None:
    program = replace(STILL, estimate=estimate, low=0.012, high=high, verdict=Verdict.PROBABLY_SLOWER)
    decided = headline(Verdict.PROBABLY_SLOWER, basis=Basis.PROGRAM, machine=STILL, program=program)
    found = with_sentence(replace(decided, baseline=24.8, candidate=mean), (3, 3)).sentence
    assert found == f"Probably slower: {sentence}."


@pytest.mark.parametrize(
    ("counts", "low", "says"),
    [
        ((1, 1), 5.58, "Inconclusive: the mean step changed by ×6.6 to ×55; the typical step is open."),
        ((3, 3), 5.58, "Inconclusive: the mean step changed by ×6.6 to ×55; the typical step is open."),
        ((3, 3), -0.5, "Inconclusive: the captures differ too much to tell how the program changed."),
    ],
)
def test_the_mean_step_is_told_where_the_typical_one_may_be_anything(
    counts: tuple[int, int], low: float, says: str
) -> None:
    """Two of six steps wait 1.7 s for data, the others do not wait."""
    anything = replace(STILL, estimate=8.0, low=-0.7, high=328.0, verdict=Verdict.INCONCLUSIVE)
    certainty = Certainty(0.0, "negligible", low, 53.6, True, 0.0, None, None, counts, None, None)
    open_ = headline(
        Verdict.INCONCLUSIVE, basis=Basis.PROGRAM, machine=STILL, program=anything, certainty=certainty,
        baseline=20_700.0, candidate=588_000.0,
    )  # fmt: skip
    assert with_sentence(open_, counts).sentence == says
