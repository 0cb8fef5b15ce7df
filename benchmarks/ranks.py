"""Measures comparing two runs of many ranks: time and memory per core, and whether total memory grows with the ranks.

    python -m benchmarks.ranks                        jobs of 8, 64 and 512 ranks of 20 MB; prints a table
    python -m benchmarks.ranks --write                also puts it into docs/method/ranks.md
    python -m benchmarks.ranks --ranks 4 --mb 1       quickly
    python -m benchmarks.ranks --scratch DIR          where traces are written (2 x ranks x MB) and deleted afterwards

Each job is compared in a new process without a cache, by two worker processes. The runs have different files; in the
second one a rank is late, which the comparison must find.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.many_ranks import Job, write_job

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENT = REPOSITORY / "docs" / "method" / "ranks.md"
BEGIN, END = "<!-- ranks: begin -->", "<!-- ranks: end -->"
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
    parser.add_argument("--write", action="store_true", help="put the table into docs/method/ranks.md")
    parser.add_argument("--measure", nargs=2, metavar="RUN", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(_measured(*chosen.measure)))
        return
    results = {ranks: _job(ranks, chosen.mb, chosen.scratch) for ranks in chosen.ranks or (8, 64, 512)}
    table = _table(results)
    print(table)
    if chosen.write:
        text = DOCUMENT.read_text("utf-8")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")


def _job(ranks: int, mb: float, scratch: Path | None) -> dict[str, Any]:
    folder_ = Path(tempfile.mkdtemp(prefix="ranks", dir=scratch))
    try:
        size, late = int(mb * 1e6), ranks // 2
        before = write_job(folder_ / "before", Job(ranks, size, seed=1))
        after = write_job(folder_ / "after", Job(ranks, size, seed=2, late=late))
        stored = sum(file.stat().st_size for folder in (before, after) for file in folder.iterdir())
        print(f"{ranks} ranks: {stored / 1e9:.2f} GB written", file=sys.stderr, flush=True)
        environment = {**os.environ, "TB_PERFCOMPARE_WORKERS": str(WORKERS)}
        command = [sys.executable, "-m", "benchmarks.ranks", "--measure", str(before), str(after)]
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr[-3000:])
        result: dict[str, Any] = json.loads(done.stdout)
        if f"the other ranks wait for rank {late}" not in result["said"]:
            raise SystemExit(f"the late rank was not found: {result['said']}")
        return {**result, "bytes": stored}
    finally:
        shutil.rmtree(folder_)


def _measured(baseline: str, candidate: str) -> dict[str, Any]:
    """Compares two runs and returns the figures; runs in a process of its own."""
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.listing.index import side_from_path
    from tb_perfcompare.workspace.workspace import Workspace

    workspace = Workspace(workers=WORKERS)
    peaks: dict[int, int] = {}
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(workspace, peaks, over))
    watch.start()
    start = time.perf_counter()
    question = ComparisonRequest(side_from_path(baseline, None, None), side_from_path(candidate, None, None))
    read_s = [0.0]

    def report(progress: Any) -> None:
        if progress.phase in ("reading", "summarising"):
            read_s[0] = time.perf_counter() - start

    got = workspace.compare(question, report)
    seconds = time.perf_counter() - start
    over.set()
    watch.join()
    ranks = got.tables["ranks"]
    workspace.close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": seconds,
        "read_seconds": read_s[0],
        "cpu_seconds": children.ru_utime + children.ru_stime + own.ru_utime + own.ru_stime,
        "worker_peak_bytes": max(peaks.values(), default=0),
        "own_peak_bytes": _peak(os.getpid()),
        "said": " ".join(ranks.notes),
        "rows": len(ranks.rows),
    }


def _watch(workspace: Any, peaks: dict[int, int], over: threading.Event) -> None:
    """Updates `peaks` with the largest resident size of each worker until `over` is set."""
    while not over.wait(_SAMPLE_S):
        for process in workspace.process_ids:
            peaks[process] = max(peaks.get(process, 0), _peak(process))


def _peak(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    line = next((line for line in text.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
    return int(line.split()[1]) * 1024


def _table(results: dict[int, dict[str, Any]]) -> str:
    rows = [
        ("read, GB", lambda result: f"{result['bytes'] / 1e9:.2f}"),
        ("whole comparison, s", lambda result: f"{result['seconds']:.1f}"),
        ("of that reading, s", lambda result: f"{result['read_seconds']:.1f}"),
        ("processor time, s", lambda result: f"{result['cpu_seconds']:.1f}"),
        ("read per core, MB/s", lambda result: f"{result['bytes'] / 1e6 / result['read_seconds'] / WORKERS:.0f}"),
        ("a reading process at its peak, MB", lambda result: f"{result['worker_peak_bytes'] / 1e6:.0f}"),
        ("the process that pools and compares at its peak, MB", lambda result: f"{result['own_peak_bytes'] / 1e6:.0f}"),
    ]
    heads = [f"2 × {ranks} ranks" for ranks in results]
    lines = [f"|  | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(heads)}"]
    lines += [f"| {name} | {' | '.join(figure(result) for result in results.values())} |" for name, figure in rows]
    megabytes = next(iter(results.values()))["bytes"] / 2 / next(iter(results)) / 1e6
    setting = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end"
    lines += ["", f"Files of {megabytes:.0f} MB, {WORKERS} reading processes. {setting}."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
