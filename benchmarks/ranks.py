"""Measures comparing two runs of many ranks: time and memory per core, and whether total memory grows with the ranks.

    python -m benchmarks.ranks                        jobs of 8, 64 and 512 ranks of 20 MB; prints a table
    python -m benchmarks.ranks --write                also puts it into benchmarks/results.md
    python -m benchmarks.ranks --ranks 4 --mb 1       quickly
    python -m benchmarks.ranks --scratch DIR          where traces are written (2 x ranks x MB) and deleted afterwards

Each job is compared in a new process without a cache, by two worker processes. The runs have different files; in the
second one a rank is late, which the comparison must find.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import document
from benchmarks.figures import table
from benchmarks.many_ranks import Job, write_job
from benchmarks.rounds import Task, sample
from benchmarks.sample import Work, cpu_seconds, peak_bytes

WORKERS = 2
_SAMPLE_S = 0.05
_LIMIT_S = 1500


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ranks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, action="append", metavar="N", help="default: 8, 64 and 512")
    parser.add_argument("--mb", type=float, default=20.0, help="size of each file")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where the traces are written for as long")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results.md")
    chosen = parser.parse_args()
    results = {ranks: _job(ranks, chosen.mb, chosen.scratch) for ranks in chosen.ranks or (8, 64, 512)}
    text = _table(results)
    print(text)
    if chosen.write:
        document.replace(document.RESULTS, "ranks", text)


def _job(ranks: int, mb: float, scratch: Path | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="ranks", dir=scratch) as folder_:
        size, late = int(mb * 1e6), ranks // 2
        before = write_job(Path(folder_) / "before", Job(ranks, size, seed=1))
        after = write_job(Path(folder_) / "after", Job(ranks, size, seed=2, late=late))
        stored = sum(file.stat().st_size for folder in (before, after) for file in folder.iterdir())
        print(f"{ranks} ranks: {stored / 1e9:.2f} GB written", file=sys.stderr, flush=True)
        task = Task(f"{ranks} ranks", "ranks.compare", (str(before), str(after)))
        taken = sample(task, limit_s=_LIMIT_S)
    if f"the other ranks wait for rank {late}" not in taken.result["said"]:
        raise SystemExit(f"the late rank was not found: {taken.result['said']}")
    return {**taken.result, "bytes": stored}


def compare() -> Work:
    """Compares two runs; the result has the seconds of reading, and the peak of a worker."""
    from tb_perfcompare.workspace.inputs.run_files import side_from_path
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.workspace import Workspace

    def work(baseline: str, candidate: str) -> dict[str, Any]:
        workspace = Workspace(workers=WORKERS)
        peaks, over, read_s = [0], threading.Event(), [0.0]

        def watch() -> None:
            while not over.wait(_SAMPLE_S):
                peaks.extend(peak_bytes(str(process)) for process in workspace.process_ids)

        def report(progress: Any) -> None:
            if progress.phase in ("reading", "summarising"):
                read_s[0] = time.perf_counter() - start

        watching = threading.Thread(target=watch)
        watching.start()
        start, cpu = time.perf_counter(), cpu_seconds()
        sides = side_from_path(baseline, None, None), side_from_path(candidate, None, None)
        ranks = workspace.compare(ComparisonRequest(*sides), report).tables["ranks"]
        seconds = time.perf_counter() - start
        over.set()
        watching.join()
        workspace.close()  # CPU time of children counts only after they have ended
        return {"seconds": seconds, "read_seconds": read_s[0], "cpu_seconds": cpu_seconds() - cpu,
                "worker_peak_bytes": max(peaks), "said": " ".join(ranks.notes)}  # fmt: skip

    return work


def _table(results: dict[int, dict[str, Any]]) -> str:
    rows: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("read, GB", lambda result: f"{result['bytes'] / 1e9:.2f}"),
        ("whole comparison, s", lambda result: f"{result['seconds']:.1f}"),
        ("of that reading, s", lambda result: f"{result['read_seconds']:.1f}"),
        ("processor time, s", lambda result: f"{result['cpu_seconds']:.1f}"),
        ("read per core, MB/s", lambda result: f"{result['bytes'] / 1e6 / result['read_seconds'] / WORKERS:.0f}"),
        ("a reading process at its peak, MB", lambda result: f"{result['worker_peak_bytes'] / 1e6:.0f}"),
        ("the process that pools and compares at its peak, MB", lambda result: f"{result['peak_bytes'] / 1e6:.0f}"),
    ]
    heads = ["", *(f"2 × {ranks} ranks" for ranks in results)]
    figures = table(heads, [[name, *map(figure, results.values())] for name, figure in rows])
    megabytes = next(iter(results.values()))["bytes"] / 2 / next(iter(results)) / 1e6
    setting = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end"
    return f"{figures}\n\nFiles of {megabytes:.0f} MB, {WORKERS} reading processes. {setting}."


if __name__ == "__main__":
    main()
