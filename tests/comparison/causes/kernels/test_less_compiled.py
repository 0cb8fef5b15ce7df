"""Plain kernels that run more often in place of generated ones."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of


def steps(**launches: int) -> TraceBuilder:
    """Steps that launch each kernel as often as given, 40 µs each."""
    trace, device = TraceBuilder(), 0.0
    for step in range(10):
        at = device
        device += 20
        for number, name in enumerate(name for name, count in launches.items() for _ in range(count)):
            begin = at + 10 * number
            trace.op("aten::layer" if name == "norm" else f"{name}_call", begin, begin + 8)
            trace.kernel(name, device, device + 40 + step % 2, launch=(begin + 1, begin + 6))
            device += 42
        trace.step(step, at, device)
        device += 5
    return trace


@pytest.mark.parametrize(
    ("norms", "us", "says"),
    [
        (7, 324, "1 plain kernel, e.g. gelu, is new, 1 other runs more often"),
        (1, 81, "1 plain kernel, e.g. gelu, is new."),
    ],
)
def test_kernels_of_both_sides_take_the_place_of_generated_ones_too(norms: int, us: int, says: str) -> None:
    compiled, eager = steps(triton_poi_fused_norm_0=2, norm=1), steps(gelu=4, norm=norms)
    found, opposite = compare(compiled, eager), compare(eager, compiled)
    lost, gained = finding_of(found, "compilation_lost"), finding_of(opposite, "compilation_gained")
    assert says in lost.sentence
    assert lost.change_us == -gained.change_us == pytest.approx(us, rel=0.02)
