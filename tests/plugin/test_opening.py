"""What a server imports and starts when: nothing before the tab, little for the list, the rest before it is needed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.served import children, is_running, served
from tb_perfcompare.workspace.disk_cache.disk_store import SWITCH
from tb_perfcompare.workspace.workers import worker_pool as workers
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.drawn_runs import write_pair
from tests.plugin.server import Server
from tests.workspace.waiting import becomes_true

REPOSITORY = Path(__file__).parents[2]
COMPUTING = {
    "numpy", "scipy", "tb_perfcompare.comparison.result.comparison", "tb_perfcompare.workspace.workers.worker_pool",
}  # fmt: skip

_ASK = """
import json, sys
from tests.plugin.server import Server
from pathlib import Path
import tb_perfcompare.workspace.disk_cache.comparison_cache
tb_perfcompare.workspace.disk_cache.comparison_cache.WORTH_KEEPING_BYTES = 0
logs, *routes = sys.argv[1:]
server = Server(Path(logs))
server.plugin._opening.prestart = lambda: None
found = []
for route in routes:
    pair = {"baseline": "normal", "candidate": "abnormal", "stream": "0"} if route == "api/comparison" else {}
    answer = server.get(route, **pair)
    found.append([answer.status_code, len(answer.data), sorted(set(sys.modules) & set(json.loads('COMPUTING')))])
server.close()
print(json.dumps(found))
"""


def asked(logs: Path, cache: Path, *routes: str) -> list[tuple[int, int, list[str]]]:
    """(status, bytes, what computes of all that is imported by then) of each answer of a fresh process."""
    code = _ASK.replace("COMPUTING", json.dumps(sorted(COMPUTING)))
    done = subprocess.run(
        [sys.executable, "-c", code, str(logs), *routes], capture_output=True, text=True, cwd=REPOSITORY, check=True,
        env={**os.environ, SWITCH: str(cache)},
    )  # fmt: skip
    return [tuple(row) for row in json.loads(done.stdout)]


def list_runs(server: Server) -> None:
    """As a browser does, which takes the whole answer."""
    answer = server.get("api/runs")
    assert answer.status_code == 200
    answer.close()


def test_the_list_and_a_kept_answer_import_nothing_that_computes(tmp_path: Path) -> None:
    write_pair(tmp_path / "logs")
    first, computed = asked(tmp_path / "logs", tmp_path / "cache", "api/runs", "api/comparison")
    assert (first[0], first[2]) == (200, [])
    assert (computed[0], computed[2]) == (200, sorted(COMPUTING - {"scipy"}))
    (_, kept) = asked(tmp_path / "logs", tmp_path / "cache", "api/runs", "api/comparison")
    assert kept == (200, computed[1], [])


def test_processes_start_after_the_list_and_do_the_first_comparison(server: Server) -> None:
    assert server.plugin.is_active()
    server.plugin.frontend_metadata()
    assert server.plugin._opening._workspace is None
    list_runs(server)
    assert becomes_true(lambda: server.plugin._opening._workspace is not None, 60)
    ready = server.plugin.workspace.process_ids
    assert len(ready) == min(2, server.plugin.workspace._pool.size)
    assert server.get("api/comparison", baseline="normal", candidate="abnormal", stream="0").status_code == 200
    assert server.plugin.workspace.process_ids == ready


def test_a_server_that_is_closed_starts_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_perfcompare.plugin.lazy_workspace._IDLE_S", 0.05)
    list_runs(server)
    server.plugin.close()
    ahead = server.plugin._opening._ahead
    assert ahead is not None
    ahead.join(60)
    assert server.plugin.workspace.process_ids == []


def test_processes_that_nobody_needs_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "UNUSED_S", 0.2)
    list_runs(server)
    assert becomes_true(lambda: server.plugin._opening._workspace is not None, 60)
    assert becomes_true(lambda: server.plugin.workspace.process_ids == [], 60)
    assert server.get("api/comparison", baseline="normal", candidate="abnormal", stream="0").status_code == 200


def test_a_process_that_was_killed_while_it_waited_is_replaced(server: Server) -> None:
    list_runs(server)
    assert becomes_true(lambda: server.plugin._opening._workspace is not None, 60)
    ready = server.plugin.workspace.process_ids
    for process_id in ready:
        os.kill(process_id, signal.SIGTERM)
    assert server.get("api/comparison", baseline="normal", candidate="abnormal", stream="0").status_code == 200
    assert not set(ready) & set(server.plugin.workspace.process_ids)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_idle_processes_do_not_outlive_a_killed_tensorboard(tmp_path: Path) -> None:
    """Nobody ends them then; test_real_server.py ends it in other ways, while they work."""
    write_pair(tmp_path / "logs")
    with served(tmp_path / "logs", environment={WORKERS: "2", SWITCH: "off"}, core_only=True) as running:
        running.get("/data/plugins_listing")
        assert running.workers() == []
        assert running.get("api/runs").status == 200
        assert becomes_true(lambda: len(running.workers()) == 2, 60)
        ready = children(running.process.pid)
        running.process.kill()
        running.process.wait(60)
        assert becomes_true(lambda: not any(map(is_running, ready)))


def test_an_invalid_number_of_workers_is_an_error_of_the_request_that_needs_them(
    serve: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pair(tmp_path / "logs")
    monkeypatch.setenv(WORKERS, "many")
    server = serve(tmp_path / "logs")
    list_runs(server)
    ahead = server.plugin._opening._ahead
    assert ahead is not None
    ahead.join(60)
    answer = server.get("api/comparison", baseline="normal", candidate="abnormal", stream="0")
    assert (answer.status_code, WORKERS in answer.text) == (500, True)
