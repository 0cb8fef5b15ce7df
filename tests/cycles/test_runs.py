"""Tables in a log directory: found, named, listed, paired, viewed and compared, even next to a bad one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.comparison.pairing.pairing import RunShape, Selection, suggest_pairs
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tb_perfcompare.sources.discover import find_runs, parse_source
from tb_perfcompare.workspace.listing.index import Index, Root
from tests.cli.invoke import tb_perfcompare
from tests.cycles.drawn import Fn, cycle, gemm, host, write, write_counters
from tests.drawn_runs import write_run

N, A = "normal_perf_data", "abnormal_perf_data"


def table(path: Path, us: float = 20_000, mhz: float = 1410.0) -> Path:
    lengths = (1000, 1010, 990, 1004, 996, 1002, 998, 1006)
    return write(
        path,
        *(
            cycle(n, 1000 * length, gemm(us + n % 3, 4, gpu_frequency=100 * mhz), Fn("cast", 500, 2), host(9e5))
            for n, length in enumerate(lengths, 1)
        ),
    )


def case(folder: Path) -> None:
    for side, us, mhz in ((N, 20_000.0, 1410.0), (A, 70_000.0, 210.0)):
        table(folder / side / "result_perf_data.csv", us, mhz)
        write_counters(folder / side / "result_counters_data.csv", [("gpu_frequency", 1.0, mhz)])


def names(folder: Path) -> list[tuple[str, str]]:
    """(run, worker) of every run."""
    return [(run.name, run.workers[0].name) for run in find_runs(str(folder)).runs]


def pairs(folder: Path) -> list[tuple[str, str]]:
    answer = json.loads(tb_perfcompare("pairs", folder, "--json").out)
    return [(pair["baseline"]["run"], pair["candidate"]["run"]) for pair in answer["pairs"]]


def rows(folder: Path, *options: str) -> dict[str, str]:
    """Run -> its line."""
    lines = tb_perfcompare("runs", folder, *options).out.splitlines()
    return {line.split()[0]: line for line in lines[2:] if line.strip()}


def test_one_table_in_a_directory_is_a_run_of_the_directorys_name(tmp_path: Path) -> None:
    case(tmp_path / "vLLM" / "slow_gpu")
    assert names(tmp_path) == [(f"vLLM/slow_gpu/{A}", "result"), (f"vLLM/slow_gpu/{N}", "result")]
    assert pairs(tmp_path) == [(f"vLLM/slow_gpu/{N}", f"vLLM/slow_gpu/{A}")]


def test_several_tables_are_runs_of_their_own(tmp_path: Path) -> None:
    for phase in ("prefill", "decode", "layer"):
        table(tmp_path / N / f"job_{phase}_perf_data.csv")
    table(tmp_path / N / "other.csv")
    assert names(tmp_path) == [
        (f"{N}/job_decode_perf_data.csv", "job_decode"),
        (f"{N}/job_layer_perf_data.csv", "job_layer"),
        (f"{N}/job_prefill_perf_data.csv", "job_prefill"),
        (f"{N}/other.csv", "other"),
    ]


def test_the_header_decides_what_is_a_run_not_the_name(tmp_path: Path) -> None:
    table(tmp_path / "cycles.csv")
    (tmp_path / "prices.csv").write_text("name,price\na,1\n")
    write_counters(tmp_path / "x_counters_data.csv", [("gpu_usage", 1.0, 5.0)])
    assert names(tmp_path) == [(tmp_path.name, "cycles")]
    assert parse_source(str(tmp_path)).format == "perf_data"


@pytest.mark.parametrize(
    ("normal", "abnormal", "expected"),
    [
        (["job"], ["job_decode", "job_prefill"], [("job", "job_decode")]),
        (["job_decode", "job_prefill"], ["job"], [("job_decode", "job")]),
        (
            ["job", "job_prefill"],
            ["job_decode", "job_prefill"],
            [("job_prefill", "job_prefill"), ("job", "job_decode")],
        ),
        (["job", "job_decode"], ["job_decode", "job_layer"], [("job_decode", "job_decode")]),
        (["job_prefill"], ["job", "job_decode"], []),
        (["job"], [], []),
    ],
)
def test_tables_of_different_phases_pair_by_name(
    tmp_path: Path, normal: list[str], abnormal: list[str], expected: list[tuple[str, str]]
) -> None:
    for side, tables in ((N, normal), (A, abnormal)):
        for name in tables:
            table(tmp_path / "case" / side / f"{name}_perf_data.csv")
    worker = dict(names(tmp_path))
    assert [(worker[a], worker[b]) for a, b in pairs(tmp_path)] == expected


def test_a_pair_of_phases_has_a_reason_and_is_of_one_case() -> None:
    def shape(run: str, stem: str) -> RunShape:
        return RunShape(run, ((stem, ("default",)),))

    (found,) = suggest_pairs([shape(f"x/{N}", "job"), shape(f"x/{A}/job_decode_perf_data.csv", "job_decode")])
    assert found.reason == (
        f"the table job with job_decode, as no table has its name, in {N} and {A} of one case"
    )  # fmt: skip
    assert suggest_pairs([shape(f"x/{N}", "job"), shape(f"y/{A}/job_decode_perf_data.csv", "job_decode")]) == ()


def test_runs_lists_every_format_without_reading(tmp_path: Path) -> None:
    case(tmp_path)
    write_run(tmp_path / "trace")
    listed = rows(tmp_path, "--names-only")
    assert "perf_data table" in listed[N] and "torch.profiler trace" in listed["trace"]
    answer = json.loads(tb_perfcompare("runs", tmp_path, "--names-only", "--json").out)
    assert {run["run"]: run["format"] for run in answer["runs"]} == {
        N: "perf_data", A: "perf_data", "trace": "torch_profiler_trace",
    }  # fmt: skip
    assert "8 of 8" in rows(tmp_path)[N]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"cycle,pid\n1,2\n", "line 1: has no column beta_pct, function_name"),
        (b"\xff\xfec\x00y\x00", "is not UTF-8"),
    ],
)
def test_a_bad_table_does_not_hide_good_runs(tmp_path: Path, content: bytes, says: str) -> None:
    case(tmp_path)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "torn_perf_data.csv").write_bytes(content)
    listed = rows(tmp_path)
    assert says in listed["bad"] and "8 of 8" in listed[N] and "8 of 8" in listed[A]
    assert tb_perfcompare("diff", tmp_path / N, tmp_path / A).status == 0
    refused = tb_perfcompare("diff", tmp_path / N, tmp_path / "bad")
    assert refused.status == 2 and "torn_perf_data.csv" in refused.err and says in refused.err


def test_one_side_alone_has_no_pair(tmp_path: Path) -> None:
    table(tmp_path / N / "result_perf_data.csv")
    assert pairs(tmp_path) == []
    assert "no two runs" in tb_perfcompare("pairs", tmp_path).out


def test_the_tab_is_active_on_a_logdir_of_tables(tmp_path: Path) -> None:
    write_counters(tmp_path / "x_counters_data.csv", [("gpu_usage", 1.0, 5.0)])
    assert not TraceProbe(logdir_roots(str(tmp_path), None)).found()
    case(tmp_path)
    assert TraceProbe(logdir_roots(str(tmp_path), None)).found()


def diff(folder: Path, *options: str) -> Any:
    return json.loads(tb_perfcompare("diff", folder / N, folder / A, "--format", "json", *options).out)


def test_two_directories_compare_like_any_two_runs(tmp_path: Path) -> None:
    case(tmp_path)
    answer = diff(tmp_path)
    assert (answer["headline"]["metric"], answer["headline"]["verdict"]) == ("cycle_time", "same")
    assert answer["findings"][0]["sentence"].startswith("GPU functions: +50.0 ms per cycle (20.5 → 70.5 ms, ×3.44)")
    assert answer["baseline"]["files"][0]["path"] == "result_perf_data.csv"
    assert len(answer["baseline"]["files"][0]["sha256"]) == 64
    assert {"functions", "counters", "steps"} <= set(answer["tables"])


def test_steps_narrows_the_cycles(tmp_path: Path) -> None:
    case(tmp_path)
    answer = diff(tmp_path, "--steps", "2-5")
    assert answer["baseline"]["steps"]["admitted"] == 4
    assert len(answer["tables"]["functions"]["rows"]) == 3 and len(answer["tables"]["counters"]["rows"]) == 1


@pytest.mark.parametrize("view", ["overview", "steps", "functions", "counters", "environment"])
def test_every_view_of_a_table(tmp_path: Path, view: str) -> None:
    path = table(tmp_path / "a_perf_data.csv")
    shown = tb_perfcompare("view", path, "--view", view)
    assert shown.status == 0
    expected = {
        "overview": "Mean cycle time", "steps": "Cycle time", "functions": "gpu_compute", "counters": "gpu_frequency",
        "environment": "run_batch",
    }  # fmt: skip
    assert expected[view] in shown.out


def test_views_that_a_table_lacks_are_refused_with_the_reason(tmp_path: Path) -> None:
    path = table(tmp_path / "a_perf_data.csv")
    shown = tb_perfcompare("view", path, "--view", "kernels")
    assert shown.status == 2 and "has its kernels, copies and collectives among the functions" in shown.err
    compat = tb_perfcompare("view", path, "--compat", "--view", "overview", "--json")
    assert compat.status == 2 and "is a perf_data table; torch-tb-profiler reads traces only" in compat.err


def test_the_text_report_has_no_empty_split(tmp_path: Path) -> None:
    case(tmp_path)
    text = tb_perfcompare("diff", tmp_path / N, tmp_path / A).out
    assert "8 cycles" in text and "Where the time went" not in text
    assert "gpu_frequency" in text and "MHz" in text


def test_a_changed_counters_file_changes_the_side(tmp_path: Path) -> None:
    """The counters file is part of the cache key."""
    case(tmp_path)
    index = Index([Root(str(tmp_path))])
    before = index.side(Selection(N))
    assert index.side(Selection(N)) == before
    write_counters(tmp_path / N / "result_counters_data.csv", [("gpu_frequency", 1.0, 1.0), ("gpu_usage", 1.0, 2.0)])
    assert index.side(Selection(N)) != before
    alone = index.side(Selection(A))
    (tmp_path / A / "result_counters_data.csv").unlink()
    assert index.side(Selection(A)) != alone


def test_samples_of_a_counters_file_join_the_means_of_the_table(tmp_path: Path) -> None:
    case(tmp_path)
    samples = write_counters(tmp_path / "samples.csv", [("host_mem_usage", n / 2, 40.0 + n) for n in range(20)])
    shown = tb_perfcompare("view", tmp_path / N, "--view", "counters", "--counters", samples, "--json")
    rows_of = {row[0]: row for row in json.loads(shown.out)["table"]["rows"]}
    assert set(rows_of) == {"gpu_frequency", "host_mem_usage"}


@pytest.mark.parametrize("other", ["a_perf_data.csv.gz", "plain.csv.gz"])
def test_compressed_tables_are_runs(tmp_path: Path, other: str) -> None:
    path = table(tmp_path / "logs" / "x.csv")
    (path.parent / other).write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert names(tmp_path) == [("logs", other.removesuffix(".csv.gz").removesuffix("_perf_data"))]
    assert tb_perfcompare("view", tmp_path / "logs").status == 0
