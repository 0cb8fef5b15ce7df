"""The outcome of a gate, and the overall status of several."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from tb_perfcompare.quick_dataclass import dataclass


class Status(str, Enum):
    """Status of a gate; `cannot tell` if the recordings do not allow a decision."""

    PASSED = "passed"
    TRIPPED = "tripped"
    CANNOT_TELL = "cannot tell"


class Unsure(str, Enum):
    """How a gate that cannot tell counts: reported with its own exit status, as failed, or as passed."""

    REPORT = "report"
    FAIL = "fail"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one gate: its name, the allowed growth, the status, the measured growth, and the reason."""

    gate: str
    limit: str
    status: Status
    measured: str
    sentence: str


_EXIT = {Status.PASSED: 0, Status.TRIPPED: 1, Status.CANNOT_TELL: 3}
_COUNTS_AS = {Unsure.REPORT: Status.CANNOT_TELL, Unsure.FAIL: Status.TRIPPED, Unsure.PASS: Status.PASSED}


def effective_status(outcome: Outcome, unsure: Unsure) -> Status:
    """Returns the status that the outcome counts as."""
    return _COUNTS_AS[unsure] if outcome.status is Status.CANNOT_TELL else outcome.status


def overall_status(outcomes: Iterable[Outcome], unsure: Unsure) -> Status:
    """Returns tripped if any gate tripped, else cannot tell if any cannot, else passed."""
    statuses = {effective_status(outcome, unsure) for outcome in outcomes}
    return next((status for status in (Status.TRIPPED, Status.CANNOT_TELL) if status in statuses), Status.PASSED)


def exit_status(outcomes: Iterable[Outcome], unsure: Unsure) -> int:
    """Returns 0 for passed, 1 for tripped, 3 for cannot tell."""
    return _EXIT[overall_status(outcomes, unsure)]
