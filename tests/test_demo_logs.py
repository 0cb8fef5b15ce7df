"""The demo runs: there, small, anonymous, reproducible, and each with the answer that its README promises."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tb_perfcompare.analysis.launches import summarize_launches
from tb_perfcompare.analysis.pool import pool
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.compare.comparison import Comparison, Verdict
from tb_perfcompare.compare.engine import compare_summaries
from tb_perfcompare.compare.options import CompareOptions
from tb_perfcompare.model.progress import silent
from tb_perfcompare.model.recording import Origin
from tb_perfcompare.model.summary import Summary
from tb_perfcompare.sources.kernel_listing import read_listing
from tb_perfcompare.sources.torch_profiler import read_trace

DEMO = Path(__file__).resolve().parent.parent / "demo_logs"
FILE_NAME = re.compile(r"worker\d+\.\d{13}\.pt\.trace\.json\.gz")
RUNS = {
    "cpu_repeat/run_1": 2,
    "cpu_repeat/run_2": 2,
    "cpu_training/abnormal": 2,
    "cpu_training/normal": 2,
    "gpu_training_synthetic/baseline": 2,
    "gpu_training_synthetic/candidate": 2,
}
"""Run -> number of files."""
LISTINGS = ("kernel_listing_synthetic/before.txt", "kernel_listing_synthetic/after.txt")
PAIRS = (
    ("cpu_repeat/run_1", "cpu_repeat/run_2"),
    ("cpu_training/normal", "cpu_training/abnormal"),
    ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"),
)
TRACES = sorted(DEMO.glob("*/*/*.pt.trace.json.gz"))
MACHINE_SPECIFIC = re.compile(r"/(?:home|root|work|tmp|usr|opt|mnt|Users)/|host_?name|user_?name", re.IGNORECASE)


@cache
def side(run: str) -> Summary:
    """All files of a run as one side."""
    summaries = []
    for span, path in enumerate(sorted((DEMO / run).glob("*.pt.trace.json.gz")), start=1):
        recording = read_trace(path, report=silent, want_hash=False, skip_python_functions=True)
        worker = path.name.partition(".")[0]
        summaries.append(summarize(recording, Origin(str(path), run, worker, str(span))))
    return pool(summaries)


@cache
def comparison(baseline: str, candidate: str) -> Comparison:
    return compare_summaries(side(baseline), side(candidate), CompareOptions())


def test_every_run_is_there_under_names_that_both_plugins_take() -> None:
    assert {str(run.relative_to(DEMO)): len(list(run.iterdir())) for run in DEMO.glob("*/*") if run.is_dir()} == RUNS
    assert [path.name for path in TRACES if not FILE_NAME.fullmatch(path.name)] == []


def test_demo_stays_small() -> None:
    sizes = {path.name: path.stat().st_size for path in TRACES}
    assert max(sizes.values()) <= 300_000
    assert sum(sizes.values()) <= 4_000_000


@pytest.mark.parametrize("path", TRACES, ids=lambda path: str(path.relative_to(DEMO)))
def test_traces_name_no_machine_and_no_person(path: Path) -> None:
    text = gzip.decompress(path.read_bytes()).decode()
    assert json.loads(text)["traceEvents"]
    assert MACHINE_SPECIFIC.search(text) is None


def test_generator_reproduces_its_traces(tmp_path: Path) -> None:
    command = [sys.executable, str(DEMO / "generate.py"), "synthesize", "--target", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    committed = sorted((DEMO / "gpu_training_synthetic").rglob("*.gz"))
    made = sorted(tmp_path.rglob("*.gz"))
    assert [p.relative_to(tmp_path) for p in made] == [p.relative_to(DEMO) for p in committed]
    for listing in LISTINGS:
        assert (tmp_path / listing).read_bytes() == (DEMO / listing).read_bytes()
    for again, path in zip(made, committed, strict=True):
        # The packed bytes depend on the zlib at hand, their content must not.
        assert gzip.decompress(again.read_bytes()) == gzip.decompress(path.read_bytes())


@pytest.mark.parametrize(("baseline", "candidate"), PAIRS)
def test_ledger_closes(baseline: str, candidate: str) -> None:
    ledger = comparison(baseline, candidate).ledger
    assert ledger.candidate - ledger.baseline == ledger.delta
    assert sum(row.delta for row in ledger.rows if len(row.path) == 1) == ledger.delta
    for category in [row for row in ledger.rows if len(row.path) == 1]:
        parts = [row.delta for row in ledger.rows if len(row.path) == 2 and row.path[0] == category.path[0]]
        assert sum(parts) == category.delta


def test_lost_tensor_cores_and_lost_throughput_are_found_in_the_listings() -> None:
    before, after = (
        summarize_launches(read_listing(str(DEMO / name)), Origin(name, name))
        for name in LISTINGS
    )
    sentence = compare_summaries(before, after, CompareOptions()).findings[0].sentence
    assert "ampere_sgemm_64x64_tn is new" in sentence
    assert "layer_norm_kernel 336 µs more (24 calls on both sides; DRAM 72% to 36%)" in sentence


def test_slow_data_loader_is_found() -> None:
    found = comparison("cpu_training/normal", "cpu_training/abnormal")
    assert found.headline.verdict is Verdict.SLOWER
    first = found.findings[0]
    assert first.category == "DataLoader"
    assert first.share is not None and 0.9 < first.share < 1.1


def test_recording_the_same_program_twice_is_no_difference() -> None:
    found = comparison("cpu_repeat/run_1", "cpu_repeat/run_2")
    assert found.headline.verdict in (Verdict.SAME, Verdict.INCONCLUSIVE)


def test_planted_slow_kernel_is_found_as_slower_calls() -> None:
    found = comparison("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate")
    assert found.headline.verdict is Verdict.SLOWER
    assert found.findings[0].category == "Kernel"
    assert "ampere_sgemm_128x64_tn" in found.findings[0].sentence
    row = next(r for r in found.ledger.rows if r.path == ("Kernel", "ampere_sgemm_128x64_tn"))
    planted_us = 4 * 236 * 0.35
    assert row.delta / found.ledger.denominator / 1000 == pytest.approx(planted_us, rel=0.03)
    assert row.calls == (4.0, 4.0)
    assert row.count_effect == 0 and row.rate_effect == row.delta


def test_planted_small_kernels_are_found_as_new() -> None:
    found = comparison("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate")
    added = [row for row in found.ledger.rows if row.path[0] == "Kernel" and row.status == "added"]
    assert sum(row.calls[1] for row in added) == 20
    planted_us = 4 * (14 + 13 + 14 + 8 + 11)
    assert sum(row.delta for row in added) / found.ledger.denominator / 1000 == pytest.approx(planted_us, rel=0.03)


def test_unchanged_parts_of_the_synthetic_pair_stay_unnamed() -> None:
    found = comparison("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate")
    assert not [f for f in found.findings if f.category in ("DataLoader", "Memcpy", "Communication")]
