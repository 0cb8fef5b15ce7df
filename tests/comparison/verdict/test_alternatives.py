"""What could settle an open verdict: which choices are offered, and that each says what one gets who takes it."""

from __future__ import annotations

import re

import pytest

import tb_perfcompare
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison import alternatives
from tb_perfcompare.comparison.alternatives import with_alternatives
from tb_perfcompare.comparison.engine import Judged, compare_judged, judge_summaries
from tb_perfcompare.comparison.result.headline import Alternative, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.verdict.test_sensitivity import STEADY, run, slower
from tests.frontend_tools import ROOT

REPEAT = ROOT / "demo_logs" / "cpu_repeat"
NOISY = [1000, 1250, 900, 1100, 1180, 940, 1060, 1010, 1200, 930]


def offered(a: Summary, b: Summary) -> tuple[Alternative, ...]:
    judged = judge_summaries(a, b, CompareOptions())

    def narrow(of_a: tuple[int, int], of_b: tuple[int, int]) -> tuple[Summary, Summary]:
        return select_steps(a, of_a), select_steps(b, of_b)

    return with_alternatives(compare_judged(judged), judged, narrow).headline.alternatives


def rules(found: tuple[Alternative, ...]) -> list[tuple[str, str]]:
    return [(one.rule, one.arguments) for one in found]


def test_an_outlying_step_is_left_out_on_both_sides() -> None:
    a, b = [5000, *NOISY], [1000, *slower(NOISY, 1.02)]
    found = offered(run(a), run(b))
    assert rules(found)[0] == ("without_outliers", "--steps 1-10")
    assert found[0].what == "without step 0, far above the others" and found[0].n == (10, 10)


def test_from_the_middle_the_longest_stretch_stays() -> None:
    a = [*NOISY[:4], 9000, *NOISY[4:]]
    found = offered(run(a), run([1000, *slower(NOISY, 1.02)]))
    assert rules(found)[0] == ("without_outliers", "--steps 5-10") and found[0].what.startswith("only the longest")


def test_short_captures_may_begin_with_a_warm_up() -> None:
    found = offered(run(NOISY[:6]), run(slower(NOISY[:6], 1.02)))
    assert rules(found)[0] == ("after_warm_up", "--steps 1-5")
    assert found[0].what == "without the first step of each side"


def test_a_settled_verdict_has_none() -> None:
    assert offered(run(STEADY), run(slower(STEADY, 1.3))) == ()


def test_too_few_steps_are_no_choice() -> None:
    assert all(one.baseline_steps is None for one in offered(run(NOISY[:4]), run(slower(NOISY[:4], 1.02))))


@pytest.mark.parametrize(("spread", "offers"), [(40, ["record 5 more steps per side"]), (400, [])])
def test_more_steps_than_anybody_records_are_no_advice(spread: int, offers: list[str]) -> None:
    a, b = (
        [10000 + spread * one for one in ones] for ones in ((-3, 1, -1, 3, -2, 2, 0, 1), (-2, 2, -2, 3, -1, 2, 1, 2))
    )
    assert [one.what for one in offered(run(a), run(b)) if one.rule == "record_more"] == offers


def test_swapped_sides_have_the_same_choices_and_other_signs() -> None:
    a, b = run([5000, *NOISY]), run([1000, *slower(NOISY, 1.02)])
    forward, swapped = offered(a, b), offered(b, a)
    assert rules(forward) == rules(swapped)
    assert [one.delta for one in forward if one.verdict] == [-(one.delta or 0) for one in swapped if one.verdict]


@pytest.fixture(scope="module")
def repeated() -> Headline:
    return tb_perfcompare.compare(REPEAT / "run_1", REPEAT / "run_2").headline


def test_the_offers_are_at_most_three_and_recording_more_is_the_last(repeated: Headline) -> None:
    assert [one.rule for one in repeated.alternatives] == ["without_outliers", "other_window", "record_more"]
    last = repeated.alternatives[-1]
    assert last.verdict is None and last.more is not None and repeated.program is not None
    assert last.more[0] + 2 == repeated.program.captures_needed


def test_how_much_more_to_record_is_said_once(repeated: Headline) -> None:
    assert repeated.program is not None and repeated.certainty is not None
    text = f"{repeated.reason} {repeated.scope} {repeated.method} {repeated.facts} {repeated.sentence}"
    known = repeated.certainty
    for needed in (repeated.program.captures_needed, known.captures_needed, known.steps_needed):
        assert needed is not None and not re.search(rf"\b{needed:,}\b", text)


def test_a_probable_verdict_asks_for_more_recordings_only() -> None:
    a, b = run(STEADY), run(slower(STEADY, 1.012))
    assert compare_judged(judge_summaries(a, b, CompareOptions())).headline.verdict is Verdict.PROBABLY_SLOWER
    assert [(one.what, one.more) for one in offered(a, b)] == [("record one more step per side", (1, 1))]


def test_applying_an_alternative_gives_its_verdict(repeated: Headline) -> None:
    for one in repeated.alternatives[:2]:
        steps = None if one.baseline_steps is None else tuple(map(int, one.baseline_steps.split("-")))
        taken = tb_perfcompare.compare(
            REPEAT / "run_1", REPEAT / "run_2", steps=steps, options=CompareOptions(window=one.step_window or "device")
        ).headline
        said = one.verdict, one.sentence, one.delta, one.ratio, one.n
        assert said == (taken.verdict, taken.sentence, taken.delta, taken.ratio, taken.n)


def test_the_other_window_is_judged_with_what_the_comparison_found(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[Summary] = []

    def counting(a: Summary, b: Summary, options: CompareOptions) -> Judged:
        judged.append(a)
        return judge_summaries(a, b, options)

    monkeypatch.setattr(alternatives, "judge_summaries", counting)
    found = tb_perfcompare.compare(REPEAT / "run_1", REPEAT / "run_2").headline.alternatives
    assert [one.rule for one in found[:2]] == ["without_outliers", "other_window"] and len(judged) == 1
