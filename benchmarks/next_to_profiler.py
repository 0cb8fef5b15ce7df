"""Measures the first responses while torch-tb-profiler loads every run of the log directory in the same TensorBoard.

    python -m benchmarks.next_to_profiler            200 runs
    python -m benchmarks.next_to_profiler --runs 50

Every run is a copy of a demo trace. TensorBoard starts twice, with only this plugin and with all that are installed. As
soon as it responds, the list of runs and then an uncached comparison are requested. torch-tb-profiler starts a process
per file, all at once, of about 75 MB each.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.figures import table
from benchmarks.rounds import REPOSITORY
from benchmarks.served import Served, served

_DEMO = REPOSITORY / "demo_logs" / "gpu_training_synthetic"
_SIDES = ("baseline", "candidate")
_MAX_WAIT_S = 300.0
_OWN_WORKERS = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.next_to_profiler", description="The first answer beside torch-tb-profiler."
    )
    parser.add_argument("--runs", type=int, default=200, help="runs in the log directory (200)")
    options = parser.parse_args(arguments)
    if find_spec("torch_tb_profiler") is None:
        print("torch-tb-profiler is not installed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        logdir = Path(folder)
        write_runs(logdir, options.runs)
        rows = [["alone", *measured(logdir, False)], ["with torch-tb-profiler", *measured(logdir, True)]]
    print(table([f"{options.runs} runs", "server up, s", "list of runs, s", "comparison, s", "others"], rows))
    return 0


def write_runs(logdir: Path, count: int) -> None:
    """Writes `count` runs of one small trace each, alternately the demo's baseline and candidate."""
    for number in range(count):
        source = min((_DEMO / _SIDES[number % 2]).iterdir())
        run = logdir / f"run_{number:03d}"
        run.mkdir()
        shutil.copy(source, run / source.name)


def measured(logdir: Path, all_plugins: bool) -> list[str]:
    """Starts a server and measures its first responses. Returns seconds, and the number of the server's processes,
    without our workers, when the comparison arrived."""
    began_s = time.monotonic()
    with served(logdir, environment={"TB_PERFCOMPARE_CACHE": "off"}, all_plugins=all_plugins) as server:
        start_s = time.monotonic() - began_s
        runs_s = _seconds(server, "api/runs")
        comparison_s = _seconds(server, "api/comparison", baseline="run_000", candidate="run_001")
        others = max(0, len(server.workers()) - _OWN_WORKERS)
    return [f"{start_s:.1f}", f"{runs_s:.2f}", f"{comparison_s:.2f}", str(others)]


def _seconds(server: Served, path: str, **query: str) -> float:
    began_s = time.monotonic()
    answer = server.get(path, timeout_s=_MAX_WAIT_S, **query)
    took_s = time.monotonic() - began_s
    last = json.loads(answer.body.splitlines()[-1])
    if answer.status != 200 or "error" in last:
        raise RuntimeError(f"{path}: {answer.status} {str(last)[:500]}")
    return took_s


if __name__ == "__main__":
    raise SystemExit(main())
