"""Causes in sentences, and checks of whether two sides may be compared."""

from __future__ import annotations

from typing import Annotated

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a finding's figure is: a table and its row key, or a plain value."""

    table: str
    row: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause in a sentence. delta_us is None for what is no time, such as a clock; share is delta over the headline's
    delta, None where `share_of` has none or the time overlaps with other time; look_at: what to look at next, "" where
    nothing in particular."""

    rule: str
    subject: str
    category: str
    delta_us: Annotated[float | None, "per step; null for what is not a time, such as a clock"]
    share: Annotated[float | None, "of the headline's delta; null where it is far more, because parts cancel"]
    sentence: str
    evidence: tuple[Evidence, ...]
    confidence: str
    look_at: str = ""


MOST_SHARE = 10.0
"""Parts that are more times the change cancel, and their shares say nothing."""


def share_of(part: float, change: float) -> float | None:
    """Of the change, in one unit; None where there is none, or where the part is far more."""
    return part / change if abs(part) <= MOST_SHARE * abs(change) and change else None


WITHIN_SPREAD = "within the spread of the"
REPEATABILITY_UNKNOWN = "repeatability unknown"
"""In the confidence of findings that may be chance."""


def is_sure(finding: Finding) -> bool:
    """Whether the steps say that it is more than chance."""
    return WITHIN_SPREAD not in finding.confidence and REPEATABILITY_UNKNOWN not in finding.confidence


@dataclass(frozen=True, slots=True)
class Check:
    """A comparability check. status: ok, warn, fail; invalidates: conclusions it weakens."""

    check: str
    status: Annotated[str, ("ok", "warn", "fail")]
    detail: str
    invalidates: tuple[str, ...] = ()
