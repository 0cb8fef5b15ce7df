"""Gate for traces: whether a step of one side is the same piece of work as a step of the other."""

from __future__ import annotations

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.table import matched_share
from tb_perfcompare.comparison.checks.containment import (
    FEWEST_OPERATORS,
    PARTLY,
    Containment,
    containment,
    more_calls,
)
from tb_perfcompare.comparison.checks.environment_checks import on_cpu_alone
from tb_perfcompare.comparison.checks.input_sizes import input_sizes
from tb_perfcompare.comparison.checks.same_program import FEWEST, Program, program
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_calls
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import percent_text
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import TextNumbers

NEARLY_ALL = 0.98

PART_OF_IT = 0.35
"""Share above which the sides have part of their work in common, unless what they compute differs."""


def same_work_checks(
    baseline: Summary, candidate: Summary, alignment: Alignment | None, numbers: TextNumbers
) -> tuple[Check, ...]:
    """Checks `same_work`, `input_shapes`, `input_types` and `input_sizes`.

    `same_work` fails, and withholds the verdict, if nothing shows that a step of one side is the other's work: not
    its time by input shape, nor operators, kernels or device time by operator, nor what it computes; or if both
    compute different things. It only warns about another form of a program or a part in common. `input_shapes` and
    `input_types` warn if the same operators run on other inputs. `input_sizes` fails, and withholds the verdict, if
    these are of another order of size. If one side recorded only the CPU, operators must have nine tenths in common,
    or compute the same: a rank without a device may call operators of the same names for other work.
    """
    found: dict[str, float] = {}
    for table, words in (("operators", "operator calls"), ("kernels", "kernel launches")):
        share = shared_calls(table, baseline, candidate, numbers)
        if share is not None:
            found[words] = share
    if alignment is not None and found:  # without names on both sides, copies alone would match
        found["device time, matched by operator"] = min(matched_share(alignment))
    alone = on_cpu_alone(baseline, candidate)
    held = None if alone else containment(baseline, candidate)
    least = SIMILAR_WORK if alone else SOME_WORK
    return (
        _same_work(found, held, baseline, candidate, least, alone=alone),
        *_inputs("shapes", baseline, candidate, numbers), *_inputs("types", baseline, candidate, numbers),
        *filter(None, (input_sizes(baseline, candidate, found.get("kernel launches")),)),
    )  # fmt: skip


def _same_work(
    found: dict[str, float], containment: Containment | None, a: Summary, b: Summary, least: float, *, alone: bool
) -> Check:
    if not found:
        return Check("same_work", "ok", "cannot be checked: nothing recorded on both sides")
    if containment is not None and any(containment.contained):
        return Check("same_work", "ok", _contained(containment, a, b))
    computed = program(a, b)
    partly = (
        containment is not None
        and containment.largest >= PARTLY
        and max(containment.operators) >= FEWEST_OPERATORS
    )  # fmt: skip
    detail = ", ".join(f"{percent_text(share)} of the {words}" for words, share in found.items())
    most = max(found.values())
    if most >= least and (partly or computed is None or not computed.is_different):
        return Check("same_work", "ok", f"in common: {detail}")
    if computed is not None and computed.same:
        return Check("same_work", "warn", f"{computed.how}; in common by name: {detail}", ("cause",))
    if computed is not None and computed.times > 1 and not alone:
        reason = f"one side does the same work {computed.times} times per step; {computed.unlike}"
        return Check("same_work", "warn", f"{reason}; in common by name: {detail}", ("cause",))
    if computed is not None and computed.contained and not alone:
        reason = f"one side does more of the same work: {computed.unlike}; in common by name: {detail}"
        return Check("same_work", "warn", reason, ("cause",))
    if containment is not None and partly:
        reason = f"partly different work: {_both_ways(containment)} by input shape"
        return Check("same_work", "warn", reason, ("cause",))
    side = _compiled_side(a, b)
    if side and not alone:
        reason = f"only the {side} runs compiled regions, whose operators are not recorded; in common: {detail}"
        return Check("same_work", "warn", reason, ("cause", "operators"))
    if PART_OF_IT <= most < least and not alone and _may_be_alike(computed):
        return Check("same_work", "warn", f"partly different work: only {detail} are in common", ("cause",))
    lead = "one side recorded the CPU alone, the other a device, and they do" if alone else ""
    reason = f"{lead} different work per step: only {detail} are in common".lstrip()
    if containment is not None:
        reason = f"neither step contains the other's work: {_both_ways(containment)}; shared by name: {detail}"
    unlike = "" if computed is None else computed.unlike
    return Check("same_work", "fail", "; ".join(filter(None, (reason, unlike))), ("verdict", "cause"))


def _may_be_alike(computed: Program | None) -> bool:
    """Whether what the sides compute is alike, or too little to tell."""
    if computed is None or computed.least < FEWEST:
        return True
    return computed.in_common >= SOME_WORK


def _compiled_side(a: Summary, b: Summary) -> str:
    """The side that alone runs compiled regions, "" if neither or both do."""
    one, two = (
        "operators" in side.groups and any(is_compiled(key[0]) for key in side.groups["operators"].keys)
        for side in (a, b)
    )
    return "" if one == two else "baseline" if one else "candidate"


def _contained(held: Containment, a: Summary, b: Summary) -> str:
    """Result for contained work: "the candidate does all the baseline does, and 120 more operator calls per step
    (...)"."""
    grown = held.contained[0] and (not held.contained[1] or held.baseline >= held.candidate)
    most, less = ("candidate", "baseline") if grown else ("baseline", "candidate")
    share = held.baseline if grown else held.candidate
    does = "all" if share >= NEARLY_ALL else f"{percent_text(share)} by time of what"
    more = more_calls(a, b) if grown else more_calls(b, a)
    return f"the {most} does {does} the {less} does" + (f", and {more}" if more else "")


def _both_ways(held: Containment) -> str:
    a, b = percent_text(held.baseline), percent_text(held.candidate)
    return f"{a} of the baseline's time and {b} of the candidate's in common"


def _inputs(what: str, a: Summary, b: Summary, numbers: TextNumbers) -> tuple[Check, ...]:
    shared, named = (
        shared_calls(table, a, b, numbers) for table in (f"operators_by_{what[:-1]}", "operators")
    )  # fmt: skip
    if shared is None or named is None:
        return ()
    detail = f"{percent_text(shared)} of operator calls have the same name and input {what}"
    if shared >= SIMILAR_WORK * named:
        return (Check(f"input_{what}", "ok", detail),)
    detail += f", {percent_text(named)} have the same name"
    return (Check(f"input_{what}", "warn", detail, ("same work", "cause")),)
