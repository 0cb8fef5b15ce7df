"""What a gate says, and what several of them come to."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from tb_perfcompare.quick_dataclass import dataclass


class Status(str, Enum):
    """`cannot tell` is neither of the others: the recordings do not say."""

    PASSED = "passed"
    TRIPPED = "tripped"
    CANNOT_TELL = "cannot tell"


class Unsure(str, Enum):
    """What a gate that cannot tell counts as: reported with an exit status of its own, failed, or passed."""

    REPORT = "report"
    FAIL = "fail"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`gate` names it, `limit` is what was allowed, `measured` what was found, `sentence` the reason."""

    gate: str
    limit: str
    status: Status
    measured: str
    sentence: str


_EXIT = {Status.PASSED: 0, Status.TRIPPED: 1, Status.CANNOT_TELL: 3}
_COUNTS_AS = {Unsure.REPORT: Status.CANNOT_TELL, Unsure.FAIL: Status.TRIPPED, Unsure.PASS: Status.PASSED}


def counted(outcome: Outcome, unsure: Unsure) -> Status:
    """What the outcome counts as."""
    return _COUNTS_AS[unsure] if outcome.status is Status.CANNOT_TELL else outcome.status


def overall_status(outcomes: Iterable[Outcome], unsure: Unsure) -> Status:
    """Tripped if any gate did, else cannot tell if any cannot, else passed."""
    found = {counted(outcome, unsure) for outcome in outcomes}
    return next((status for status in (Status.TRIPPED, Status.CANNOT_TELL) if status in found), Status.PASSED)


def exit_status(outcomes: Iterable[Outcome], unsure: Unsure) -> int:
    """0 passed, 1 tripped, 3 cannot tell."""
    return _EXIT[overall_status(outcomes, unsure)]
