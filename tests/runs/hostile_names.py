"""Names that a page or a spreadsheet could take for something to run, and runs that hold them."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from tests.build import TraceBuilder

MARKUP = (
    "<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", "<svg/onload=window.hacked=1>",
    "</textarea></title></style></script><script>window.hacked = 1</script>", "javascript:window.hacked=1//",
    "${window.hacked = 1}{{constructor.constructor('window.hacked = 1')()}}", "a&lt;b>&amp;\"'`", "\x1b[2J\x07",
)  # fmt: skip
FORMULAS = (
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", "＋1", "－1", "＠SUM(1)",
    "=HYPERLINK(\"http://example.org\")", "=cmd|' /C calc'!A0",
)  # fmt: skip

CONTROLS = (
    "nul\x00nul", "\x1b[31mred\x1b[0m", "\x00=1+1", "bell\x07", "c1\x9b2J", "\x7fdel", "tab\tand\nline",
)  # fmt: skip
WRITTEN_OUT = (
    r"nul\x00nul", r"\x1b[31mred\x1b[0m", r"\x00=1+1", r"bell\x07", r"c1\x9b2J", r"\x7fdel", "tab\tand\nline",
)  # fmt: skip
"""The same names in a CSV."""


def write_names(logdir: Path, names: tuple[str, ...], runs: tuple[str, str] = ("normal", "abnormal")) -> None:
    """normal/ and abnormal/ (or two other names) whose operators, kernels, modules and counters are called so."""
    for run, extra in zip(runs, (0.0, 30.0), strict=True):
        trace, at = TraceBuilder(), 0.0
        for step in range(4):
            begin = at
            for number, name in enumerate(names):
                trace.python(f"nn.Module: {name}", at, at + 95 + extra, number=1 + number + 100 * step, module=number)
                trace.op(name, at + 5, at + 90 + extra, dims=[[number, 2]])
                trace.kernel(name, at + 40, at + 60 + extra, launch=(at + 10, at + 20))
                trace.counter(name, at, value=1.0)
                at += 200 + step % 2
            trace.step(step + 1, begin, at)
        trace.write(logdir / run / "worker0.1700000000001.pt.trace.json")


def assert_no_controls(text: str) -> None:
    """Nothing in it steers a terminal or ends a text early."""
    assert not [char for char in text if unicodedata.category(char) == "Cc" and char not in "\t\r\n"]


def assert_harmless(cell: str) -> None:
    """A spreadsheet takes it for a text or for a number."""
    if cell and cell[0] in "=+-@\t\r\n＝＋－＠":
        float(cell)
