"""Which part of the change the verdict is about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tb_perfcompare.comparison.pace.decide import outcome
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions


@pytest.mark.parametrize(
    ("machine", "program", "expected"),
    [
        (0.3, -0.2, (Verdict.SLOWER, Basis.MACHINE)),
        (0.03, 0.2, (Verdict.INCONCLUSIVE, Basis.PROGRAM)),
    ],
)
def test_a_sure_machine_is_the_verdict_if_it_changed_by_more_than_the_open_program(
    machine: float, program: float, expected: tuple[Verdict, Basis]
) -> None:
    steps = np.ones(4), np.full(4, np.exp(machine + program))
    captures = (np.zeros(4, dtype=np.int32),) * 2
    clocked: Any = SimpleNamespace(times_ns=steps, followers=(None,), counted=None, strata=None, captures=captures)
    parts: list[Any] = [
        SimpleNamespace(verdict=Verdict.INCONCLUSIVE, estimate=SimpleNamespace(theta=program)),
        SimpleNamespace(verdict=Verdict.SLOWER, theta=machine),
    ]
    assert outcome(Verdict.INCONCLUSIVE, *parts, clocked, CompareOptions()) == expected
