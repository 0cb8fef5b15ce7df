"""Two faults at once: both are named, the larger one first, and nothing else is.

Only faults that add up have an expected answer: where one hides the other (slow kernels hide a slow host), the second
costs no time, and its time is not to be told. Of pairs that do not add up the first finding still must be one of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import pytest

from tb_perfcompare.comparison.causes.leading_cause import WEAKER_RULES
from tests.planted.faults import BASE, DEEP, batch, half, longer, with_kernels
from tests.planted.programs import Layer, Program
from tests.planted.sides import causes, compared, first, side
from tests.thorough import THOROUGH

Change = Callable[[Program], Program]


def _habit(**what: object) -> Change:
    return lambda program: program.changed(**what)


def _layers(change: Callable[[Layer], Layer], op: str = "") -> Change:
    """Changes every layer, or those of one operator."""
    return lambda program: program.changed(
        layers=tuple(change(layer) if op in ("", layer.op) else layer for layer in program.layers)
    )


def _without_cores(layer: Layer) -> Layer:
    forward, backward = (kernels[0].us * 3.2 for kernels in (layer.forward, layer.backward))
    return with_kernels(layer, ("ampere_sgemm_128x128_nn", forward), backward=("ampere_sgemm_128x64_nt", backward))


def _split(layer: Layer) -> Layer:
    each = layer.forward[0].us * 0.65
    return with_kernels(layer, *((f"void at::native::batch_norm_part_{i}<float>(float*)", each) for i in range(4)))


def _other(layer: Layer) -> Layer:
    return with_kernels(layer, ("ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_tn", 220.0))


CHANGES: dict[str, tuple[str, Change]] = {
    "slow loader": ("data_loader", _habit(loader_us=1500.0)),
    "input copies": ("more_copies", _habit(copies=5)),
    "layout copies": ("layout_copies", _habit(casts=6)),
    "allocator calls": ("allocator_calls", _habit(mallocs=8)),
    "memory pressure": ("memory_pressure", _habit(retries=4)),
    "profiler overhead": ("profiler_overhead", _habit(overhead_us=600.0)),
    "one slow step": ("slow_steps", _habit(gaps={6: 9000.0})),
    "slow collective": ("collective_slower", _habit(collective_us=900.0)),
    "slow launches": ("launch_bound", _habit(launch_us=15.0)),
    "slow operator": ("operator_slower", _habit(op_extra={"aten::linear": 120.0})),
    "slow host": ("host_pace", _habit(host_pace=1.6)),
    "interruptions": ("host_interrupted", _habit(stall_us=120.0)),
    "slow clock": ("device_pace", _habit(device_pace=1.25)),
    "twice the layers": ("more_calls", lambda program: program.changed(repeats=2 * program.repeats)),
    "items": ("synchronization", _habit(items=12)),
    "waits": ("synchronization", _habit(waits=12)),
    "slow kernel": ("kernel_slower", _layers(lambda layer: longer(layer, 3.0), "aten::batch_norm")),
    "no tensor cores": ("tensor_cores_lost", _layers(_without_cores, "aten::conv2d")),
    "another algorithm": ("kernel_replaced", _layers(_other, "aten::linear")),
    "split kernel": ("fusion_lost", _layers(_split, "aten::batch_norm")),
    "optimizer": ("fusion_lost", _habit(optimizer="single")),
    "batch": ("workload_changed", _layers(lambda layer: batch(layer, 48))),
    "data type": ("data_type_changed", _layers(half)),
}
"""Name -> (rule, fault)."""

ON = {
    "device": BASE.changed(steps=7, collective_us=200.0, optimizer="fused"),
    "host": DEEP.changed(steps=7, repeats=3, collective_us=200.0, optimizer="fused"),
}
"""Programs that are limited by the device and by the host."""

SAME_WORK = {"slow kernel", "no tensor cores", "another algorithm", "split kernel", "optimizer", "slow clock"}
"""What is told of the same work only: not where inputs differ, nor (kernels of an operator) where it is called more."""

UNTOLD = (
    [{fault, other} for fault in SAME_WORK for other in ("batch", "data type")]
    + [{fault, "twice the layers"} for fault in ("no tensor cores", "another algorithm", "split kernel")]
    # kernels that became shorter may hide less, which waits are not blamed for
    + [{"items", "data type"}, {"waits", "data type"}]
    # both make the same calls longer
    + [{"interruptions", other} for other in ("slow launches", "slow host", "slow operator")]
    # of a loader in the same process, a busy machine may have made the wait as well
    + [{"slow loader", "interruptions"}]
    # a kernel that was replaced is no slower one
    + [{"slow kernel", "split kernel"}]
)

ADDS_UP, OWN, ALIKE = 0.15, 0.3, 0.65
"""Shares: by which the sum of both may miss the pair; by which a finding may miss its fault; from which two faults are
of about one size."""


def _step(faults: tuple[str, ...], place: str) -> tuple[list[str], list[float | None], float, float]:
    """(causes, their deltas, change of the step, baseline) with these faults."""
    program = ON[place]
    for fault in faults:
        program = CHANGES[fault][1](program)
    found = compared(side(ON[place], 1), side(program, 101))
    assert found.headline.delta is not None and found.headline.baseline is not None
    deltas = [finding.delta_us for finding in found.findings]
    return causes(found), deltas, found.headline.delta, found.headline.baseline


def _alone(place: str, faults: Iterable[str]) -> dict[str, float]:
    """Faults that cost a twentieth of the step or more by themselves -> how much."""
    cost = {}
    for fault in faults:
        rule, _ = CHANGES[fault]
        found, deltas, delta, baseline = _step((fault,), place)
        if found[:1] == [rule] or (rule == "data_loader" and not found):
            own = deltas[0]
            if own is not None and abs(delta) > 0.03 * baseline and abs(own - delta) < OWN * abs(delta):
                cost[fault] = delta
    return cost


OPERATORS = {
    "optimizer": {"operators_changed", "operator_replaced"},
    "items": {"more_calls"},
    "split kernel": {"operator_slower"},
}
"""What is true of a fault besides its own rule."""


def _pairs(place: str) -> list[tuple[str, str]]:
    """One of 32 pairs in each place, another one in the other; thoroughly all."""
    number = {fault: number for number, fault in enumerate(CHANGES)}
    here = [*ON].index(place)
    return [pair for pair in combinations(CHANGES, 2) if THOROUGH or sum(number[one] for one in pair) % 32 == here]


@pytest.mark.parametrize("place", ON)
def test_both_faults_are_named_the_larger_one_first(place: str) -> None:
    tried = _pairs(place)
    faults = {fault for pair in tried for fault in pair}
    alone = _alone(place, faults)
    assert len(alone) >= 0.5 * len(faults)
    wrong, pairs = [], 0
    for fault_a, fault_b in tried:
        if not {fault_a, fault_b} <= alone.keys():
            continue
        expected = {CHANGES[fault_a][0], CHANGES[fault_b][0]}
        program = CHANGES[fault_b][1](CHANGES[fault_a][1](ON[place]))
        comparison = compared(side(ON[place], 1), side(program, 101))
        names = [first(comparison).rule, *causes(comparison)]
        assert comparison.headline.delta is not None
        besides = OPERATORS.get(fault_a, set()) | OPERATORS.get(fault_b, set())
        if {fault_a, fault_b} not in UNTOLD and set(causes(comparison)) - expected - besides:
            wrong.append(f"{fault_a} and {fault_b}: {causes(comparison)}")
        missing = abs(comparison.headline.delta - alone[fault_a] - alone[fault_b])
        if {fault_a, fault_b} in UNTOLD or missing > ADDS_UP * min(abs(alone[fault_a]), abs(alone[fault_b])):
            continue
        pairs += 1
        larger, smaller = sorted((fault_a, fault_b), key=lambda fault: -abs(alone[fault]))
        alike = abs(alone[smaller]) >= ALIKE * abs(alone[larger])
        # what may not recur comes after what was counted
        tops = expected | besides if alike or CHANGES[larger][0] in WEAKER_RULES else {CHANGES[larger][0]}
        rules = {finding.rule for finding in comparison.findings}
        if names[0] not in tops or not expected <= rules:
            wrong.append(f"{fault_a} and {fault_b}: {[finding.rule for finding in comparison.findings]}")
    assert not wrong
    assert pairs >= (70 if THOROUGH else 2), "most pairs add up"


@pytest.mark.parametrize("place", ON)
def test_exchanging_the_sides_of_two_faults_exchanges_every_finding(place: str) -> None:
    pairs = ("slow loader", "layout copies"), ("profiler overhead", "slow collective"), ("one slow step", "items")
    for pair in pairs:
        program = ON[place]
        for fault in pair:
            program = CHANGES[fault][1](program)
        healthy, faulty = side(ON[place], 1), side(program, 101)
        there, back = compared(healthy, faulty), compared(faulty, healthy)
        assert [f.subject for f in there.findings] == [f.subject for f in back.findings]
        for a, b in zip(there.findings, back.findings, strict=True):
            assert (a.delta_us, b.delta_us) != (None, None)
            assert a.delta_us == pytest.approx(-(b.delta_us or 0.0))
