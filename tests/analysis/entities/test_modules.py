"""nn.Module rows: device work counts for the innermost module around its operator."""

from __future__ import annotations

from tests.analysis.summaries import operator_us, summary
from tests.build import TraceBuilder


def test_modules_have_self_and_total_times_of_host_and_device() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    trace.python("nn.Module: Net_0", 10, 200, number=1, module=0)
    trace.python("nn.Module: Linear_0", 20, 120, number=2, parent=1, module=0)
    trace.op("aten::linear", 30, 60)
    trace.kernel("gemm", 210, 250, launch=(40, 45))
    trace.op("aten::relu", 130, 140)
    trace.kernel("relu", 250, 260, launch=(132, 135))
    drawn = summary(trace)
    found = {
        name: tuple(
            operator_us(drawn, name, measure, "modules")
            for measure in ("host_self", "host_total", "device_self", "device_total")
        )
        for name in ("Net_0", "Linear_0")
    }
    assert found == {"Net_0": (90, 190, 10, 50), "Linear_0": (100, 100, 40, 40)}
