"""The machine's pace, reported once: the part of the change that all common work shares."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tb_perfcompare.comparison.causes.detectors.machine.contention import LOOK_AT_CPU, contention
from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained
from tb_perfcompare.comparison.causes.evidence.host_time import machine_or_threads
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, Evidence
from tb_perfcompare.comparison.result.headline import Basis, PaceFacts, Verdict
from tb_perfcompare.comparison.result.wording import ratio_text, signed_time
from tb_perfcompare.model.summary.categories import CPU_EXEC, DATA_LOADER, KERNEL, MEMCPY, MEMSET, OTHER, RUNTIME

MAIN_SHARE = 0.5
"""Share of the pace's time that no other cause may explain, and share of the change of waiting and untraced time
that the pace must explain."""

MAX_EXPLAINED = 0.35
"""With interrupted calls, the typical row explains at most this share of the pace, as logarithms."""

MIN_UNSURE = 0.03
"""Least change of the pace that is reported if captures do not agree on it."""

ACROSS = 0.9
"""Share of the rows of common work that must have a pace for it to be "across the board": a slower memory clock does
not affect compute."""

_UNSURE = f"measured on the same work of these captures, {REPEATABILITY_UNKNOWN}"

_OF_DEVICE = "clocks, power and temperature limits, other jobs on the device; record again alternately"

_RULES = {"host": "host_pace", "device": "device_pace"}
_FOLLOW = {
    "host": (CPU_EXEC, RUNTIME, OTHER, DATA_LOADER),
    "device": (KERNEL, MEMCPY, MEMSET),
}
_PARTLY = (OTHER, DATA_LOADER)


def machine_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """The same work runs at a different pace and no rule explains it. Reported if captures agree on the pace;
    if several captures per side give a verdict on the program at equal machine speed; or if that verdict or an open
    one comes with a pace that surely differs in these captures."""
    machine, headline = context.headline.machine, context.headline
    if machine is None:
        return
    sure = machine.verdict in (Verdict.SLOWER, Verdict.FASTER)
    of_program = headline.basis is Basis.PROGRAM and headline.verdict.way != 0
    several = headline.certainty is not None and min(headline.certainty.captures) > 1
    differs = (of_program or headline.verdict is Verdict.INCONCLUSIVE) and machine.differs
    if not sure and not (of_program and several) and not differs:
        return
    least = math.log1p(max(context.options.margin, 0.0 if sure else MIN_UNSURE))
    for pace in context.headline.paces:
        is_told = not explained.rules.isdisjoint((_RULES[pace.of], "late_rank"))
        if not pace.unusable and pace.share > 0 and not is_told and abs(math.log1p(pace.estimate)) > least:
            yield from _pace_cause(context, pace, explained, sure=sure)


def is_paced(context: RuleContext, change_us: float) -> bool:
    """Whether the host's same work changed its pace in this direction, so that a part of the change may be the
    machine's."""
    return any(
        pace.of == "host" and not pace.unusable and pace.estimate * change_us > 0
        and abs(math.log1p(pace.estimate)) > math.log1p(MIN_UNSURE)
        for pace in context.headline.paces
    )  # fmt: skip


def _pace_cause(context: RuleContext, pace: PaceFacts, explained: Explained, *, sure: bool) -> Iterator[Cause]:
    total_us, explained_us = 0.0, dict[str, float]()
    for category, left in explained.left(context, _FOLLOW[pace.of]).items():
        # an estimate, rounded to the nanosecond so that exchanging the sides negates it
        by_pace = round(Amount(1, 1, *context.exposed_times(category)).paced_us(1 + pace.estimate), 3)
        change = context.exposed(category)
        if max(by_pace * change, by_pace * left) <= 0:
            continue
        if category in _PARTLY and abs(by_pace) < MAIN_SHARE * abs(change):
            continue
        total_us += by_pace
        if by_pace * left > 0:
            explained_us[category] = math.copysign(min(abs(by_pace), abs(left)), by_pace)
    exposed = math.fsum(explained_us.values())
    if abs(exposed) < context.least_us or abs(exposed) < MAIN_SHARE * abs(total_us):
        return
    interrupted = pace.of == "host" and abs(math.log1p(pace.typical)) <= MAX_EXPLAINED * abs(math.log1p(pace.estimate))
    work = "operators" if pace.of == "host" else "kernels"
    where = "in all captures" if sure else "in these captures"
    sentence = (
        _contention(pace, exposed, where) if interrupted
        else _slower_sentence(context, pace, exposed, work, where)
    )  # fmt: skip
    yield cause(
        context, MACHINE_PACE, work, max(explained_us, key=lambda one: abs(explained_us[one])), exposed, sentence,
        (Evidence("common_work", ""),), name="host_interrupted" if interrupted else _RULES[pace.of],
        explains=of_categories(explained_us), confidence="" if sure else _UNSURE,
        look_at=_OF_DEVICE if pace.of == "device" else LOOK_AT_CPU if interrupted else "",
    )  # fmt: skip


def _slower_sentence(context: RuleContext, pace: PaceFacts, exposed: float, work: str, where: str) -> str:
    way = "slower" if exposed > 0 else "faster"
    what = f"Operators run {way} on the CPU" if pace.of == "host" else f"The {context.candidate.device.word} runs {way}"
    threads = machine_or_threads(context) if pace.of == "host" else ""
    ratio = ratio_text(1 + pace.estimate)
    if pace.kept >= ACROSS * pace.rows:
        rows = f"{pace.kept:,} {work} of the same work {ratio} {where}{threads}"
        return f"{what} across the board: {signed_time(exposed)} per step; {rows}."
    kept = f"{pace.kept:,} of {pace.rows:,} {work}"
    rows = f"{kept} of the same work {ratio} {where}, the others changed otherwise{threads}"
    part = "in a part of the work" if pace.of == "host" else "for a part of its work"
    return f"{what} {part}: {signed_time(exposed)} per step; {rows}."


def _contention(pace: PaceFacts, exposed: float, where: str) -> str:
    """Sentence on contention: a few calls take far longer, the typical one does not."""
    facts = (
        f"{signed_time(exposed)} per step; the same operators {ratio_text(1 + pace.estimate)} {where}, but the typical "
        f"one {ratio_text(1 + pace.typical)}"
    )
    return contention("CPU", exposed, facts)


MACHINE_PACE = Rule(
    names=("device_pace", "host_pace", "host_interrupted"),
    meaning="the machine is slower (faster), and no other rule says why",
    when="[Common work](program_or_machine.md) takes longer, and other rules explain less than half of that. The "
    "captures agree, or it surely takes longer in these captures",
    look_at="other processes, CPU clock and governor, number of threads (torch.set_num_threads, OMP_NUM_THREADS) and "
    "their placement; record again alternately",
    confidence="captures agree on the pace of the same work",
    find_rest=machine_rules,
    order=5,
    rank=6,
    same_work=True,
    of_library=True,
)
