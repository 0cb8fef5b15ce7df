"""Several captures of programs with a device: host and device run at paces of their own, and steps wait for either."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.planted.programs import Kernel, Layer, Program
from tests.planted.sides import causes, compared, summary
from tests.planted.training import record

SLOWER = {Verdict.SLOWER, Verdict.PROBABLY_SLOWER}
DIRECTIONS = SLOWER | {Verdict.FASTER, Verdict.PROBABLY_FASTER}
HOST_PACES, DEVICE_PACES = (1.0, 1.03, 0.98), (1.0, 1.004, 0.997)


def layers(us: float, first: float = 1.0) -> tuple[Layer, ...]:
    """Six operators, each with a kernel forward and one backward; the `first` takes that many times as long."""
    names = ("conv2d", "batch_norm", "relu", "linear", "gelu", "softmax")
    return tuple(
        Layer(
            f"aten::{name}", (32, 64 + at),
            (Kernel(f"{name}_forward", us * (first if at == 0 else 1.0)),), (Kernel(f"{name}_backward", 1.5 * us),),
        )
        for at, name in enumerate(names)
    )  # fmt: skip


LAUNCHING = Program(layers=layers(3.0), steps=8, op_us=25.0, loader_us=0, copies=0)
"""Kernels take a fraction of the time that it takes to launch them."""

COMPUTING = Program(layers=layers(250.0), steps=8, loader_us=0, copies=0)
"""The host is done long before the kernels are."""


def captures(
    program: Program, seed: int, host_paces: tuple[float, ...] = HOST_PACES, first: Program | None = None
) -> Summary:
    """Three captures, made once; each has its own noise, and the machine's pace moves a little between them. The
    `first` may be one of another program."""
    asked = repr((program, seed, host_paces, first))
    if asked not in _RECORDED:
        _RECORDED[asked] = _captures(program, seed, host_paces, first)
    return _RECORDED[asked]


_RECORDED: dict[str, Summary] = {}


def _captures(program: Program, seed: int, host_paces: tuple[float, ...], first: Program | None) -> Summary:
    spans = []
    for at in range(3):
        one = program if at or first is None else first
        paced = one.changed(
            seed=seed + at, host_pace=program.host_pace * host_paces[(at + seed) % 3],
            device_pace=program.device_pace * DEVICE_PACES[(at + seed) % 3],
        )  # fmt: skip
        spans.append(summary(record(paced), span=str(at + 1)))
    return pool(spans)


def pair(before: Program, after: Program) -> Comparison:
    return compared(captures(before, 10), captures(after, 20))


@pytest.mark.parametrize("program", [LAUNCHING, COMPUTING])
def test_one_program_has_no_direction_and_no_cause(program: Program) -> None:
    found = pair(program, program)
    assert found.headline.verdict not in DIRECTIONS
    assert causes(found) == []


def test_a_slower_device_behind_the_launches_leaves_little_open() -> None:
    """It may be up to the busy time of the device that the step waited for, not all of the step."""
    found = pair(LAUNCHING, LAUNCHING.changed(device_pace=1.3))
    program = found.headline.program
    assert program is not None and program.low is not None and program.high is not None
    assert abs(program.estimate or 9) < 0.01
    assert -0.01 < program.low < 0 < program.high < 0.05


def test_a_slower_host_behind_the_kernels_costs_no_time() -> None:
    found = pair(COMPUTING, COMPUTING.changed(host_pace=1.2))
    assert found.headline.verdict is Verdict.SAME


@pytest.mark.parametrize("host_pace", [1.2, 1.0])
def test_a_slower_kernel_is_seen_whatever_a_host_behind_the_kernels_does(host_pace: float) -> None:
    found = pair(COMPUTING, COMPUTING.changed(layers=layers(250.0, first=1.5), host_pace=host_pace))
    assert found.headline.verdict in SLOWER
    assert found.headline.program is not None and found.headline.program.low is not None
    assert found.headline.program.low > 0
    assert causes(found)[0] == "kernel_slower"


@pytest.mark.parametrize("first", [6.0, 12.0])
def test_one_kernel_that_makes_most_of_all_kernel_time_is_the_program(first: float) -> None:
    """Neither a slower device nor one that other processes use: their kernels' fastest calls do not change."""
    found = pair(COMPUTING, COMPUTING.changed(layers=layers(250.0, first=first)))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert found.headline.machine is not None and abs(found.headline.machine.estimate) < 0.01
    assert causes(found) == ["kernel_slower"]


@pytest.mark.parametrize(("count", "factor"), [(2, 1.2), (2, 3.0), (2, 10.0), (3, 1.2), (3, 3.0), (3, 10.0)])
def test_some_slower_kernels_are_the_program_however_much_of_the_time_they_take(count: int, factor: float) -> None:
    """Kernels of half of the layers, three times as long, make three quarters of all kernel time."""
    longer = layers(250.0 * factor)[:count] + layers(250.0)[count:]
    found = pair(COMPUTING, COMPUTING.changed(layers=longer))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert causes(found) == ["kernel_slower"]
    (slower,) = [finding for finding in found.findings if finding.rule == "kernel_slower"]
    assert slower.sentence.startswith(f"{2 * count} kernels are slower: +")
    opposite = compared(captures(COMPUTING.changed(layers=longer), 20), captures(COMPUTING, 10))
    (faster,) = [finding for finding in opposite.findings if finding.rule == "kernel_faster"]
    assert faster.sentence.startswith(f"{2 * count} kernels are faster: −")
    assert faster.change_us == -slower.change_us


@pytest.mark.parametrize("factors", [(1.5, 1.1), (4.0, 1.5)])
def test_kernels_that_changed_by_other_ratios_are_not_named_with_the_slowest(factors: tuple[float, float]) -> None:
    longer = layers(250.0 * factors[0])[:2] + layers(250.0 * factors[1])[2:3] + layers(250.0)[3:]
    found = pair(COMPUTING, COMPUTING.changed(layers=longer))
    (slower,) = [finding for finding in found.findings if finding.rule == "kernel_slower"]
    assert slower.sentence.startswith("4 kernels are slower: +") and "relu" not in slower.sentence


@pytest.mark.parametrize("count", [4, 5])
def test_kernels_that_follow_the_pace_of_the_device_are_no_slower_kernels(count: int) -> None:
    most = layers(250.0)[:count] + layers(200.0)[count:]
    found = pair(COMPUTING, COMPUTING.changed(layers=most, device_pace=1.25))
    assert "kernel_slower" not in causes(found)


def test_a_host_that_varies_behind_the_kernels_leaves_the_program_as_certain_as_the_kernels() -> None:
    """Recorded on an H100: 24.0 -> 26.1 ms in nearly every step, while the host's pace varied by a factor of 1.4."""
    varying, after = (1.0, 1.5, 0.8), COMPUTING.changed(layers=layers(250.0, first=2.4))
    found = compared(captures(COMPUTING, 10, varying), captures(after, 20, varying)).headline
    assert found.verdict is Verdict.SLOWER and found.program is not None
    assert 0.085 < found.program.low < found.program.high < 0.1


def test_a_checkpoint_in_the_same_step_of_every_capture_is_a_slow_step_and_no_synchronization() -> None:
    """One capture of the other side has as many slow steps, elsewhere."""
    saves = COMPUTING.changed(saved=5, gaps={5: 40_000.0})
    stalled = COMPUTING.changed(gaps={2: 30_000.0, 3: 30_000.0, 4: 20_000.0})
    found = compared(captures(COMPUTING, 10, first=stalled), captures(saves, 20))
    assert causes(found)[0] == "slow_steps"
    assert "synchronization" not in causes(found)


def test_one_long_step_is_not_what_waits_cost() -> None:
    waits = COMPUTING.changed(items=2)
    for long in (0.0, 300_000.0):
        found = compared(captures(COMPUTING, 10), captures(waits, 20, first=waits.changed(gaps={4: long})))
        (cost,) = [one.delta_us for one in found.findings if one.rule == "synchronization"]
        assert cost == pytest.approx(41, abs=1)


def test_waits_do_not_take_what_a_slower_host_does() -> None:
    """Captures differ too much to tell how much slower the host is, and it never runs ahead of the device."""
    waits = LAUNCHING.changed(items=2)
    (alone,) = [one.delta_us or 0.0 for one in pair(LAUNCHING, waits).findings if one.rule == "synchronization"]
    uneven = compared(captures(LAUNCHING, 10, (1.0, 2.2, 1.1)), captures(waits, 20, (1.1, 1.3, 3.2)))
    (cost,) = [one.delta_us for one in uneven.findings if one.rule == "synchronization"]
    assert cost == pytest.approx(1.6 * alone, rel=0.15)


def test_a_mean_that_slow_steps_of_any_length_raise_is_reported() -> None:
    saves, long = (COMPUTING.changed(saved=5, gaps={5: us}) for us in (10_000.0, 400_000.0))
    found = compared(captures(COMPUTING, 10), captures(saves, 20, first=long)).headline
    assert found.sentence.startswith("Inconclusive: the typical step changed by ")
    assert "; a few long steps move the mean by +" in found.sentence


def test_a_shared_device_leaves_the_program_open_and_is_the_cause() -> None:
    """Time slices fall on some launches: the fastest are as fast as they were, and no two kernels change alike."""
    found = pair(COMPUTING, COMPUTING.changed(shared_us=1500.0))
    assert found.headline.verdict not in DIRECTIONS or found.headline.basis is Basis.MACHINE
    assert causes(found)[0] == "device_interrupted"


def test_time_slices_that_only_long_kernels_fill_are_the_machines() -> None:
    """The long kernel takes twice the time in every launch but few, the short ones in few."""
    mixed = COMPUTING.changed(layers=(*layers(60.0), *layers(250.0, first=6.0)[:1]))
    found = pair(mixed, mixed.changed(slice_us=2000.0))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.MACHINE)
    assert causes(found)[0] == "device_interrupted"


def test_a_slower_operator_is_seen_on_another_device_behind_the_launches() -> None:
    found = pair(LAUNCHING, LAUNCHING.changed(op_extra={"aten::linear": 60.0}, device_pace=1.3))
    assert found.headline.verdict in SLOWER
    assert causes(found)[0] == "operator_slower"


@pytest.mark.parametrize("changed", [COMPUTING.changed(host_pace=1.2), COMPUTING.changed(layers=layers(300.0))])
def test_exchanging_the_sides_negates_the_program(changed: Program) -> None:
    there, back = pair(COMPUTING, changed).headline, compared(captures(changed, 20), captures(COMPUTING, 10)).headline
    assert there.program is not None and back.program is not None
    for one, other in (
        (there.program.estimate, back.program.estimate), (there.program.low, back.program.high),
        (there.program.high, back.program.low),
    ):  # fmt: skip
        assert one is not None and other is not None
        assert (1 + one) * (1 + other) == pytest.approx(1, rel=1e-9)


def test_a_slower_operator_that_a_kernel_hides_is_the_cause_of_what_comes_late_after_it() -> None:
    def layer(name: str, us: float) -> Layer:
        return Layer(f"aten::{name}", (32, 64), (Kernel(f"{name}_forward", us),))

    hiding = (layer("conv2d", 350.0), *(layer("mul", 3.0),) * 6, *(layer("relu", 3.0),) * 6)
    program = Program(layers=hiding, steps=8, loader_us=0, copies=0, op_us=12.0)
    found = pair(program, program.changed(op_extra={"aten::mul": 25.0}))
    assert found.headline.verdict in SLOWER
    assert causes(found) == ["operator_slower"]
    assert found.findings[0].subject == "aten::mul"


def test_larger_inputs_behind_the_launches_are_no_slower_program_and_no_other_clock() -> None:
    larger = tuple(replace(layer, shape=(64, *layer.shape[1:])) for layer in layers(4.5))
    after = LAUNCHING.changed(layers=larger)
    for found in (pair(LAUNCHING, after), compared(captures(LAUNCHING, 10), captures(after, 10))):
        assert found.headline.counted is None
        assert "workload_changed" in causes(found)
        assert not any("another clock" in finding.sentence for finding in found.findings)


def test_a_pause_in_every_other_step_of_all_captures_is_the_programs() -> None:
    found = pair(COMPUTING, COMPUTING.changed(gaps=dict.fromkeys(range(1, 8, 2), 20_000.0)))
    assert found.headline.verdict is Verdict.SLOWER
    assert found.headline.program is not None and (found.headline.program.low or 0) > 0.1


def test_a_memory_clock_is_no_pace_across_the_board() -> None:
    """Kernels that move data take half as long again, those that compute do not."""
    found = pair(COMPUTING, COMPUTING.changed(layers=(*layers(250.0)[:2], *layers(375.0)[2:])))
    assert found.headline.verdict in SLOWER
    assert found.findings[0].rule == "device_pace"
    assert "for a part of its work" in found.findings[0].sentence
    assert "8 of 13 kernels of the same work ×1.50" in found.findings[0].sentence
