"""api/strict: the answer, its files, and what is said where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_garbage, write_pair, write_run
from tests.plugin.server import Server
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import ABNORMAL, NORMAL, SLOW_GPU, row, write

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "guide" / "strict.schema.json").read_text("utf-8"))
PAIR = {"baseline": "slow_gpu/normal_perf_data", "candidate": "slow_gpu/abnormal_perf_data"}


@pytest.fixture
def tables(tmp_path: Path, serve: Callable[..., Server]) -> Server:
    """A server over the example folder of tables."""
    shutil.copytree(SLOW_GPU, tmp_path / "logs" / "slow_gpu")
    return serve(tmp_path / "logs")


def asked(server: Server, **query: str) -> dict[str, Any]:
    """The JSON answer, which follows its schema."""
    answer: dict[str, Any] = server.json("api/strict", **query)
    jsonschema.validate(answer, SCHEMA)
    return answer


def cells(table: dict[str, Any], *names: str) -> list[list[Any]]:
    """Some columns of a table."""
    places = [[column["name"] for column in table["columns"]].index(name) for name in names]
    return [[cells[place] for place in places] for cells in table["rows"]]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_two_tables_are_compared(tables: Server) -> None:
    answer = asked(tables, **PAIR)
    assert answer["title"] == "Strict Performance Comparison: slow_gpu (PID: 10)"
    assert (answer["labels"], answer["chosen"], answer["absent"]) == (["normal", "abnormal"], 0, "")
    assert answer["processes"] == [
        {"normal": 10, "abnormal": 10, "label": "pid 10", "strict": True},
        {"normal": 11, "abnormal": 12, "label": "pid 11 against 12", "strict": False},
    ]
    (finding,) = answer["findings"]
    assert (finding["function"], finding["device"]) == ("gemm<64, 64>", "GPU 0")
    assert finding["sentence"] == (
        "Its contribution to total cycle time (β) increased from 12.00% to 22.00% (+10.00 ppt), which is statistically "
        "significant (p-value: 0.004)."
    )
    assert finding["counters"] == ["gpu_usage: increased from 6.00 to 9.00.",
                                   "gpu_frequency: decreased from 141,000.00 to 21,000.00."]  # fmt: skip
    assert {4, 5, 9, 11, 15} <= {weakness["number"] for weakness in answer["weaknesses"]}
    assert "gpu_frequency MHz × 100 (3 samples of all devices, 210 to 1,410 MHz)" in answer["units"]


def test_its_tables_hold_numbers(tables: Server) -> None:
    found = asked(tables, **PAIR)["tables"]
    assert list(found) == ["summary", "cycles", "triplets"]
    first = cells(found["summary"], "metric", "normal", "abnormal", "delta", "unit")[0]
    assert first == ["Total cycles", 3, 3, 0, "count"]
    assert cells(found["cycles"], "rank", "normal_us", "abnormal_us")[0] == [1, 1010.0, 1200.0]
    published = cells(found["triplets"], "function", "metric", "score", "beta_a", "beta_b", "p_mu")
    assert published[2] == ["copy", "gpu_pcie_transmit", 0.0, 0.0, 1.5, 1.0]
    assert published[3] == ["oncpu", "host_cpu_usage", 0.0, 150.0, 150.0, None], "NaN is null"
    corrected = cells(found["triplets"], "function", "normal_us", "abnormal_us", "status", "cycles_a", "cycles_b")
    assert [corrected[2][0], corrected[2][1], *corrected[2][3:]] == ["copy", None, "added", 0, 3]
    (note,) = found["triplets"]["notes"]
    assert note == (
        "functions without a counter have no row here: cudaStreamSynchronize on Host 10.0 → 104 µs per cycle"
    )


def test_every_published_column_has_its_label_a_unit_and_a_definition(tables: Server) -> None:
    columns = asked(tables, **PAIR)["tables"]["triplets"]["columns"]
    header = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--format", "csv").out.splitlines()[0]
    assert [column["label"] for column in columns[:17]] == header.split(",")
    assert all(column["description"] for column in columns)
    assert all(column["unit"] for column in columns if column["kind"] != "text")


def test_two_processes_can_be_chosen(tables: Server) -> None:
    cross = asked(tables, processes="11:12", **PAIR)
    assert (cross["chosen"], cross["labels"]) == (1, ["normal_pid_11", "abnormal_pid_12"])
    other = asked(tables, processes="10:12", **PAIR)
    assert (other["chosen"], len(other["processes"])) == (2, 3)
    unknown = tables.get("api/strict", processes="10:99", **PAIR)
    assert (unknown.status_code, unknown.get_json()["error"]["hint"]) == (404, "there are: 10, 12")


@pytest.mark.parametrize("form", ["md", "csv"])
def test_the_files_are_those_of_the_command_line(tables: Server, form: str) -> None:
    answer = tables.get("api/strict", format=form, **PAIR)
    printed = tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10", "--format", form)
    assert answer.data == printed.out.encode()
    assert answer.content_type == {"md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8"}[form]
    assert answer.headers["Content-Disposition"] == f'attachment; filename="strict_comparison.{form}"'


def test_a_browser_that_has_the_answer_is_told_so(tables: Server, tmp_path: Path) -> None:
    tag = tables.get("api/strict", **PAIR).headers["ETag"]
    again = tables.get("api/strict", headers={"If-None-Match": tag}, **PAIR)
    assert (again.status_code, again.data) == (304, b"")
    assert tables.get("api/strict", headers={"If-None-Match": tag}, format="md", **PAIR).status_code == 200
    write(tmp_path / "logs/slow_gpu/normal_perf_data/toy_perf_data.csv", [row()])
    assert tables.get("api/strict", headers={"If-None-Match": tag}, **PAIR).status_code == 200


def test_cycles_can_be_narrowed(tables: Server) -> None:
    answer = asked(tables, baseline_steps="1-2", **PAIR)
    assert cells(answer["tables"]["summary"], "normal", "abnormal")[0] == [2, 3]
    assert "no cycle between 50 and 60" in tables.get("api/strict", baseline_steps="50-60", **PAIR).text


def test_traces_are_compared_by_their_steps(server: Server) -> None:
    pair = {"baseline": "normal", "candidate": "abnormal"}
    answer = asked(server, **pair)
    assert answer["title"] == "Strict Performance Comparison: normal against abnormal (Rank: 0)"
    assert answer["processes"] == [{"normal": 0, "abnormal": 0, "label": "rank 0 (worker0)", "strict": True}]
    assert answer["findings"][0]["function"] == "enumerate(DataLoader).__next__"
    exclusive = asked(server, beta="exclusive", step_window="marker", **pair)
    assert "(nothing recorded)" in {name for (name,) in cells(exclusive["tables"]["triplets"], "function")}


def test_the_report_of_traces_is_that_of_the_command_line(tmp_path: Path, serve: Callable[..., Server]) -> None:
    normal, abnormal = write_pair(tmp_path / "deep" / "er")
    answer = serve(tmp_path).get("api/strict", format="md", baseline="deep/er/normal", candidate="deep/er/abnormal")
    assert answer.data == tb_perfcompare("strict", normal, abnormal).out.encode()


def test_what_was_lost_in_reading_is_reported(server: Server, tmp_path: Path) -> None:
    write_garbage(tmp_path / "logs" / "abnormal")
    (note,) = asked(server, baseline="normal", candidate="abnormal")["tables"]["summary"]["notes"]
    assert note.startswith("abnormal: broken.1700000000009.pt.trace.json: left out: ")


def test_what_cannot_be_compared_says_why(tmp_path: Path, serve: Callable[..., Server]) -> None:
    """JSON carries the reason, for the page to show; a file cannot, and is refused."""
    shutil.copytree(SLOW_GPU, tmp_path / "slow_gpu")
    write_run(tmp_path / "trace")
    server = serve(tmp_path)
    mixed = {"baseline": PAIR["baseline"], "candidate": "trace"}
    answer = asked(server, **mixed)
    assert (answer["tables"], answer["findings"], answer["processes"]) == ({}, [], [])
    assert answer["absent"].startswith("the normal side is a per-cycle table and the abnormal side is not")
    refused = server.get("api/strict", format="md", **mixed)
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (422, "not_comparable")


def test_listings_say_why(tmp_path: Path, serve: Callable[..., Server]) -> None:
    listing = Path(__file__).parents[3] / "demo_logs" / "kernel_listing_synthetic"
    shutil.copytree(listing, tmp_path / "listings")
    server = serve(tmp_path)
    runs = [run["run"] for run in server.json("api/runs")["runs"]]
    assert "not cut into steps" in asked(server, baseline=runs[0], candidate=runs[1])["absent"]


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({}, 400, "baseline is missing"),
        ({**PAIR, "processes": "10"}, 400, "two process ids such as 10:12"),
        ({**PAIR, "beta": "half"}, 400, "one of total, exclusive"),
        ({**PAIR, "format": "html"}, 400, "one of json, md, csv"),
        ({**PAIR, "candidate": "nowhere"}, 404, "there is no run called 'nowhere'"),
    ],
)
def test_requests_that_are_wrong(tables: Server, query: dict[str, str], status: int, words: str) -> None:
    answer = tables.get("api/strict", **query)
    assert answer.status_code == status
    assert words in answer.text


def test_a_damaged_table_is_named_by_what_the_user_knows(tables: Server, tmp_path: Path) -> None:
    write(tmp_path / "logs/slow_gpu/normal_perf_data/toy_perf_data.csv", [row(), row(beta_pct="fast")])
    error = tables.get("api/strict", **PAIR).get_json()["error"]
    assert error["code"] == "corrupt"
    name = "slow_gpu/normal_perf_data/toy_perf_data.csv"
    assert error["message"] == f"{name}: line 3, column beta_pct: 'fast' is not a number"
    assert error["hint"] == "write the table again, or remove the damaged line"


def test_tables_of_one_folder_are_runs_of_their_own(tables: Server, tmp_path: Path) -> None:
    write(tmp_path / "logs/slow_gpu/normal_perf_data/other_perf_data.csv", [row()])
    answer = asked(tables, baseline=f"{PAIR['baseline']}/toy_perf_data.csv", candidate=PAIR["candidate"])
    assert answer["title"] == "Strict Performance Comparison: slow_gpu (PID: 10)"


@needs_shared
@pytest.mark.parametrize("engine", ["SGLang", "vLLM"])
def test_the_published_report_through_http(serve: Callable[..., Server], engine: str) -> None:
    """Every figure of the answer, with six decimals, is the published CSV's."""
    folder = SHARED / "latencyprism"
    server = serve(folder)
    pair = {side: f"{engine}/gpu_instability/{name}_perf_data" for side, name in
            (("baseline", "normal"), ("candidate", "abnormal"))}  # fmt: skip
    answer = asked(server, **pair)
    pid = answer["processes"][0]["normal"]
    report = folder / "reports" / f"Processed_{engine}_gpu_instability_pid{pid}_strict_comparison.csv"
    published = [line.split(",") for line in report.read_text("utf-8").splitlines()[1:]]
    ours = [
        ["" if cell is None else f"{cell:.6f}" if isinstance(cell, float) else cell for cell in cells[:17]]
        for cells in answer["tables"]["triplets"]["rows"]
    ]
    assert len(ours) == len(published)
    figures = sorted(cells[3:] for cells in ours)
    assert figures == sorted([text.replace("-0.000000", "0.000000") for text in line[-14:]] for line in published)
    assert {2, 4, 5, 6, 8, 11, 12} <= {weakness["number"] for weakness in answer["weaknesses"]}
