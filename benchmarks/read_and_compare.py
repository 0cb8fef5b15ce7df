"""Two trace files to the first comparison: this tool against torch-tb-profiler, on the same machine, in turns.

    python benchmarks/read_and_compare.py            prints the tables
    python benchmarks/read_and_compare.py --write    also puts them into docs/benchmarks.md

Every sample is a fresh process (one_sample.py); the tools take turns within a round, so that a machine that becomes
slower does so for both, and only ratios within a round are results. The pairs are the recorded ResNet-50 runs (shared
data, skipped with a word when absent) and generated traces of growing length.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TB_PERFCOMPARE_DATA", REPOSITORY.parent / "shared" / "data"))
DOCUMENT = REPOSITORY / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
OURS, PEER = "ours", "torch-tb-profiler"
GROWTH = (1, 2, 4, 8)
STEPS_AT_ONE = 120

sys.path.insert(0, str(REPOSITORY / "demo_logs"))
import synthetic  # noqa: E402  (the generator of the demo runs)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files to compare."""

    name: str
    baseline: Path
    candidate: Path

    def size_mb(self) -> float:
        """Uncompressed JSON of both, in MB."""
        return sum(len(gzip.decompress(p.read_bytes())) for p in (self.baseline, self.candidate)) / 1e6


def recorded_pairs() -> list[Pair]:
    """The ResNet-50 recordings, first spans."""
    folders = [DATA / "kineto" / f"resnet50_num_workers_{n}" for n in (0, 4)]
    if not all(folder.is_dir() for folder in folders):
        print(f"no recorded pair: {DATA} (set TB_PERFCOMPARE_DATA)", file=sys.stderr)
        return []
    first, second = (min(folder.glob("*.pt.trace.json.gz")) for folder in folders)
    return [Pair("ResNet-50 on a V100, recorded", first, second)]


def generated_pairs(folder: Path, factors: Iterable[int]) -> list[Pair]:
    """Synthetic training runs of STEPS_AT_ONE times each factor steps."""
    pairs = []
    for factor in factors:
        files = []
        for side, program in enumerate((synthetic.BASELINE, synthetic.CANDIDATE)):
            content = synthetic.traces(program, side, 1_750_000_000_000, STEPS_AT_ONE * factor)[0]
            path = folder / f"{factor}x" / ("baseline", "candidate")[side] / "worker0.1750000000000.pt.trace.json.gz"
            path.parent.mkdir(parents=True)
            path.write_bytes(gzip.compress(content, 6, mtime=0))
            files.append(path)
        pairs.append(Pair(f"generated, {STEPS_AT_ONE * factor} steps", *files))
    return pairs


def sample(tool: str, pair: Pair) -> dict[str, Any]:
    """One measurement in a fresh process."""
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "one_sample.py"), tool]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [*command, str(pair.baseline), str(pair.candidate)], stdout=subprocess.PIPE, env=environment, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{pair.name}: {tool} {found['seconds']:.2f} s, {found['peak_bytes'] / 1e6:.0f} MB", file=sys.stderr)
    return found


@dataclass(frozen=True, slots=True)
class Measured:
    """All rounds of one pair."""

    pair: Pair
    ours: list[dict[str, Any]]
    peer: list[dict[str, Any]]

    def ratios(self, key: str, *, above_imports: bool = False) -> list[float]:
        """Peer over ours, round by round."""
        off = "imports_bytes" if above_imports else None
        return [
            (p[key] - (p[off] if off else 0)) / (o[key] - (o[off] if off else 0))
            for o, p in zip(self.ours, self.peer, strict=True)
        ]


def measure(pairs: Sequence[Pair], rounds: int) -> list[Measured]:
    """`rounds` rounds; in each, every pair by every tool, and who goes first alternates."""
    results = [Measured(pair, [], []) for pair in pairs]
    for turn in range(rounds):
        for result in results:
            order = (OURS, PEER) if turn % 2 == 0 else (PEER, OURS)
            for tool in order:
                (result.ours if tool == OURS else result.peer).append(sample(tool, result.pair))
    return results


def _spread(values: Sequence[float], digits: int = 1) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def report(results: Sequence[Measured], rounds: int) -> str:
    """The markdown that goes into docs/benchmarks.md."""
    rows, growth = [], []
    for r in results:
        seconds = {name: [s["seconds"] for s in samples] for name, samples in ((OURS, r.ours), (PEER, r.peer))}
        peaks = {name: [s["peak_bytes"] / 1e6 for s in samples] for name, samples in ((OURS, r.ours), (PEER, r.peer))}
        step = r.ours[0]["step_us"], r.peer[0]["step_us"]
        same = max(abs(a / b - 1) for a, b in zip(*step, strict=True))
        rows.append(
            [
                r.pair.name,
                f"{r.pair.size_mb():.0f}",
                f"{r.ours[0]['events']:,}",
                _spread(seconds[OURS], 2),
                _spread(seconds[PEER], 2),
                _spread(r.ratios("seconds")),
                _spread(r.ratios("cpu_seconds")),
                f"{statistics.median(peaks[OURS]):.0f}",
                f"{statistics.median(peaks[PEER]):.0f}",
                _spread(r.ratios("peak_bytes")),
                _spread(r.ratios("peak_bytes", above_imports=True)),
                f"{100 * same:.2f} %",
            ]
        )
        if r.pair.name.startswith("generated"):
            per_event = [
                [1e6 * s["cpu_seconds"] / r.ours[0]["events"] for s in samples] for samples in (r.ours, r.peer)
            ]
            growth.append([r.pair.name, f"{r.ours[0]['events']:,}", *(_spread(values, 2) for values in per_event)])
    head = ["pair (both files)", "JSON MB", "events", "ours s", "torch-tb-profiler s", "times faster",
            "times less CPU", "ours MB", "torch-tb-profiler MB", "times less memory", "above imports",
            "mean step differs by"]  # fmt: skip
    busy = os.getloadavg()[0]
    parts = [
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy:.1f}, {rounds} rounds; "
        "median (min–max).",
        _table(head, rows),
    ]
    if growth:
        parts += [
            "CPU time per event as files grow, µs:",
            _table(["pair", "events", "ours", "torch-tb-profiler"], growth),
        ]
    return "\n\n".join(parts)


def write_document(figures: str) -> None:
    """Replaces what lies between the markers of docs/benchmarks.md."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=int, nargs="*", default=list(GROWTH), help="lengths of the generated traces")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = recorded_pairs() + generated_pairs(Path(folder), chosen.growth)
        figures = report(measure(pairs, chosen.rounds), chosen.rounds)
    print(figures)
    if chosen.write:
        write_document(figures)


if __name__ == "__main__":
    main()
