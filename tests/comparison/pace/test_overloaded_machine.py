"""One capture per side of one program on a CPU shared with other processes."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.comparison.compare import capture, compare, judge, rules_of, sequence

OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
LENGTH = sum(OPERATORS.values())


def recorded(
    seed: int, *, pace: float = 1.0, hits: float = 0.0, slice_us: float = 0.0, gap: float = 50.0, again: int = 1
) -> Summary:
    """Ten steps of the operators, the first `again` times; a share `hits` of the calls lose up to 2 `slice_us`."""
    random, steps = Random(seed), []
    for _ in range(10):
        calls: list[tuple[Any, ...]] = []
        for place, (name, us) in enumerate([*OPERATORS.items(), *[*OPERATORS.items()][:1] * (again - 1)]):
            length = us * pace * random.uniform(0.99, 1.01)
            length += random.uniform(0, 2 * slice_us) if random.random() < hits else 0.0
            calls.append((name, length, [[place % len(OPERATORS), 8]]))
        steps.append([*calls, ("", gap * random.uniform(0.99, 1.01))])
    return summary(sequence(steps))


def headline(a: Summary, b: Summary) -> Headline:
    return judge(a, b).headline


def test_a_slower_machine_is_not_reported_when_the_work_took_less_time() -> None:
    interrupted, slower = recorded(1, hits=0.3, slice_us=4600), recorded(2, pace=1.3)
    found = headline(interrupted, slower)
    assert found.shift is not None and found.machine is not None
    assert found.shift.estimate < 0 and found.machine.estimate > 0
    assert found.machine.low < 0 and "slower" not in found.sentence


def test_untraced_time_without_a_clear_pace_is_inconclusive() -> None:
    interrupted, slower = recorded(1, hits=0.2, slice_us=6000, gap=12_000), recorded(2, pace=1.8, gap=28_800)
    assert headline(interrupted, slower).verdict is Verdict.INCONCLUSIVE


def test_an_overloaded_cpu_is_inconclusive() -> None:
    idle, overloaded = recorded(1), recorded(2, hits=0.6, slice_us=4000)
    found = headline(idle, overloaded)
    assert found.recorded is not None and found.recorded.verdict is Verdict.SLOWER
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the CPU is overloaded: the same work takes" in found.sentence


def test_an_overloaded_cpu_is_inconclusive_against_a_baseline_of_several_captures() -> None:
    idle, overloaded = pool([recorded(seed) for seed in range(1, 5)]), recorded(11, hits=0.6, slice_us=4000)
    found = headline(idle, overloaded)
    assert found.unsplit and found.recorded is not None and "slower" in found.recorded.verdict.value
    assert found.verdict is Verdict.INCONCLUSIVE and found.reason.partition(";")[0].count(", but") == 1


def test_a_pause_beyond_the_overload_is_slower() -> None:
    overloaded, paused = recorded(1, hits=0.6, slice_us=4000), recorded(2, hits=0.6, slice_us=4000, gap=60 * LENGTH)
    assert headline(overloaded, paused).verdict is Verdict.SLOWER


def test_a_long_new_operator_that_is_interrupted_in_every_step_is_not_overestimated() -> None:
    """A call loses a slice of 6 ms after every 4 ms, on average: short ones hardly ever, one of 10 ms in every step."""

    def contended(seed: int, new_us: int) -> Summary:
        random, steps = Random(seed), []
        for _ in range(16):
            calls: list[tuple[Any, ...]] = []
            for name, us in [*OPERATORS.items(), *([("aten::sort", new_us)] if new_us else [])]:
                left = length = us * random.uniform(0.99, 1.01)
                while (left := left - random.expovariate(1 / 4000)) > 0:
                    length += random.uniform(3000, 9000)
                calls.append((name, length, [[us, 8]]))
            steps.append([*calls, ("", 50)])
        return capture(sequence(steps, vendor="cpu"), str(seed))

    one, two = (pool([contended(2 * seed + bool(us), us) for seed in range(4)]) for us in (0, 10_000))
    program = judge(one, two).headline.program
    assert program is not None and program.verdict is Verdict.SLOWER
    truth = 10_000 / (LENGTH + 50)
    assert program.low <= truth <= program.high and program.estimate == pytest.approx(truth, rel=0.2)


def test_decisive_counted_calls_are_a_finding_with_contention() -> None:
    found = compare(recorded(1, hits=0.1, slice_us=200), recorded(2, hits=0.6, slice_us=4000, again=4))
    assert found.headline.counted is not None and found.headline.counted.calls == 3
    rules = rules_of(found)
    assert "host_interrupted" in rules and "more_calls" in rules
