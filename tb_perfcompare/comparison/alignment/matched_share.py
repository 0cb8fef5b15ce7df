"""How much of the device time is matched: a share, a check, a sentence."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.kernel_matches import ONE_BY_ONE, SAME
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary

MIN_MATCHED_SHARE = 0.95
"""Share of the device time of both sides that has to be matched by operators for the check to pass."""


def matched_share(alignment: Alignment) -> tuple[float, float]:
    """Share of each side's device time below matched operators, without weak matches."""
    total_ns = each_side(alignment.total_ns, (0, 1))
    return each_side(lambda side, total: alignment.matched_ns(side) / total if total else 1.0, (0, 1), total_ns)


def matched_check(alignment: Alignment) -> Check:
    """Check of the matched share; warns below MIN_MATCHED_SHARE on either side."""
    shares = matched_share(alignment)
    of_sides = list(map(_percent, shares))
    detail = _sentence(alignment)
    if of_sides[0] != of_sides[1]:
        detail += f" (baseline {of_sides[0]}, candidate {of_sides[1]})"
    if min(shares) >= MIN_MATCHED_SHARE:
        return Check("matched", "ok", detail)
    for words, time_ns in (("weakly matched", alignment.weak_ns), ("without a counterpart", alignment.alone_ns)):
        of_sides = [_share(time_ns(side), alignment.total_ns(side)) for side in (0, 1)]
        if time_ns(0) or time_ns(1):
            detail += f"; {words}: {of_sides[0]} of the baseline, {of_sides[1]} of the candidate"
    return Check("matched", "warn", detail, ("cause", "alignment"))


def with_matched(checks: tuple[Check, ...], alignment: Alignment) -> tuple[Check, ...]:
    """Adds the check of the matched share. Different kernel names then only warn, if their work is matched."""
    matched = matched_check(alignment)
    if matched.status != "ok":
        return (*checks, matched)
    adjusted = [
        replace(check, status="warn", detail=f"{check.detail}; their work is matched by operator")
        if check.check == "kernels" and check.status == "fail"
        else check
        for check in checks
    ]
    return (*adjusted, matched)


def matched_notes(alignment: Alignment, baseline: Summary, candidate: Summary) -> tuple[Note, ...]:
    """Note with the headline of the alignment if the devices are of different kinds, so that kernels have other
    names."""
    kinds = {baseline.device.kind, candidate.device.kind}
    if len(kinds) < 2 or "unknown" in kinds:
        return ()
    named = [side.device.name or side.device.word for side in (baseline, candidate)]
    return (Note(NoteCode.MATCHED_WORK, f"{named[0]} against {named[1]}: {_sentence(alignment)}", "alignment"),)


def _sentence(alignment: Alignment) -> str:
    """Summary: `98 % of the device time is matched by operator and input shape; 12 % is in kernels of the same name,
    84 % in kernels with a counterpart of another name`."""
    total_ns = sum(alignment.total_ns(side) for side in (0, 1))
    same = sum(alignment.kernels_ns(side, frozenset({SAME})) for side in (0, 1))
    others = sum(alignment.kernels_ns(side, ONE_BY_ONE - {SAME}) for side in (0, 1))
    kernels = f"{_share(same, total_ns)} is in kernels of the same name"
    if others:
        kernels += f", {_share(others, total_ns)} in kernels with a counterpart of another name"
    if not any(alignment.has_operators):
        return f"no device work is linked to an operator: of the device time {kernels}"
    least = _percent(min(matched_share(alignment)))
    return f"{least} of the device time is matched by operator{' and input shape' * alignment.has_shapes}; {kernels}"


def _share(part: int, whole: int) -> str:
    return _percent(part / whole if whole else 0.0)


def _percent(share: float) -> str:
    """Share in whole percents, never rounded up to 100 % or down to 0 %."""
    if 0 < share < 0.01:
        return "less than 1 %"
    return f"{100 if share == 1 else min(round(100 * share), 99)} %"
