"""Finds the work that both sides share: its rows, their pace, and the steps at equal machine speed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.clocked import ASKED, NEEDED, Clocked, by_one_pace, by_their_paces
from tb_perfcompare.comparison.pace.counted_work import CountedWork, counted_work
from tb_perfcompare.comparison.pace.pace import MIN_COVERAGE, Pace, PaceRows, pace_of
from tb_perfcompare.comparison.pace.paced_time import (
    Samplings,
    Sides,
    largest_share,
    owned_time,
    path_time,
    per_observation,
)
from tb_perfcompare.comparison.pace.select import (
    BY_NAME,
    KERNELS,
    OPERATORS,
    Selected,
    host_tables,
    operator_table,
    same_inputs,
    select,
    select_at_equal_amount,
)
from tb_perfcompare.comparison.pace.uninterrupted import Cells, UninterruptedSteps, steps_alone, uninterrupted_steps
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.arrays import SidePair, each_side
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import STEP_TIME, StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass

SAME_INPUTS = 0.5
"""Share of device time on inputs of the same shapes below which kernels with equal launches may do different work."""

NO_SHAPES = "no input shapes on both sides: record with record_shapes=True"


@dataclass(frozen=True, slots=True, eq=False)
class CommonWork:
    """Work that both sides share. `clocked` is None if no pace can be used, for the `reason`.

    found     kinds of rows with their pace, usable or not
    selected  kind ("host", "device") -> the rows by identity, and why others are not used
    pooled    observations are means over workers
    captures  capture of each observation, if rows were searched for
    counted   work that one side does beyond the other's
    alone     all parts of the steps, if no pace is known and no device works
    """

    clocked: Clocked | None
    reason: str
    found: tuple[PaceRows, ...] = ()
    selected: tuple[tuple[str, Selected], ...] = ()
    pooled: bool = False
    captures: Captures = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    counted: CountedWork | None = None
    alone: tuple[Cells, Cells] | None = None

    @property
    def of_steps(self) -> Clocked | None:
        """The clocks, if each observation is a single step."""
        return None if self.pooled else self.clocked


def pace_of_steps(work: CommonWork) -> SidePair | None:
    """(n,), (m,) factor by which the machine lengthens each step; None without a usable pace, or if an observation
    is not a single step."""
    return None if work.of_steps is None else each_side(np.exp, work.of_steps.machine)


def steps_at_one_pace(work: CommonWork) -> SidePair | None:
    """(n,), (m,) ns of each step at equal machine speed; None as in `pace_of_steps`."""
    return None if work.of_steps is None else each_side(np.exp, work.of_steps.at_pace)


def paces_of_observations(work: CommonWork) -> dict[str, SidePair]:
    """Pace ("host", "device") -> factor by which the machine lengthens each observation. Empty with one capture per
    side: two captures cannot show whether their difference is the machine's."""
    if work.clocked is None or max(capture_counts(work.captures)) < 2:
        return {}
    paces = (follower.pace for follower in work.clocked.followers)
    return {pace.of: each_side(np.exp, pace.log) for pace in paces}


def common_work(
    baseline: Summary,
    candidate: Summary,
    options: CompareOptions,
    strata: Strata | None = None,
    least: float = MIN_COVERAGE,
    amount: AmountOfWork | None = None,
) -> CommonWork:
    """Finds the common work of two sides and their clocks, or why there are none. `strata`: kinds of the
    observations; `least`: share of the step that the common work has to cover if there is no device work; `amount`:
    the amount of work, if that varies: then all times are those at equal amount."""
    sides = baseline, candidate
    operators = operator_table(sides)
    if amount is not None:
        return _common_work(sides, operators, options, least, amount)
    work = _common_work(sides, operators, options, least, in_kinds=strata is not None)
    if strata is not None:  # a different mix of kinds may call other operators
        clocked = None if work.clocked is None else replace(work.clocked, strata=strata, uninterrupted=None)
        return replace(work, clocked=clocked)
    if work.clocked is None:
        work = replace(work, alone=_alone(sides))
    if _unusable_reason(sides) or not (operators or _is_timed_on_host(sides)):
        return work
    counted = counted_work(sides, each_side(observations, sides), operators)
    clocked = None if work.clocked is None else replace(work.clocked, counted=counted)
    return replace(work, clocked=clocked, counted=counted)


def _common_work(
    sides: Sides, operators: str, options: CompareOptions, least: float, amount: AmountOfWork | None = None,
    *, in_kinds: bool = False,
) -> CommonWork:  # fmt: skip
    host = host_tables(sides, operators) if amount is None else tuple(filter(None, (operators,)))
    reason = _unusable_reason(sides, amount) or ("" if host else NO_SHAPES)
    if reason:
        return CommonWork(None, reason)
    samples = each_side(observations, sides)
    captures = each_side(lambda seen: seen.capture, samples)

    def at_level(values: SidePair) -> SidePair:
        return values if amount is None else amount.at_level(values)

    times = at_level(per_observation(samples, [side.steps.total_ns for side in sides]))
    if any((side <= 0).any() or not len(side) for side in times):
        return CommonWork(None, "step times that are not above zero")
    owned = {of: at_level(owned_time(sides, samples, of)) for of in ("host", "device")}
    paths = {of: at_level(path_time(sides, samples, of)) for of in owned}
    shares = {of: largest_share(time, times) for of, time in owned.items()}
    paces: list[PaceRows] = []
    selected: list[tuple[str, Selected]] = []
    used: list[Pace] = []
    reasons: list[str] = []
    on_device = shares["device"] > 0
    least = MIN_COVERAGE if on_device else least
    uninterrupted: UninterruptedSteps | None = None

    def pace_by(of: str, table: str) -> tuple[Selected | None, PaceRows | str]:
        """Rows of a table and their pace, or why they have none."""
        measure, noun = ("host_self", "operators") if of == "host" else ("total", "kernels")
        if amount is None:
            rows = select(table, measure, sides, samples, launching=of == "host" and table != operators)
        else:
            rows = select_at_equal_amount(table, measure, sides, samples, amount)
        if rows is None:
            return None, f"a side has no times of {noun} by {'input shape' if of == 'host' else 'launch'}"
        if of == "device" and amount is None:
            if not operators:
                return None, NO_SHAPES
            if operators == OPERATORS and same_inputs(sides) < SAME_INPUTS:
                return None, "kernels ran on inputs of other shapes"
        whole = times
        if on_device:
            totals = [side.groups[table].measures_ns[measure].sum(axis=0) for side in sides]
            whole = at_level(per_observation(samples, totals))
        # another mix of kinds has other means, but the same fastest calls; of steps at equal amount none are known
        sliced = of == "device" and not in_kinds and amount is None
        return rows, pace_of(of, rows.rows, captures, whole, noun, options.alpha, least, sliced=sliced)

    for of, tables in (("host", host), ("device", (KERNELS,))):
        if of == "device" and not on_device:
            continue
        rows, outcome = pace_by(of, tables[0])
        if len(tables) > 1 and not _is_known(outcome):
            others = pace_by(of, tables[1])
            rows, outcome = others if _is_known(others[1]) else (rows, outcome)
        if rows is not None:
            selected.append((of, rows))
        if isinstance(outcome, PaceRows):
            paces.append(outcome)
            if of == "host" and not on_device and amount is None and _stand_alone(sides, samples):
                uninterrupted = uninterrupted_steps(_parts(sides), outcome.rows, captures, options.alpha, least)
        # uninterrupted steps show the pace even if whole steps do not
        if isinstance(outcome, PaceRows) and (uninterrupted is not None or not outcome.pace.reason):
            used.append(outcome.pace)
        elif not on_device or largest_share(paths[of], times) >= NEEDED:
            reasons.append(outcome if isinstance(outcome, str) else outcome.pace.reason)
    kept = tuple(paces), tuple(selected), any(seen.pooled for seen in samples), captures
    if reasons or not used:
        return CommonWork(None, reasons[0] if reasons else "no work whose pace is known", *kept)
    if not on_device:
        clocked = by_one_pace(times, captures, used[0])
        return CommonWork(replace(clocked, uninterrupted=uninterrupted), "", *kept)
    # the host may work during the whole step; the device works where it owns time, as no other category does then
    limits = {"host": times, "device": owned["device"]}
    unpaced = [time for of, time in owned.items() if of not in {pace.of for pace in used}]
    if 1.0 - sum(shares.values()) >= ASKED:  # waiting for other ranks may be hidden, too
        unpaced = [times]
    return CommonWork(by_their_paces(times, captures, used, paths, limits, unpaced), "", *kept)


def _alone(sides: Sides) -> tuple[Cells, Cells] | None:
    if any(side.metric != STEP_TIME or not (side.is_timed and side.marked and side.is_split) for side in sides):
        return None
    samples = each_side(observations, sides)
    if not _stand_alone(sides, samples) or any(side.any() for side in owned_time(sides, samples, "device")):
        return None
    return steps_alone(_parts(sides), each_side(lambda seen: seen.capture, samples))


def _is_timed_on_host(sides: Sides) -> bool:
    """Whether operators take the time of their work on the host, where no device does it."""
    return not any(side.device.count or BY_NAME not in side.groups for side in sides)


def _parts(sides: Sides) -> tuple[SplitTime | None, SplitTime | None]:
    return each_side(lambda side: side.owned.parts, sides)


def _stand_alone(sides: Sides, samples: Samplings) -> bool:
    """Whether parts of a step are independent of each other: observations are steps of one process, and no
    collective that runs beside the operators takes time from them."""
    collectives = any(side.owned.by_category()[StepCategory.COMMUNICATION].any() for side in sides)
    return not collectives and not any(seen.pooled or seen.uneven for seen in samples)


def _unusable_reason(sides: Sides, amount: AmountOfWork | None = None) -> str:
    if any(side.metric != STEP_TIME or not side.is_timed for side in sides):
        return "the source has no steps"
    if amount is None and not all(side.marked for side in sides):
        return "no step markers on both sides"
    if sides[0].device.kind != sides[1].device.kind:
        return "different kinds of device"
    if not all(side.is_split for side in sides):
        return "the source does not say who took the time"
    return ""


def _is_known(outcome: PaceRows | str) -> bool:
    return isinstance(outcome, PaceRows) and not outcome.pace.reason
