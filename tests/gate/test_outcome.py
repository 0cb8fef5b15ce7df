"""The exit status of several gates."""

from __future__ import annotations

import pytest

from tb_perfcompare.gate.outcome import Outcome, Status, Unsure, exit_status


def outcomes(*statuses: Status) -> list[Outcome]:
    return [Outcome("gate", "+3 %", status, "", "") for status in statuses]


P, T, C = Status.PASSED, Status.TRIPPED, Status.CANNOT_TELL


@pytest.mark.parametrize(
    ("statuses", "report", "fail", "passing"),
    [
        ((), 0, 0, 0),
        ((P, P), 0, 0, 0),
        ((P, C), 3, 1, 0),
        ((C,), 3, 1, 0),
        ((T, C), 1, 1, 1),  # a gate that tripped is not made undone
        ((P, T), 1, 1, 1),
    ],
)
def test_the_worst_gate_decides(statuses: tuple[Status, ...], report: int, fail: int, passing: int) -> None:
    found = outcomes(*statuses)
    assert exit_status(found, Unsure.REPORT) == report
    assert exit_status(found, Unsure.FAIL) == fail
    assert exit_status(found, Unsure.PASS) == passing
