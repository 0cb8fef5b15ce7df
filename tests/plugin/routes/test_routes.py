"""Every route: what it answers, with which status and headers."""

from __future__ import annotations

import gzip
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from tensorboard.plugins.base_plugin import TBContext

from tb_perfcompare.plugin import loader
from tb_perfcompare.plugin.plugin import PLUGIN_NAME
from tests.drawn_runs import write_garbage, write_run
from tests.plugin.server import PAIR, PREFIX, Server
from tests.render.test_wire import SCHEMA
from tests.workspace.waiting import becomes_true


def test_runs_lists_names_pairs_and_facts_about_the_server(server: Server, tmp_path: Path) -> None:
    answer = server.json("api/runs")
    assert answer["schema"] == "tb_perfcompare.runs/1"
    assert [run["run"] for run in answer["runs"]] == ["abnormal", "normal"]
    assert answer["pairs"][0]["reason"] == "names differ only in normal/abnormal"
    assert answer["roots"] == [str(tmp_path / "logs")]
    assert (answer["profiler_tab"], answer["problems"]) == (False, [])
    assert isinstance(answer["reader"], str)


def test_a_rescan_finds_new_runs_before_the_listing_has_aged(server: Server, tmp_path: Path) -> None:
    server.json("api/runs")
    write_run(tmp_path / "logs" / "third")
    assert len(server.json("api/runs")["runs"]) == 2
    assert becomes_true(lambda: len(server.json("api/runs", rescan="1")["runs"]) == 3, within_s=3)


def test_the_profiler_tab_is_looked_up_when_asked_not_before(tmp_path: Path, serve: Callable[..., Server]) -> None:
    others: dict[str, object] = {}
    server = serve(tmp_path, others=others)
    assert server.json("api/runs")["profiler_tab"] is False
    others["pytorch_profiler"] = object()
    assert server.json("api/runs")["profiler_tab"] is True


def test_logdir_spec_names_its_runs_and_remote_stores_are_declined_in_words(
    tmp_path: Path, serve: Callable[..., Server]
) -> None:
    write_run(tmp_path / "x" / "r")
    write_run(tmp_path / "y")
    server = serve(logdir_spec=f"first:{tmp_path}/x,{tmp_path}/y,far:cns://bucket/logs")
    answer = server.json("api/runs")
    assert [run["run"] for run in answer["runs"]] == ["first/r", "y"]
    (problem,) = answer["problems"]
    assert problem["path"] == "far:cns://bucket/logs"
    assert "no store this tool opens" in problem["message"]


def test_a_comparison_without_stream_is_one_object_with_a_tag(lasting: Server) -> None:
    answer = lasting.get("api/comparison", stream="0", **PAIR)
    assert answer.content_type == "application/json"
    comparison = json.loads(answer.data)
    jsonschema.validate(comparison, SCHEMA)
    assert comparison["headline"]["verdict"] == "slower"
    tag = answer.headers["ETag"]
    again = lasting.get("api/comparison", stream="0", headers={"If-None-Match": tag}, **PAIR)
    assert (again.status_code, again.data) == (304, b"")
    other = lasting.get("api/comparison", stream="0", step_window="marker", headers={"If-None-Match": tag}, **PAIR)
    assert other.status_code == 200


def test_a_changed_file_changes_tag_and_answer(server: Server, tmp_path: Path) -> None:
    tag = server.get("api/comparison", stream="0", **PAIR).headers["ETag"]
    write_run(tmp_path / "logs" / "normal", steps=9)
    answer = server.get("api/comparison", stream="0", headers={"If-None-Match": tag}, **PAIR)
    assert answer.status_code == 200
    assert json.loads(answer.data)["headline"]["n"] == [9, 8]


def test_answers_are_compressed_when_the_browser_takes_it(lasting: Server) -> None:
    packed = lasting.get("api/comparison", stream="0", headers={"Accept-Encoding": "gzip"}, **PAIR)
    assert packed.headers["Content-Encoding"] == "gzip"
    plain = lasting.get("api/comparison", stream="0", **PAIR)
    assert gzip.decompress(packed.data) == plain.data
    assert "Content-Encoding" not in plain.headers


def test_workers_spans_and_steps_narrow_a_side(server: Server, tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "normal", worker="w1", spans=2)
    answer = server.json(
        "api/comparison", stream="0", baseline_worker="w1", baseline_span="2", candidate_steps="2-4", **PAIR
    )
    assert (answer["baseline"]["worker"], answer["baseline"]["span"]) == ("w1", "2")
    assert answer["headline"]["n"] == [8, 3]


def test_a_view_answers_one_table(lasting: Server) -> None:
    answer = lasting.json("api/view", run="normal", view="operators")
    assert list(answer) == ["schema", "view", "reading", "side", "table", "notes"]
    jsonschema.validate(answer["table"], {**SCHEMA["$defs"]["Table"], "$defs": SCHEMA["$defs"]})
    assert lasting.json("api/view", run="normal", steps="2-3")["view"] == "overview"


@pytest.mark.parametrize(
    ("form", "kind", "start"),
    [
        ("md", "text/markdown; charset=utf-8", b"## Slower"),
        ("text", "text/plain; charset=utf-8", b"Slower"),
        ("csv", "text/csv; charset=utf-8", b"category,"),
        ("json", "application/json", b"{"),
        ("html", "text/html; charset=utf-8", b"<!DOCTYPE html>"),
    ],
)
def test_a_report_is_a_file_of_its_format(lasting: Server, form: str, kind: str, start: bytes) -> None:
    answer = lasting.get("api/report", format=form, **PAIR)
    assert answer.status_code == 200
    assert answer.content_type == kind
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.data.startswith(start)
    again = lasting.get("api/report", format=form, headers={"If-None-Match": answer.headers["ETag"]}, **PAIR)
    assert again.status_code == 304


def test_a_csv_report_can_name_its_table(lasting: Server) -> None:
    assert lasting.get("api/report", format="csv", table="steps", **PAIR).data.startswith(b"side,capture,step")


@pytest.mark.parametrize(
    ("route", "query", "status", "code"),
    [
        ("api/comparison", {}, 400, "bad_request"),
        ("api/comparison", {"baseline": "normal"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, "step_window": "wall"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, "peaks": "bf16=fast"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, "stream": "yes"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, "baseline_steps": "9-1"}, 400, "bad_request"),
        ("api/comparison", {"baseline": "x" * 5000, "candidate": "abnormal"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, **{f"p{number}": "1" for number in range(40)}}, 400, "bad_request"),
        ("api/comparison", {"baseline": "../normal", "candidate": "abnormal"}, 404, "selection"),
        ("api/comparison", {"baseline": "/etc", "candidate": "abnormal"}, 404, "selection"),
        ("api/comparison", {"baseline": "nor\0mal", "candidate": "abnormal"}, 400, "bad_request"),
        ("api/comparison", {**PAIR, "baseline_worker": "w9"}, 404, "selection"),
        ("api/comparison", {**PAIR, "candidate_span": "9", "stream": "0"}, 404, "selection"),
        ("api/comparison", {**PAIR, "candidate": "broken", "stream": "0"}, 422, "corrupt"),
        ("api/runs", {"rescan": "maybe"}, 400, "bad_request"),
        ("api/view", {}, 400, "bad_request"),
        ("api/view", {"run": "normal", "view": "nothing"}, 400, "bad_request"),
        ("api/view", {"run": "normal", "view": "communication"}, 404, "selection"),
        ("api/view", {"run": "missing"}, 404, "selection"),
        ("api/report", {**PAIR, "format": "xlsx"}, 400, "bad_request"),
        ("api/report", {**PAIR, "format": "csv", "table": "nothing"}, 404, "selection"),
    ],
)
def test_mistakes_are_json_with_a_status_and_leak_nothing(
    server: Server, tmp_path: Path, route: str, query: dict[str, str], status: int, code: str
) -> None:
    write_garbage(tmp_path / "logs" / "broken")
    answer = server.get(route, **query)
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/json"
    error = json.loads(answer.data)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == code
    assert "Traceback" not in answer.text
    assert str(tmp_path) not in answer.text


def test_every_answer_has_the_headers_tensorboard_asks_for(lasting: Server, caplog: pytest.LogCaptureFixture) -> None:
    asked = [
        ("api/runs", {}), ("api/comparison", PAIR), ("api/comparison", {**PAIR, "stream": "0"}), ("api/comparison", {}),
        ("api/view", {"run": "normal"}), ("api/report", {**PAIR, "format": "html"}), ("static/none.js", {}),
        ("static/not-built.js", {}),
    ]  # fmt: skip
    with caplog.at_level(logging.WARNING, logger="tensorboard"):
        for route, query in asked:
            answer = lasting.get(route, **query)
            answer.get_data()
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Content-Type"]
            if answer.mimetype == "text/html":
                assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert caplog.records == []


def test_only_reading_is_possible(lasting: Server) -> None:
    for method in ("POST", "PUT", "DELETE"):
        answer = lasting.ask(method, f"{PREFIX}/api/runs")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    head = lasting.ask("HEAD", f"{PREFIX}/api/comparison", **PAIR)
    assert (head.status_code, head.data) == (200, b"")


def test_tensorboard_lists_the_tab_and_its_module(lasting: Server) -> None:
    listed = json.loads(lasting.ask("GET", "/data/plugins_listing").data)[PLUGIN_NAME]
    assert (listed["enabled"], listed["tab_name"]) == (True, "Perf Compare")
    module = listed["loading_mechanism"]["module_path"]
    assert module.startswith(f"{PREFIX}/static/".replace("/data/plugin", "/data/plugin"))
    served = lasting.ask("GET", module)
    assert (served.status_code, served.mimetype) == (200, "text/javascript")
    entry = lasting.ask("GET", "/data/plugin_entry.html", name=PLUGIN_NAME)
    assert "./static/" in entry.text


def test_construction_touches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file, thread or process was touched")

    monkeypatch.delitem(sys.modules, loader.PACKAGE, raising=False)
    for name in ("os.scandir", "os.stat", "os.listdir", "threading.Thread.start", "subprocess.Popen.__init__"):
        monkeypatch.setattr(name, refuse)
    plugin = loader.PerfCompareLoader().load(TBContext(logdir="/nowhere"))
    monkeypatch.undo()
    assert {"/api/runs", "/api/comparison", "/static/*"} <= set(plugin.get_plugin_apps())


def test_a_context_without_anything_is_an_empty_tab(serve: Callable[..., Server]) -> None:
    server = serve("")
    assert server.plugin.is_active() is False
    assert server.json("api/runs")["runs"] == []
