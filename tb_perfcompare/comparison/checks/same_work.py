"""The gate of traces: is a step of one side the same piece of work as a step of the other?"""

from __future__ import annotations

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.table import matched_share
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_share
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import percent_text
from tb_perfcompare.model.summary.summary import Summary


def same_work_checks(baseline: Summary, candidate: Summary, alignment: Alignment | None) -> tuple[Check, ...]:
    """`same_work`: fails, and takes the verdict, when neither operators nor kernels by name nor device time by operator
    have half in common; `input_shapes`, `input_types`: warn when the same operators run on other inputs."""
    found: dict[str, float] = {}
    for table, words in (("operators", "operator calls"), ("kernels", "kernel launches")):
        share = _shared(table, baseline, candidate)
        if share is not None:
            found[words] = share
    if alignment is not None and found:  # without names on both sides, copies alone would match by nothing
        found["device time, matched by operator"] = min(matched_share(alignment))
    return (_same_work(found), *_inputs("shapes", baseline, candidate), *_inputs("types", baseline, candidate))


def _same_work(found: dict[str, float]) -> Check:
    if not found:
        return Check("same_work", "ok", "cannot be checked: nothing recorded on both sides")
    detail = ", ".join(f"{percent_text(share)} of the {words}" for words, share in found.items())
    if max(found.values()) >= SOME_WORK:
        return Check("same_work", "ok", f"in common: {detail}")
    reason = f"different work per step: only {detail} are in common"
    return Check("same_work", "fail", reason, ("verdict", "cause"))


def _inputs(what: str, a: Summary, b: Summary) -> tuple[Check, ...]:
    shared, named = _shared(f"operators_by_{what[:-1]}", a, b), _shared("operators", a, b)
    if shared is None or named is None:
        return ()
    detail = f"{percent_text(shared)} of operator calls have the same name and input {what}"
    if shared >= SIMILAR_WORK * named:
        return (Check(f"input_{what}", "ok", detail),)
    detail += f", {percent_text(named)} have the same name"
    return (Check(f"input_{what}", "warn", detail, ("same work", "cause")),)


def _shared(table: str, a: Summary, b: Summary) -> float | None:
    """Shared share of calls per step, None unless both sides have the table."""
    one, two = a.groups.get(table), b.groups.get(table)
    if one is None or two is None:
        return None
    calls = [
        dict(zip(group.keys, (group.calls.sum(axis=1) / len(side.steps)).tolist(), strict=True))
        for group, side in ((one, a), (two, b))
    ]
    return shared_share(calls[0], calls[1])
