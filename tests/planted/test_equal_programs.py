"""Two recordings of one program: no cause is told, whatever the device and however much its times vary."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.planted.faults import ATTENTION, BASE, ON_DEVICES, SHORT, SMALL, Fault
from tests.planted.programs import Program
from tests.planted.sides import compared, rules, side
from tests.thorough import THOROUGH

PROGRAMS = {
    "device-bound": BASE,
    "host-bound": SMALL,
    "attention": ATTENTION,
    "collective": BASE.changed(collective_us=300.0),
    "few steps": SHORT,
}
DEVICES = ("cuda", "rocm", "mlu", "cpu")
SEEDS = 4 if THOROUGH else 2
"""Recordings of each program, compared two by two."""

JITTERS = (0.01, 0.05)
VARIED = {
    (name, device, jitter): program.changed(vendor=device, jitter=jitter)
    for number, (name, program) in enumerate(PROGRAMS.items())
    for turn, device in enumerate(DEVICES)
    for jitter in (JITTERS if THOROUGH else (JITTERS[(number + turn) % 2],))
}
"""Each program on each device; thoroughly with both spreads, otherwise by turns."""


AGAIN = ON_DEVICES if THOROUGH else ON_DEVICES[::2]


@pytest.mark.parametrize(("fault", "device"), AGAIN, ids=[f"{fault.name} on {device}" for fault, device in AGAIN])
def test_a_faulty_program_against_itself_has_no_findings(fault: Fault, device: str) -> None:
    program = fault.faulty.on(device)
    again = compared(side(program, 101), side(program, 102))
    assert [finding.sentence for finding in again.findings] == []


@pytest.mark.parametrize("device", DEVICES)
def test_findings_about_equal_programs_are_as_rare_as_promised(device: str) -> None:
    """At most one pair in twenty, over programs, seeds and spreads; most devices draw the same times."""
    rules_of = {}
    for (name, on, jitter), program in VARIED.items():
        if on == device:
            for a, b in combinations(range(1, SEEDS + 1), 2):
                rules_of[name, jitter, a, b] = rules(compared(side(program, a), side(program, b)))
    found = {pair: names for pair, names in rules_of.items() if names}
    assert len(rules_of) == 5 * (2 if THOROUGH else 1) * SEEDS * (SEEDS - 1) // 2
    assert len(found) <= len(rules_of) / 20, found


@pytest.mark.parametrize("program", [BASE, SMALL], ids=["device-bound", "host-bound"])
def test_a_recording_against_itself_has_no_findings(program: Program) -> None:
    same = side(program, 1)
    assert compared(same, same).findings == ()
