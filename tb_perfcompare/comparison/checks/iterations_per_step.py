"""Whether a step of one side holds several iterations of the other side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tb_perfcompare.comparison.checks.outermost import outermost_calls
from tb_perfcompare.comparison.checks.shared_work import ITERATION, Key, calls_per_step, operator_calls, per_iteration
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.model.summary.iterations import PROFILER
from tb_perfcompare.model.summary.summary import Summary

WHOLE_TOLERANCE = 0.02
"""Largest relative deviation of a ratio from a whole number ..."""

MIN_CALLS_SHARE = 0.9
"""... and share of the operators' calls, or of the operators that a program itself calls, for which it has to hold."""

SEVERAL = 1.5
"""Number of batches or optimizer steps from which a step holds several iterations."""

MIN_SAME_INPUTS = 0.5
"""Share of the operators' calls that must run on the same inputs in each pass: larger batches in fewer passes are
another way to compute the same step."""


def several_iterations(a: Summary, b: Summary) -> Check | None:
    """Fails or warns if a step of one side holds several iterations of the other side; None otherwise."""
    return _counted(a, b) or _passes(a, b)


def _counted(a: Summary, b: Summary) -> Check | None:
    """Recognizes a marker around several iterations: everything is called a whole number of times as often,
    including batches or optimizer steps. More work within an iteration would leave one of the two unchanged. If a
    step of either side already has several of both, it is not an iteration by design, and more of them are a change
    of the program."""
    named = per_iteration(a), per_iteration(b)
    paced = {word: (named[0][word], named[1][word]) for word in ITERATION}
    ratios = [max(pair) / min(pair) for pair in paced.values() if all(pair)]
    if not ratios:
        return None
    times = round(ratios[0])
    if times < 2 or not all(_is(ratio, times) for ratio in ratios):
        return None
    calls = operator_calls(a), operator_calls(b)
    if not all(calls):
        return None
    more = sum(calls[1].values()) >= sum(calls[0].values())
    few, many = calls if more else calls[::-1]
    if sum(many[name] for name in _as_often(few, many, times)) < MIN_CALLS_SHARE * sum(many.values()):
        return None
    seen = ", ".join(f"{word} {x:g} to {y:g}" for word, (x, y) in paced.items() if x or y)
    seen += " per step, and the operators likewise"
    step = f"a step of the {'candidate' if more else 'baseline'}"
    if all(min(pair) >= SEVERAL for pair in paced.values() if all(pair)):
        detail = f"{step} does {times} times what one of the other side does ({seen})"
        return Check("step_marker", "warn", detail, ("verdict",))
    shared = [marker for marker in shared_markers(a, b) if marker.startswith(tuple(ITERATION.values()))]
    compared = f"; --step-marker {shared[0]!r} compares these recordings" if shared else ""
    detail = (
        f"{step} holds {times} iterations of the other side ({seen}): call profiler.step() once per iteration on both "
        f"sides{compared}"
    )
    return Check("step_marker", "fail", detail, ("verdict", "ledger", "cause"))


class Passes(NamedTuple):
    """What an iteration of one side makes several times: `times` passes, each with one call of the operator `first`.

    `more` says whether it is the candidate's.
    """

    times: int
    first: str
    more: bool


def several_passes(a: Summary, b: Summary) -> Passes | None:
    """Passes in an iteration of one side, if it was found rather than marked by the profiler, and one of the other side
    makes one: the program calls everything but the optimizer a whole number of times as often, on the same inputs.

    A program that steps the optimizer after every pass rather than every fourth has shorter iterations, but is slower.
    """
    if any(side.iterations is None or side.iterations.chosen.origin == PROFILER for side in (a, b)):
        return None
    passes = _of_a_pass(a), _of_a_pass(b)
    more = sum(passes[1].values()) >= sum(passes[0].values())
    few, many = passes if more else passes[::-1]
    first = next((name for name, count in few.items() if count == 1 and many.get(name, 1) > 1), "")
    times = round(many[first]) if first else 1
    if times < 2 or len(_as_often(few, many, times)) < MIN_CALLS_SHARE * len(few.keys() | many.keys()):
        return None
    few_calls, many_calls = (calls_per_step(side, "operators_by_shape") for side in ((a, b) if more else (b, a)))
    on_same = sum(many_calls[key] for key in _as_often(few_calls, many_calls, times))
    return Passes(times, first, more) if on_same >= MIN_SAME_INPUTS * sum(many_calls.values()) else None


def _passes(a: Summary, b: Summary) -> Check | None:
    found = several_passes(a, b)
    if found is None:
        return None
    one, several = ("baseline", "candidate") if found.more else ("candidate", "baseline")
    detail = (
        f"an iteration of the {several} holds {found.times} of the {one}'s: it makes {found.times} passes on the same "
        f"inputs, where one of the {one} makes one; --step-marker {found.first!r} compares single passes"
    )
    return Check("step_marker", "fail", detail, ("verdict", "ledger", "cause"))


def _of_a_pass(summary: Summary) -> dict[str, float]:
    """Operator -> calls per step, of those that the program itself calls, without the optimizer."""
    return {name: count for name, count in outermost_calls(summary).items() if not name.startswith("Optimizer.")}


def _as_often(few: Mapping[Key, float], many: Mapping[Key, float], times: int) -> list[Key]:
    """What `many` has this many times as often as `few`."""
    return [key for key, count in many.items() if few.get(key) and _is(count / few[key], times)]


def _is(ratio: float, times: int) -> bool:
    return abs(ratio - times) <= WHOLE_TOLERANCE * times


def markers_of(summary: Summary) -> list[str]:
    """What can delimit the steps of a side, as text of --step-marker."""
    return [] if summary.iterations is None else [marker.asked_as for marker in summary.iterations.candidates]


def shared_markers(a: Summary, b: Summary) -> list[str]:
    """What can delimit the steps of both sides, in the order of the first."""
    others = {*markers_of(b)}
    return [marker for marker in markers_of(a) if marker in others]
