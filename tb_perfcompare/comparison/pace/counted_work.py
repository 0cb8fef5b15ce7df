"""Work that the program does more often, or on larger inputs. Calls and elements are counted, so noise does not hide
them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.pace.paced_time import (
    Samplings,
    Sides,
    largest_share,
    owned_time,
    path_time,
    per_observation,
)
from tb_perfcompare.comparison.pace.select import ALIKE_CALLS, BY_NAME, OPERATORS, work_of_operators
from tb_perfcompare.comparison.pace.step_cells import FASTEST_SHARE
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import centers, row_means
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate
from tb_perfcompare.comparison.statistics.samples import Samples
from tb_perfcompare.comparison.statistics.weights import inside, weighted_median
from tb_perfcompare.model.arrays import Floats, Ints, each_side, row_medians, unique
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.work_kinds import reads_a_part
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_STEPS_SHARE = 0.5
"""Share of the steps that have to make a call for it to count as the program's."""

MIN_COMMON_WORK = 0.95
"""Share of one side's work, by operator, input shapes and calls, that the other side has to do as well."""

MAX_OPPOSITE_SHARE = 0.25
"""Upper limit on what is called less often, as a share of what is called more often (or the other way round). Also, if
inputs are not known, on the time by which the calls of both sides are shorter: calls on halves take half the time."""

Interval = tuple[float, float, float]
"""A shift of ln(time) and the ends of its interval."""

LARGER = 1.1
"""Ratio of elements from which inputs count as larger."""

CALL_ELEMENTS = 4096.0
"""Elements whose time a call takes even on the smallest input: 1.3 us on one core, as the addition of 3,000 elements
(torch 2, without a profiler). Without it, an operator on 1 and then on 10,000 elements would decide alone."""

MIN_SHOWN_SHARE = 0.25
"""Share of the counted change that the times have to show. Applies to larger inputs if a device works beside the
host, and to calls if the interval of the times does not reach the whole counted change."""

_CATEGORIES = {StepCategory.CPU_EXEC: "operator calls", StepCategory.KERNEL: "kernel launches"}


@dataclass(frozen=True, slots=True)
class CountedWork:
    """One side does all that the other does, and more.

    log     ln of the step time, candidate over baseline, if everything that both do takes equally long; for larger
            inputs an upper limit
    noun    the main kind of additional work: "operator calls", "kernel launches", "input elements"
    calls   additional calls per step of the candidate, negative if the baseline has more; None for larger inputs alone
    larger  the side with more work also has larger inputs
    inputs  ln of how much larger the inputs are; None for calls
    may_hide  a device does the work beside the host, and the step may not wait for it
    """

    log: float
    noun: str
    calls: float | None = None
    inputs: float | None = None
    larger: bool = False
    may_hide: bool = False

    def verdict(self, shift: Interval, options: CompareOptions) -> Verdict | None:
        """Direction of the counted work as a "probably" verdict, if it exceeds the margin and the times agree; else
        None."""
        theta, low, high = shift
        least = math.log1p(options.margin)
        if abs(self.log) <= least or theta * self.log <= 0:
            return None
        if self.may_hide and abs(theta) <= max(least, MIN_SHOWN_SHARE * abs(self.log)):
            return None
        near, far = (low, high) if self.log > 0 else (-high, -low)
        too_little = abs(theta) < MIN_SHOWN_SHARE * abs(self.log) and near <= 0 and far < abs(self.log)
        if self.calls is not None and too_little:
            return None
        return Verdict.PROBABLY_SLOWER if self.log > 0 else Verdict.PROBABLY_FASTER


def interval(estimate: ShiftEstimate) -> Interval:
    """Shift and interval of the estimate."""
    return estimate.theta, estimate.theta_low, estimate.theta_high


class _Size(NamedTuple):
    """Work of an operator per step: time, (elements, calls) of its calls by size, and elements of each input over all
    calls. Every call has CALL_ELEMENTS more."""

    time_ns: float
    by_size: tuple[tuple[float, float], ...]
    inputs: tuple[float, ...]

    @property
    def calls(self) -> float:
        return math.fsum(calls for _, calls in self.by_size)

    def largest(self, calls: float) -> float:
        """Elements of the `calls` largest calls."""
        elements = 0.0
        for size, of_size in sorted(self.by_size, reverse=True):
            elements += min(of_size, calls) * size
            calls -= min(of_size, calls)
        return elements


class _Row(NamedTuple):
    """Calls per step, in the mean (NaN if captures differ) and in the median step, and exposed nanoseconds per step."""

    calls: float
    usual: float
    time_ns: float


_NO_CALLS = _Row(0.0, 0.0, 0.0)


def counted_work(sides: Sides, samples: Samplings, operators: str) -> CountedWork | None:
    """Returns the additional work; None if neither side does all that the other does, or if calls vary too much to
    be counted. `operators`: group table of the operators, as `operator_table` says; "" if their inputs are not known.
    """
    calls = _more_calls(sides, samples)
    if calls is not None and _is_inside(sides, operators, calls.log):
        return calls
    if operators != OPERATORS or not all(map(_has_steady_inputs, sides)):
        return None
    one, two = each_side(_sizes, sides)
    up = _does_as_much(one, two)
    if up == _does_as_much(two, one):
        return None
    way = 1 if up else -1
    inputs = _larger_inputs(sides, samples, way, *((one, two) if up else (two, one)))
    found = [counted for counted in (calls, inputs) if counted is not None and counted.log * way > 0]
    return replace(max(found, key=lambda counted: abs(counted.log)), larger=True) if found else None


def _is_inside(sides: Sides, operators: str, log: float) -> bool:
    """Whether the side with more calls also does the work of the other. Where inputs are not known, the additional
    calls are no parts of the others if these take about as long as before."""
    small, large = sides if log > 0 else sides[::-1]
    less, more = (work_of_operators(side, operators or BY_NAME) for side in (small, large))
    if inside(less, more) < MIN_COMMON_WORK:
        return False
    if operators:
        return True
    before, after = _call_times(small), _call_times(large)
    whole, same = (sum(work.calls * of.get(name, 0.0) for (name, *_), work in less.items()) for of in (before, after))
    return whole - same <= MAX_OPPOSITE_SHARE * math.expm1(abs(log)) * whole


def _call_times(side: Summary) -> dict[str, float]:
    """Time per call of each operator, from the fastest quarter of the steps."""
    table = side.groups[BY_NAME]
    per_call = table.measures_ns["host_self"] // np.maximum(table.calls, 1)
    return dict(zip((key[0] for key in table.keys), _uninterrupted(per_call).tolist(), strict=True))


def _more_calls(sides: Sides, samples: Samplings) -> CountedWork | None:
    """Returns what one side calls more often, if it is more than the other calls more often."""
    one, two = each_side(_rows, sides, samples)
    fewer, more = _beyond(one, two), _beyond(two, one)
    shares = each_side(_share, (fewer, more), sides)
    small, large = sorted(shares)
    if not 0 < large < 1 or small > MAX_OPPOSITE_SHARE * large:
        return None
    is_more = shares[1] > shares[0]
    rows = more if is_more else fewer
    largest = max(rows, key=lambda key: (rows[key].time_ns, key))
    calls = math.fsum(row.calls for (category, _), row in rows.items() if category == largest[0])
    return CountedWork(
        math.log1p(-shares[0]) - math.log1p(-shares[1]), _CATEGORIES[StepCategory(largest[0])],
        calls if is_more else -calls,
    )  # fmt: skip


def _share(rows: Mapping[tuple[int, str], _Row], side: Summary) -> float:
    """Time of the rows over the duration of an uninterrupted step; 0 if the steps have nothing in common."""
    step_ns = float(_uninterrupted(side.owned.time_ns).sum())
    return math.fsum(row.time_ns for row in rows.values()) / step_ns if step_ns else 0.0


def _rows(side: Summary, samples: Samples) -> dict[tuple[int, str], _Row]:
    """Calls and exposed time per step, by category and name."""
    owned, table = side.owned, side.groups.get("operators")
    operators = set() if table is None else {key[0] for key in table.keys}
    steady = (owned.calls > 0).mean(axis=1) >= MIN_STEPS_SHARE
    at = np.flatnonzero(steady & np.isin(owned.category, list(_CATEGORIES)))
    calls = owned.calls[at]
    means = centers(calls, samples.capture[samples.group], row_means)
    differ = means.max(axis=1) > (1 + ALIKE_CALLS) * means.min(axis=1)
    usual, time_ns = row_medians(calls), _uninterrupted(owned.time_ns[at])
    figures = np.where(differ, math.nan, means.mean(axis=1)), usual, time_ns
    names = zip(owned.category[at].tolist(), map(owned.key.__getitem__, at.tolist()), strict=True)
    return {
        key: row for key, row in zip(names, map(_Row, *(figure.tolist() for figure in figures)), strict=True)
        if key[0] == StepCategory.KERNEL or key[1] in operators
    }  # fmt: skip


def _uninterrupted(times: Ints) -> Floats:
    """(r,) mean of the fastest quarter of the steps that have the row, 0 if fewer than half of the steps have it."""
    means = np.zeros(len(times))
    steady = (times > 0).mean(axis=1) >= MIN_STEPS_SHARE
    some = times[steady].astype(np.float64)
    fastest = np.sort(np.where(some > 0, some, np.inf), axis=1)[:, : max(int(FASTEST_SHARE * times.shape[1]), 1)]
    means[steady] = fastest.mean(axis=1)
    return means


def _beyond(here: Mapping[tuple[int, str], _Row], there: Mapping[tuple[int, str], _Row]) -> dict[tuple[int, str], _Row]:
    """Additional calls of `here` over `there`, with their share of the row's time. In the usual step, too: what one
    long step does is no work of the program."""
    beyond = {}
    for key, row in here.items():
        other = there.get(key, _NO_CALLS)
        if row.calls > (1 + ALIKE_CALLS) * other.calls and row.usual > other.usual:  # false for NaN
            more = 1 - other.calls / row.calls
            beyond[key] = _Row(row.calls - other.calls, row.usual - other.usual, row.time_ns * more)
    return beyond


def _larger_inputs(
    sides: Sides, samples: Samplings, way: int, small: Mapping[str, _Size], large: Mapping[str, _Size]
) -> CountedWork | None:
    """Returns that inputs are larger on the candidate (`way` 1) or the baseline (-1), if clearly. A device does more
    work on larger inputs; the host that launches it does not."""
    factor = _growth(small, large)
    if factor <= LARGER:
        return None
    share = 1.0
    on_device = any(side.any() for side in owned_time(sides, samples, "device"))
    if on_device:
        steps = per_observation(samples, [side.steps.total_ns for side in sides])
        share = largest_share(path_time(sides, samples, "device"), steps)
    grown = math.log1p(share * (factor - 1))
    usual = max(factor, _usual_growth(small, large))
    return CountedWork(way * grown, "input elements", inputs=way * math.log(usual), may_hide=on_device)


def _has_steady_inputs(side: Summary) -> bool:
    """Whether all steps of a rank have equally large inputs. Where input sizes are random, larger inputs are no change
    of the program; nor are those of compiled regions, which may be cut differently."""
    table = side.groups[OPERATORS]
    if any(is_compiled(key[0]) for key in table.keys):
        return False
    elements = np.array([math.fsum(input_elements(key[1])) if len(key) > 1 else 0.0 for key in table.keys])
    of_step, workers = elements @ table.calls, np.array(job_workers(side))[side.steps.capture]
    ranks = [of_step[workers == worker] for worker in unique(workers)]
    return all(bool(rank.max() <= (1 + ALIKE_CALLS) * rank.min()) for rank in ranks)


def _does_as_much(small: Mapping[str, _Size], large: Mapping[str, _Size]) -> bool:
    """Whether `large` has the operators of `small`, by time, in as many calls on as many elements."""
    done = math.fsum(size.time_ns for size, _ in _as_much(small, large))
    return done > 0 and done >= MIN_COMMON_WORK * math.fsum(size.time_ns for size in small.values())


def _as_much(small: Mapping[str, _Size], large: Mapping[str, _Size]) -> list[tuple[_Size, _Size]]:
    least = 1 - ALIKE_CALLS
    return [
        (size, other) for name, size in small.items()
        if (other := large.get(name)) and other.calls >= least * size.calls
        and other.largest(size.calls) >= least * size.largest(size.calls)
    ]  # fmt: skip


def _growth(small: Mapping[str, _Size], large: Mapping[str, _Size]) -> float:
    """Ratio of input elements of the operators, large over small, weighted by time on the side with smaller inputs.
    Operators with more calls count as not grown, as their additional calls may have other inputs."""
    both = _as_much(small, large)
    grown = (
        size.time_ns * (_input_ratio(size, other) if other.calls <= (1 + ALIKE_CALLS) * size.calls else 1.0)
        for size, other in both
    )
    return math.fsum(grown) / math.fsum(size.time_ns for size, _ in both)


def _usual_growth(small: Mapping[str, _Size], large: Mapping[str, _Size]) -> float:
    """Growth of the input that grew most, of the typical operator by time: 2 for twice the batch."""
    both = _as_much(small, large)
    grown = [
        max((two / one for one, two in zip(size.inputs, other.inputs, strict=False) if one), default=1.0)
        for size, other in both
    ]
    return weighted_median(np.array(grown), np.array([size.time_ns for size, _ in both]))


def _input_ratio(size: _Size, other: _Size) -> float:
    """Ratio of the elements of the inputs that both have: a new operand, such as a mask, makes none of them larger."""
    given = [pair for pair in zip(size.inputs, other.inputs, strict=False) if min(pair) > 0]
    one, two = map(math.fsum, zip(*given, strict=True)) if given else (0.0, 0.0)
    return (two + CALL_ELEMENTS * other.calls) / (one + CALL_ELEMENTS * size.calls)


def _sizes(side: Summary) -> dict[str, _Size]:
    """Size of each operator per step."""
    by_name: dict[str, _Size] = {}
    for (name, *rest), work in work_of_operators(side, OPERATORS).items():
        of = by_name.get(name, _Size(0.0, (), ()))
        inputs = input_elements(rest[0])[int(reads_a_part(name)) :] if rest else ()
        all_calls = (work.calls * elements for elements in inputs)
        by_name[name] = _Size(
            of.time_ns + work.time_ns,
            (*of.by_size, (CALL_ELEMENTS + math.fsum(inputs), work.calls)),
            tuple(one + two for one, two in zip_longest(of.inputs, all_calls, fillvalue=0.0)),
        )
    return by_name
