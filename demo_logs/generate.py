"""Makes the traces in this folder (README.md says what each one is).

python demo_logs/generate.py synthesize     needs this package (for the saved answers); the same bytes every time
python demo_logs/generate.py record         needs torch and numpy; records the CPU runs again, on this machine
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import answers
import listing
import mlu_training
import ncu
import server_traces
import serving
import synthetic
import training_launches

HERE = Path(__file__).resolve().parent
SYNTHETIC = {
    "gpu_training_synthetic/baseline": (synthetic.BASELINE, 1, 1_750_000_005_000),
    "gpu_training_synthetic/candidate": (synthetic.CANDIDATE, 2, 1_750_000_905_000),
}
"""Run -> program, seed, wall clock of its start in milliseconds."""
MLU = {
    "mlu_training_synthetic/baseline": (mlu_training.BASELINE, 5, 1_750_000_005_000),
    "mlu_training_synthetic/candidate": (mlu_training.CANDIDATE, 6, 1_750_000_905_000),
}
"""The same of the runs on MLUs."""
SERVERS = {
    "server_synthetic/baseline": (server_traces.BASELINE, 7, 1_750_000_005_000),
    "server_synthetic/candidate": (server_traces.CANDIDATE, 8, 1_750_000_905_000),
}
"""The same of the language model servers."""
ANSWERS = "saved_answers_synthetic/answers.jsonl"
"""Their answers."""
LISTINGS = {
    "kernel_listing_synthetic/before.txt": (listing.BEFORE, 3),
    "kernel_listing_synthetic/after.txt": (listing.AFTER, 4),
}
"""File -> launches of a layer, seed."""
EXPORTS = {
    "ncu_synthetic/before.csv": (listing.BEFORE, 3),
    "ncu_synthetic/after.csv": (listing.AFTER, 4),
}
"""The same launches as Nsight Compute exports them."""
TRAINING_EXPORT = "ncu_synthetic/training.csv"
"""The kernels of a layer of the GPU training, with their utilisation."""
TABLES = {
    "perf_data_synthetic/normal_perf_data": (serving.NORMAL, 13),
    "perf_data_synthetic/abnormal_perf_data": (serving.ABNORMAL, 14),
}
"""Folder -> what the recording saw, seed."""
RECORDED = {
    "cpu_training": (("normal", "small"), ("abnormal", "large")),
    "cpu_repeat": (("run_1", "small"), ("run_2", "small")),
}
"""Group -> its two runs with the way training.py stores the images."""
SPANS = 2
STEPS = 10


def traces() -> dict[str, bytes]:
    """Path relative to this folder -> uncompressed trace."""
    files = {}
    for run, (program, seed, start_ms) in SYNTHETIC.items():
        for rank, content in enumerate(synthetic.traces(program, seed, start_ms)):
            files[f"{run}/worker{rank}.{start_ms}.pt.trace.json.gz"] = content
    for run, (mlu_program, seed, start_ms) in MLU.items():
        content = mlu_training.trace(mlu_program, seed, start_ms)
        files[f"{run}/worker0.{start_ms}.pt.trace.json.gz"] = content
    for run, (engine, seed, start_ms) in SERVERS.items():
        files[f"{run}/worker0.{start_ms}.pt.trace.json.gz"] = server_traces.trace(engine, seed, start_ms)
    return files


def texts(made: dict[str, bytes]) -> dict[str, bytes]:
    """Path -> content of the files that are stored as they are; `made` are the traces."""
    files = {name: listing.listing(layer, seed).encode() for name, (layer, seed) in LISTINGS.items()}
    files |= {name: ncu.export(layer, seed).encode() for name, (layer, seed) in EXPORTS.items()}
    files[TRAINING_EXPORT] = training_launches.export().encode()
    for folder, (side, seed) in TABLES.items():
        functions, counters = serving.tables(side, seed)
        files |= {f"{folder}/result_perf_data.csv": functions, f"{folder}/result_counters_data.csv": counters}
    files[ANSWERS] = answers.answer_lines(content for name, content in made.items() if name.startswith("mlu_"))
    return files


def synthesize(target: Path) -> None:
    """Writes everything that is generated."""
    made = traces()
    for name, content in made.items():
        _store(target / name, gzip.compress(content, 9, mtime=0))
    for name, content in texts(made).items():
        _store(target / name, content)


def record(target: Path, group: str) -> None:
    """Records a group afresh. Every span is its own process; spans of the two runs take turns, so that a machine that
    becomes slower meanwhile does so for both."""
    for run, _ in RECORDED[group]:
        for old in (target / group / run).glob("*.pt.trace.json.gz"):
            old.unlink()
    for _ in range(SPANS):
        for run, decode in RECORDED[group]:
            with tempfile.TemporaryDirectory() as folder:
                raw = Path(folder) / "trace.json"
                command = [sys.executable, str(HERE / "training.py"), decode, str(raw), "--steps", str(STEPS)]
                subprocess.run(command, check=True)
                content = anonymous(raw.read_bytes())
            name = f"worker0.{_start_ms(content)}.pt.trace.json.gz"
            _store(target / group / run / name, gzip.compress(content, 9, mtime=0))


def anonymous(trace: bytes) -> bytes:
    """The trace without the machine's name and the file's path, and without indentation; events stay as they are."""
    trace = re.sub(rb'"host_name":\s*"[^"]*",\s*', b"", trace)
    trace = re.sub(rb'"traceName":\s*"[^"]*"', b'"traceName": "trace.json"', trace)
    return re.sub(rb"\s*\n\s*", b"\n", trace.strip()) + b"\n"


def _start_ms(trace: bytes) -> int:
    """Wall clock of the first event in milliseconds: what torch writes into file names."""
    base = re.search(rb'"baseTimeNanoseconds":\s*(\d+)', trace)
    first = re.search(rb'"ts":\s*(\d+)', trace)
    if base is None or first is None:
        raise SystemExit("the recording has no baseTimeNanoseconds or no events: torch 2.3 or newer is needed")
    return int(base[1]) // 1_000_000 + int(first[1]) // 1000


def _store(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{path}: {path.stat().st_size} bytes")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("synthesize", "record"))
    parser.add_argument("--target", type=Path, default=HERE, help="folder to write to (default: this one)")
    parser.add_argument("--group", choices=sorted(RECORDED), action="append", help="record: only this pair of runs")
    chosen = parser.parse_args()
    if chosen.command == "synthesize":
        synthesize(chosen.target)
        return
    for group in chosen.group or sorted(RECORDED):
        record(chosen.target, group)


if __name__ == "__main__":
    main()
