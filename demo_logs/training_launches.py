"""A layer, the loss and the update of synthetic.py's baseline as Nsight Compute lists them when given metrics:
`ncu --csv` on the details page, a row per figure, names by ncu's own demangler, which differs from that of traces."""

from __future__ import annotations

import csv
import io
import re

import synthetic
from ncu import COLUMNS, METRICS, PROCESS_ID
from timeline import Kernel

DETAILS = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
SECTION = "Command line profiler metrics"

_FORWARD = ((synthetic.LAYER_NORM, 0, 84), (synthetic.UP_PROJECTION, 0, 21), (synthetic.GELU, 0, 88),
            (synthetic.DOWN_PROJECTION, 0, 24), (synthetic.ADD, 0, 86))  # fmt: skip
_BACKWARD = ((synthetic.GRADIENT_OF_INPUT, 0, 23), (synthetic.GRADIENT_OF_WEIGHT, 0, 26),
             (synthetic.GELU_BACKWARD, 0, 91), (synthetic.LAYER_NORM_BACKWARD, 0, 78))  # fmt: skip
LAUNCHES = (
    *_FORWARD,
    (synthetic.LOSS, 0, 64),
    (synthetic.LOSS_BACKWARD, 0, 69),
    *_BACKWARD,
    (synthetic.UPDATE, 0, 93),
)
"""Kernel, tensor-pipe and DRAM utilisation in percent. All products are in single precision: no tensor cores. The other
layers run the same kernels, so that profiling one of them is enough."""


def export() -> str:
    """What ncu prints."""
    text = io.StringIO()
    text.write(f"==PROF== Connected to process {PROCESS_ID} (train)\n")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow((*COLUMNS, *DETAILS))
    for number, (kernel, tensor, dram) in enumerate(LAUNCHES):
        figures = (f"{kernel.mean_ns / 1000:,.2f}", f"{tensor:.2f}", f"{dram:.2f}")
        for (metric, unit), value in zip(METRICS, figures, strict=True):
            writer.writerow((
                number, PROCESS_ID, "train", "127.0.0.1", profiled_name(kernel), 1, 7, kernel.block, kernel.grid, 0,
                "8.0", SECTION, metric, "us" if unit == "ns" else unit, value,
            ))  # fmt: skip
    return text.getvalue()


def profiled_name(kernel: Kernel) -> str:
    """The kernel's name as ncu writes it: numbers with their types, parameters by the number of the argument."""
    name = kernel.name.replace("(anonymous namespace)", "<unnamed>").replace("> >", ">>").replace("char*", "char *")
    name = re.sub(r"(?<=[<, ])(\d+)(ul)?(?=[,>])", lambda n: f"({'unsigned long' if n[2] else 'int'}){n[1]}", name)
    return re.sub(r"\(int, at::native.*\)$", "(int, T2, T3)", name)
