"""Findings (causes in sentences), comparability checks, and parts of a step without interruptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """Source of a finding's figure: a table and the key of its row."""

    table: Annotated[str, "table with the figure"]
    row: Annotated[str, "key of the row in that table; empty: the whole table"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause in a sentence. delta_us is None for what is not a time, such as a clock; share is delta over the
    headline's delta, None if `share_of` returns None or the time overlaps with other time; look_at says what to look
    at next, "" if nothing in particular."""

    rule: Annotated[str, "rule that found the cause (docs/method/findings.md)"]
    subject: Annotated[str, "operator, kernel or other entity concerned"]
    category: Annotated[str, "category of the ledger"]
    delta_us: Annotated[float | None, "change of time per step; null if the finding is not a time, such as a clock"]
    share: Annotated[float | None, "fraction of the headline's delta; null: no delta, above 2, or not part of it"]
    sentence: Annotated[str, "what changed, by how much, and why"]
    evidence: Annotated[tuple[Evidence, ...], "figures that support it"]
    confidence: Annotated[str, "how certain it is, in words"]
    look_at: Annotated[str, "what to look at next; empty if nothing in particular"] = ""

    @property
    def change_us(self) -> float:
        """`delta_us`, 0 for what is not a time."""
        return self.delta_us or 0.0


MAX_SHARE = 2.0
"""Largest share that is shown, in multiples of the change. Beyond it, parts cancel each other and a share means
nothing: 3.02 times a change of 61 us says less than 185 us of 9 ms."""


def share_of(part: float, change: float) -> float | None:
    """Share of the change that the part explains (same unit for both); None without a change, or if the part exceeds
    MAX_SHARE times the change."""
    return part / change if abs(part) <= MAX_SHARE * abs(change) and change else None


CERTAIN = "certain: "
"""Start of the confidence of findings that are counted or recorded, not timed."""

WITHIN_SPREAD = "within the spread of the"
REPEATABILITY_UNKNOWN = "repeatability unknown"
"""Phrases in the confidence of findings that may be chance."""


def is_sure(finding: Finding) -> bool:
    """Whether the steps show that the finding is more than chance."""
    return WITHIN_SPREAD not in finding.confidence and REPEATABILITY_UNKNOWN not in finding.confidence


@dataclass(frozen=True, slots=True)
class Check:
    """A comparability check. status is ok, warn or fail; invalidates names the conclusions that it weakens."""

    check: Annotated[str, "code of the check"]
    status: Annotated[str, "result of the check", ("ok", "warn", "fail")]
    detail: Annotated[str, "what was found, in words"]
    invalidates: Annotated[tuple[str, ...], "conclusions that a failure or warning weakens"] = ()


UNINTERRUPTED_TABLE = "without_interruptions"


@dataclass(frozen=True, slots=True)
class UninterruptedPart:
    """Entity of the ledger in uninterrupted steps: calls and microseconds per step of both sides, at equal machine
    speed. `gap` is the distance of ln(time) between all captures of one side and all of the other, positive if the
    candidate's are longer; zero unless it exceeds the distance between captures of either side."""

    category: str
    entity: str
    calls: tuple[float, float]
    us: tuple[float, float]
    gap: float

    @property
    def delta_us(self) -> float:
        return self.us[1] - self.us[0]


@dataclass(frozen=True, slots=True)
class Interruptions:
    """What interruptions by other processes explain of a change. kept: ln of the ratio of uninterrupted steps; lost_us:
    change of the time lost, microseconds per step, by category and entity of the ledger."""

    kept: float
    lost_us: Mapping[tuple[str, ...], float]
