"""Measures reading a trace file: the compiled reader, the Python reader, and only inflating, in turns on one machine.

    python benchmarks/readers.py                       recorded traces (shared data) and a generated one of 150 MB
    python benchmarks/readers.py FILE... --rounds 5    these files

Every sample is a new process; the clock starts after the imports. Memory is the peak above the imports. CPU time is the
sum over both threads: with a second core, inflating and scanning overlap.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.generated import Load, write  # noqa: E402
from benchmarks.inputs import A100, DATA, H100, KINETO, MI300  # noqa: E402
from benchmarks.sample import peak_bytes  # noqa: E402

INFLATE, PYTHON, NATIVE = "inflate", "python", "native"
GENERATED_MB = 150


def one_sample(what: str, path: str) -> None:
    """Takes one measurement and prints it as a line of JSON."""
    from tb_perfcompare.sources.storage.blocks import Blocks
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    before = peak_bytes()
    cpu, wall = time.process_time(), time.perf_counter()
    events = 0
    if what == INFLATE:
        with open(path, "rb") as file, Blocks(file, library=zlib) as blocks:
            size = sum(map(len, blocks))
    else:
        recording = read_trace(path, want_hash=False)
        assert recording.stats.reader.endswith(what), recording.stats.reader
        size, events = recording.stats.raw_bytes, recording.stats.events
    figures = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    figures |= {"bytes": size, "events": events, "peak_bytes": peak_bytes() - before}
    print(json.dumps(figures), flush=True)
    os._exit(0)


def sample(what: str, path: Path) -> dict[str, Any]:
    """Takes one measurement in a new process."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    if what != INFLATE:
        environment["TB_PERFCOMPARE_READER"] = what
    command = [sys.executable, __file__, "--one", what, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def generated(folder: Path) -> Path:
    """Writes a trace of about GENERATED_MB of text."""
    path = folder / "generated.pt.trace.json.gz"
    write(path, Load(GENERATED_MB))
    return path


def line(path: Path, rounds: int) -> str:
    """Measures one file; returns its row of the table."""
    samples: dict[str, list[dict[str, Any]]] = {INFLATE: [], PYTHON: [], NATIVE: []}
    for turn in range(rounds):
        for what in list(samples) if turn % 2 == 0 else reversed(list(samples)):
            samples[what].append(sample(what, path))

    def median(what: str, key: str) -> float:
        return float(statistics.median(one[key] for one in samples[what]))

    def times(key: str) -> str:
        ratios = [p[key] / n[key] for p, n in zip(samples[PYTHON], samples[NATIVE], strict=True)]
        return f"{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"

    size, events = median(NATIVE, "bytes"), median(NATIVE, "events")
    inflate = statistics.median(
        n["cpu_seconds"] / i["cpu_seconds"] for n, i in zip(samples[NATIVE], samples[INFLATE], strict=True)
    )
    cells = [path.name[-44:], f"{size / 1e6:.0f}", f"{events:,.0f}"]
    cells += [f"{1000 * median(what, 'cpu_seconds'):.0f}" for what in (INFLATE, PYTHON, NATIVE)]
    cells += [times("cpu_seconds"), times("seconds"), f"{inflate:.2f}"]
    cells += [f"{median(what, 'peak_bytes') / 1e6:.0f}" for what in (PYTHON, NATIVE)]
    cells += [f"{median(NATIVE, 'peak_bytes') / max(events, 1):.0f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = chosen.files or [path for name in (KINETO, A100, H100, MI300) if (path := DATA / name).is_file()]
        if not chosen.files:
            files.append(generated(Path(folder)))
        cpu = " | ".join(f"{what} CPU ms" for what in (INFLATE, PYTHON, NATIVE))
        memory = "python MB | native MB | native B/event"
        print(f"| file | JSON MB | events | {cpu} | times less CPU | times faster | native / inflate, CPU | {memory} |")
        print("|---" + "|---:" * 11 + "|")
        for path in files:
            print(line(path, chosen.rounds), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one_sample(*sys.argv[2:4])
    else:
        main()
