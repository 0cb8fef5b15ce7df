"""Gate for traces: whether a step of one side is the same piece of work as a step of the other."""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.matched_share import matched_share
from tb_perfcompare.comparison.checks.containment import BY_NAME, Containment, containment, more_calls
from tb_perfcompare.comparison.checks.environment_checks import on_cpu_alone
from tb_perfcompare.comparison.checks.input_sizes import input_sizes
from tb_perfcompare.comparison.checks.outermost import same_around, same_loop
from tb_perfcompare.comparison.checks.same_model import same_arithmetic, same_parameters
from tb_perfcompare.comparison.checks.same_program import MIN_PIECES, Program, program
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_calls, shared_typed_calls
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import percent_text, short
from tb_perfcompare.comparison.work.call_arguments import other_arguments, time_by_inputs
from tb_perfcompare.model.input_shapes import shown_shape
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.number_text import many

MIN_CONTAINED_SHARE = 0.98

PART_OF_IT = 0.35
"""Share above which the sides have part of their work in common, unless what they compute differs."""


def same_work_checks(
    baseline: Summary, candidate: Summary, alignment: Alignment | None, numbers: TextNumbers
) -> tuple[Check, ...]:
    """Checks `same_work`, `input_shapes`, `input_types`, `input_arguments` and `input_sizes`.

    `same_work` fails, and withholds the verdict, if nothing shows that a step of one side is the other's work: not
    its time by input shape, nor operators, kernels or device time by operator, nor what it computes; or if both
    compute different things. It only warns about another form of a program or a part in common. `input_shapes` and
    `input_types` warn if the same operators run on other inputs, `input_arguments` if with other arguments.
    `input_sizes` fails, and withholds the verdict, if inputs are of another order of size. If one side recorded only
    the CPU, operators must have nine tenths in common, or compute the same: a rank without a device may call operators
    of the same names for other work.
    """
    shares: dict[str, float] = {}
    for table, words in (("operators", "operator calls"), ("kernels", "kernel launches")):
        if (shared := shared_calls(table, baseline, candidate, numbers)) is not None:
            shares[words] = shared[0]
    if alignment is not None and shares:  # without names on both sides, copies alone would match
        shares["device time, matched by operator"] = min(matched_share(alignment))
    alone = on_cpu_alone(baseline, candidate)
    held = None if alone else containment(baseline, candidate)
    checks = (
        _same_work(shares, held, baseline, candidate, alone=alone),
        _inputs("shapes", baseline, candidate, numbers),
        _inputs("types", baseline, candidate, numbers),
        _arguments(baseline, candidate),
        input_sizes(baseline, candidate, shares.get("kernel launches")),
    )
    return tuple(filter(None, checks))


def _same_work(shares: dict[str, float], held: Containment | None, a: Summary, b: Summary, *, alone: bool) -> Check:
    if not shares:
        return Check("same_work", "ok", "cannot be checked: nothing recorded on both sides")
    if held is not None and any(held.contained):
        return Check("same_work", "ok", _contained(held, a, b))
    computed = program(a, b)
    detail = ", ".join(f"{percent_text(share)} of the {words}" for words, share in shares.items())
    most, least = max(shares.values()), SIMILAR_WORK if alone else SOME_WORK
    if most >= least and ((held is not None and held.is_partly) or computed is None or not computed.is_different):
        return Check("same_work", "ok", f"in common: {detail}")
    if computed is not None and computed.same:
        return _warned(f"{computed.how}; in common by name: {detail}")
    related = None if alone else next(_related(computed, held, a, b, most, detail), None)
    if related is not None:
        return related
    lead = "one side recorded the CPU alone, the other a device, and they do" if alone else ""
    reason = f"{lead} different work per step: only {detail} are in common".lstrip()
    if held is not None:
        reason = f"neither step contains the other's work: {_both_ways(held)}; shared by name: {detail}"
    unlike = "" if computed is None else computed.unlike
    return Check("same_work", "fail", "; ".join(filter(None, (reason, unlike))), ("verdict", "cause"))


def _warned(reason: str, *more: str) -> Check:
    return Check("same_work", "warn", reason, ("cause", *more))


def _related(
    computed: Program | None, held: Containment | None, a: Summary, b: Summary, most: float, detail: str
) -> Iterator[Check]:
    """Yields what shows that the steps do related work, although they are not the same, the strongest evidence first.
    `most`: largest share in common, of those in `detail`."""
    by_name = f"in common by name: {detail}"
    if trained := same_parameters(a, b):
        yield _warned(f"other operators, but {trained}; {by_name}")
    if arithmetic := same_arithmetic(a, b):
        yield _warned(f"other pieces, but {arithmetic}; {by_name}")
    if computed is not None and computed.times > 1:
        yield _warned(f"one side makes the same calls {computed.times} times per step; {computed.unlike}; {by_name}")
    if computed is not None and computed.contained:
        yield _warned(f"one side does more of the same work: {computed.unlike}; {by_name}")
    if held is not None and held.is_partly:
        yield _warned(f"partly different work: {_both_ways(held)} by input shape")
    if side := _compiled_side(a, b):
        reason = f"only the {side} runs compiled regions, whose operators are not recorded; in common: {detail}"
        yield _warned(reason, "operators")
    unlike = computed is not None and computed.least >= MIN_PIECES and computed.in_common < SOME_WORK
    if PART_OF_IT <= most < SOME_WORK and not unlike:
        yield _warned(f"partly different work: only {detail} are in common")
    named = containment(a, b, BY_NAME) if computed is not None and computed.same_kinds else None
    if named is not None and named.is_partly:
        yield _warned(f"partly different work: {_both_ways(named)} by operator name")
    if loop := same_loop(a, b):
        yield _warned(f"different operators: {loop}")
    if (computed is None or not computed.is_different) and (around := same_around(a, b)):
        yield _warned(f"partly different work: {around}; in common: {detail}")


def _compiled_side(a: Summary, b: Summary) -> str:
    """The side that alone runs compiled regions, "" if neither or both do."""
    one, two = (
        "operators" in side.groups and any(is_compiled(key[0]) for key in side.groups["operators"].keys)
        for side in (a, b)
    )
    return "" if one == two else "baseline" if one else "candidate"


def _contained(held: Containment, a: Summary, b: Summary) -> str:
    """Result for contained work: "the candidate does all the baseline does, and 120 more operator calls per step
    (...)", "both sides make the same operator calls on the same inputs"."""
    if min(held.baseline, held.candidate) >= MIN_CONTAINED_SHARE and not (more_calls(a, b) or more_calls(b, a)):
        return "both sides make the same operator calls on the same inputs"
    grown = held.contained[0] and (not held.contained[1] or held.baseline >= held.candidate)
    most, less = ("candidate", "baseline") if grown else ("baseline", "candidate")
    share = held.baseline if grown else held.candidate
    does = "all" if share >= MIN_CONTAINED_SHARE else f"{percent_text(share)} by time of what"
    more = more_calls(a, b) if grown else more_calls(b, a)
    return f"the {most} does {does} the {less} does" + (f", and {more}" if more else "")


def _both_ways(held: Containment) -> str:
    a, b = percent_text(held.baseline), percent_text(held.candidate)
    return f"{a} of the baseline's time and {b} of the candidate's in common"


def _inputs(what: str, a: Summary, b: Summary, numbers: TextNumbers) -> Check | None:
    same, by_name = (shared_calls(table, a, b, numbers) for table in (f"operators_by_{what[:-1]}", "operators"))
    if same is None or by_name is None:
        return None
    (shared, _), (named, _) = same, by_name
    if what == "types" and shared < SIMILAR_WORK * named:  # other arguments' types depend on the version of PyTorch
        typed = shared_typed_calls(a, b)
        if typed is None:
            return None
        shared = typed
    detail = f"{percent_text(shared)} of operator calls have the same name and input {what}"
    if shared >= SIMILAR_WORK * named:
        return Check(f"input_{what}", "ok", detail)
    detail += f", {percent_text(named)} have the same name"
    return Check(f"input_{what}", "warn", detail, ("same work", "cause"))


_OTHER_ARGUMENTS = 0.05
"""Share of the operators' time, on either side, in calls with other arguments that makes them another work."""


def _arguments(a: Summary, b: Summary) -> Check | None:
    different = other_arguments(a, b)
    if not different:
        return None
    sides = [time_by_inputs(side) for side in (a, b)]
    shares = {key: max(side.get(key, 0.0) / max(sum(side.values()), 1.0) for side in sides) for key in different}
    share = max(sum(side.get(key, 0.0) for key in different) / max(sum(side.values()), 1.0) for side in sides)
    if share < _OTHER_ARGUMENTS:
        return None
    (name, shapes), changed = max(different.items(), key=lambda item: (shares[item[0]], item[0]))
    others = f", {many(len(different) - 1, 'other operator')} likewise" if len(different) > 1 else ""
    detail = (
        f"{short(name)} on {shown_shape(shapes)} is called {changed.clause}{others}; {percent_text(share)} of the "
        "operators' time"
    )
    return Check("input_arguments", "warn", detail, ("same work", "cause"))
