"""Alternatives that could settle an inconclusive verdict, each with the verdict that it gives."""

from __future__ import annotations

import re

import pytest

import tb_perfcompare
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps, without_steps
from tb_perfcompare.comparison.alternatives import other_steps
from tb_perfcompare.comparison.alternatives.alternatives import with_alternatives
from tb_perfcompare.comparison.alternatives.record_more import more_in_words, record_more
from tb_perfcompare.comparison.engine import compare_judged
from tb_perfcompare.comparison.judged import Judged, judge_summaries
from tb_perfcompare.comparison.result.headline import Alternative, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions, ExperimentLook
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.verdict.test_sensitivity import STEADY, run, slower
from tests.machine.frontend_tools import ROOT

REPEAT = ROOT / "demo_logs" / "cpu_repeat"
NOISY = [1000, 1250, 900, 1100, 1180, 940, 1060, 1010, 1200, 930]


def alternatives_of(a: Summary, b: Summary) -> tuple[Alternative, ...]:
    judged = judge_summaries(a, b, CompareOptions())

    def narrow(of_a: tuple[int, int], of_b: tuple[int, int]) -> tuple[Summary, Summary]:
        return select_steps(a, of_a), select_steps(b, of_b)

    return with_alternatives(compare_judged(judged), judged, narrow, without_steps).headline.alternatives


def rules(found: tuple[Alternative, ...]) -> list[tuple[str, str]]:
    return [(each.rule, each.arguments) for each in found]


def test_an_outlying_step_is_dropped_on_both_sides() -> None:
    a, b = [5000, *NOISY], [1000, *slower(NOISY, 1.02)]
    found = alternatives_of(run(a), run(b))
    assert rules(found)[0] == ("without_outliers", "--steps 1-10")
    assert found[0].what == "without step 0, far above the others" and found[0].n == (10, 10)


def test_an_outlier_in_the_middle_leaves_the_longest_run_of_steps() -> None:
    a = [*NOISY[:4], 9000, *NOISY[4:]]
    found = alternatives_of(run(a), run([1000, *slower(NOISY, 1.02)]))
    assert rules(found)[0] == ("without_outliers", "--steps 5-10") and found[0].what.startswith("only the longest")


def test_short_captures_offer_to_drop_the_first_step() -> None:
    found = alternatives_of(run(NOISY[:6]), run(slower(NOISY[:6], 1.02)))
    assert rules(found)[0] == ("after_warm_up", "--steps 1-5")
    assert found[0].what == "without the first step of each side"


def test_captures_of_one_side_that_lie_apart_are_compared_with_each_other() -> None:
    """The candidate has a slow state, in which two of its captures were recorded."""
    a = pool([run(STEADY, span=span) for span in "123"])
    b = pool([run(slower(STEADY, by), span=span) for by, span in ((1, "4"), (3, "5"), (2.5, "6"))])
    first = alternatives_of(a, b)[0]
    assert (first.rule, first.side, first.spans) == ("captures_apart", "candidate", ("4", "5"))
    assert first.what == "the candidate's span 5 (3.00 ms) against its span 4 (1.00 ms)"
    alone = judge_summaries(run(STEADY, span="4"), run(slower(STEADY, 3), span="5"), CompareOptions()).headline
    assert (first.verdict, first.sentence, first.delta) == (alone.verdict, alone.sentence, alone.delta)


@pytest.mark.parametrize("factors", [(1, 1.1, 1.15), (1, 1, 1)])
def test_captures_that_differ_a_little_are_not_compared(factors: tuple[float, ...]) -> None:
    a = pool([run(NOISY, span=span) for span in "123"])
    b = pool([run(slower(NOISY, by), span=span) for by, span in zip(factors, "456", strict=True)])
    assert "captures_apart" not in [each.rule for each in alternatives_of(a, b)]


def test_a_clear_verdict_has_no_alternatives() -> None:
    assert alternatives_of(run(STEADY), run(slower(STEADY, 1.3))) == ()


def test_four_steps_are_too_few_to_drop_any() -> None:
    assert all(each.baseline_steps is None for each in alternatives_of(run(NOISY[:4]), run(slower(NOISY[:4], 1.02))))


@pytest.mark.parametrize(("spread", "offers"), [(40, ["record 5 more steps per side"]), (400, [])])
def test_recording_thousands_of_steps_is_not_advised(spread: int, offers: list[str]) -> None:
    a, b = ([10000 + spread * us for us in side] for side in ((-3, 1, -1, 3, -2, 2, 0, 1), (-2, 2, -2, 3, -1, 2, 1, 2)))
    assert [each.what for each in alternatives_of(run(a), run(b)) if each.rule == "record_more"] == offers


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((0, 2), "record 2 more captures of the candidate"),
        ((1, 0), "record one more capture of the baseline"),
        ((1, 1), "record one more capture per side"),
        ((3, 3), "record 3 more captures per side"),
        ((1, 6), "record one more capture of the baseline and 6 of the candidate"),
    ],
)
def test_only_sides_that_lack_captures_are_advised_to_record_more(more: tuple[int, int], words: str) -> None:
    assert more_in_words(more, "captures") == words


def test_swapped_sides_have_the_same_alternatives_with_opposite_signs() -> None:
    a, b = run([5000, *NOISY]), run([1000, *slower(NOISY, 1.02)])
    forward, swapped = alternatives_of(a, b), alternatives_of(b, a)
    assert rules(forward) == rules(swapped)
    assert [each.delta for each in forward if each.verdict] == [-(each.delta or 0) for each in swapped if each.verdict]


@pytest.fixture(scope="module")
def repeated() -> Headline:
    return tb_perfcompare.compare(REPEAT / "run_1", REPEAT / "run_2").headline


def test_the_other_window_has_a_sentence_where_the_pace_is_not_known() -> None:
    """No shapes were recorded."""
    def side(*steps: int) -> Summary:
        trace, at = TraceBuilder(vendor="cpu"), 0
        for number, us in enumerate(steps):
            trace.step(number, at, at + us)
            trace.op("aten::mm", at, at + us)
            at += us + 50
        return summary(trace)

    found = alternatives_of(side(*NOISY), side(*slower(NOISY, 1.02)))
    (window,) = (each for each in found if each.rule == "other_window")
    assert window.sentence.startswith("Inconclusive: typical step ")


@pytest.mark.parametrize("ahead", [True, False])
def test_steps_of_a_host_far_ahead_of_the_device_settle_nothing(ahead: bool) -> None:
    """They end long before their kernels, whatever these take."""
    def side(*steps: int) -> Summary:
        trace, at, device = TraceBuilder(), 0, 0
        for number, us in enumerate(steps):
            begin = at
            trace.op("aten::mm", at + 10, at + 300 + number % 3)
            device = max(device, at + 30)
            trace.kernel("gemm", device, device + us, launch=(at + 15, at + 25))
            device += us
            at = at + 320 if ahead else device - 3 + number % 3
            trace.step(number, begin, at)
        return summary(trace)

    for one, other in ((1.0, 1.02), (1.02, 1.0)):
        found = alternatives_of(side(*slower(NOISY, one)), side(*slower(NOISY, other)))
        assert ("other_window" in {each.rule for each in found}) != ahead


def test_three_alternatives_with_recording_more_last(repeated: Headline) -> None:
    assert [each.rule for each in repeated.alternatives] == ["without_outliers", "other_window", "record_more"]
    last = repeated.alternatives[-1]
    assert last.verdict is None and last.more is not None and repeated.program is not None
    assert last.more[0] + 2 == repeated.program.captures_needed


@pytest.mark.parametrize(("most", "advice"), [(30, "ab --resume"), (18, "another experiment of at least")])
def test_an_experiment_records_more_only_as_planned(repeated: Headline, most: int, advice: str) -> None:
    more = record_more(repeated, ExperimentLook(3, most, 0.02, 0.05))
    assert more is not None and advice in more.what


def test_the_headline_does_not_repeat_how_much_more_to_record(repeated: Headline) -> None:
    assert repeated.program is not None and repeated.certainty is not None
    text = f"{repeated.reason} {repeated.scope} {repeated.method} {repeated.facts} {repeated.sentence}"
    known = repeated.certainty
    for needed in (repeated.program.captures_needed, known.captures_needed, known.steps_needed):
        assert needed is not None and not re.search(rf"\b{needed:,}\b", text)


def test_a_probable_verdict_only_asks_for_more_recordings() -> None:
    a, b = run(STEADY), run(slower(STEADY, 1.105))
    assert compare_judged(judge_summaries(a, b, CompareOptions())).headline.verdict is Verdict.PROBABLY_SLOWER
    assert [(each.what, each.more) for each in alternatives_of(a, b)] == [("record 2 more captures per side", (2, 2))]


def test_applying_an_alternative_gives_its_verdict(repeated: Headline) -> None:
    for each in repeated.alternatives[:2]:
        steps = None if each.baseline_steps is None else tuple(map(int, each.baseline_steps.split("-")))
        taken = tb_perfcompare.compare(
            REPEAT / "run_1", REPEAT / "run_2", steps=steps, options=CompareOptions(window=each.step_window or "device")
        ).headline
        expected = each.verdict, each.sentence, each.delta, each.ratio, each.n
        assert expected == (taken.verdict, taken.sentence, taken.delta, taken.ratio, taken.n)


def test_the_other_window_takes_no_second_judgment_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[Summary] = []

    def counting(a: Summary, b: Summary, options: CompareOptions) -> Judged:
        judged.append(a)
        return judge_summaries(a, b, options)

    monkeypatch.setattr(other_steps, "judge_summaries", counting)
    found = tb_perfcompare.compare(REPEAT / "run_1", REPEAT / "run_2").headline.alternatives
    assert [each.rule for each in found[:2]] == ["without_outliers", "other_window"] and len(judged) == 1
