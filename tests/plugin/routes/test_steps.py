"""api/step, api/step_event and api/trace: pictures of steps, their events, and files of them."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tb_perfcompare.workspace.queries import step_responses as step_answers
from tests.build import TraceBuilder
from tests.drawn_runs import write_run
from tests.plugin.server import Server
from tests.shared_data import SHARED, needs_shared

PAIR = {"run": "normal", "other": "abnormal"}


def unfolded(row: dict[str, Any], first_ns: int) -> list[tuple[int, int, int]]:
    """(start, end, events) of a row's marks, as http_api.md says they are written."""
    merged = row.get("merged", {"at": [], "count": []})
    many = dict(zip(merged["at"], merged["count"], strict=True))
    marks, at = [], first_ns
    for place, (gap, dur) in enumerate(zip(row["gap"], row["dur"], strict=True)):
        marks.append((at + gap, at + gap + dur, many.get(place, 1)))
        at += gap + dur
    return marks


def test_a_step_is_lanes_rows_and_names(lasting: Server) -> None:
    answer = lasting.json("api/step", run="normal", step="3")
    assert (answer["schema"], answer["absent"], answer["other"]) == ("tb_perfcompare.step/1", "", None)
    assert answer["step"] == {"worker": "worker0", "span": "1", "label": "3", "total_ns": 1_000_000, "reason": ""}
    assert [lane["key"] for lane in answer["lanes"]] == ["stream.0", "host.0", "calls.0"]
    assert (answer["complete"], answer["cell_ns"], answer["events"]) == (True, 0, 5)
    kernel = answer["rows"][0]
    assert unfolded(kernel, answer["from"]) == [(300_000, 600_000, 1)]
    name, kind = answer["names"][kernel["name"][0]][:2]
    assert (name, answer["kinds"][kind]) == ("gemm_128x128", "kernel")
    assert answer["steps"]["label"] == [str(n) for n in range(1, 9)]


def test_the_typical_step_is_drawn_unless_another_is_named(lasting: Server) -> None:
    labels = {step: lasting.json("api/step", run="normal", step=step)["step"]["label"] for step in ("typical", "worst")}
    assert labels == {"typical": "1", "worst": "2"}


def test_counterparts_are_numbers_of_the_other_step(lasting: Server) -> None:
    mine = lasting.json("api/step", **PAIR, step="3", other_step="4", side="baseline")
    theirs = lasting.json("api/step", run="abnormal", other="normal", step="4", other_step="3", side="candidate")
    assert mine["other"] == {"worker": "worker0", "span": "1", "label": "4", "matched": 5, "renamed": 0, "alone": 0}
    for row, other in zip(mine["rows"], theirs["rows"], strict=True):
        # differences of number + 1: the events stand in the same order on both sides
        assert row["match"] == [other["first"] + 1, *[1] * (len(row["match"]) - 1)]
        assert row["change"] == other["change"], "candidate minus baseline, whichever side is drawn"
    assert [row["change"] for row in mine["rows"]] == [[0], [501_000], [500_000, 0], [0]]


def test_the_same_step_of_the_other_side(lasting: Server) -> None:
    answer = lasting.json("api/step", **PAIR, step="same", other_step="worst")
    assert answer["step"]["label"] == answer["other"]["label"]
    refused = lasting.get("api/step", **PAIR, step="same", other_step="same")
    assert (refused.status_code, "and there is none" in refused.text) == (404, True)


def test_what_differs_most_is_told_once(lasting: Server) -> None:
    answer = lasting.json("api/step", **PAIR, step="3", other_step="3")
    found = answer["differences"]
    assert found["name"][0].startswith("enumerate(DataLoader)")
    assert (found["baseline_ns"][0], found["candidate_ns"][0]) == (100_000, 600_000)
    assert "differences" not in lasting.json("api/step", run="abnormal", other="normal", side="candidate")


def test_what_differs_in_an_area(lasting: Server) -> None:
    steps = dict(**PAIR, step="3", other_step="3")
    area = {"from": "20000", "to": "50000"}
    waiting = lasting.json("api/step_area", **steps, **area)["differences"]
    assert (waiting["baseline_ns"], waiting["candidate_ns"]) == ([30_000], [30_000]), "of what lasts longer in B"
    moved = lasting.json("api/step_area", **steps, **area, shift="60000")["differences"]
    assert (moved["baseline_ns"], moved["candidate_ns"]) == ([30_000], [None]), "the candidate has not begun"
    for query in ({"from": "0", "to": "0", **steps}, {"from": "0", "to": "9", "run": "normal"}):
        assert lasting.get("api/step_area", **query).status_code == 400


@pytest.fixture
def crowded(tmp_path: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server over one step of 2,000 operators of 1 us, of which only a few may be drawn singly."""
    monkeypatch.setattr(step_answers, "DRAWN_SINGLY", 100)
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 10_000)
    for number in range(2000):
        trace.op(f"aten::{'mul' if number % 50 == 7 else 'add'}", 5 * number, 5 * number + 1)
    trace.write(tmp_path / "logs" / "run" / "worker0.1.pt.trace.json")
    return serve(tmp_path / "logs")


def test_a_crowd_is_drawn_together_and_nothing_is_lost(crowded: Server) -> None:
    answer = crowded.json("api/step", run="run", **{"from": "0", "to": "10000000", "pixels": "50"})
    assert (answer["complete"], answer["cell_ns"]) == (False, 200_000)
    crowd = answer["rows"][1]
    marks = unfolded(crowd, 0)
    assert len(marks) == 50
    assert sum(events for _, _, events in marks) == 2000
    assert sum(crowd["merged"]["total"]) == 2000 * 1000


def test_closer_in_there_are_single_events(crowded: Server) -> None:
    answer = crowded.json("api/step", run="run", **{"from": "1000000", "to": "1100000", "pixels": "50"})
    assert (answer["cell_ns"], "merged" in answer["rows"][1], len(answer["rows"][1]["gap"])) == (0, False, 20)
    assert answer["rows"][1]["first"] == 201, "the marker is event 0, the first operator event 1"
    assert "steps" not in answer


def test_what_is_searched_for_is_counted_in_crowds_too(crowded: Server) -> None:
    answer = crowded.json("api/step", run="run", find="MUL -add", **{"from": "0", "to": "10000000", "pixels": "50"})
    assert answer["hits"] == {"events": 40, "total_ns": 40_000}
    assert sum(answer["rows"][1]["hits"]) == 40


def test_an_answer_has_its_bound(crowded: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_answers, "MAX_BYTES", 6_000)
    monkeypatch.setattr(step_answers, "DRAWN_SINGLY", 10_000)
    answer = crowded.get("api/step", run="run")
    assert len(answer.data) <= 6_000
    body = json.loads(answer.data)
    assert body["cell_ns"] > 0
    assert sum(events for _, _, events in unfolded(body["rows"][1], body["from"])) == 2000


def test_an_event_and_its_counterpart(lasting: Server) -> None:
    step = lasting.json("api/step", **PAIR, step="3", other_step="4")
    kernel = step["rows"][0]["first"]
    answer = lasting.json("api/step_event", **PAIR, step="3", other_step="4", event=str(kernel))
    event = answer["event"]
    assert (event["name"], event["kind"], event["lane"]) == ("gemm_128x128", "kernel", "GPU 0 stream 7")
    assert (event["start_ns"], event["dur_ns"], event["queue_ns"]) == (300_000, 300_000, 80_000)
    assert event["enclosing"] == ["ProfilerStep#3", "aten::mm"]
    assert event["args"]["grid"] == [64, 1, 1]
    assert (answer["counterpart"]["start_ns"], answer["renamed"]) == (800_000, False)
    gone = lasting.get("api/step_event", run="normal", step="3", event="99")
    assert (gone.status_code, "numbered 0 to 4" in gone.text) == (404, True)


def test_as_a_stream_progress_comes_first(server: Server) -> None:
    answer = server.get("api/step", run="normal", stream="1")
    lines = [json.loads(line) for line in answer.data.splitlines()]
    assert "progress" in lines[0]
    assert list(lines[-1]) == ["result"]
    again = [json.loads(line) for line in server.get("api/step", run="normal", stream="1").data.splitlines()]
    assert [list(line) for line in again] == [["result"]], "it is known now"


def test_a_browser_that_has_the_answer_is_told_so(server: Server, tmp_path: Path) -> None:
    tag = server.get("api/step", run="normal").headers["ETag"]
    assert server.get("api/step", headers={"If-None-Match": tag}, run="normal").status_code == 304
    write_run(tmp_path / "logs" / "normal", steps=9)
    assert server.get("api/step", headers={"If-None-Match": tag}, run="normal").status_code == 200


def test_sources_without_events_say_why(tmp_path: Path, serve: Callable[..., Server]) -> None:
    shutil.copytree(Path(__file__).parents[3] / "demo_logs" / "perf_data_synthetic", tmp_path / "tables")
    server = serve(tmp_path)
    run = server.json("api/runs")["runs"][0]["run"]
    absent = server.json("api/step", run=run)["absent"]
    assert absent.startswith("not measured: a per-cycle table holds sums")
    assert server.get("api/trace", run=run).status_code == 404


def test_one_step_as_a_file(lasting: Server) -> None:
    answer = lasting.get("api/trace", run="normal", step="3")
    assert answer.content_type == "application/gzip"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="normal_step_3.pt.trace.json.gz"'
    assert "Content-Encoding" not in answer.headers, "a browser must not unpack it"
    document = json.loads(gzip.decompress(answer.data))
    assert [e["name"] for e in document["traceEvents"] if e["name"].startswith("Profiler")] == ["ProfilerStep#3"]


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_both_steps_in_one_file(lasting: Server, side: str) -> None:
    """Whichever side asks, the baseline comes first."""
    pair = PAIR if side == "baseline" else {"run": "abnormal", "other": "normal"}
    answer = lasting.get("api/trace", **pair, side=side, step="3", other_step="3")
    assert 'filename="normal_step_3_and_abnormal_step_3.pt.trace.json.gz"' in answer.headers["Content-Disposition"]
    events = json.loads(gzip.decompress(answer.data))["traceEvents"]
    loader = {
        process["args"]["name"].partition(":")[0]: event["dur"]
        for process in events if process["name"] == "process_name"
        for event in events if event["pid"] == process["pid"] and event["name"].startswith("enumerate")
    }  # fmt: skip
    assert loader == {"baseline": 100, "candidate": 600}


@pytest.mark.parametrize(
    ("route", "query", "status", "words"),
    [
        ("api/step", {}, 400, "run is missing"),
        ("api/step", {"run": "nowhere"}, 404, "there is no run called 'nowhere'"),
        ("api/step", {"run": "normal", "step": "77"}, 404, "has no step '77'"),
        ("api/step", {"run": "normal", "from": "5", "to": "5"}, 400, "to is not after from"),
        ("api/step", {"run": "normal", "from": "x", "to": "5"}, 400, "from is 'x'"),
        ("api/step", {"run": "normal", "from": "0", "to": "5", "pixels": "0"}, 400, "pixels is 0"),
        ("api/step", {"run": "normal", "side": "left"}, 400, "one of baseline, candidate"),
        ("api/step", {"run": "normal", "find": "a " * 40}, 400, "at most 32"),
        ("api/step_event", {"run": "normal"}, 400, "event is ''"),
        ("api/trace", {"run": "normal", "step_window": "moon"}, 400, "one of device, marker"),
    ],
)
def test_requests_that_are_wrong(lasting: Server, route: str, query: dict[str, str], status: int, words: str) -> None:
    answer = lasting.get(route, **query)
    assert answer.status_code == status
    assert words in answer.text


@needs_shared
@pytest.mark.parametrize("name", ["google_owlv2-large-patch14-ensemble__1016001", "Qwen_Qwen1.5-0.5B-Chat__1016005"])
def test_steps_of_a_hundred_thousand_events_stay_small(tmp_path: Path, serve: Callable[..., Server], name: str) -> None:
    for device in ("h100", "mi300"):
        (tmp_path / device).mkdir()
        source = SHARED / "mixed_devices" / device / f"{name}.json.gz"
        (tmp_path / device / "worker0.1.pt.trace.json.gz").symlink_to(source)
    server = serve(tmp_path)
    answer = server.get("api/step", run="h100", other="mi300")
    body = json.loads(answer.data)
    assert len(answer.data) < MAX_BYTES
    drawn = sum(events for row in body["rows"] for _, _, events in unfolded(row, body["from"]))
    assert drawn == body["events"]
    assert body["other"]["matched"] > 0.7 * body["events"], "the same model on two devices"


def test_the_documented_answer_has_the_keys_of_a_real_one(lasting: Server) -> None:
    text = (Path(__file__).parents[3] / "tb_perfcompare" / "plugin" / "http_api.md").read_text("utf-8")
    shown = json.loads(text.partition("## `api/step`")[2].partition("```json")[2].partition("```")[0])
    real = lasting.json("api/step", **PAIR, step="3", other_step="4")
    assert list(shown) == list(real)
    for part in ("step", "steps", "differences", "differences_left_out", "other"):
        assert list(shown[part]) == list(real[part]), part
    assert list(shown["lanes"][0]) == list(real["lanes"][0])
    assert set(shown["rows"][0]) == set(real["rows"][0])
