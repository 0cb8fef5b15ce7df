"""Requests to every route of the plugin within TensorBoard.

An input is text with a request per line: METHOD PATH?QUERY.
"""

from __future__ import annotations

import atexit
import gzip
import json
import logging
import os
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NoReturn
from urllib.parse import quote

from werkzeug.test import Client

from tests.fuzz.readers import seeds
from tests.fuzz.readers.law import Broken, Outcome, Target
from tests.fuzz.readers.mutation import NUMBERS, TEXTS, bytes_changed
from tests.plugin.server import PREFIX, Server

SECRET = "unmistakable_secret"
MOST_ANSWER_BYTES = 1_100_000
_MOST_REQUESTS = 6
_METHODS = ("GET",) * 12 + ("HEAD", "POST", "PUT", "OPTIONS", "get", "G\0T")
_ROUTES = (
    "api/runs", "api/comparison", "api/table", "api/view", "api/report", "api/strict", "api/step", "api/step_event",
    "api/step_area", "api/trace", "api/history", "api/row", "api/rows", "api/row_paths", "static/not-built.js",
    "static/../../setup.py", "api/nothing", "",
)  # fmt: skip
_RUNS = ("normal", "abnormal", "answers", "cycles", "cycles_again", "saved", "odd", "bad", "nightly", "listing",
         "nowhere", "../outside", "/etc/passwd", "..%2foutside", f"../outside/{SECRET}")  # fmt: skip
_VALUES = {
    "worker": ("worker0", "worker1", "odd"), "span": ("1", "2", "default"), "steps": ("1-3", "2", "9-1", "0-0"),
    "view": ("overview", "operators", "kernels", "modules", "memory", "counters", "call_tree", "nothing"),
    "table": ("steps", "operators", "kernels", "ledger", "modules", "flame", "summary", "nothing", "__class__"),
    "format": ("json", "csv", "md", "html", "text", "exe"), "step_window": ("device", "marker", "x"),
    "sort": ("step:asc", "delta_us:desc", "name", "a:b,c", ",", ":"), "filter": ("mm", "-mm", "a b c", "[", "(", "*"),
    "columns": ("step", "name,delta_us", ",,"), "status": ("added", "removed", "both", "x"), "category": ("Kernel",),
    "change": ("slower", "x"), "min_delta_us": ("0", "1.5", "1e9", "nan"), "clear": ("0", "1"), "all_steps": ("0", "1"),
    "stream": ("0", "0", "0", "1"), "rescan": ("0", "1"), "processes": ("1:2", "10:10", ":"), "beta": ("beta_pct", "x"),
    "offset": ("0", "5", "99999999"), "limit": ("0", "1", "300"), "row": ("0", "gemm"), "tag": ("x",),
    "step": ("typical", "1", "same", "slowest", "x"), "from": ("0", "-5", "100"), "to": ("9", "1000000"),
    "pixels": ("1", "20000", "20001"), "find": ("mm", "[", "a b"), "event": ("0", "3", "-1"), "side": ("baseline", "x"),
    "modules": ("together", "apart", "x"),
    "places": ("0", "0-9,3", "0-499", "9-1", "0-", "x"), "points": ("2", "400", "0"), "measure": ("host_total", "x"),
    "series": ("nightly", "x"), "other": _RUNS, "launches": _RUNS,
}  # fmt: skip
_SIDED = ("worker", "span", "steps", "launches")


@cache
def _logdir() -> Path:
    """Runs of every format, valid and damaged, a series, and a private file outside."""
    kept = tempfile.TemporaryDirectory(prefix="routes")
    atexit.register(kept.cleanup)
    folder = Path(kept.name)
    logs, trace = folder / "logs", "worker0.1700000000001.pt.trace.json"
    sound, odd = seeds.traces()[3:5]
    files = {
        f"normal/{trace}": sound, f"abnormal/{trace}": seeds.traces()[0], f"odd/{trace}": seeds.traces()[1],
        f"bad/{trace}": b"no trace", "answers/answers.jsonl": seeds.answers()[-1], "listing/kernels.txt":
        seeds.listings()[0], "cycles/a_perf_data.csv": seeds.tables()[0], "cycles_again/a_perf_data.csv":
        seeds.tables()[1], "saved/main.baseline": seeds.baselines()[1], "ncu/launches.csv": seeds.exports()[0],
        "nightly/events.out.tfevents.1769832000.r.perfcompare": seeds.points()[0], "again/w1.2.pt.trace.json": odd,
        f"../outside/{SECRET}.pt.trace.json": sound.replace(b"aten::mm", SECRET.encode()),
    }  # fmt: skip
    for name, content in files.items():
        path = logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return logs


@cache
def _server() -> Server:
    """A server for all inputs without workers, so that errors are raised in this process."""
    logging.getLogger("tensorboard").setLevel(logging.CRITICAL)
    os.environ["TB_PERFCOMPARE_CACHE"] = "off"
    from tb_perfcompare.workspace.listing.index import Root
    from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

    server = Server(_logdir())
    server.plugin._opened = Workspace([Root(str(_logdir()))], in_process_bytes=SMALL_BYTES)
    atexit.register(server.close)
    return server


def _take(data: bytes, folder: Path) -> Outcome:
    outcome = Outcome.REFUSED
    lines = data.decode("utf-8", "replace").split("\n")
    for line in lines[:_MOST_REQUESTS]:
        method, _, target = line.partition(" ")
        if target and _succeeds(method, target):
            outcome = Outcome.READ
    return outcome


def _succeeds(method: str, target: str) -> bool:
    """Send a request, check the answer, and return whether its status is 200."""
    path, _, query = target.partition("?")
    answer = Client(_server().app).open(f"{PREFIX}/{path}", method=method, query_string=query)
    try:
        body = answer.get_data()
        where = f"{method} {target[:300]}"
        if answer.status_code >= 500 and not _is_not_built(target, answer.status_code):
            raise Broken(f"{answer.status_code} for {where}: {body[:300]!r}")
        if len(body) > MOST_ANSWER_BYTES and not path.startswith(("api/report", "api/trace", "static")):
            raise Broken(f"{len(body):,} bytes for {where}")
        text = _unpacked(answer.headers.get("Content-Encoding", ""), answer.mimetype, body)
        lines = text.splitlines() if answer.mimetype == "application/x-ndjson" else [text]
        if answer.mimetype in ("application/json", "application/x-ndjson"):
            for line in lines if method != "HEAD" else ():
                json.loads(line, parse_constant=_no_number)
        for word in (SECRET, str(_logdir().parent), "Traceback", "site-packages", "root:x:0"):
            shown = text.replace(str(_logdir()), "") if path == "api/runs" else text  # lists its roots
            if word in shown and word not in target and quote(word) not in target:
                raise Broken(f"{word} in the answer to {where}")
        return answer.status_code == 200
    finally:
        answer.close()


def _is_not_built(target: str, status: int) -> bool:
    return status == 503 and target.startswith("static/")


def _unpacked(encoding: str, mimetype: str, body: bytes) -> str:
    if encoding == "gzip" or mimetype == "application/gzip":
        body = gzip.decompress(body) if body else body
    return body.decode("utf-8", "replace")


def _no_number(text: str) -> NoReturn:
    raise Broken(f"{text} in an answer")


def _changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    if draw.random() < 0.15:
        return bytes_changed(data, draw, others)
    lines = data.split(b"\n")[:_MOST_REQUESTS]
    at = draw.randrange(len(lines))
    if draw.random() < 0.5:
        lines[at] = _line(draw)
    else:
        lines[at] += f"&{draw.choice(tuple(_VALUES))}={_value(draw, draw.choice(tuple(_VALUES)))}".encode()
    return b"\n".join(lines)


def _line(draw: Random) -> bytes:
    route = draw.choice(_ROUTES)
    pairs = []
    if draw.random() < 0.85:
        pairs += [(name, draw.choice(_RUNS[:5])) for name in ("run", "baseline", "candidate")]
        pairs += [("stream", "0"), ("table", draw.choice(_VALUES["table"]))]
    for _ in range(draw.choice((0, 1, 2, 5))):
        name = draw.choice(tuple(_VALUES))
        prefix = draw.choice(("", "baseline_", "candidate_")) if name in _SIDED else draw.choice(("", "", "", "other_"))
        pairs.append((prefix + name, _value(draw, name)))
    chosen = dict(pairs).items() if draw.random() < 0.9 else pairs
    query = "&".join(f"{name}={quote(value) if draw.random() < 0.9 else value}" for name, value in chosen)
    return f"{draw.choice(_METHODS)} {route}?{query}".replace("\n", "%0A").encode("utf-8", "replace")


def _value(draw: Random, name: str) -> str:
    return draw.choice(_VALUES[name] * 3 + _RUNS + NUMBERS + TEXTS)


def _seeds() -> list[bytes]:
    pair = "baseline=normal&candidate=abnormal&stream=0"
    found = [f"GET {route}?{pair}&run=normal&table=operators&step=1&event=1" for route in _ROUTES[:-1]]
    found += [f"GET api/strict?baseline=cycles&candidate=cycles_again&format={form}" for form in ("json", "csv", "md")]
    found += [f"GET api/view?run={run}&view=overview" for run in ("answers", "listing", "ncu", "saved", "odd", "bad")]
    found += ["GET api/history?series=nightly", "GET api/step?run=normal&other=abnormal&step=same&find=mm&from=0&to=9"]
    return [line.encode() for line in found]


ROUTES = Target("routes", "queries of the HTTP routes", _take, _changed, _seeds)
