"""The headline in one sentence of at most twelve words and figures, and the labelled lines below it."""

from __future__ import annotations

import math
from dataclasses import replace

from tb_perfcompare.comparison.result.headline import (
    AmountFacts,
    Basis,
    Counted,
    Fact,
    Headline,
    PaceFacts,
    Part,
    Shift,
    Verdict,
)
from tb_perfcompare.comparison.result.options import ExperimentLook
from tb_perfcompare.comparison.result.wording import many, number_text, p_text, percent_text, times_text, verdict_word
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tb_perfcompare.number_text import TIMES_FROM, rough, rough_range, rough_within, setting, times

NEAR_NOTHING = 0.05
"""A program part whose interval lies within this fraction is "no change found"."""

FEW_LONG_STEPS = 0.2
"""How far the mean step, at equal machine speed, must lie beyond the typical step's interval: then a few long steps may
be the change."""

WIDEST = 100
"""Factor at which an interval is too wide to report its ends."""

TOO_WIDE = 10
"""Ratio of the ends of an interval from which it says nothing about the program."""

OF_SAME_WORK = 0.8
"""Share of the program's part in operators that changed on the same inputs from which it need not be the program's: the
number of threads may have changed. In recordings: 1.01 with more threads than cores, at most 0.38 in 36 with a changed
program."""

NEAR = 0.02
"""How far the machine's part may lie outside the paces that it combines: steps weigh them differently."""


def with_sentence(headline: Headline, counts: tuple[int, int] | None) -> Headline:
    """Adds sentence and facts to the headline; `counts`: captures of each side, None without parts."""
    if headline.program is None or headline.machine is None or counts is None:
        return replace(headline, sentence=_as_recorded(headline), facts=_facts(headline, None))
    sentence = _parts_sentence(headline, headline.program, headline.machine, counts)
    if headline.amount is not None and headline.basis is Basis.PROGRAM:
        sentence = f"{sentence.removesuffix('.')} at equal work."
    return replace(headline, sentence=sentence, facts=_facts(headline, counts))


def withheld(headline: Headline) -> Headline:
    """Headline of sides that are not comparable; its reason says why."""
    parts = replace(headline, basis=Basis.RECORDED, machine=None, program=None, unsplit=headline.reason)
    return with_sentence(parts, None)


def far_apart(at_least: float) -> str:
    """Clause for captures whose uninterrupted steps are `at_least` this fraction apart."""
    how = f"{rough(abs(at_least))} {'longer' if at_least > 0 else 'less'}"
    return f"without interruptions, every capture of the candidate takes at least {how} than any of the baseline"


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
        return f"{word}: {_more_work(headline.amount)}."
    if headline.counted is not None and headline.verdict.way:
        return f"{word}: {_counted(headline.counted)}."
    if recorded is not None and recorded.at_least is not None and headline.verdict.way:
        return f"{word}, by at least {rough(abs(recorded.at_least))}; how much more is open."
    first = headline.reason.partition("; ")[0]
    certainty = headline.certainty
    if headline.verdict.way and certainty is not None and max(certainty.captures) == 1:
        return f"{word} in these two captures: {first.partition(', ')[0]}"
    return f"{word}: {first}"


def _parts_sentence(headline: Headline, program: Part, machine: Part, counts: tuple[int, int]) -> str:
    verdict, word = headline.verdict, verdict_word(headline.verdict)
    if headline.basis is Basis.AMOUNT and headline.amount is not None:
        return f"{word}: {_more_work(headline.amount)}; program {_between(program)}."
    if headline.basis is Basis.MACHINE:
        speed = f"the same work runs {_speed(machine)}"
        if not _inside(program, NEAR_NOTHING):
            return f"{word}: {speed}; program still open."
        if _is_of_host(headline):
            return f"{word}: {speed}, by machine or thread count."
        return f"{word}, not the program: {speed}."
    if verdict is Verdict.SAME:
        return f"Same: the program changed by less than {rough(headline.margin)}."
    if not verdict.way:
        return _open(headline, program, machine, counts)
    if headline.counted is not None:
        return f"{word}: {_counted(headline.counted)}."
    return _changed(headline, program, machine, alone=max(counts) == 1)


def _changed(headline: Headline, program: Part, machine: Part, *, alone: bool) -> str:
    """Sentence on a program that changed. `alone`: in one capture of each side."""
    word, change = verdict_word(headline.verdict), rough(program.estimate, signed=True)
    by_same = ", on the same inputs" if program.same_work >= OF_SAME_WORK else ""
    if alone:
        change = f"{rough_within(program.estimate, program.high)}{_ends(program, as_change=True)}"
        part = f"step {change}{by_same}" if by_same else f"program {change}{_alongside(machine)}"
        return f"{word} in these two captures: {part}."
    takes = f"takes {_takes(program)}"
    if by_same:
        return f"{word}: the step {takes}{by_same}."
    if machine.verdict.is_sure:
        return f"{word}: program {change}, {_and_machine(headline, program, machine)}."
    if mean := _of_few_steps(headline, program, machine):
        return f"{word}: the typical step {takes}, the mean {_longer(mean)}."
    return f"{word}: the program {takes}."


def _open(headline: Headline, program: Part, machine: Part, counts: tuple[int, int]) -> str:
    """Sentence if it is open whether the program changed."""
    if mean_range := _mean_alone(headline, program):
        return f"Inconclusive: the mean step changed by {mean_range}; the typical step is open."
    is_paced = abs(machine.estimate) > headline.margin and not machine.low <= 0 <= machine.high
    if is_paced and _is_of_paces(headline, machine):
        return f"Inconclusive: in these captures the same work runs {_speed(machine)}; program {_between(program)}."
    few = ""
    if program.low * program.high > 0:
        few = f", from too few {'captures' if min(counts) < MIN_CONCLUSIVE_CAPTURES else 'steps'}"
    if mean := _of_few_steps(headline, program, machine):
        long_steps = f"a few long steps move the mean by {rough(mean, signed=True)}"
        return f"Inconclusive: the typical step changed by {_between(program)}{few}; {long_steps}."
    if _inside(program, NEAR_NOTHING):
        return f"No change found; at most {_at_most(program)}."
    if not few and (program.high >= WIDEST - 1 or program.low <= 1 / WIDEST - 1):
        return "Inconclusive: the captures differ too much to tell how the program changed."
    return f"Inconclusive: the program changed by {_between(program)}{few}."


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
    """Counted work: "31 more operator calls per step, +2.2 % time", "31 more operator calls per step and more input",
    "the same operators on 2.3 times the input"."""
    if counted.calls is None:
        ratio = 1 + counted.change
        if ratio < 1:
            return f"the same operators on {rough(ratio)} of the input"
        return f"the same operators on {f'{times(ratio)} the' if ratio >= 2 else f'{rough(ratio - 1)} more'} input"
    word, less = ("more", "more") if counted.calls > 0 else ("fewer", "less")
    size = f" and {less} input" if counted.larger else f", {rough(counted.change, signed=True)} time"
    return f"{_calls(counted)} {word} {counted.noun} per step{size}"


def _all_and_more(counted: Counted) -> str:
    """Counted work as a fact: "the candidate runs every operator of the baseline as often, and makes 31 more operator
    calls per step"."""
    more, other = ("candidate", "baseline") if counted.change > 0 else ("baseline", "candidate")
    done, as_large = f"the {more} runs every operator of the {other} as often", "none on smaller inputs"
    if counted.calls is None:
        return f"{done}, and {as_large}"
    larger = f", {as_large}" if counted.larger else ""
    return f"{done}{larger}, and makes {_calls(counted)} more {counted.noun} per step"


def _calls(counted: Counted) -> str:
    return number_text(abs(round(counted.calls or 0.0, 2)))


def _speed(machine: Part) -> str:
    """Machine part: "1.3 times slower", "12 % faster"."""
    return f"{times(1 + machine.estimate)} slower" if machine.estimate >= 0.2 else _slower(machine.estimate)


def _slower(change: float) -> str:
    return f"{rough(abs(change))} {'slower' if change > 0 else 'faster'}"


def _and_machine(headline: Headline, program: Part, machine: Part) -> str:
    if (machine.estimate > 0) == (program.estimate > 0):
        return f"and the machine was {_speed(machine)}"
    shift = headline.shift
    hidden = shift is None or shift.estimate * program.estimate <= 0
    return f"{'hidden by' if hidden else 'despite'} a machine {_slower(machine.estimate)}"


def _alongside(machine: Part) -> str:
    return "" if abs(machine.estimate) < 0.01 else f", machine {_slower(machine.estimate)}"


def _facts(headline: Headline, counts: tuple[int, int] | None) -> tuple[Fact, ...]:
    """Labelled lines: step time as recorded, machine, program, and the same work behind both."""
    facts = []
    if headline.baseline is not None and headline.candidate is not None and headline.shift is not None:
        means = times_text(headline.baseline, headline.candidate)
        facts.append(Fact("As recorded", f"mean step {means}, {_typical(headline, headline.shift)}"))
    if headline.amount is not None:
        facts.append(Fact("Amount of work", _amount_line(headline.amount)))
    if headline.program is None or headline.machine is None or counts is None:
        if headline.unsplit:
            facts.append(Fact("Program or machine", f"not separated: {headline.unsplit}"))
        if headline.counted is not None:
            facts.append(Fact("Counted", _all_and_more(headline.counted)))
        return tuple(facts)
    machine, program = headline.machine, headline.program
    facts.append(Fact("Machine", _machine_line(headline, machine, counts)))
    p = "" if program.p is None else f", {p_text(program.p)}"
    change = f"{rough_within(program.estimate, program.high)} ({_between(program)})"
    why = ": the same calls on the same inputs, so threads, library, memory layout or values"
    of_same = why if program.same_work >= OF_SAME_WORK else ""
    facts.append(Fact("Program", f"{change} at equal machine speed{p}{of_same}"))
    if headline.counted is not None:
        facts.append(Fact("Counted", _all_and_more(headline.counted)))
    facts.append(Fact("Same work", f"{_same_work(headline, program)}; {counts[0]} and {many(counts[1], 'capture')}"))
    return tuple(facts)


def _same_work(headline: Headline, program: Part) -> str:
    """What shows the machine's pace: "82.5 % of the step: 69 operators on the same inputs; 1 excluded"."""
    of = {pace.of for pace in _used(headline)}
    nouns = [noun for side, noun in (("host", "operators"), ("device", "kernels")) if side in of]
    how = f"{percent_text(program.coverage)} of the step: {program.kept:,} {' and '.join(nouns)} on the same inputs"
    aside = program.rows - program.kept
    return f"{how}; {aside:,} excluded" if aside else how


def _typical(headline: Headline, shift: Shift) -> str:
    """Change of the typical step as recorded: "typical +51 % (95 % CI +9.5 to +120 %), p = 0.026"."""
    change, low, high, p = shift.estimate, shift.low, shift.high, headline.p
    of = headline.recorded
    if headline.amount is not None and of is not None and of.estimate is not None:
        change, low, high, p = of.estimate, of.low or 0.0, of.high or 0.0, of.p
    level = "all pairs" if shift.level is None else f"{setting(round(shift.level, 3))} CI"
    text = f"typical {rough_within(change, high)} ({level} {rough_range(low, high, signed=True)})"
    return text if p is None else f"{text}, {p_text(p)}"


def _amount_line(amount: AmountFacts) -> str:
    """The amount of work as a fact: "+2.7 % (-22 to +35 %) by calls of aten::argmax per step, p = 0.81; program and
    machine are at equal amount"."""
    change = f"{rough_within(amount.estimate, amount.high)} ({rough_range(amount.low, amount.high, signed=True)})"
    of = f"{amount.of} of {amount.operator} per step"
    return f"{change} by {of}, {p_text(amount.p)}; program and machine are at equal amount"


def _more_work(amount: AmountFacts) -> str:
    """Additional work: "more work per step, +31 %"."""
    return f"{'more' if amount.estimate > 0 else 'less'} work per step, {rough(amount.in_time, signed=True)}"


def _machine_line(headline: Headline, machine: Part, counts: tuple[int, int]) -> str:
    decided = machine.verdict.is_sure
    line = f"the same work takes {_takes(machine)}"
    used = _used(headline)
    if len(used) > 1:
        if not decided and not _is_of_paces(headline, machine):
            line = f"no clear effect on the step, {_between(machine)}"
        line += f" ({', '.join(f'{pace.of} {rough(pace.estimate, signed=True)}' for pace in used)})"
    if decided:
        settings = "clock, power, number of threads" if _is_of_host(headline) else "clock, power"
        return f"{line}: machine, other load or a global setting ({settings})"
    return f"{line}, in these captures" if max(counts) == 1 else line


def _used(headline: Headline) -> list[PaceFacts]:
    return [pace for pace in headline.paces if not pace.unusable and pace.share > 0]


def _is_of_host(headline: Headline) -> bool:
    """Whether only operators show the machine's part: a trace does not say on how many threads each of them ran."""
    return [pace.of for pace in _used(headline)] == ["host"]


def _is_of_paces(headline: Headline, machine: Part) -> bool:
    """Whether the machine's part lies between the paces that it combines. It does not if the sides differ in which
    steps wait for the host, and the pace of those steps is not that of the others."""
    paces = [pace.estimate for pace in _used(headline)]
    return len(paces) < 2 or min(paces) - NEAR <= machine.estimate <= max(paces) + NEAR


def _inside(part: Part, fraction: float) -> bool:
    return _within(part.low, fraction) and _within(part.high, fraction)


def _within(change: float, fraction: float) -> bool:
    return 1 / (1 + fraction) - 1 <= change <= fraction


def _takes(part: Part) -> str:
    """Change of a duration with its interval: "18 % longer (15 to 21 %)", "10 times as long (×9.5 to ×13)"."""
    if TIMES_FROM <= part.high < math.inf:
        return f"{times(1 + part.estimate)} as long{_ends(part)}"
    return f"{_longer(part.estimate)}{_ends(part)}"


def _ends(part: Part, *, as_change: bool = False) -> str:
    """Interval in parentheses: " (15 to 21 %)", " (-2 to +3 %)"; "" if both ends are written like the estimate.
    `as_change`: keeps the negative ends of a faster side."""
    low, high = part.low, part.high
    if rough(abs(low)) == rough(abs(high)) == rough(abs(part.estimate)) and low * high > 0:
        return ""
    if part.estimate < 0 and high < 0 and not as_change:
        low, high = -high, -low
    return f" ({rough_range(low, high, signed=low < 0 or high >= TIMES_FROM)})"


def _between(part: Part) -> str:
    return rough_range(part.low, part.high, signed=True)


def _at_most(part: Part) -> str:
    return " or ".join(_slower(end) for end, way in ((part.high, 1), (part.low, -1)) if end * way > 0)


def _longer(change: float) -> str:
    """Change of a duration: "18 % longer", "2.6 % less", "46,099 times as long"."""
    if change >= TIMES_FROM:
        return f"{times(1 + change)} as long"
    return f"{rough(abs(change))} {'longer' if change >= 0 else 'less'}"
