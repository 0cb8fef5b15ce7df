"""api/comparison as lines: progress, result, errors, and a browser that goes away."""

from __future__ import annotations

import gzip
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app

from benchmarks.served import is_running
from tb_perfcompare.plugin.http.lines import LINE_EVERY_S
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.sharing.byte_cache import PROVISIONAL_S
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_garbage, write_pair, write_run
from tests.plugin.server import PAIR, PREFIX, Server
from tests.workspace import tasks
from tests.workspace.waiting import SOON_S, becomes_true


def use_summarizer(server: Server, logdir: Path, summarize: Callable[..., Any]) -> None:
    """Gives the server a workspace whose workers do something else with a file."""
    server.plugin._opening._workspace = Workspace([Root(str(logdir))], workers=2, summarize=summarize)


def open_stream(server: Server, **query: str) -> tuple[Iterator[bytes], dict[str, str]]:
    """The lines as the browser gets them, one by one."""
    environ = EnvironBuilder(path=f"{PREFIX}/api/comparison", query_string=query).get_environ()
    lines, status, headers = run_wsgi_app(server.app, environ)
    assert status.startswith("200")
    return lines, dict(headers)  # type: ignore[return-value]


def test_progress_comes_first_and_the_result_last(server: Server) -> None:
    *progress, last = server.lines(**PAIR)
    assert last["result"]["headline"]["verdict"] == "slower"
    assert len(progress) >= 1
    for line in progress:
        assert list(line["progress"]) == ["phase", "path", "done_bytes", "total_bytes", "events", "elapsed_s"]
    elapsed = [line["progress"]["elapsed_s"] for line in progress]
    assert elapsed == sorted(elapsed)
    assert last["result"] == server.json("api/comparison", stream="0", **PAIR)


def test_a_known_answer_needs_no_progress(server: Server) -> None:
    server.lines(**PAIR)
    assert [list(line) for line in server.lines(**PAIR)] == [["result"]]


def test_an_error_in_the_middle_is_the_last_line(server: Server, tmp_path: Path) -> None:
    write_garbage(tmp_path / "logs" / "broken")
    *_, last = server.lines(baseline="normal", candidate="broken")
    assert last["error"]["code"] == "corrupt"
    assert last["error"]["message"].startswith("broken/broken.1700000000009.pt.trace.json: byte 0")
    assert str(tmp_path) not in json.dumps(last)


def test_lines_are_compressed_one_by_one(server: Server) -> None:
    answer = server.get("api/comparison", headers={"Accept-Encoding": "gzip"}, **PAIR)
    assert answer.headers["Content-Encoding"] == "gzip"
    lines = gzip.decompress(answer.data).splitlines()
    assert "result" in json.loads(lines[-1])
    environ = EnvironBuilder(
        path=f"{PREFIX}/api/comparison",
        query_string={**PAIR, "step_window": "marker"},
        headers={"Accept-Encoding": "gzip"},
    ).get_environ()
    chunks, _, _ = run_wsgi_app(server.app, environ)
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(next(iter(chunks))).endswith(b"\n")
    chunks.close()  # type: ignore[attr-defined]


def test_a_browser_that_goes_away_stops_the_processes(server: Server, tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    use_summarizer(server, logdir, tasks.slow_summary)
    lines, headers = open_stream(server, **PAIR)
    assert headers["Content-Type"] == "application/x-ndjson"
    marks = [logdir / f"{name}.pid" for name in PAIR.values()]
    for line in lines:
        assert "progress" in json.loads(line)
        if all(mark.exists() and mark.read_text() for mark in marks):
            break
    processes = [int(mark.read_text()) for mark in marks]
    assert all(is_running(process) for process in processes)
    lines.close()  # type: ignore[attr-defined]
    assert becomes_true(lambda: not any(is_running(process) for process in processes))


def test_silence_is_filled_so_that_a_gone_browser_is_noticed(server: Server, tmp_path: Path) -> None:
    use_summarizer(server, tmp_path / "logs", tasks.slow_summary)
    lines, _ = open_stream(server, **PAIR)
    for _ in range(8):
        assert "progress" in json.loads(next(iter(lines)))  # and no result: the work takes a minute
    lines.close()  # type: ignore[attr-defined]


def test_two_browsers_share_one_computation_and_one_may_go(server: Server, tmp_path: Path) -> None:
    use_summarizer(server, tmp_path / "logs", tasks.logged_summary)
    goes, _ = open_stream(server, **PAIR)
    next(iter(goes))
    answers: list[dict[str, Any]] = []
    stays = threading.Thread(target=lambda: answers.append(server.lines(**PAIR)[-1]))
    stays.start()
    goes.close()  # type: ignore[attr-defined]
    stays.join(SOON_S)
    assert "result" in answers[0]
    calls = (tmp_path / "logs" / "calls.log").read_text().split()
    assert sorted(set(calls)) == [
        "abnormal/worker0.1700000000001.pt.trace.json",
        "normal/worker0.1700000000001.pt.trace.json",
    ]


def test_a_killed_worker_is_an_error_line_and_the_next_question_is_answered(server: Server, tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "deadly")
    use_summarizer(server, tmp_path / "logs", tasks.deadly_summary)
    *_, last = server.lines(baseline="normal", candidate="deadly")
    assert last["error"]["code"] == "input"
    assert "deadly/worker0.1700000000001.pt.trace.json" in last["error"]["message"]
    assert "result" in server.lines(**PAIR)[-1]


def test_an_answer_that_lacks_the_file_of_a_killed_worker_has_no_tag(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser would keep it; a moment later the file is read."""
    logdir = tmp_path / "logs"
    write_run(logdir / "normal", worker="w1")
    use_summarizer(server, logdir, tasks.once_deadly_summary)
    routes = [
        ("api/comparison", {"stream": "0"}),
        ("api/table", {"table": "steps"}),
        ("api/report", {}),
        ("api/report", {"format": "csv", "table": "steps"}),
    ]
    for route, query in routes:
        answer = server.get(route, **query, **PAIR)
        assert (answer.status_code, answer.headers.get("ETag")) == (200, None), route
        assert lacks_a_file(answer), route
    soon_s = time.monotonic() + PROVISIONAL_S
    monkeypatch.setattr("tb_perfcompare.workspace.sharing.byte_cache.time.monotonic", lambda: soon_s)
    for route, query in routes:
        answer = server.get(route, **query, **PAIR)
        assert (answer.status_code, bool(answer.headers.get("ETag"))) == (200, True), route
        assert "ended unexpectedly" not in answer.text
        assert not lacks_a_file(answer), route


def lacks_a_file(answer: TestResponse) -> bool:
    """Whether an answer says that it does."""
    saved = answer.headers.get("Content-Disposition")
    if saved is not None:
        return ".incomplete." in saved
    body = answer.json
    return any(note["code"] == "file_failed" for note in body["notes"]) if "notes" in body else body["lost"] == 1


def test_a_server_that_stops_ends_its_streams(tmp_path: Path, serve: Callable[..., Server]) -> None:
    write_pair(tmp_path)
    server = serve(tmp_path)
    use_summarizer(server, tmp_path, tasks.slow_summary)
    ended: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: ended.append(server.lines(**PAIR)[-1]))
    asking.start()
    assert becomes_true(lambda: (tmp_path / "normal.pid").exists())
    server.close()
    asking.join(SOON_S)
    assert ended[0]["error"]["code"] == "cancelled"


def test_lines_come_a_few_times_per_second() -> None:
    assert 0.1 <= LINE_EVERY_S <= 0.5


@pytest.mark.parametrize("query", [{}, {"baseline": "missing", "candidate": "abnormal"}])
def test_a_request_wrong_from_the_start_is_no_stream(server: Server, query: dict[str, str]) -> None:
    answer = server.get("api/comparison", **query)
    assert answer.status_code in (400, 404)
    assert answer.content_type == "application/json"
