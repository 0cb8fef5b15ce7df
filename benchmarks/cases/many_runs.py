"""Listing a log directory of 1,000 runs with 8 workers each: time, and whether files are read for it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.figures import Goal, Section, Verdict, spread, table
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "many_runs"
_RUNS, _WORKERS = 1_000, 8
_CONTENT = b"this is no trace: whoever reads it fails"


def run(setting: Setting) -> Section:
    """Measures a new server on the same directory in every round."""
    section = Section(NAME)
    runs = _RUNS // 50 if setting.quick else _RUNS
    logdir = setting.inputs.scratch / f"runs{runs}"
    _write(logdir, runs)
    rounds = measure([Task("list", "server_work.list_runs", (str(logdir),))], setting.rounds, "list")
    one, of = rounds.result("list"), partial(rounds.figures, "list")
    if one["runs"] != runs:
        raise RuntimeError(f"{one['runs']} of {runs} runs listed")
    files = runs * _WORKERS
    rows = [
        ["first answer, ms", spread(of("first_ms"), 0)],
        ["kept, ms", spread(of("again_ms"), 1)],
        ["looked at again (rescan), ms", spread(of("rescan_ms"), 0)],
        ["pages of the answer", f"{one['pages']}"],
        ["largest page, KB", spread(of("largest_bytes", 1e-3), 0)],
        ["bytes read by the process per file", spread(of("read_bytes", 1 / files), 1)],
        ["peak above imports, MB", spread([b / 1e6 for b in rounds.of("list", "above_imports_bytes")], 0)],
    ]
    section.parts.append(table([f"{runs:,} runs of {_WORKERS} workers, {files:,} files", ""], rows))
    section.verdicts = [
        Verdict("first listing", of("first_ms", 1e-3), Goal(2, at_most=True, unit=" s"), 2),
        Verdict("bytes read per file", of("read_bytes", 1 / files), Goal(len(_CONTENT), at_most=True, unit=" B"), 1),
        Verdict("largest page", of("largest_bytes", 1e-6), Goal(1, at_most=True, unit=" MB"), 2),
    ]
    return section


def _write(logdir: Path, runs: int) -> None:
    """Writes files with the names of traces, but without a trace's content."""
    if logdir.exists():
        return
    for number in range(runs):
        folder = logdir / f"experiment_{number % 20:02d}" / f"run_{number:04d}"
        folder.mkdir(parents=True)
        for worker in range(_WORKERS):
            (folder / f"worker{worker}.{1_750_000_000_000 + number}.pt.trace.json").write_bytes(_CONTENT)
