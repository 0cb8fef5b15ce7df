"""Finds the work that both sides share: its rows, their pace, and the steps at equal machine speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.clocked import ASKED, NEEDED, Clocked, by_one_pace, by_their_paces
from tb_perfcompare.comparison.pace.counted_work import CountedWork, counted_work
from tb_perfcompare.comparison.pace.interruptions import interruptions
from tb_perfcompare.comparison.pace.pace import MIN_COVERAGE, PaceRows, pace_of
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
    work_of_operators,
)
from tb_perfcompare.comparison.pace.uninterrupted_steps import (
    FEW_CAPTURES,
    StepsAlone,
    steps_alone,
    uninterrupted_steps,
)
from tb_perfcompare.comparison.result.finding import Interruptions
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import number_text, numbers_text
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import MIN_OWN_CAPTURES, capture_counts
from tb_perfcompare.comparison.statistics.samples import Samples, observations, of_late_ranks
from tb_perfcompare.model.arrays import SidePair, each_side
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

_Found: TypeAlias = tuple[Selected | None, PaceRows | str]
"""Rows of the same work, if known, and their pace or why they have none."""

SAME_INPUTS = 0.5
"""Share of device time on inputs of the same shapes below which kernels with equal launches may do different work."""

NO_SHAPES, NO_OPERATORS = "record both sides with record_shapes=True", "a side has no operators"


@dataclass(frozen=True, slots=True, eq=False)
class CommonWork:
    """Work that both sides share. `clocked` is None if no pace can be used, for the `reason`.

    found     kinds of rows with their pace, usable or not
    selected  kind ("host", "device") -> the rows by identity, and why others are not used
    pooled    observations are means over workers, or a worker's among several
    captures  capture of each observation, if rows were searched for
    counted   work that one side does beyond the other's
    alone     all parts of the steps, if no device works, and no pace is known or a side has two captures
    interrupted  what interruptions explain of the change, if nothing else is known of the pace
    """

    clocked: Clocked | None
    reason: str
    found: tuple[PaceRows, ...] = ()
    selected: tuple[tuple[str, Selected], ...] = ()
    pooled: bool = False
    captures: Captures = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    counted: CountedWork | None = None
    alone: StepsAlone | None = None
    interrupted: Interruptions | None = None

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
    baseline: Summary, candidate: Summary, options: CompareOptions, strata: Strata | None = None,
    least: float = MIN_COVERAGE, amount: AmountOfWork | None = None,
    sampled: Callable[[Summary], Samples] = of_late_ranks,
) -> CommonWork:  # fmt: skip
    """Finds the common work of two sides and their clocks, or why there are none. `strata`: kinds of the
    observations; `least`: share of the step that the common work has to cover if there is no device work; `amount`:
    the amount of work, if that varies: then all times are those at equal amount; `sampled`: the
    observations of several ranks."""
    sides = baseline, candidate
    operators = operator_table(sides)
    samples = each_side(sampled, sides)
    work = _common_work(sides, samples, operators, options, least, amount, in_kinds=strata is not None)
    if amount is not None:
        return work
    if strata is not None:  # a different mix of kinds may call other operators
        clocked = None if work.clocked is None else replace(work.clocked, strata=strata, uninterrupted=None)
        return replace(work, clocked=clocked)
    two = FEW_CAPTURES <= min(capture_counts(work.captures)) < MIN_OWN_CAPTURES
    if (two or work.clocked is None) and (parts := _parts_of_steps(sides)) is not None:
        alone = parts if _stand_alone(sides, each_side(observations, sides)) else None
        work = replace(work, alone=alone, interrupted=interruptions(parts) if work.clocked is None else None)
    if _unusable_reason(sides) or not (operators or _is_timed_on_host(sides)):
        return work
    counted = counted_work(sides, each_side(observations, sides), operators)
    clocked = None if work.clocked is None else replace(work.clocked, counted=counted)
    return replace(work, clocked=clocked, counted=counted)


def _common_work(
    sides: Sides, samples: Samplings, operators: str, options: CompareOptions, least: float,
    amount: AmountOfWork | None, *, in_kinds: bool,
) -> CommonWork:  # fmt: skip
    host = host_tables(sides, operators) if amount is None else tuple(filter(None, (operators,)))
    named = all(BY_NAME in side.groups for side in sides)
    reason = _unusable_reason(sides, amount) or ("" if host else NO_SHAPES if named else NO_OPERATORS)
    if reason:
        return CommonWork(None, reason)
    steps = _Steps(sides, samples, operators, amount, options.alpha, least)
    if any((side <= 0).any() or not len(side) for side in steps.times_ns):
        return CommonWork(None, "step times that are not above zero")
    found = {"host": _first_known(_pace_by(steps, "host", table) for table in host)}
    if steps.on_device:
        # another mix of kinds has other means, but the same fastest calls; of steps at equal amount none are known
        found["device"] = _pace_by(steps, "device", KERNELS, sliced=not in_kinds and amount is None)
    paces = {of: pace for of, (_, pace) in found.items()}
    clocked = _clocked_with_device(steps, paces) if steps.on_device else _clocked_by_host(steps, paces["host"])
    return CommonWork(
        *clocked,
        tuple(pace for pace in paces.values() if isinstance(pace, PaceRows)),
        tuple((of, rows) for of, (rows, _) in found.items() if rows is not None),
        any(seen.pooled for seen in steps.samples), steps.captures,
    )  # fmt: skip


class _Steps:
    """Observations in which common work is searched for: at equal amount of work, if the amount varies.

    operators  group table of operators that can be the same work, "" if there is none
    times_ns   step time, and `owned_ns`, the part that the "host" and the "device" own
    least      share of the time that common work has to cover
    """

    def __init__(
        self, sides: Sides, samples: Samplings, operators: str, amount: AmountOfWork | None, alpha: float, least: float
    ) -> None:
        self.sides, self.samples, self.operators, self.amount, self.alpha = sides, samples, operators, amount, alpha
        self.captures = each_side(lambda seen: seen.capture, samples)
        self.times_ns = self.at_level(per_observation(samples, [side.steps.total_ns for side in sides]))
        self.owned_ns = {of: self.at_level(owned_time(sides, samples, of)) for of in ("host", "device")}
        self.shares = {of: largest_share(time, self.times_ns) for of, time in self.owned_ns.items()}
        self.on_device = self.shares["device"] > 0
        self.least = MIN_COVERAGE if self.on_device else least

    def at_level(self, values: SidePair) -> SidePair:
        return values if self.amount is None else self.amount.at_level(values)


def _first_known(found: Iterator[_Found]) -> _Found:
    """The first whose pace is known; the first of all if none is."""
    first = next(found)
    return first if _is_known(first[1]) else next((other for other in found if _is_known(other[1])), first)


def _pace_by(steps: _Steps, of: str, table: str, *, sliced: bool = False) -> _Found:
    measure, noun, by = ("host_self", "operators", "input shape") if of == "host" else ("total", "kernels", "launch")
    if steps.amount is None:
        launching = of == "host" and table != steps.operators
        rows = select(table, measure, steps.sides, steps.samples, launching=launching)
    else:
        rows = select_at_equal_amount(table, measure, steps.sides, steps.samples, steps.amount)
    if rows is None:
        return None, f"a side has no times of {noun} by {by}"
    if of == "device" and not steps.operators:
        return None, NO_SHAPES
    by_shape = steps.amount is None and steps.operators == OPERATORS
    if of == "device" and by_shape and same_inputs(steps.sides) < SAME_INPUTS:
        return None, "kernels ran on inputs of other shapes"
    whole = steps.times_ns
    if steps.on_device:
        totals = [side.groups[table].measures_ns[measure].sum(axis=0) for side in steps.sides]
        whole = steps.at_level(per_observation(steps.samples, totals))
    return rows, pace_of(of, rows.rows, steps.captures, whole, noun, steps.alpha, steps.least, sliced=sliced)


def _clocked_by_host(steps: _Steps, found: PaceRows | str) -> tuple[Clocked | None, str]:
    """Clocks of steps without device work, or why there are none."""
    if isinstance(found, str):
        return None, found
    uninterrupted = None
    if steps.amount is None and _stand_alone(steps.sides, steps.samples):
        parts = _parts(steps.sides)
        uninterrupted = uninterrupted_steps(parts, found.rows, steps.captures, steps.alpha, steps.least)
    if found.pace.reason and uninterrupted is None:  # uninterrupted steps show the pace even if whole steps do not
        return None, found.pace.reason
    return replace(by_one_pace(steps.times_ns, steps.captures, found.pace), uninterrupted=uninterrupted), ""


def _clocked_with_device(steps: _Steps, found: Mapping[str, PaceRows | str]) -> tuple[Clocked | None, str]:
    """Clocks of steps with device work, or why there are none: a pace that much of the critical path follows is not
    known."""
    paths = {of: steps.at_level(path_time(steps.sides, steps.samples, of)) for of in found}
    paces = {of: pace.pace for of, pace in found.items() if isinstance(pace, PaceRows) and not pace.pace.reason}
    for of, pace in found.items():
        if of not in paces and largest_share(paths[of], steps.times_ns) >= NEEDED:
            return None, pace if isinstance(pace, str) else pace.pace.reason
    if not paces:
        return None, "no work whose pace is known"
    # the host may work during the whole step; the device works where it owns time, as no other category does then
    limits = {"host": steps.times_ns, "device": steps.owned_ns["device"]}
    unpaced = [time for of, time in steps.owned_ns.items() if of not in paces]
    if 1.0 - sum(steps.shares.values()) >= ASKED:  # waiting for other ranks may be hidden, too
        unpaced = [steps.times_ns]
    return by_their_paces(steps.times_ns, steps.captures, tuple(paces.values()), paths, limits, unpaced), ""


def _parts_of_steps(sides: Sides) -> StepsAlone | None:
    """All parts of the steps of every process; None if they are not known, or if a device works."""
    if any(side.metric != STEP_TIME or not (side.is_timed and side.marked and side.is_split) for side in sides):
        return None
    if any(side.any() for side in owned_time(sides, each_side(observations, sides), "device")):
        return None
    return steps_alone(_parts(sides), each_side(lambda side: side.steps.capture, sides))


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
        return f"different kinds of device{_operator_calls(sides)}"
    if not all(side.is_split for side in sides):
        return "the source does not attribute time to operators"
    return ""


def _operator_calls(sides: Sides) -> str:
    """Clause on the operator calls of two kinds of device, which tell whether the program is the same: "; the same 440
    operator calls per step", or how many are in common; "" without operators."""
    if not all(BY_NAME in side.groups for side in sides):
        return ""
    one, two = each_side(lambda side: work_of_operators(side, BY_NAME), sides)
    calls = each_side(lambda side: math.fsum(work.calls for work in side.values()), (one, two))
    common = math.fsum(min(one[key].calls, two[key].calls) for key in one.keys() & two.keys())
    if number_text(common) == number_text(max(calls)):
        return f"; the same {number_text(common)} operator calls per step"
    return f"; operator calls per step {numbers_text(*calls)}, {number_text(common)} in common"


def _is_known(outcome: PaceRows | str) -> bool:
    return isinstance(outcome, PaceRows) and not outcome.pace.reason
