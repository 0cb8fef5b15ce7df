"""Each planted fault is the first finding and the only cause; exchanged sides find the improvement."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.causes.rules import RULE_NAMES
from tests.planted.faults import FAULTS, ON_DEVICES, Fault
from tests.planted.sides import causes, compared, first, rules, side

OPPOSITE = {
    "tensor_cores_lost": "tensor_cores_gained",
    "alignment_lost": "alignment_gained",
    "fusion_lost": "fusion_gained",
    "compilation_lost": "compilation_gained",
    "graph_lost": "graph_gained",
    "overlap_lost": "overlap_gained",
    "occupancy_lost": "occupancy_gained",
    "memory_pressure": "memory_relieved",
    "kernel_slower": "kernel_faster",
    "operator_slower": "operator_faster",
    "collective_slower": "collective_faster",
    "more_calls": "fewer_calls",
    "more_copies": "fewer_copies",
    "pageable_copies": "pinned_copies",
}
"""What a rule is called when the sides are exchanged; the others' names tell no direction."""

WORDS = {
    "data_loader": ("wait: +", "wait: −"),
    "workload_changed": ("Workload changed: +", "Workload changed: −"),
    "data_type_changed": ("types changed: +", "types changed: −"),
    "device_pace": ("runs slower across the board: +", "runs faster across the board: −"),
    "host_pace": (
        "Operators run slower on the CPU across the board: +",
        "Operators run faster on the CPU across the board: −",
    ),
    "host_interrupted": ("other work is taking the CPU", "other work no longer takes the CPU"),
    "kernel_slower": ("One kernel is slower", "One kernel is faster"),
    "occupancy_lost": ("lower estimated occupancy", "higher estimated occupancy"),
    "tensor_cores_lost": ("are no longer used: +", "are now used: −"),
    "alignment_lost": ("no longer multiples of 8: +", "now multiples of 8: −"),
    "kernel_replaced": ("A different kernel does the work: +", "A different kernel does the work: −"),
    "fusion_lost": ("Fusion lost: +", "Fusion gained: −"),
    "compilation_lost": ("Less code is compiled: +", "More code is compiled: −"),
    "graph_lost": ("Fewer graph launches: +", "More graph launches: −"),
    "layout_copies": ("More on-device copies: +", "Fewer on-device copies: −"),
    "more_copies": ("More memory copies: +", "Fewer memory copies: −"),
    "pageable_copies": ("Copies from pageable memory: +", "Copies from pinned memory: −"),
    "device_interrupted": ("other work is taking the ", "other work no longer takes the "),
    "synchronization": ("is no longer hidden", "is now hidden"),
    "launch_bound": ("Kernel launches are slower: +", "Kernel launches are faster: −"),
    "operator_slower": ("One operator is slower", "One operator is faster"),
    "more_calls": ("More calls: +", "Fewer calls: −"),
    "collective_slower": ("Collectives are slower: +", "Collectives are faster: −"),
    "overlap_lost": ("now exposed: +", "now hidden: −"),
    "allocator_calls": ("More allocator calls", "Fewer allocator calls"),
    "memory_pressure": ("Memory pressure: +", "Memory pressure is gone: −"),
    "slow_steps": ("Slow steps in the candidate: +", "Slow steps in the baseline: −"),
    "warm_up_inside": ("inside the candidate recording: +", "inside the baseline recording: −"),
    "profiler_overhead": ("overhead: +", "overhead: −"),
}
"""Rule -> words of the regression, words of the improvement."""

SILENT = ("no graph any more", "collective no longer hidden")
"""Faults that cost no time at a quarter of their size."""

ON_DEVICES_NAMES = [f"{fault.name} on {device}" for fault, device in ON_DEVICES]


@pytest.mark.parametrize(("fault", "device"), ON_DEVICES, ids=ON_DEVICES_NAMES)
def test_the_planted_cause_is_the_first_finding_and_the_only_cause(fault: Fault, device: str) -> None:
    found = compared(side(fault.healthy.on(device), 1), side(fault.faulty.on(device), 101))
    assert first(found).rule == fault.rule
    assert fault.subject in first(found).subject
    assert set(causes(found)) <= {fault.rule}, [finding.sentence for finding in found.findings]
    assert sum(max(finding.share or 0.0, 0.0) for finding in found.findings) <= 1.05, "no more than the change"
    for finding in found.findings:
        assert finding.confidence and finding.look_at
        assert finding.evidence or finding.subject == "(outside operators)"


@pytest.mark.parametrize(("fault", "device"), ON_DEVICES, ids=ON_DEVICES_NAMES)
def test_exchanging_the_sides_finds_the_improvement_in_matching_words(fault: Fault, device: str) -> None:
    healthy, faulty = side(fault.healthy.on(device), 1), side(fault.faulty.on(device), 101)
    there = first(compared(healthy, faulty))
    found = compared(faulty, healthy)
    back = first(found)
    assert back.rule == OPPOSITE.get(there.rule, there.rule)
    assert set(causes(found)) <= {back.rule}
    assert there.delta_us is not None and back.delta_us == pytest.approx(-there.delta_us)
    worse, better = WORDS[fault.rule]
    assert worse in there.sentence and better not in there.sentence
    assert better in back.sentence and worse not in back.sentence


@pytest.mark.parametrize(("fault", "device"), ON_DEVICES, ids=ON_DEVICES_NAMES)
def test_a_quarter_of_the_fault_is_named_and_nothing_else(fault: Fault, device: str) -> None:
    found = compared(side(fault.healthy.on(device), 1), side(fault.slight.on(device), 101))
    assert set(causes(found)) <= {fault.rule}, [finding.sentence for finding in found.findings]
    if fault.name in SILENT:
        assert fault.rule not in rules(found)
    else:
        assert first(found).rule == fault.rule


@pytest.mark.parametrize("name", ["items in the loop", "slow launches"])
def test_what_the_device_idles_is_named(name: str) -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    assert "; device idle" in first(compared(side(fault.healthy, 1), side(fault.faulty, 101))).sentence


@pytest.mark.parametrize(("name", "says"), [("optimizer no longer fused", True), ("one kernel became four", False)])
def test_kernels_of_an_optimizer_lead_to_its_arguments(name: str, says: bool) -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    for sides in ((fault.healthy, fault.faulty), (fault.faulty, fault.healthy)):
        found = first(compared(side(sides[0], 1), side(sides[1], 101)))
        assert found.rule in ("fusion_lost", "fusion_gained")
        assert found.look_at.startswith("foreach=") == says


def test_a_recorded_clock_is_named() -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == "slow device clock, recorded"]
    found = first(compared(side(fault.healthy, 1), side(fault.faulty, 101)))
    assert "1,410 → 1,128 (×0.800)" in found.sentence


def test_a_planted_fault_has_a_rule() -> None:
    assert {fault.rule for fault in FAULTS} | set(OPPOSITE.values()) <= set(RULE_NAMES)
