"""Decides the verdict from program, machine and the step time as recorded, in this order."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.pace.captures_apart import captures_apart
from tb_perfcompare.comparison.pace.clocked import Clocked, without_long_steps
from tb_perfcompare.comparison.pace.counted_work import MIN_SHOWN_SHARE, interval
from tb_perfcompare.comparison.pace.machine import MachinePart, machine_part
from tb_perfcompare.comparison.pace.pace import PaceRows, shift_of_pace
from tb_perfcompare.comparison.pace.paced_time import Sides
from tb_perfcompare.comparison.pace.program import log_mean_ratio, program_part
from tb_perfcompare.comparison.pace.program_estimate import ProgramPart
from tb_perfcompare.comparison.pace.recorded_alone import counted_facts, decided_alone, decided_apart
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.pace.words.sentence import with_sentence
from tb_perfcompare.comparison.result.headline import Basis, Counted, Headline, LongSteps, PaceFacts, Part, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.mean_effect import fisher_p, long_steps
from tb_perfcompare.comparison.verdict import over_captures
from tb_perfcompare.comparison.verdict.equal_amount import by_amount
from tb_perfcompare.model.arrays import each_side, is_run_start, median, unique

MIN_PLACES = 3
"""Least number of separate places with long steps that decide: a burst at one place is one event."""

OF_MACHINE, BUSY = 0.5, math.log(1.1)
"""Share of the time of long steps in the same work, and ln of the pace of the others, above which they may be the
machine's."""


def decided(headline: Headline, work: CommonWork, options: CompareOptions, sides: Sides) -> Headline:
    """Returns the headline of the recorded step time with its parts, and the verdict that they lead to."""
    if headline.shift is None:
        return with_sentence(replace(headline, unsplit=headline.reason), None)
    if work.clocked is None:
        recorded = replace(headline, unsplit=work.reason, paces=_paces(work))
        return with_sentence(by_amount(decided_alone(recorded, work, options, sides), options), None)
    clocked = work.clocked
    program, machine = program_part(clocked, options), machine_part(clocked, options)
    verdict, basis = outcome(headline.verdict, program, machine, clocked, options)
    p = None if program.estimate.n == (1, 1) else program.estimate.p
    split = replace(
        headline,
        method=headline.method + program.of.value,
        verdict=verdict,
        basis=basis,
        paces=_paces(work),
        program=replace(
            _part(interval(program.estimate), p, program.verdict, program.clocked),
            captures_needed=over_captures.captures_to_decide(program.estimate, options.margin),
            mean=fraction_of(log_mean_ratio(program, clocked)),
            same_work=_in_same_work(clocked, work.found),
        ),
        machine=_part((machine.theta, machine.low, machine.high), machine.p, machine.verdict, clocked),
        counted=_counted(program, verdict, clocked) if basis is Basis.PROGRAM else None,
        long_steps=None if program.verdict.way or basis is Basis.MACHINE else more_long_steps(clocked, options.alpha),
    )
    if verdict is Verdict.INCONCLUSIVE and work.alone is not None:
        split = decided_apart(split, captures_apart(work.alone, program.estimate.theta, options))
    return with_sentence(by_amount(split, options), capture_counts(clocked.captures))


def outcome(
    recorded: Verdict, program: ProgramPart, machine: MachinePart, clocked: Clocked, options: CompareOptions
) -> tuple[Verdict, Basis]:
    """Returns the verdict and the part it is about: the program if that decides, else the machine, else the work
    that only one side does. Recorded times give no direction once the program part is known."""
    if program.verdict.way and not _is_nothing(recorded, program, clocked, options):
        return program.verdict, Basis.PROGRAM
    if machine.verdict.is_sure and _is_main(machine, program) and _is_in_the_step(machine, clocked):
        return machine.verdict, Basis.MACHINE
    if long := more_long_steps(clocked, options.alpha):
        return _of_long_steps(long, machine), Basis.PROGRAM
    if program.verdict is Verdict.SAME:
        # one capture per side on machines that differ: the step did change, but it may not change again
        alone = program.apart and max(capture_counts(clocked.captures)) == 1
        moved = alone and abs(machine.theta) > math.log1p(options.margin)
        return (Verdict.INCONCLUSIVE if moved and recorded is not Verdict.SAME else Verdict.SAME), Basis.PROGRAM
    counted = clocked.counted
    probably = None if counted is None else counted.verdict(interval(program.estimate), options)
    return probably or Verdict.INCONCLUSIVE, Basis.PROGRAM


def more_long_steps(clocked: Clocked, alpha: float) -> LongSteps | None:
    """Long steps, if one side has more: not by chance (Fisher's exact test), in each of its captures, and at several
    places that are no warm-up. None with several kinds of steps, or if most steps of a side are as long."""
    marked = each_side(lambda side: long_steps(np.log(side)), clocked.times_ns)
    shortest = min(float(side[long].min(initial=math.inf)) for side, long in zip(clocked.times_ns, marked, strict=True))
    marked = each_side(lambda side: side >= shortest, clocked.times_ns)
    if any(2 * side.sum() >= len(side) for side in marked):
        return None
    counts = one, two = [(int(side.sum()), len(side)) for side in marked]
    candidate = two[0] * one[1] > one[0] * two[1]
    more, captures = marked[candidate], clocked.captures[candidate]
    begins = more & ~np.append(False, more[:-1]) & ~is_run_start(captures)
    recur = begins.sum() >= MIN_PLACES and all(more[captures == which].any() for which in unique(captures))
    if clocked.strata is not None or not recur or fisher_p(*counts[:: -1 if candidate else 1]) > alpha:
        return None
    recorded, at_pace = (
        float(times[more].mean()) - median(times[~more])
        for times in (clocked.times_ns[candidate], np.exp(clocked.at_pace[candidate]))
    )
    return LongSteps(one[0], two[0], recorded / 1000, of_same_work=1 - at_pace / recorded)


def _of_long_steps(long: LongSteps, machine: MachinePart) -> Verdict:
    """Direction that long steps give: none on a busy machine, or if the same work is what takes longer in them."""
    way = 1 if long.candidate > long.baseline else -1
    if long.of_same_work > OF_MACHINE or way * machine.theta > BUSY:
        return Verdict.INCONCLUSIVE
    return Verdict.SLOWER if way > 0 else Verdict.FASTER


def _is_nothing(recorded: Verdict, program: ProgramPart, clocked: Clocked, options: CompareOptions) -> bool:
    """Whether there is one capture per side, their step times are the same, and they differ by no more than the
    threshold at equal machine speed."""
    alone = max(capture_counts(clocked.captures)) == 1
    little = abs(program.estimate.theta) <= math.log1p(options.margin)
    return alone and recorded is Verdict.SAME and little


def _is_main(machine: MachinePart, program: ProgramPart) -> bool:
    """Whether the machine changed by more than the program, as far as that is known."""
    return abs(machine.theta) >= abs(program.estimate.theta)


def _is_in_the_step(machine: MachinePart, clocked: Clocked) -> bool:
    """Whether the step time changed in the machine's direction. If host and device work in parallel, a slower one
    need not lengthen the step."""
    one, two = (float(np.log(side.mean())) for side in clocked.times_ns)
    return len(clocked.followers) == 1 or (two - one) * machine.theta >= MIN_SHOWN_SHARE * machine.theta**2


def _counted(program: ProgramPart, verdict: Verdict, clocked: Clocked) -> Counted | None:
    """Returns the counted work if it gave the verdict, else None."""
    counted = clocked.counted
    if counted is None or program.verdict is not Verdict.INCONCLUSIVE or verdict is Verdict.INCONCLUSIVE:
        return None
    return counted_facts(counted)


def _part(estimate: tuple[float, float, float], p: float | None, verdict: Verdict, clocked: Clocked) -> Part:
    """`estimate`: shift of ln(time) and the ends of its interval. Rows are summed over all paces; coverage and tau are
    means weighted by share of the step."""
    paces = [follower.pace for follower in clocked.followers]
    shares = np.array([follower.share for follower in clocked.followers])
    shares = shares / shares.sum() if shares.sum() > 0 else np.full(len(shares), 1 / len(shares))
    weighted = list(zip(shares.tolist(), paces, strict=True))
    theta, low, high = map(fraction_of, estimate)
    return Part(
        theta, low, high, p, verdict, rows=sum(pace.rows for pace in paces), kept=sum(pace.kept for pace in paces),
        coverage=min(float(sum(share * pace.coverage for share, pace in weighted)), 1.0),
        tau=fraction_of(math.hypot(*(share * pace.tau for share, pace in weighted))),
    )  # fmt: skip


def _in_same_work(clocked: Clocked, found: tuple[PaceRows, ...]) -> float:
    """Share of the mean change, at equal machine speed, in rows of the same work that do not follow the pace. 0 with
    work of a device, which rows on the host may wait for."""
    if [pace_rows.pace.of for pace_rows in found] != ["host"]:
        return 0.0
    changes, pace = found[0].changes, math.exp(shift_of_pace(found[0].pace.log, clocked.captures))
    own = each_side(lambda side: side[~changes.kept].sum(axis=0), changes.common)
    in_rows, whole = (float(two.mean()) / pace - float(one.mean()) for one, two in (own, clocked.times_ns))
    return in_rows / whole if whole else 0.0


def _paces(work: CommonWork) -> tuple[PaceFacts, ...]:
    usual = None if work.clocked is None else without_long_steps(work.clocked)
    followed = {} if usual is None else {
        follower.pace.of: (follower.share, shift_of_pace(follower.pace.log, usual.captures))
        for follower in usual.followers
    }  # fmt: skip
    out = []
    for pace in (pace_rows.pace for pace_rows in work.found):
        share, shift = followed.get(pace.of, (0.0, shift_of_pace(pace.log, work.captures)))
        facts = pace.of, pace.rows, pace.kept, pace.coverage, fraction_of(pace.tau), share, fraction_of(shift)
        out.append(PaceFacts(*facts, fraction_of(pace.center), pace.reason))
    return tuple(out)
