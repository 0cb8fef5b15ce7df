"""A real TensorBoard that loads two runs of 100 MB: time to the first responses, and latency of other routes."""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import Goal, Section, Verdict, spread, table
from benchmarks.generated import Load
from benchmarks.served import Served, served
from benchmarks.setting import Setting

NAME = "mixed_http"
_UNRELATED = "/data/environment"
_EVERY_S = 0.01
_IDLE_ASKS = 100
_A_SECOND = Goal(1000, at_most=True, unit=" ms")


@dataclass(slots=True)
class Round:
    """Figures of one server, in milliseconds except for counts, bytes and MB."""

    idle: list[float] = field(default_factory=list)
    loading: list[float] = field(default_factory=list)
    runs_ms: float = 0.0
    first_line_ms: float = 0.0
    first_read_ms: float = 0.0
    answer_ms: float = 0.0
    gap_ms: float = 0.0
    lines: int = 0
    bytes: int = 0
    server_mb: float = 0.0
    workers_mb: float = 0.0


def run(setting: Setting) -> Section:
    """Measures a new TensorBoard without a cache in every round."""
    section = Section(NAME)
    logdir = setting.inputs.pair("pair100", Load(setting.size(100)))[0].parent.parent
    rounds = [_round(logdir, quick=setting.quick) for _ in range(setting.rounds)]
    longest = [max(round_.loading, default=0.0) for round_ in rounds]
    rows = [
        ["list of runs", spread([round_.runs_ms for round_ in rounds], 0)],
        ["first line of the comparison's stream", spread([round_.first_line_ms for round_ in rounds], 0)],
        ["first line that tells events read", spread([round_.first_read_ms for round_ in rounds], 0)],
        ["first comparison, whole", spread([round_.answer_ms for round_ in rounds], 0)],
        ["longest time between two lines", spread([round_.gap_ms for round_ in rounds], 0)],
        ["unrelated route, idle: median", spread([statistics.median(round_.idle) for round_ in rounds], 1)],
        ["unrelated route, idle: longest", spread([max(round_.idle) for round_ in rounds], 1)],
        [
            "unrelated route, loading: median",
            spread([statistics.median(round_.loading or [0]) for round_ in rounds], 1),
        ],
        ["unrelated route, loading: longest", spread(longest, 1)],
    ]
    section.parts.append(table(["TensorBoard, 2 × 100 MB, no cache", "ms"], rows))
    section.verdicts = [
        Verdict(f"longest answer of {_UNRELATED} while loading", longest, Goal(100, at_most=True, unit=" ms")),
        Verdict("first progress", [round_.first_line_ms for round_ in rounds], _A_SECOND, 0),
        Verdict("longest time without progress", [round_.gap_ms for round_ in rounds], _A_SECOND, 0),
    ]
    asked, lines = sum(len(round_.loading) for round_ in rounds), sum(round_.lines for round_ in rounds)
    server, workers = (max(getattr(round_, name) for round_ in rounds) for name in ("server_mb", "workers_mb"))
    section.notes += [
        f"{_UNRELATED} was asked every {1000 * _EVERY_S:.0f} ms by another connection, {asked} times in all rounds "
        f"while {lines} lines of progress came. With two cores and two workers reading, server and client share what "
        "is left.",
        f"Largest resident memory seen: server {server:.0f} MB, its workers together {workers:.0f} MB.",
    ]
    return section


def _round(logdir: Path, *, quick: bool) -> Round:
    round_ = Round()
    with served(logdir, environment={"TB_PERFCOMPARE_CACHE": "off"}, core_only=quick) as server:
        round_.runs_ms = _asked_ms(server, "api/runs")
        for _ in range(1 if quick else _IDLE_ASKS):
            round_.idle.append(_asked_ms(server, _UNRELATED))
            time.sleep(_EVERY_S)
        done = threading.Event()
        follower = threading.Thread(target=_follow, args=(server, round_, done))
        follower.start()
        while not done.wait(_EVERY_S):
            round_.loading.append(_asked_ms(server, _UNRELATED))
            own, workers = server.rss_bytes()
            round_.server_mb = max(round_.server_mb, own / 1e6)
            round_.workers_mb = max(round_.workers_mb, workers / 1e6)
        follower.join()
    if not round_.bytes:
        raise RuntimeError("the comparison did not come")
    print(f"  answer after {round_.answer_ms:.0f} ms, longest {max(round_.loading, default=0):.1f} ms", file=sys.stderr)
    return round_


def _asked_ms(server: Served, path: str) -> float:
    start = time.perf_counter()
    if server.get(path).status != 200:
        raise RuntimeError(f"{path} failed")
    return 1000 * (time.perf_counter() - start)


def _follow(server: Served, round_: Round, done: threading.Event) -> None:
    """Reads the comparison's streamed response and records when its lines arrive."""
    try:
        connection = server.connect()
        start = last = time.perf_counter()
        connection.request("GET", server.target("api/comparison", baseline="normal", candidate="abnormal"))
        with connection.getresponse() as answer:
            for line in answer:
                now = time.perf_counter()
                round_.gap_ms = max(round_.gap_ms, 1000 * (now - last))
                last = now
                spent = 1000 * (now - start)
                round_.first_line_ms = round_.first_line_ms or spent
                if line.startswith(b'{"result"'):
                    round_.answer_ms, round_.bytes = spent, len(line)
                    return
                round_.lines += 1
                if json.loads(line)["progress"]["events"]:
                    round_.first_read_ms = round_.first_read_ms or spent
    finally:
        done.set()
