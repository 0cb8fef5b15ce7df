"""Replays of recorded traces: true to the recording, and judged as what was planted says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.planted.programs import CONV, NORM, RELU, Program
from tests.planted.recorded.genuine import compared
from tests.planted.replay.faults import FAULTS, healthy
from tests.planted.replay.recorded import recorded
from tests.planted.replay.replay import Noise, replayed
from tests.planted.replay.replayed import PROGRAMS, direction, make, named, verdict_direction
from tests.planted.training import record
from tests.shared_data import SHARED, needs_shared
from tests.thorough import THOROUGH

PROGRAM = Program(layers=(CONV, NORM, RELU), steps=4, items=2)


@pytest.fixture(name="path")
def fixture_path(tmp_path: Path) -> Path:
    return record(PROGRAM).write(tmp_path / "worker0.1.pt.trace.json.gz")


def test_without_noise_it_takes_as_long_as_the_recording(path: Path) -> None:
    of = recorded(path)
    events, lengths = replayed(of, healthy, Noise(), Random(0), len(of.steps))
    assert lengths == pytest.approx([step.us for step in of.steps], rel=0.01)
    recorded_kernels = sum(len(step.device) for step in of.steps)
    assert sum(event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset") for event in events) == recorded_kernels


def test_slower_launches_of_a_host_that_is_ahead_take_no_longer(path: Path) -> None:
    of = recorded(path)
    _, before = replayed(of, healthy, Noise(), Random(0), len(of.steps))
    _, after = replayed(of, FAULTS["launches slower"][0], Noise(), Random(0), len(of.steps))
    assert after == pytest.approx(before)


@pytest.mark.parametrize("fault", ["item", "pauses", "copies", "host pace", "block repeated"])
def test_a_fault_makes_steps_longer(path: Path, fault: str) -> None:
    of = recorded(path)
    _, before = replayed(of, healthy, Noise(), Random(0), len(of.steps))
    _, after = replayed(of, FAULTS[fault][0], Noise(), Random(0), len(of.steps))
    assert sum(after) > 1.01 * sum(before)


@needs_shared
@pytest.mark.parametrize(
    "fault",
    ["third kernel slower", "larger batch", "launches slower", "operator twice", "item"]
    if THOROUGH
    else ["launches slower", "operator twice"],
)
def test_a_small_model_on_a_large_device(tmp_path: Path, fault: str) -> None:
    """It is the host that its steps wait for: kernels that take longer cost no time."""
    program = PROGRAMS["BERT, H100"]._replace(steps=4)
    make(SHARED, program, fault, tmp_path)
    asked = direction(float((tmp_path / "ratio").read_text()))
    found = compared(tmp_path)
    assert verdict_direction(found) == asked
    assert asked == "none" or named(fault, found)
