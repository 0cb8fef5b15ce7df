"""Idle time of the device on both sides, as a clause of a sentence."""

from __future__ import annotations

from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import times_text
from tb_perfcompare.model.summary.device_timeline import BUSY, HOST_WAIT, IDLE, TABLE


def idle_text(pair: RuleContext, delta_us: float) -> str:
    """Clause on idle time: "; device idle waiting for the host 2.10 → 9.40 ms per step" if that changed in the
    cause's direction by enough to matter, else the same for all idle time, else "". `delta_us` is the cause's
    change."""
    amounts = pair.amounts(TABLE)
    for figure, words in ((HOST_WAIT, "device idle waiting for the host"), (IDLE, "device idle")):
        amount = amounts.get((figure,))
        if amount is not None and abs(amount.delta_us) >= pair.least_us and amount.delta_us * delta_us > 0:
            return f"; {words} {times_text(amount.us_a, amount.us_b)} per step"
    return ""


def idle_share(pair: RuleContext) -> float:
    """Share of the steps in which the device is idle, on the side where it is larger; 1 if not recorded."""
    amounts = pair.amounts(TABLE)
    idle, busy = amounts.get((IDLE,)), amounts.get((BUSY,))
    if idle is None or busy is None:
        return 1.0
    return max(idle.us_a / (idle.us_a + busy.us_a or 1.0), idle.us_b / (idle.us_b + busy.us_b or 1.0))
