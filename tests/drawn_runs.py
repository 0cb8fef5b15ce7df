"""Small runs on disk for tests of everything above the readers."""

from __future__ import annotations

from pathlib import Path

from tests.build import TraceBuilder


def drawn_trace(*, step_us: float = 1000, steps: int = 8, extra_us: float = 0, first_step: int = 1) -> TraceBuilder:
    """`steps` steps with a loader, an operator and a kernel each; odd steps are 1 us longer, so that times vary.

    `extra_us` makes the loader, and with it every step, longer.
    """
    trace = TraceBuilder()
    at = 0.0
    for number in range(steps):
        length = step_us + extra_us + number % 2
        trace.step(first_step + number, at, at + length)
        trace.loader(at + 10, at + 110 + extra_us)
        start = at + extra_us
        trace.op("aten::mm", start + 200, start + 500, dims=[[64, 64], [64, 64]])
        trace.kernel("gemm_128x128", start + 300, start + 600, launch=(start + 220, start + 240))
        at += length
    return trace


def write_run(folder: Path, *, worker: str = "worker0", spans: int = 1, **drawn: float) -> Path:
    """A run with one worker and some spans; returns its folder."""
    for span in range(1, spans + 1):
        trace = drawn_trace(**drawn)
        trace.write(folder / f"{worker}.{1700000000000 + span}.pt.trace.json")
    return folder


def write_open_pair(logdir: Path) -> None:
    """open/a and open/b: b is slower, but one step far above the others leaves the verdict open."""
    for name, factor in (("a", 1.0), ("b", 1.3)):
        trace, at = TraceBuilder(vendor="cpu"), 0.0
        for number, us in enumerate((9000, 1000, 1004, 1001, 1003, 1002)):
            length = us * (factor if number else 1)
            trace.step(number, at, at + length)
            trace.op("aten::mm", at, at + length)
            at += length + 50
        trace.write(logdir / "open" / name / "worker0.1700000000001.pt.trace.json")


def write_pair(logdir: Path) -> tuple[Path, Path]:
    """normal/ and abnormal/: the latter's loader takes 500 us longer."""
    return write_run(logdir / "normal"), write_run(logdir / "abnormal", extra_us=500)


def write_garbage(folder: Path, worker: str = "broken") -> Path:
    """A file with a trace's name and nothing of a trace inside."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{worker}.1700000000009.pt.trace.json"
    path.write_text("this is no trace")
    return path
