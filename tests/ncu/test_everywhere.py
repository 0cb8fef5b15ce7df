"""Exports as runs, and attached to traces on the command line, over HTTP and from Python."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare import compare, open_logdir, side
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tb_perfcompare.sources.discover import find_runs
from tests.cli.invoke import tb_perfcompare
from tests.comparison.compare import rows_of
from tests.drawn_runs import write_garbage, write_pair
from tests.ncu.exports import details_page, launch, raw_page, write
from tests.plugin.server import PAIR, Server

pytestmark = pytest.mark.usefixtures("kept_workers")

KERNEL = "gemm_128x128"
LISTING = f"Kernel Latency Tensor DRAM\n{KERNEL} | 1000 0.90 0.10\n"
EXPORT = raw_page([launch(KERNEL, 1000, 40.0, 70.0)])


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """normal/ and abnormal/ with traces of one kernel, and a listing and an export of it."""
    logdir = tmp_path / "logs"
    write_pair(logdir)
    write(logdir, LISTING, "before.txt")
    write(logdir, EXPORT, "after.csv")
    return logdir


@pytest.fixture
def server(logs: Path) -> Iterator[Server]:
    made = Server(logs)
    yield made
    made.close()


def wire_kernel(answer: dict[str, Any]) -> dict[str, Any]:
    return dict(zip([column["name"] for column in answer["columns"]], answer["rows"][0], strict=True))


def test_exports_in_a_logdir_are_runs(logs: Path) -> None:
    (logs / "packed.csv.gz").write_bytes(gzip.compress(EXPORT.encode()))
    (logs / "metrics.csv").write_text("step,loss\n1,0.5\n")
    assert [(run.name, run.format) for run in find_runs(str(logs)).runs] == [
        ("abnormal", "torch_profiler_trace"), ("after.csv", "ncu_csv"), ("before.txt", "kernel_listing"),
        ("normal", "torch_profiler_trace"), ("packed.csv.gz", "ncu_csv"),
    ]  # fmt: skip


def test_the_tab_is_active_on_a_logdir_of_exports(tmp_path: Path) -> None:
    write(tmp_path, "step,loss\n", "metrics.csv")
    assert not TraceProbe(logdir_roots(str(tmp_path), None)).found()
    write(tmp_path, EXPORT)
    assert TraceProbe(logdir_roots(str(tmp_path), None)).found()


def test_exports_are_viewed_and_compared_on_the_command_line(tmp_path: Path) -> None:
    before = write(tmp_path, EXPORT, "before.csv")
    after = write(tmp_path, details_page([launch(KERNEL, 3000, 40.0, 70.0)]), "export_of_any_name")
    answer = json.loads(tb_perfcompare("diff", before, after, "--format", "json").out)
    assert (answer["headline"]["metric"], answer["ledger"]["delta"]) == ("kernel_time", 2000)
    assert "memory-bound" in tb_perfcompare("view", before, "--view", "bound").out


def test_text_output_of_ncu_is_refused_with_the_command(tmp_path: Path) -> None:
    shown = tb_perfcompare("view", write(tmp_path, "==PROF== Connected to process 1\n  gemm, Context 1\n", "x.txt"))
    assert shown.status == 2 and "ncu --csv --page raw" in shown.err


def test_view_with_launches_shows_utilization(logs: Path) -> None:
    shown = tb_perfcompare(
        "view", logs / "normal", "--launches", logs / "after.csv", "--view", "kernels", "--json"
    )  # fmt: skip
    answer = json.loads(shown.out)
    assert (wire_kernel(answer["table"])["tensor_active"], wire_kernel(answer["table"])["dram_active"]) == (0.4, 0.7)
    assert "100 % of the kernel time has figures of the ncu --csv export" in shown.out
    bound = tb_perfcompare("view", logs / "normal", "--launches", logs / "after.csv", "--view", "bound")
    assert "memory-bound" in bound.out
    without = tb_perfcompare("view", logs / "normal", "--view", "bound")
    assert without.status == 2


def test_selected_steps_get_figures(logs: Path) -> None:
    words = ("view", logs / "normal", "--launches", logs / "after.csv", "--steps", "2-4", "--view", "kernels", "--json")
    assert wire_kernel(json.loads(tb_perfcompare(*words).out)["table"])["dram_active"] == 0.7


def test_diff_with_launches_of_both_sides(logs: Path) -> None:
    words = ("diff", logs / "normal", logs / "abnormal", "--format", "json")
    plain = json.loads(tb_perfcompare(*words).out)
    files = ("--baseline-launches", logs / "before.txt", "--candidate-launches", logs / "after.csv")
    answer = json.loads(tb_perfcompare(*words, *files).out)
    row = wire_kernel(answer["tables"]["kernels"])
    assert (row["baseline_tensor_active"], row["candidate_tensor_active"]) == (0.9, 0.4)
    assert [line[0] for line in answer["tables"]["bound"]["rows"]] == ["tensor-bound", "memory-bound"]
    assert (answer["ledger"], answer["headline"]) == (plain["ledger"], plain["headline"])
    checks = {check["check"]: check["status"] for check in answer["comparability"]}
    assert checks["utilisation_metrics"] == "warn"  # a listing does not name its metrics


@pytest.mark.parametrize(
    ("file", "says"),
    [("normal", "holds no launches"), ("missing.csv", "No such file"), ("notes.csv", "not a perf_data table")],
)
def test_a_file_that_cannot_be_attached_is_an_error_of_one_line(logs: Path, file: str, says: str) -> None:
    (logs / "notes.csv").write_text("a,b\n")
    shown = tb_perfcompare("view", logs / "normal", "--launches", logs / file)
    assert shown.status == 2 and shown.err.count("\n") == 1
    assert says in shown.err


def test_launches_are_refused_with_compat_and_with_a_listing(logs: Path) -> None:
    words = ("--launches", logs / "after.csv")
    assert "does not go with --compat" in tb_perfcompare("view", logs / "normal", "--compat", *words).err
    assert "its own figures" in tb_perfcompare("view", logs / "before.txt", "--view", "kernels", *words).err


def test_http_attaches_runs_by_name(server: Server) -> None:
    names = {"baseline_launches": "before.txt", "candidate_launches": "after.csv"}
    answer = server.json("api/comparison", **PAIR, stream="0", **names)
    row = wire_kernel(answer["tables"]["kernels"])
    assert (row["baseline_tensor_active"], row["candidate_tensor_active"]) == (0.9, 0.4)
    assert any(note["code"] == "attached_launches" for note in answer["notes"])
    viewed = server.json("api/view", run="normal", view="kernels", launches="after.csv")
    assert wire_kernel(viewed["table"])["dram_active"] == 0.7
    assert "bound" in server.get("api/report", **PAIR, format="json", **names).text


def test_the_etag_depends_on_the_launches(server: Server, logs: Path) -> None:
    def tag(**query: str) -> str:
        return str(server.get("api/comparison", **PAIR, stream="0", **query).headers["ETag"])

    first = tag(baseline_launches="after.csv")
    assert first != tag() and first == tag(baseline_launches="after.csv")
    write(logs, EXPORT + "\n\n", "after.csv")
    assert first != tag(baseline_launches="after.csv")


@pytest.mark.parametrize("name", ["abnormal", "nothing", "../after.csv", "/etc/passwd"])
def test_http_takes_names_of_runs_and_no_paths(server: Server, name: str) -> None:
    answer = server.get("api/view", run="normal", launches=name)
    assert (answer.status_code, json.loads(answer.data)["error"]["code"]) == (404, "selection")


def test_http_names_an_unreadable_file(server: Server, logs: Path) -> None:
    write(logs, raw_page([]), "empty.csv")
    server.json("api/runs", rescan="1")
    answer = server.get("api/view", run="normal", launches="empty.csv")
    error = json.loads(answer.data)["error"]
    assert (answer.status_code, error["code"]) == (422, "corrupt")
    assert str(logs) not in answer.text and error["message"].startswith("empty.csv")


def test_python_attaches_files(logs: Path) -> None:
    def rows(before: Path | None, after: Path | None) -> dict[str, Any]:
        got = compare(side(logs / "normal", launches=before), side(logs / "abnormal", launches=after))
        return rows_of(got.tables["kernels"])[KERNEL]

    assert "baseline_tensor_active" not in rows(None, None)
    both = rows(logs / "before.txt", logs / "after.csv")
    assert (both["baseline_dram_active"], both["candidate_dram_active"]) == (0.1, 0.7)
    assert rows(logs / "after.csv", None)["baseline_dram_active"] == 0.7
    with pytest.raises(InputError, match="no launches"):
        compare(side(logs / "normal", launches=next((logs / "normal").iterdir())), logs / "normal")


def test_a_failed_file_does_not_prevent_attaching(logs: Path) -> None:
    write_garbage(logs / "normal")
    workspace = open_logdir(logs)
    try:
        side = workspace.side(Selection("normal"), launches="after.csv")
        summary = workspace.load(side)
    finally:
        workspace.close()
    assert {note.code.value for note in summary.notes} >= {"file_failed", "attached_launches"}
    assert summary.bound_ns["memory-bound"] > 0


def test_an_unknown_run_of_launches_is_an_error_with_a_suggestion(logs: Path) -> None:
    workspace = open_logdir(logs)
    try:
        with pytest.raises(SelectionError, match=r"no run called 'aftr.csv'; did you mean 'after.csv'"):
            workspace.side(Selection("normal"), launches="aftr.csv")
    finally:
        workspace.close()


def test_the_export_of_the_demo_covers_its_trace() -> None:
    demo = Path(__file__).parents[2] / "demo_logs"
    export = demo / "ncu_synthetic" / "training.csv"
    words = ("--launches", export, "--view", "kernels", "--json")
    answer = json.loads(tb_perfcompare("view", demo / "gpu_training_synthetic" / "baseline", *words).out)
    at = {column["name"]: place for place, column in enumerate(answer["table"]["columns"])}
    silent = [row[at["name"]] for row in answer["table"]["rows"] if row[at["dram_active"]] is None]
    assert [name.partition("(")[0] for name in silent] == ["ncclDevKernel_AllReduce_Sum_f32_RING_LL"]
    assert not [note for note in answer["notes"] if note["code"] == "shared_figures"]
