"""The labeled lines below the headline: as recorded, machine, program, the same work."""

from __future__ import annotations

from tb_perfcompare.comparison.pace.words.phrases import (
    between_text,
    far_apart,
    is_of_host,
    is_of_paces,
    takes_text,
    used_paces,
)
from tb_perfcompare.comparison.result.headline import COUNTED, AmountFacts, Counted, Fact, Headline, Part, Shift
from tb_perfcompare.comparison.result.wording import many, p_text, percent_text, times_text
from tb_perfcompare.number_text import rough, rough_range, rough_within, whole_percent

OF_SAME_WORK = 0.8
"""Share of the program's part in operators that changed on the same inputs from which it need not be the program's: the
number of threads may have changed. In recordings: 1.01 with more threads than cores, at most 0.38 in 36 with a changed
program."""


def _runs_all(counted: Counted) -> str:
    """What one side has of the other, besides the work that the headline names: "the candidate runs every operator of
    the baseline as often"."""
    more, other = ("candidate", "baseline") if counted.change > 0 else ("baseline", "candidate")
    as_large = counted.calls is None or counted.larger
    return f"the {more} runs every operator of the {other} as often{', none on smaller inputs' if as_large else ''}"


def fact_lines(headline: Headline, counts: tuple[int, int] | None) -> tuple[Fact, ...]:
    """Labeled lines: step time as recorded, machine, program, and the same work behind both."""
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
            facts.append(Fact(COUNTED, _runs_all(headline.counted)))
        return tuple(facts)
    machine, program = headline.machine, headline.program
    facts.append(Fact("Machine", _machine_line(headline, machine, counts)))
    p = "" if program.p is None else f", {p_text(program.p)}"
    change = f"{rough_within(program.estimate, program.high)} ({between_text(program)})"
    why = "; same calls on the same inputs: threads, library, memory layout or values"
    of_same = why if program.same_work >= OF_SAME_WORK and program.verdict.way else ""
    facts.append(Fact("Program", f"{change} at equal machine speed{p}{of_same}"))
    if headline.counted is not None:
        facts.append(Fact(COUNTED, _runs_all(headline.counted)))
    if headline.recorded is not None and headline.recorded.at_least is not None:
        facts.append(Fact("Uninterrupted", far_apart(headline.recorded.at_least)))
    facts.append(Fact("Same work", f"{_same_work(headline, program)}; {counts[0]} and {many(counts[1], 'capture')}"))
    return tuple(facts)


def _same_work(headline: Headline, program: Part) -> str:
    """What shows the machine's pace: "82.5 % of the step: 69 operators on the same inputs"."""
    of = {pace.of for pace in used_paces(headline)}
    nouns = [noun for side, noun in (("host", "operators"), ("device", "kernels")) if side in of]
    return f"{percent_text(program.coverage)} of the step: {program.kept:,} {' and '.join(nouns)} on the same inputs"


def _typical(headline: Headline, shift: Shift) -> str:
    """Change of the typical step as recorded: "typical +51 % (95 % CI +9.5 to +120 %), p = 0.026"."""
    change, low, high, p = shift.estimate, shift.low, shift.high, headline.p
    of = headline.recorded
    if headline.amount is not None and of is not None and of.estimate is not None:
        change, low, high, p = of.estimate, of.low or 0.0, of.high or 0.0, of.p
    level = "all pairs" if shift.level is None else f"{whole_percent(shift.level)} CI"
    text = f"typical {rough_within(change, high)} ({level} {rough_range(low, high, signed=True)})"
    return text if p is None else f"{text}, {p_text(p)}"


def _amount_line(amount: AmountFacts) -> str:
    """The amount of work as a fact: "+2.7 % (-22 to +35 %) by calls of aten::argmax per step, p = 0.81; program and
    machine are at equal amount"."""
    change = f"{rough_within(amount.estimate, amount.high)} ({rough_range(amount.low, amount.high, signed=True)})"
    of = f"{amount.of} of {amount.operator} per step"
    return f"{change} by {of}, {p_text(amount.p)}; program and machine are at equal amount"


def _machine_line(headline: Headline, machine: Part, counts: tuple[int, int]) -> str:
    decided = machine.verdict.is_sure
    line = f"the same work takes {takes_text(machine)}"
    used = used_paces(headline)
    if len(used) > 1:
        if not decided and not is_of_paces(headline, machine):
            line = f"no clear effect on the step, {between_text(machine)}"
        line += f" ({', '.join(f'{pace.of} {rough(pace.estimate, signed=True)}' for pace in used)})"
    if decided:
        settings = "clock, power, number of threads" if is_of_host(headline) else "clock, power"
        return f"{line}: machine, other load or a global setting ({settings})"
    return f"{line}, in these captures" if max(counts) == 1 else line
