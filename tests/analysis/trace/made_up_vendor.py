"""An invented vendor, added as one record before other modules are imported.

Run as a program, it prints as JSON what is read from a trace of its devices.
"""

from __future__ import annotations

import json
from io import BytesIO

from tb_perfcompare.model import vendors
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.vendor import Vendor

ACME = Vendor(
    "acme",
    "APU",
    name_marks=("acme",),
    memory_types=(77,),
    categories={"acme_runtime": Category.RUNTIME, "acme_task": Category.KERNEL},
    by_name={"acme_task": {"fence": Category.SYNC}},
    api_prefixes=("acme",),
    launches=(r"acmeSubmit\w*",),
    waits=("acmeJoin",),
    operator_libraries=("acmenn",),
    collectives=("accl",),
    tensor_cores=("_cube",),
)


def read() -> dict[str, object]:
    """Read a step with a matrix product, a collective and a fence on one device."""
    from tb_perfcompare.analysis.summarize import summarize
    from tb_perfcompare.model.api_calls import LAUNCH, WAIT, calls
    from tb_perfcompare.model.counter_names import device_in
    from tb_perfcompare.model.names.join_keys import without_library
    from tb_perfcompare.model.recordings.recording import Origin
    from tb_perfcompare.sources.trace.torch_profiler import read_trace
    from tests import events
    from tests.analysis.summaries import categories_us
    from tests.build import TraceBuilder

    events.VENDORS["acme"] = events.Vendor(
        "acme_runtime", "acmeSubmit", "acmeCopy", "acmeFill", "acmeJoin", "acme_task", "APU", "ACME 1", "accl", 77
    )
    trace = TraceBuilder(vendor="acme")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 20)
    trace.kernel("gemm_cube", 30, 50, launch=(12, 14))
    trace.kernel("acclAllReduce", 50, 60, launch=(15, 17))
    trace.kernel("fence", 60, 90, launch=(18, 19))
    summary = summarize(read_trace(BytesIO(trace.encode()), name="a.pt.trace.json"), Origin("a", "a", "worker0", "1"))
    (share,) = [metric.value for metric in summary.device_metrics if metric.name == "tensor_core_share"]
    return {
        "device": [summary.device.kind, summary.device.word, summary.device.count],
        "us": categories_us(summary),
        "tensor_core_share": share,
        "launches": [name for name in ("acmeSubmit", "acmeSubmitBatch", "acmeJoin") if calls(LAUNCH, name)],
        "waits": [name for name in ("acmeSubmit", "acmeJoin") if calls(WAIT, name)],
        "device of a counter": device_in("APU 3 clock"),
        "operator without library": without_library("aten::acmenn_convolution"),
    }


if __name__ == "__main__":
    vendors.VENDORS = (ACME, *vendors.VENDORS)
    print(json.dumps(read()))
