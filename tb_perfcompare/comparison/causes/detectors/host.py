"""One operator is slower on the host, by more than the pace of all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tb_perfcompare.comparison.causes.detectors.more_calls import calls_alike
from tb_perfcompare.comparison.causes.detectors.recording import costlier_to_record
from tb_perfcompare.comparison.causes.detectors.uniform_slowdown import host_ratio
from tb_perfcompare.comparison.causes.evidence.cause import Cause, category_confidence, cause
from tb_perfcompare.comparison.causes.evidence.fastest_calls import fastest_calls
from tb_perfcompare.comparison.causes.evidence.host_time import in_the_open
from tb_perfcompare.comparison.causes.evidence.inputs import other_inputs
from tb_perfcompare.comparison.causes.evidence.rule_context import NOTHING, Amount, RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import ratio_text, short, signed_time, times_text

MOST = 0.5
"""Share of what the same calls take longer in the open, apart from the pace, that the operator must make, and that its
own time must have grown by."""

PART = 0.05
"""Share of CPU Exec's change below which nobody asks for a single operator."""

SAME_CALLS = 0.1
"""An operator is called as often if its calls changed by at most this."""

FASTEST = 1.05
"""An operator is slower, not interrupted, if its fastest call takes this many times as long."""


def host_rules(pair: RuleContext) -> Iterator[Cause]:
    """The operator that makes most of what CPU Exec's change is apart from the host's pace."""
    exposed = pair.exposed("CPU Exec")
    # an annotated range is Python code, which recording slows down, and grows with what it calls; operators are not
    plain = costlier_to_record(pair, exposed) or not calls_alike(pair)
    own = pair.amounts("operators", "host_self") if plain else None
    rows = [
        row for row in pair.entities("CPU Exec")
        if row.status == "both" and abs(row.calls[1] - row.calls[0]) <= SAME_CALLS * max(row.calls)
        and (own is None or (row.path[1],) in own)
    ]  # fmt: skip
    if abs(exposed) < pair.least_us or not rows or not pair.is_clear("CPU Exec"):
        return
    pace = host_ratio(pair) or 1.0
    beyond = {row.path: row.rate_effect / pair.unit - _paced(row, pair, pace) for row in rows}
    left = sum(beyond.values())
    first = max(rows, key=lambda row: (beyond[row.path] * (1 if left > 0 else -1), row.path))
    delta, name = beyond[first.path], first.path[1]
    if delta * left <= 0 or abs(delta) < max(MOST * abs(left), PART * abs(exposed), pair.least_us):
        return
    amount = pair.amounts("operators", "host_self").get((name,), NOTHING)
    # an operator in which API calls take longer stands in the open longer, too, but is no slower itself
    if amount.calls_a and amount.rate_us * math.copysign(1, delta) < MOST * abs(delta):
        return
    if not pair.is_entity_clear("CPU Exec", name, len(beyond)) or not _all_calls_moved(pair, name, slower=delta > 0):
        return
    explained = in_the_open(pair, {("CPU Exec", name): delta}, max(amount.rate_us, delta, key=abs))
    delta = sum(explained.values())
    per = (
        f" ({times_text(amount.us_a / amount.calls_a, amount.us_b / amount.calls_b)} per call)"
        if amount.calls_a and amount.calls_b
        else ""
    )
    given = other_inputs(pair, name)
    rule = "operator_slower" if delta > 0 else "operator_faster"
    sentence = (
        f"One operator is {'slower' if delta > 0 else 'faster'} on the CPU: {short(name)} {signed_time(delta)} per "
        f"step{per}{f' on top of {ratio_text(pace)} for all operators' if pace != 1 else ''}"
        f"{f', {given.clause}' if given is not None else ''}."
    )
    yield cause(
        pair, rule if given is None else given.rule, name, "CPU Exec", delta, sentence,
        (Evidence("operators", name),),
        confidence=category_confidence(pair, "CPU Exec"),
        look_at="the operator's inputs and implementation; other load on that core",
        explains=explained, rank=5, same_work=True,
    )  # fmt: skip


def _paced(row: LedgerRow, pair: RuleContext, pace: float) -> float:
    return Amount(1, 1, row.baseline / pair.unit, row.candidate / pair.unit).paced_us(pace)


def _all_calls_moved(pair: RuleContext, operator: str, *, slower: bool) -> bool:
    """Whether the fastest call moved as well, of the inputs whose time moved most where they are told apart."""
    for table in ("operators_by_shape", "operators"):
        fastest = {key: ends for key, ends in fastest_calls(pair, table).items() if key[0] == operator}
        if fastest:
            own = pair.amounts(table, "host_self")
            low_a, low_b = fastest[max(fastest, key=lambda key: own[key].delta_us * (1 if slower else -1))]
            return low_b >= FASTEST * low_a if slower else low_a >= FASTEST * low_b
    return True
