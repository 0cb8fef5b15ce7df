"""Work of the tab's server to measure (sample.py): the plugin in TensorBoard's own WSGI stack, without sockets."""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
import time
import warnings
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.sample import Work

PREFIX = "/data/plugin/tb_perfcompare"


class Server:
    """The plugin on a log directory, and a client for it."""

    def __init__(self, logdir: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from tensorboard.backend.application import TensorBoardWSGI
        from tensorboard.plugins.base_plugin import TBContext
        from werkzeug.test import Client

        from tb_perfcompare.plugin.loader import PerfCompareLoader

        flags = Namespace(logdir=logdir, logdir_spec="")
        self.plugin = PerfCompareLoader().load(TBContext(logdir=logdir, flags=flags, plugin_name_to_instance={}))
        self._client = Client(TensorBoardWSGI([self.plugin]))

    def get(self, route: str, query: Mapping[str, str] | None = None, *, tag: str = "") -> tuple[float, bytes, Any]:
        """Returns (milliseconds, body, headers) of a response; `tag` is the ETag that the browser has. Raises
        RuntimeError for an error response."""
        headers = {"If-None-Match": tag} if tag else None
        start = time.perf_counter()
        answer = self._client.get(f"{PREFIX}/{route}", query_string=dict(query or {}), headers=headers)
        body = answer.data
        spent = 1000 * (time.perf_counter() - start)
        if answer.status_code not in (200, 304):
            raise RuntimeError(f"{route} {query}: {answer.status_code} {answer.text[:200]}")
        return spent, body, answer.headers

    def close(self) -> None:
        """Ends the plugin's worker processes."""
        self.plugin.close()


def open_pair() -> Work:
    """Requests the list of runs and then a comparison from a new server; "seconds" is the time of the comparison."""

    def work(logdir: str, baseline: str, candidate: str) -> dict[str, Any]:
        with contextlib.closing(Server(logdir)) as server:
            pair = {"baseline": baseline, "candidate": candidate, "stream": "0"}
            runs_ms, _, _ = server.get("api/runs")
            first_ms, body, headers = server.get("api/comparison", pair)
            again_ms, _, _ = server.get("api/comparison", pair)
            known_ms, _, _ = server.get("api/comparison", pair, tag=headers["ETag"])
        return {"runs_ms": runs_ms, "first_ms": first_ms, "again_ms": again_ms, "known_ms": known_ms,
                "seconds": first_ms / 1000, "answer_bytes": len(body)}  # fmt: skip

    return work


def list_runs() -> Work:
    """Lists a log directory: first request, cached, rescanned, and all pages; also the bytes read for it."""

    def work(logdir: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as empty, contextlib.closing(Server(empty)) as warm_up:
            warm_up.get("api/runs")  # imports the modules, which is not measured
        with contextlib.closing(Server(logdir)) as server:
            before = _bytes_read()
            first_ms, body, _ = server.get("api/runs")
            read = _bytes_read() - before
            again_ms, _, _ = server.get("api/runs")
            rescan_ms, _, _ = server.get("api/runs", {"rescan": "1"})
            page = json.loads(body)
            largest, pages, runs = len(body), 1, {run["run"] for run in page["runs"]}
            slowest = first_ms
            while "next_offset" in page:
                spent, body, _ = server.get("api/runs", {"offset": str(page["next_offset"])})
                page = json.loads(body)
                largest, slowest, pages = max(largest, len(body)), max(slowest, spent), pages + 1
                runs |= {run["run"] for run in page["runs"]}
        return {"first_ms": first_ms, "again_ms": again_ms, "rescan_ms": rescan_ms, "read_bytes": read, "pages": pages,
                "largest_bytes": largest, "runs": len(runs)}  # fmt: skip

    return work


def _bytes_read() -> int:
    """Bytes that this process has read from anywhere, 0 where that is unknown."""
    try:
        lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("rchar:"))


def all_routes() -> Work:
    """Requests every response about a pair: time of the first and of a second request, and size."""

    def work(logdir: str, baseline: str, candidate: str) -> dict[str, Any]:
        pair = {"baseline": baseline, "candidate": candidate}
        rows: list[dict[str, Any]] = []
        with contextlib.closing(Server(logdir)) as server:

            def ask(title: str, route: str, **query: str) -> bytes:
                first_ms, body, _ = server.get(route, query)
                again_ms, _, _ = server.get(route, query)
                rows.append({"title": title, "first_ms": first_ms, "again_ms": again_ms, "bytes": len(body),
                             "packed_bytes": len(gzip.compress(body, 6)), "route": route})  # fmt: skip
                return body

            ask("api/runs", "api/runs")
            comparison = json.loads(ask("api/comparison", "api/comparison", stream="0", **pair))
            for name, listed in comparison["tables"].items():
                ask(f"api/table {name}", "api/table", table=name, **pair)
                numbers = [c["name"] for c in listed["columns"] if c["name"].startswith("delta")]
                if numbers and listed["total_rows"] > len(listed["rows"]):
                    ask(f"api/table {name}, sorted", "api/table", table=name, sort=f"{numbers[0]}:desc", **pair)
                    ask(f"api/table {name}, filtered", "api/table", table=name, filter="9", **pair)
            ask("api/table ledger", "api/table", table="ledger", **pair)
            for view in _views():
                with contextlib.suppress(RuntimeError):  # this run has no such table
                    ask(f"api/view {view}", "api/view", run=baseline, view=view)
            with contextlib.suppress(RuntimeError):
                ask("api/strict", "api/strict", **pair)
        return {"rows": rows, "events": 0}

    return work


def _views() -> list[str]:
    from tb_perfcompare.comparison.tables.views import VIEWS

    return list(VIEWS)
