"""Traces as lists of calls: which operators, around which kernels.

    calls('''
        aten::conv2d[8,3] > aten::cudnn_convolution[8,3] | conv 30; bias 5
        2x aten::mm[4,4]                                 | gemm 10
                                                         | lost 4
    ''')

draws steps of four calls: a convolution whose inner operator launches two kernels of 30 and 5 us, a product twice, and
a kernel whose launch nobody recorded. `[8,3]` is the shape of one input; without brackets none is recorded.
"""

from __future__ import annotations

import re
from typing import Any

from tests.build import TraceBuilder

_LINE = re.compile(r"(?:(\d+)x )?(.*?)\|(.*)")
_OPERATOR = re.compile(r"(.*?)(?:\[([\d,]*)\])?$")
_LAUNCH_US = 2.0


def calls(text: str, *, steps: int = 2, **options: Any) -> TraceBuilder:
    """A builder filled from a list of calls; every step makes all of them. `options` go to TraceBuilder."""
    trace = TraceBuilder(**options)
    lines = [found for found in map(_LINE.fullmatch, map(str.strip, text.splitlines())) if found]
    assert len(lines) == sum(bool(line.strip()) for line in text.splitlines()), "not a list of calls"
    at = 0.0
    for number in range(steps):
        start = at
        host, device = at + 1, at + 1
        for line in lines:
            chain = [part.strip() for part in line[2].split(">") if part.strip()]
            kernels = [part.strip().rpartition(" ") for part in line[3].split(";")]
            for _ in range(int(line[1] or 1)):
                host, device = _call(trace, chain, [(name, float(us)) for name, _, us in kernels], host, device)
        at = max(host, device) + 5
        trace.step(number, start, at)
    return trace


def _call(
    trace: TraceBuilder, chain: list[str], kernels: list[tuple[str, float]], host: float, device: float
) -> tuple[float, float]:
    """Where host and device are after the call."""
    end = host + 2 * len(chain) + (_LAUNCH_US + 1) * len(kernels)
    for depth, operator in enumerate(chain):
        found = _OPERATOR.fullmatch(operator)
        assert found is not None
        dims = None if found[2] is None else [[int(size) for size in found[2].split(",") if size]]
        trace.op(found[1], host + depth, end - depth, dims=dims)
    launch = host + len(chain)
    for name, us in kernels:
        device = max(device, launch + _LAUNCH_US)
        _device_work(trace, name, device, device + us, (launch, launch + _LAUNCH_US) if chain else None)
        device += us
        launch += _LAUNCH_US + 1
    return end + 1, device


def _device_work(
    trace: TraceBuilder, name: str, start: float, end: float, launch: tuple[float, float] | None
) -> None:
    if name.startswith("Memcpy "):
        trace.memcpy(start, end, kind=name.removeprefix("Memcpy "), launch=launch)
    elif name == "Memset":
        trace.memset(start, end, launch=launch)
    else:
        trace.kernel(name, start, end, launch=launch)
