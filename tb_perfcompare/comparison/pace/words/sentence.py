"""The headline in one sentence of at most twelve words and figures."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.pace.words.fact_lines import OF_SAME_WORK, fact_lines
from tb_perfcompare.comparison.pace.words.phrases import (
    between_text,
    calls_text,
    ends_text,
    is_of_host,
    is_of_paces,
    longer_text,
    more_work_text,
    slower_text,
    speed_text,
    takes_text,
)
from tb_perfcompare.comparison.result.headline import Basis, Counted, Headline, LongSteps, Part, Verdict
from tb_perfcompare.comparison.result.options import ExperimentLook
from tb_perfcompare.comparison.result.wording import time_text, verdict_word
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tb_perfcompare.number_text import rough, rough_range, rough_within, setting, times

NEAR_NOTHING = 0.05
"""A program part whose interval lies within this fraction is "no change found"."""

FEW_LONG_STEPS = 0.2
"""How far the mean step, at equal machine speed, must lie beyond the typical step's interval: then a few long steps may
be the change."""

WIDEST = 100
"""Factor at which an interval is too wide to report its ends."""

TOO_WIDE = 10
"""Ratio of the ends of an interval from which it says nothing about the program."""


def with_sentence(headline: Headline, counts: tuple[int, int] | None) -> Headline:
    """Adds sentence and facts to the headline; `counts`: captures of each side, None without parts."""
    if headline.program is None or headline.machine is None or counts is None:
        return replace(headline, sentence=_as_recorded(headline), facts=fact_lines(headline, None))
    sentence = _parts_sentence(headline, headline.program, headline.machine, counts)
    if headline.amount is not None and headline.basis is Basis.PROGRAM:
        sentence = f"{sentence.removesuffix('.')} at equal work."
    return replace(headline, sentence=sentence, facts=fact_lines(headline, counts))


def withheld(headline: Headline) -> Headline:
    """Headline of sides that are not comparable; its reason says why."""
    parts = replace(headline, basis=Basis.RECORDED, machine=None, program=None, unsplit=headline.reason)
    return with_sentence(parts, None)


def with_experiment(headline: Headline, look: ExperimentLook | None) -> Headline:
    """Adds the experiment that recorded the sides to the headline's method."""
    if look is None:
        return headline
    level = f"{setting(1 - look.level)} CI at this look, {setting(1 - look.alpha)} over all looks"
    text = f"experiment (ab), round {look.rounds} of at most {look.most_rounds}: {level}"
    return replace(headline, method="; ".join(filter(None, (text, headline.method))))


def _as_recorded(headline: Headline) -> str:
    word, recorded = verdict_word(headline.verdict), headline.recorded
    if headline.basis is Basis.AMOUNT and headline.amount is not None:
        return f"{word}: {more_work_text(headline.amount)}."
    if headline.counted is not None and headline.verdict.way:
        return f"{word}: {_counted(headline.counted)}."
    if headline.verdict.way and recorded is not None and recorded.at_least is not None:
        return _at_least(word, recorded.at_least)
    first = headline.reason.partition("; ")[0]
    certainty = headline.certainty
    if headline.verdict.way and certainty is not None and max(certainty.captures) == 1:
        return f"{word} in these two captures: {first.partition(', ')[0]}"
    return f"{word}: {first}"


def _at_least(word: str, change: float) -> str:
    return f"{word}, by at least {rough(abs(change))}; how much more is open."


def _parts_sentence(headline: Headline, program: Part, machine: Part, counts: tuple[int, int]) -> str:
    verdict, word = headline.verdict, verdict_word(headline.verdict)
    if headline.basis is Basis.AMOUNT and headline.amount is not None:
        return f"{word}: {more_work_text(headline.amount)}; program {between_text(program)}."
    if headline.basis is Basis.MACHINE:
        speed = f"the same work runs {speed_text(machine)}"
        if not _inside(program, NEAR_NOTHING):
            return f"{word}: {speed}; program still open."
        if is_of_host(headline):
            return f"{word}: {speed}, by machine or thread count."
        return f"{word}, not the program: {speed}."
    if verdict is Verdict.SAME:
        mean, limit = _mean_change(headline, machine), rough(headline.margin)
        if _within(mean, NEAR_NOTHING):
            return f"Same: the program changed by less than {limit}."
        return f"Same: the typical step changed by under {limit}, the mean by {rough(mean, signed=True)}."
    if not verdict.way:
        return _open(headline, program, machine, counts)
    if headline.long_steps is not None:
        return f"{word}{' in these two captures' if max(counts) == 1 else ''}: {_long(headline, headline.long_steps)}."
    if headline.counted is not None:
        return f"{word}: {_counted(headline.counted)}."
    if headline.recorded is not None and headline.recorded.at_least is not None:
        return _at_least(word, headline.recorded.at_least)
    return _changed(headline, program, machine, alone=max(counts) == 1)


def _changed(headline: Headline, program: Part, machine: Part, *, alone: bool) -> str:
    """Sentence on a program that changed. `alone`: in one capture of each side."""
    word, change = verdict_word(headline.verdict), rough(program.estimate, signed=True)
    by_same = ", on the same inputs" if program.same_work >= OF_SAME_WORK else ""
    if alone:
        change = f"{rough_within(program.estimate, program.high)}{ends_text(program, as_change=True)}"
        part = f"step {change}{by_same}" if by_same else f"program {change}{_alongside(machine)}"
        return f"{word} in these two captures: {part}."
    takes = f"takes {takes_text(program)}"
    if by_same:
        return f"{word}: the step {takes}{by_same}."
    if machine.verdict.is_sure:
        return f"{word}: program {change}, {_and_machine(headline, program, machine)}."
    if mean := _of_few_steps(headline, program, machine):
        return f"{word}: the typical step {takes}, the mean {longer_text(mean)}."
    return f"{word}: the program {takes}."


def _open(headline: Headline, program: Part, machine: Part, counts: tuple[int, int]) -> str:
    """Sentence if it is open whether the program changed."""
    if headline.long_steps is not None:
        return f"Inconclusive: {_long(headline, headline.long_steps)}; the others changed by {between_text(program)}."
    if mean_range := _mean_alone(headline, program):
        return f"Inconclusive: the mean step changed by {mean_range}; the typical step is open."
    if abs(machine.estimate) > headline.margin and machine.differs and is_of_paces(headline, machine):
        speed, change = f"the same work runs {speed_text(machine)}", between_text(program)
        if _inside(program, NEAR_NOTHING):
            return f"No change found in the program ({change}), but in these captures {speed}."
        return f"Inconclusive: in these captures {speed}; program {change}."
    few = ""
    if program.low * program.high > 0:
        many = f"{counts[0]} and {counts[1]} captures are" if min(counts) < MIN_CONCLUSIVE_CAPTURES else "the steps are"
        few = f", but {many} too few"
    if mean := _of_few_steps(headline, program, machine):
        long_steps = f"a few long steps move the mean by {rough(mean, signed=True)}"
        return f"Inconclusive: the typical step changed by {between_text(program)}{few}; {long_steps}."
    if _inside(program, NEAR_NOTHING):
        return f"No change found; at most {_at_most(program)}."
    if not few and (program.high >= WIDEST - 1 or program.low <= 1 / WIDEST - 1):
        return "Inconclusive: the captures differ too much to tell how the program changed."
    return f"Inconclusive: the program changed by {between_text(program)}{few}."


def _mean_alone(headline: Headline, program: Part) -> str:
    """The interval of the mean step where that alone says something: the program's is too wide, as some steps are many
    times as long as others. "" otherwise."""
    certainty = headline.certainty
    if certainty is None or (1 + program.high) < TOO_WIDE * (1 + program.low):
        return ""
    low, high = certainty.mean_low, certainty.mean_high
    if low is None or high is None:
        return ""
    is_beyond = low > headline.margin or high < 1 / (1 + headline.margin) - 1
    return rough_range(low, high, signed=True) if is_beyond else ""


def _of_few_steps(headline: Headline, program: Part, machine: Part) -> float:
    """Change of the mean step if few long steps make it, so that the typical step's does not say it; else 0."""
    mean = _mean_change(headline, machine)
    beyond = (1 + mean) / (1 + (program.high if mean > 0 else program.low)) - 1  # interval's end on the mean's side
    few = mean * beyond > 0 and not _within(beyond, FEW_LONG_STEPS) and _within(program.estimate, FEW_LONG_STEPS)
    return mean if few else 0.0


def _mean_change(headline: Headline, machine: Part) -> float:
    """Change of the mean step at equal machine speed and amount of work."""
    if not headline.baseline or not headline.candidate:
        return 0.0
    ratio = headline.candidate / headline.baseline / (1 + machine.estimate)
    return ratio / (1 + (0.0 if headline.amount is None else headline.amount.in_time)) - 1


def _counted(counted: Counted) -> str:
    """Counted work: "31 more operator calls per step", "31 more operator calls per step and more input", "the same
    operators on 2.3 times the input". Without the time that the calls alone make: the step's is another."""
    if counted.calls is None:
        ratio = 1 + counted.change
        if ratio < 1:
            return f"the same operators on {rough(ratio)} of the input"
        return f"the same operators on {f'{times(ratio)} the' if ratio >= 2 else f'{rough(ratio - 1)} more'} input"
    word, less = ("more", "more") if counted.calls > 0 else ("fewer", "less")
    return f"{calls_text(counted, word)} per step{f' and {less} input' if counted.larger else ''}"


def _long(headline: Headline, steps: LongSteps) -> str:
    """Long steps: "0 → 5 of 15 steps take 112 ms longer"."""
    n, m = headline.n
    before = f"{steps.baseline}{'' if n == m else f' of {n}'}"
    return f"{before} → {steps.candidate} of {m} steps take {time_text(steps.longer_us)} longer"


def _and_machine(headline: Headline, program: Part, machine: Part) -> str:
    if (machine.estimate > 0) == (program.estimate > 0):
        return f"and the machine was {speed_text(machine)}"
    shift = headline.shift
    hidden = shift is None or shift.estimate * program.estimate <= 0
    return f"{'hidden by' if hidden else 'despite'} a machine {slower_text(machine.estimate)}"


def _alongside(machine: Part) -> str:
    return "" if abs(machine.estimate) < 0.01 else f", machine {slower_text(machine.estimate)}"


def _inside(part: Part, fraction: float) -> bool:
    return _within(part.low, fraction) and _within(part.high, fraction)


def _within(change: float, fraction: float) -> bool:
    return 1 / (1 + fraction) - 1 <= change <= fraction


def _at_most(part: Part) -> str:
    return " or ".join(slower_text(end) for end, way in ((part.high, 1), (part.low, -1)) if end * way > 0)
