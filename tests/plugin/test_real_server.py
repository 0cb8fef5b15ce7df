"""A real TensorBoard over real sockets: browsers that leave, processes that are killed, a server that is stopped."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.served import Served, children, is_running, served
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.drawn_runs import write_pair
from tests.machine.work_under_way import is_idle
from tests.runs.slow_runs import write_slow_pair
from tests.workspace.waiting import becomes_true

SLOW = {"baseline": "slow/normal", "candidate": "slow/abnormal"}
SHORT = {"baseline": "short/normal", "candidate": "short/abnormal"}
QUICK = {"baseline": "quick/normal", "candidate": "quick/abnormal"}
BOUNDED = {WORKERS: "2", SWITCH: "off"}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    write_slow_pair(folder / "slow")
    for name, files in (("some", 4), ("more", 4), ("short", 2)):
        write_slow_pair(folder / name, files, like=folder / "slow")
    write_pair(folder / "quick")
    return folder


def altered(folder: Path, code: str) -> dict[str, str]:
    """The environment of a server whose code is altered before it starts."""
    (folder / "sitecustomize.py").write_text(code)
    return {**BOUNDED, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


@pytest.fixture(scope="module")
def running(logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """It waits a shorter time for those who can say nothing more than that they have asked."""
    code = "import tb_perfcompare.plugin.http.connection as connection\nconnection.FIN_GRACE_S = 1.5\n"
    environment = altered(tmp_path_factory.mktemp("altered"), code)
    with served(logdir, environment=environment, core_only=True) as found:
        found.get("api/runs")
        assert becomes_true(lambda: working(found))
        assert becomes_true(lambda: is_idle(found))  # importing ahead is no work
        yield found


@pytest.fixture
def server(running: Served) -> Iterator[Served]:
    """Nothing is under way before a test, and nothing afterwards."""
    yield running
    assert becomes_true(lambda: is_idle(running))


def ask(server: Served, route: str, *, protocol: str = "HTTP/1.1", **query: str) -> socket.socket:
    """Sends a request and waits for no answer."""
    asking = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    asking.sendall(f"GET {server.target(route, **query)} {protocol}\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return asking


def answer_over(asking: socket.socket) -> tuple[int, bytes]:
    """Status and body of the answer to what was asked over a connection, which ends with it."""
    with asking:
        answer = http.client.HTTPResponse(asking)
        answer.begin()
        return answer.status, answer.read()


def working(server: Served) -> bool:
    """Whether both workers are reading."""
    return len(server.workers()) == 2 and not is_idle(server)


def test_a_browser_that_leaves_takes_its_work_along(server: Served) -> None:
    asking = ask(server, "api/comparison", **SLOW)
    assert becomes_true(lambda: working(server))
    asking.close()
    assert becomes_true(lambda: is_idle(server))  # a worker between two files lives on, and does nothing
    assert json.loads(server.get("api/comparison", stream="0", **QUICK).body)["headline"]["verdict"] == "slower"


def test_browsers_that_leave_other_routes_take_their_work_along(server: Served) -> None:
    """All wait for the same files, and one that was not seen to leave would keep them being read for a minute."""
    run = SLOW["baseline"]
    streams = [ask(server, "api/strict", stream="1", **SLOW), ask(server, "api/view", stream="1", run=run)]
    wholes = [
        ask(server, "api/comparison", stream="0", **SLOW), ask(server, "api/table", table="kernels", **SLOW),
        ask(server, "api/report", **SLOW), ask(server, "api/strict", **SLOW), ask(server, "api/view", run=run),
    ]  # fmt: skip
    assert becomes_true(lambda: working(server))
    assert becomes_true(lambda: select.select(streams, [], [], 0)[0] == streams)
    assert select.select(wholes, [], [], 0)[0] == []
    for asking in (*streams, *wholes):
        asking.close()
    assert becomes_true(lambda: is_idle(server))


def test_a_half_closed_connection_gets_the_whole_answer(server: Served) -> None:
    """As `nc -N` and some proxies ask: their half of the connection ends with the request."""
    whole, stream = (ask(server, "api/comparison", stream=stream, **SHORT) for stream in "01")
    for asking in (whole, stream):
        asking.shutdown(socket.SHUT_WR)
    assert becomes_true(lambda: working(server))
    status, body = answer_over(whole)
    assert status == 200 and "tables" in json.loads(body)
    status, body = answer_over(stream)
    *progress, last = body.splitlines()
    assert status == 200 and len(progress) > 1 and "tables" in json.loads(last)["result"]


def test_a_half_closed_connection_of_http_1_0_gets_a_quick_answer_and_is_not_waited_for_long(server: Served) -> None:
    asking = ask(server, "api/comparison", protocol="HTTP/1.0", stream="0", **QUICK)
    asking.shutdown(socket.SHUT_WR)
    assert answer_over(asking)[0] == 200
    asking = ask(server, "api/comparison", protocol="HTTP/1.0", stream="0", **SLOW)
    assert becomes_true(lambda: working(server))
    asking.close()
    assert becomes_true(lambda: is_idle(server))  # left alone the work takes longer


def test_work_goes_on_while_one_of_two_still_waits(server: Served) -> None:
    both = leaves, stays = [ask(server, "api/comparison", stream="1", **SLOW) for _ in range(2)]
    assert becomes_true(lambda: select.select(both, [], [], 0)[0] == both)  # the server has taken up both
    assert becomes_true(lambda: working(server))
    workers = set(server.workers())
    leaves.close()
    time.sleep(0.5)
    left = set(server.workers())
    stays.close()
    assert workers <= left  # another one may have started meanwhile
    assert becomes_true(lambda: is_idle(server))  # a worker between two files lives on, and does nothing


def test_a_stream_shows_where_the_work_is(server: Served) -> None:
    """Bytes, events and phase of each file, from a stream as it comes over the socket."""
    for route, query in (("api/comparison", SLOW), ("api/strict", SLOW), ("api/view", {"run": "slow/normal"})):
        connection = server.connect()
        connection.request("GET", server.target(route, stream="1", **query))
        answer = connection.getresponse()
        seen: list[dict[str, Any]] = []
        until_s = time.monotonic() + 60
        while not any(line["events"] and line["done_bytes"] for line in seen):
            assert time.monotonic() < until_s
            seen.append(json.loads(answer.readline())["progress"])
        assert all(set(line) == {"phase", "path", "done_bytes", "total_bytes", "events", "elapsed_s"} for line in seen)
        read = next(line for line in seen if line["events"])
        assert read["phase"] in ("reading", "summarising")
        assert 0 < read["done_bytes"] <= read["total_bytes"]
        assert read["path"].startswith("slow/")
        answer.close()  # the socket is closed with the last of those who hold it
        connection.close()
        assert becomes_true(lambda: is_idle(server))


def lost_by_a_kill(server: Served, run: str) -> list[str]:
    """What the answer about a run says of lost files when a worker is killed meanwhile."""
    connection = server.connect()
    connection.request("GET", server.target("api/view", run=run))
    assert becomes_true(lambda: len(server.workers()) == 2)
    assert becomes_true(lambda: working(server))
    os.kill(server.workers()[0], signal.SIGKILL)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return [note["message"] for note in answer["notes"] if note["code"] == "file_failed"]


def test_a_killed_worker_costs_its_file_and_nothing_else(server: Served) -> None:
    """The file is named among the notes of an answer about all others; the pool starts another process."""
    runs = ["some/normal", "some/abnormal", "more/normal", "more/abnormal"]
    lost: list[str] = []
    while not lost:  # one killed between two files costs nothing
        run = runs.pop(0)
        lost = lost_by_a_kill(server, run)
    (message,) = lost
    assert "signal 9" in message
    assert "file_failed" not in server.get("api/view", run=runs[0]).body.decode()
    assert len(server.workers()) == 2


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_a_server_that_is_stopped_in_the_middle_leaves_no_process(logdir: Path, ending: signal.Signals) -> None:
    with served(logdir, environment=BOUNDED, core_only=True) as server:
        asking = ask(server, "api/comparison", **SLOW)
        assert becomes_true(lambda: working(server))
        workers = server.workers()
        assert all(children(worker) == [] for worker in workers)
        server.process.send_signal(ending)
        server.process.wait(60)
        assert becomes_true(lambda: not any(is_running(worker) for worker in workers))
        asking.close()


@pytest.fixture(scope="module")
def altered_server(logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A server, and a folder: a file `held` in it holds up each look at the log directory, which then writes `met`; a
    file `broken` is a bug."""
    folder = tmp_path_factory.mktemp("altered")
    code = f"""
import pathlib, time
import tb_perfcompare.workspace.listing.index as index
folder = pathlib.Path({str(folder)!r})
find_runs, listing = index.find_runs, index.Index.listing
def held_up(*arguments):
    while (folder / "held").exists():
        (folder / "met").touch()
        time.sleep(0.01)
    return find_runs(*arguments)
def broken(*arguments, **options):
    if (folder / "broken").exists():
        raise KeyError("/etc/secret")
    return listing(*arguments, **options)
index.find_runs, index.Index.listing = held_up, broken
"""
    with served(logdir, environment=altered(folder, code), core_only=True) as server:
        yield server, folder


def test_who_knows_a_run_waits_for_no_look_at_the_log_directory(altered_server: tuple[Served, Path]) -> None:
    server, folder = altered_server
    server.get("api/runs")
    time.sleep(1)  # a rest, should the first look have taken a while
    (folder / "held").touch()
    looks = [ask(server, "api/runs", rescan="1") for _ in range(20)]
    assert becomes_true((folder / "met").exists)
    assert server.get("api/view", run="quick/normal").status == 200
    assert server.get("api/comparison", **QUICK).status == 200
    assert select.select(looks, [], [], 0)[0] == []
    (folder / "held").unlink()
    assert [answer_over(look)[0] for look in looks] == [200] * 20


def test_a_bug_shows_no_traceback(altered_server: tuple[Served, Path]) -> None:
    """What nobody foresaw is TensorBoard's plain error page; the traceback is in the log."""
    server, folder = altered_server
    (folder / "broken").touch()
    answer = server.get("api/runs")
    (folder / "broken").unlink()
    assert answer.status == 500
    assert b"Traceback" not in answer.body and b"secret" not in answer.body
    assert becomes_true(lambda: "/etc/secret" in server.log_text())


def test_half_a_request_and_no_request_hold_nothing_up(server: Served) -> None:
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    for one in held[:10]:
        one.sendall(b"GET /data/plugin/tb_perf")
    assert server.get("api/runs", timeout_s=60).status == 200
    for one in held:
        one.close()


def test_a_request_that_is_no_http_is_refused(server: Served) -> None:
    for words in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as one:
            one.sendall(words + b"\r\n\r\n")
            assert b"Traceback" not in one.recv(4096)
    with pytest.raises((http.client.HTTPException, AssertionError)):
        assert server.get("api/runs" + "x" * 70_000).status == 200
    assert server.get("api/runs").status == 200
