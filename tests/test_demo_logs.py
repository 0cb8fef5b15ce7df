"""The demo runs: there, small, anonymous, reproducible, and each with the answer that its README promises."""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tb_perfcompare.analysis.answers.summarize_answers import summarize_answers
from tb_perfcompare.analysis.compat import CompatProfile, answer, read_compat
from tb_perfcompare.analysis.listings.launches import summarize_launches
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.step_admission import admit_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.judged import judge_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.options import SIDES, CompareOptions
from tb_perfcompare.model.progress import silent
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.answers.reader import read_answers
from tb_perfcompare.sources.ncu.csv_export import read_ncu
from tb_perfcompare.sources.ncu.kernel_listing import read_listing
from tb_perfcompare.sources.trace.torch_profiler import read_events, read_trace
from tests.cli.invoke import tb_perfcompare

DEMO = Path(__file__).resolve().parent.parent / "demo_logs"
FILE_NAME = re.compile(r"worker\d+\.\d{13}\.pt\.trace\.json\.gz")
RUNS = {
    "cpu_repeat/run_1": 2,
    "cpu_repeat/run_2": 2,
    "cpu_training/abnormal": 2,
    "cpu_training/normal": 2,
    "gpu_decoding/abnormal": 3,
    "gpu_decoding/normal": 3,
    "gpu_training_synthetic/baseline": 2,
    "gpu_training_synthetic/candidate": 2,
    "mlu_training_synthetic/baseline": 1,
    "mlu_training_synthetic/candidate": 1,
    "perf_data_synthetic/abnormal_perf_data": 2,
    "perf_data_synthetic/normal_perf_data": 2,
    "server_synthetic/baseline": 1,
    "server_synthetic/candidate": 1,
}
"""Run -> number of files."""
LISTINGS = ("kernel_listing_synthetic/before.txt", "kernel_listing_synthetic/after.txt")
EXPORTS = ("ncu_synthetic/before.csv", "ncu_synthetic/after.csv")
ANSWERS = "saved_answers_synthetic/answers.jsonl"
TABLES = ("perf_data_synthetic/normal_perf_data", "perf_data_synthetic/abnormal_perf_data")
GENERATED = sorted(path for path in DEMO.rglob("*") if path.is_file() and "_synthetic" in path.parent.as_posix())
PAIRS = (
    ("cpu_repeat/run_1", "cpu_repeat/run_2"),
    ("cpu_training/normal", "cpu_training/abnormal"),
    ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"),
    ("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate"),
    ("server_synthetic/baseline", "server_synthetic/candidate"),
    ("gpu_decoding/normal", "gpu_decoding/abnormal"),
)
TRACES = sorted(DEMO.glob("*/*/*.pt.trace.json.gz"))
MACHINE_SPECIFIC = re.compile(r"/(?:home|root|work|tmp|usr|opt|mnt|Users)/|host_?name|user_?name", re.IGNORECASE)


@cache
def side(run: str) -> Summary:
    """All files of a run as one side."""
    summaries = []
    for span, path in enumerate(sorted((DEMO / run).glob("*.pt.trace.json.gz")), start=1):
        recording = read_trace(path, report=silent, want_hash=False)
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
    assert sum(path.stat().st_size for path in GENERATED) <= 860_000


@pytest.mark.parametrize("path", TRACES, ids=lambda path: str(path.relative_to(DEMO)))
def test_traces_name_no_machine_and_no_person(path: Path) -> None:
    text = gzip.decompress(path.read_bytes()).decode()
    assert '"traceEvents"' in text
    assert MACHINE_SPECIFIC.search(text) is None


@pytest.mark.parametrize("path", [path for path in GENERATED if path.suffix != ".gz"], ids=lambda path: path.name)
def test_generated_texts_name_no_machine(path: Path) -> None:
    assert re.search(r"/(?:home|root|work|tmp|usr|opt|mnt|Users)/", path.read_text("utf-8")) is None


def test_generator_reproduces_its_files(tmp_path: Path) -> None:
    command = [sys.executable, str(DEMO / "generate.py"), "synthesize", "--target", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    made = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert [p.relative_to(tmp_path) for p in made] == [p.relative_to(DEMO) for p in GENERATED]
    for again, path in zip(made, GENERATED, strict=True):
        first, second = again.read_bytes(), path.read_bytes()
        # The packed bytes depend on the zlib at hand, their content must not.
        packed = path.suffix == ".gz"
        same = gzip.decompress(first) == gzip.decompress(second) if packed else first == second
        assert same, path


def test_the_first_suggestion_is_the_recorded_pair() -> None:
    first = json.loads(tb_perfcompare("pairs", DEMO, "--json").out)["pairs"][0]
    assert (first["baseline"]["run"], first["candidate"]["run"]) == PAIRS[1]


def test_every_pair_of_the_readme_is_suggested_and_no_other() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", (DEMO / "README.md").read_text("utf-8"), re.MULTILINE)
    suggested = json.loads(tb_perfcompare("pairs", DEMO, "--json").out)["pairs"]
    between_runs = [(pair["baseline"]["run"], pair["candidate"]["run"]) for pair in suggested]
    assert sorted(rows) == sorted(pair for pair in between_runs if pair[0] != pair[1])


@pytest.mark.parametrize(("baseline", "candidate"), PAIRS)
def test_ledger_closes(baseline: str, candidate: str) -> None:
    ledger = comparison(baseline, candidate).ledger
    assert ledger.candidate - ledger.baseline == ledger.delta
    assert sum(row.delta for row in ledger.rows if len(row.path) == 1) == ledger.delta
    for category in [row for row in ledger.rows if len(row.path) == 1]:
        parts = [row.delta for row in ledger.rows if len(row.path) == 2 and row.path[0] == category.path[0]]
        assert sum(parts) == category.delta


def read_launches(name: str) -> Summary:
    path = str(DEMO / name)
    recording = read_ncu(path) if name in EXPORTS else read_listing(path)
    return summarize_launches(recording, Origin(name, name))


@pytest.mark.parametrize("files", [LISTINGS, EXPORTS], ids=["listing", "ncu"])
def test_lost_tensor_cores_and_lost_throughput_are_found_in_launches(files: tuple[str, str]) -> None:
    found = compare_summaries(read_launches(files[0]), read_launches(files[1]), CompareOptions())
    sentences = [finding.sentence for finding in found.findings]
    lost = "Tensor cores are no longer used: +930 µs"
    assert any(text.startswith(lost) and "ampere_sgemm_64x64_tn replaces" in text for text in sentences)
    slow = "The same kernel is slower: layer_norm_kernel +336 µs"
    assert any(text.startswith(slow) and "DRAM throughput (72.0 % → 36.0 %)" in text for text in sentences)
    assert found.tables["launches"].notes[0].endswith("120 on both sides, 0 added, 0 removed, 24 replaced.")


def test_slow_data_loader_is_found() -> None:
    found = comparison("cpu_training/normal", "cpu_training/abnormal")
    assert found.headline.verdict is Verdict.SLOWER
    first = found.findings[0]
    assert first.category == "DataLoader"
    assert first.share is not None and 0.9 < first.share < 1.1


def test_a_check_that_waits_for_the_device_is_found_on_a_machine_whose_speed_doubles() -> None:
    """The times as recorded tell nothing: captures of one side differ by 64 %."""
    sides = (DEMO / run for run in PAIRS[5])
    found = json.loads(tb_perfcompare("diff", *sides, "--format", "json").out)
    headline = found["headline"]
    assert headline["verdict"] == "slower" and headline["basis"] == "program"
    assert 0.15 < headline["program"]["low"] < headline["program"]["high"] < 0.3
    assert headline["shift"]["low"] < 0 < headline["shift"]["high"]
    new, waits = found["findings"][:2]
    assert new["rule"] == "operators_changed" and "; 8 aten::isfinite, " in new["sentence"]
    assert waits["rule"] == "synchronization" and "the host waits 0 → 8 times per step" in waits["sentence"]
    for side in (found["baseline"], found["candidate"]):
        assert side["device"]["name"] == "NVIDIA H100 80GB HBM3"
        assert side["steps"]["by"]["origin"] == "detected"


def test_the_example_of_the_page_on_program_and_machine_is_the_demo() -> None:
    page = (DEMO.parent / "docs" / "method" / "program_or_machine.md").read_text("utf-8")
    sides = [admit_steps(side(f"gpu_decoding/{run}")) for run in ("normal", "abnormal")]
    steps = judge_summaries(*sides, CompareOptions()).work.of_steps
    (pace,) = [follower.pace.log for follower in steps.followers if follower.pace.of == "host"]
    for at, word in enumerate(SIDES):
        for capture in range(3):
            own = steps.captures[at] == capture
            recorded, equal = (np.median(ns[own]) / 1e6 for ns in (steps.times_ns[at], np.exp(steps.at_pace[at])))
            factor = np.median(np.exp(pace[at][own]))
            assert f"| {word} {capture + 1} | {recorded:.2f} ms | {factor:.2f} | {equal:.2f} ms |" in page


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


def row_of(found: Comparison, *path: str) -> LedgerRow:
    return next(row for row in found.ledger.rows if row.path == path)


def mean_us(found: Comparison, row: LedgerRow) -> float:
    """Delta of a ledger row per step."""
    return row.delta / found.ledger.denominator / 1000


def test_planted_wait_is_found_below_the_operator_that_reads_the_loss() -> None:
    found = comparison("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate")
    assert found.headline.verdict is Verdict.SLOWER
    first = found.findings[0]
    assert first.category == "Runtime"
    assert "cnQueueSync" in first.sentence and "aten::_local_scalar_dense" in first.sentence
    waiting = row_of(found, "Runtime", "cnQueueSync")
    assert mean_us(found, waiting) == pytest.approx(900, rel=0.02)
    assert waiting.calls == (1.0, 1.0) and waiting.rate_effect == waiting.delta


def test_planted_kernel_on_one_core_is_found_with_its_launch() -> None:
    found = comparison("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate")
    assert found.findings[1].category == "Kernel"
    name = "MLUBlockKernel3StageAdd<half>"
    assert name in found.findings[1].sentence
    assert mean_us(found, row_of(found, "Kernel", name)) == pytest.approx(4 * 41 * 0.9, rel=0.05)
    table = found.tables["kernels_by_launch"]
    at = {column.name: place for place, column in enumerate(table.columns)}
    moved = {row[at["launch"]]: row[at["status"]] for row in table.rows if row[at["status"]] != "both"}
    assert moved == {"UNION4 [16, 1, 1]": "removed", "BLOCK [1, 1, 1]": "added"}


def test_a_server_is_compared_by_its_own_iterations() -> None:
    found = comparison("server_synthetic/baseline", "server_synthetic/candidate")
    for side in (found.baseline, found.candidate):
        assert side.iterations is not None and side.iterations.chosen.name == "execute_context_*"
        assert (side.steps_admitted, side.steps_total) == (47, 48)
    assert found.headline.verdict is Verdict.SLOWER
    assert "paged_attention_v2_kernel" in found.findings[0].sentence
    row = row_of(found, "Kernel", "paged_attention_v2_kernel<bf16, bf16, 128, 16, 128>")
    assert mean_us(found, row) == pytest.approx(4 * 26 * 0.6, rel=0.02)


def test_unchanged_parts_of_the_mlu_pair_stay_unnamed() -> None:
    found = comparison("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate")
    assert {finding.category for finding in found.findings} <= {"Runtime", "Kernel"}
    assert (found.baseline.device.kind, found.baseline.device.word) == ("mlu", "MLU")
    assert row_of(found, "Communication", "cnclRingAllReduce<float>").calls == (2.0, 2.0)


def answers_side(part: int) -> Summary:
    recording = read_answers(str(DEMO / ANSWERS), part=part)
    return summarize_answers(recording, Origin(ANSWERS, ANSWERS))


def test_saved_answers_are_those_of_the_mlu_runs() -> None:
    lines = (DEMO / ANSWERS).read_text("utf-8").splitlines()
    routes = ("overview", "operation", "operation/table", "kernel", "kernel/table")
    shown = [answer(profile, route) for profile in map(profiler_answers, PAIRS[3]) for route in routes]
    assert [json.loads(line) for line in lines] == shown


def profiler_answers(run: str) -> CompatProfile:
    (path,) = (DEMO / run).iterdir()
    return read_compat(read_events(path))


def test_saved_answers_and_traces_tell_the_same_figures() -> None:
    """In the profiler's reading; where the corrected one agrees with it, in both."""
    saved = compare_summaries(answers_side(1), answers_side(2), CompareOptions())
    traces = comparison(*PAIRS[3])
    assert saved.headline.delta == traces.headline.delta
    assert saved.headline.verdict is traces.headline.verdict
    for part, run in enumerate(PAIRS[3], start=1):
        side = answers_side(part)
        overview = answer(profiler_answers(run), "overview")
        assert side.steps.label == tuple(row[0] for row in overview["steps"]["rows"])
        parts_us = (side.owned.by_category() / 1000).T.tolist()
        assert parts_us == [row[1::2] for row in overview["steps"]["rows"]]
    same = ("Memcpy", "Memset", "Runtime", "DataLoader", "CPU Exec", "Other")
    assert {row.path[0]: row.delta for row in saved.ledger.rows if row.path[0] in same and len(row.path) == 1} == {
        row.path[0]: row.delta for row in traces.ledger.rows if row.path[0] in same and len(row.path) == 1
    }

    def kernels(of: Comparison) -> dict[object, object]:
        table = of.tables["kernels"]
        at = {column.name: place for place, column in enumerate(table.columns)}
        return {row[at["name"]]: (row[at["baseline_us"]], row[at["candidate_us"]]) for row in table.rows}

    assert kernels(saved) == kernels(traces)


def test_a_slow_clock_under_a_busy_host_is_found_without_a_slower_cycle() -> None:
    found = json.loads(tb_perfcompare("diff", DEMO / TABLES[0], DEMO / TABLES[1], "--format", "json").out)
    assert found["headline"]["verdict"] == "same"
    first = found["findings"][0]["sentence"]
    assert "×3.5" in first and "the cycle is not slower" in first
    assert "gpu_frequency of GPU 0 1,410 → 210 MHz" in first
    assert [side["steps"]["admitted"] for side in (found["baseline"], found["candidate"])] == [11, 10]
    table = found["tables"]["functions"]
    at = {column["name"]: place for place, column in enumerate(table["columns"])}
    added = [row[at["name"]] for row in table["rows"] if row[at["status"]] != "both"]
    assert added == ["engine::recovery_probe(int*, unsigned long)"]
    for row in table["rows"]:
        if row[at["type"]] in ("gpu_compute", "gpu_comm") and row[at["baseline_us"]] is not None:
            assert row[at["candidate_us"]] / row[at["baseline_us"]] == pytest.approx(3.5, rel=0.05), row[at["name"]]


def test_the_published_report_of_the_tables_names_the_clock() -> None:
    report = tb_perfcompare("strict", DEMO / "perf_data_synthetic", DEMO / "perf_data_synthetic").out
    assert "**`gpu_frequency`**: decreased from 141,000.00 to 21,000.00." in report
    assert "engine::recovery_probe" in report


def test_tables_hold_what_tracers_write() -> None:
    for folder, incomplete in zip(TABLES, (1, 2), strict=True):
        with (DEMO / folder / "result_perf_data.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {row["pid"] for row in rows} == {"41001", "41002"}
        assert 30 <= len({row["function_name"] for row in rows}) <= 40
        assert {row["interpolation_status"] for row in rows} == {" ", "**"}
        assert {row["mu_pct"] for row in rows if row["metric_name"] == "N/A"} == {""}
        calls: dict[int, int] = {}
        for key in {(row["cycle"], row["pid"], row["function_name"], row["instances_count"]) for row in rows}:
            calls[int(key[0])] = calls.get(int(key[0]), 0) + int(key[3])
        assert len(calls) == 12 and 8 not in calls
        usual = sorted(calls.values())[6]
        assert sorted(cycle for cycle, count in calls.items() if count < 0.98 * usual) == list(range(1, incomplete + 1))


def test_the_export_holds_the_launches_of_the_listing() -> None:
    for export, listing in zip(EXPORTS, LISTINGS, strict=True):
        launches = [read_ncu(str(DEMO / export)).launches, read_listing(str(DEMO / listing)).launches]
        assert launches[0].dur_ns.tolist() == launches[1].dur_ns.tolist()
        assert launches[0].tensor.tolist() == pytest.approx(launches[1].tensor.tolist())
        assert launches[0].dram.tolist() == pytest.approx(launches[1].dram.tolist())
