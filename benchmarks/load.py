"""Tests a real TensorBoard with many concurrent clients: correct responses, no hangs, no memory leak.

    python -m benchmarks.load                    50 clients, two rounds of 30 s; prints a table
    python -m benchmarks.load --write            also puts it into benchmarks/results.md
    python -m benchmarks.load --clients 12 --seconds 3

The server has two worker processes and no cache on disk. Clients are threads of this process; some read slowly, some
disconnect before the response, and meanwhile workers are killed. The server is killed if it and its workers take more
memory than --most-mb, and when the time is over.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from benchmarks import document
from benchmarks.figures import table
from benchmarks.load_clients import (
    BROKEN,
    HUNG,
    LEFT,
    REPORTED,
    RIGHT,
    TIMEOUT_S,
    WRONG,
    Client,
    Reference,
    Tally,
    reference,
)
from benchmarks.load_questions import Question, questions, write_logdir
from benchmarks.served import Served, served

WORKERS = 2
_SAMPLE_S = 0.2
_FORGOTTEN_S = 6.0
"""After this time, responses that lack the file of a killed worker have left the cache, which keeps them for 5 s."""
_ENVIRONMENT = {"TB_PERFCOMPARE_WORKERS": str(WORKERS), "TB_PERFCOMPARE_CACHE": "off"}


@dataclass(frozen=True, slots=True)
class Load:
    """Size of a load test. Every tenth client reads slowly, and every tenth leaves early. `core_only`: the server has
    none of TensorBoard's own dashboards."""

    clients: int = 50
    seconds: float = 30.0
    rounds: int = 2
    kills: int = 3
    questions: int = 120
    wide: int = 3
    ranks: int = 8
    most_bytes: int = 3000 * 2**20
    settled_s: float = 3.0
    core_only: bool = False
    seed: int = 1


@dataclass(slots=True)
class Round:
    """Results of one round; memory is (resident bytes of the server, of all its workers together)."""

    tally: Tally
    seconds: float
    killed: int
    before: tuple[int, int]
    peak: tuple[int, int]
    after: tuple[int, int]
    most_workers: int


@dataclass(slots=True)
class Outcome:
    """Results of all rounds; `last` counts the responses when everything is finally requested once more, one at a
    time."""

    rounds: list[Round] = field(default_factory=list)
    last: Counter[str] = field(default_factory=Counter)


class Watch(threading.Thread):
    """Thread that samples memory and the number of workers; kills the server if it takes too much memory."""

    def __init__(self, server: Served, most_bytes: int) -> None:
        super().__init__(daemon=True)
        self._server, self._most_bytes = server, most_bytes
        self._ended = threading.Event()
        self.peak, self.most_workers, self.killed_server = (0, 0), 0, False

    def run(self) -> None:
        """Samples until `end` is called."""
        while not self._ended.wait(_SAMPLE_S):
            own, others = self._server.rss_bytes()
            self.peak = max(self.peak[0], own), max(self.peak[1], others)
            self.most_workers = max(self.most_workers, len(self._server.workers()))
            if own + others > self._most_bytes:
                self.killed_server = True
                self._server.process.kill()
                return

    def end(self) -> None:
        """Stops the thread and waits for it."""
        self._ended.set()
        self.join()


def run_load(load: Load) -> Outcome:
    """Runs the load test. Raises RuntimeError if the server takes too much memory or dies."""
    with tempfile.TemporaryDirectory() as folder:
        asked = questions(write_logdir(Path(folder), wide=load.wide, ranks=load.ranks), load.questions, load.seed)
        with served(Path(folder), environment=_ENVIRONMENT, core_only=load.core_only) as alone:
            right = reference(alone, asked)
        with served(Path(folder), environment=_ENVIRONMENT, core_only=load.core_only) as server:
            server.get("api/runs")
            outcome = Outcome()
            for number in range(load.rounds):
                outcome.rounds.append(_round(server, asked, right, load, load.seed + 1000 * number))
            if any(one.tally.kinds[REPORTED] for one in outcome.rounds):
                time.sleep(_FORGOTTEN_S)
            checked = Tally()
            client = Client(server, asked, right, checked, lambda: False, 0)
            for place in right:
                client.ask(place)
            outcome.last = checked.kinds
    return outcome


def _round(server: Served, asked: list[Question], right: dict[int, Reference], load: Load, seed: int) -> Round:
    before = server.rss_bytes()
    tally, watch = Tally(), Watch(server, load.most_bytes)
    start_s = time.monotonic()
    until_s = start_s + load.seconds
    clients = [
        Client(server, asked, right, tally, lambda: time.monotonic() >= until_s or watch.killed_server, seed + number,
               slow=number % 10 == 3, leaves=number % 10 == 7)
        for number in range(load.clients)
    ]  # fmt: skip
    watch.start()
    for client in clients:
        client.start()
    killed = _kill_some(server, load.kills, until_s)
    for client in clients:
        client.join(TIMEOUT_S + 30)
    took_s = time.monotonic() - start_s
    if any(client.is_alive() for client in clients):
        raise RuntimeError("a client never came back")
    time.sleep(load.settled_s)
    watch.end()
    if watch.killed_server or server.process.poll() is not None:
        raise RuntimeError(f"the server ended under the load; peak {watch.peak}\n{server.log_text()[-2000:]}")
    return Round(tally, took_s, killed, before, watch.peak, server.rss_bytes(), watch.most_workers)


def _kill_some(server: Served, count: int, until_s: float) -> int:
    """Kills up to `count` workers at regular intervals; returns how many were killed."""
    killed, draw = 0, random.Random(count)
    pause_s = (until_s - time.monotonic()) / (count + 1)
    for _ in range(count):
        time.sleep(max(0.0, min(pause_s, until_s - time.monotonic())))
        workers = server.workers()
        if workers:
            os.kill(draw.choice(workers), signal.SIGKILL)
            killed += 1
    return killed


def percentile(values: list[float], percent: float) -> float:
    """Returns a percentile by rank; 0 for no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


def markdown(outcome: Outcome, load: Load) -> str:
    """Returns the table of results with a line about the machine."""
    rounds, bad = outcome.rounds, (WRONG, REPORTED, HUNG, BROKEN)
    rows: dict[str, Callable[[Round], str]] = {
        "requests answered": lambda one: f"{len(one.tally.seconds) + len(one.tally.slow_seconds):,}",
        "requests per second": lambda one: f"{sum(one.tally.kinds.values()) / one.seconds:.0f}",
        "median, ms": lambda one: f"{1000 * statistics.median(one.tally.seconds or [0]):.0f}",
        "p99, ms": lambda one: f"{1000 * percentile(one.tally.seconds, 99):,.0f}",
        "p99 of the slow clients, ms": lambda one: f"{1000 * percentile(one.tally.slow_seconds, 99):,.0f}",
        "equal to the unloaded answer, byte for byte": lambda one: f"{one.tally.kinds[RIGHT]:,}",
        "wrong, naming the file of a killed worker, no answer in 60 s, broken connections": lambda one: ", ".join(
            str(one.tally.kinds[what]) for what in bad
        ),
        "left before the answer came": lambda one: f"{one.tally.kinds[LEFT]:,}",
        "workers killed": lambda one: str(one.killed),
        "worker processes at most": lambda one: str(one.most_workers),
        f"RSS of the server before, at its peak, {load.settled_s:.0f} s after, MB": lambda one: _mb(one, 0),
        f"RSS of the workers together before, at its peak, {load.settled_s:.0f} s after, MB": lambda one: _mb(one, 1),
    }
    head = ["", *(f"round {number + 1}" for number in range(len(rounds)))]
    figures = table(head, [[label, *map(figure, rounds)] for label, figure in rows.items()])
    last = f"{outcome.last[RIGHT]} of {sum(outcome.last.values())}"
    return figures + (
        f"\n\n{load.clients} clients for {load.seconds:.0f} s a round, {load.questions} different questions, "
        f"{WORKERS} workers; asked once more afterwards, one at a time: {last} answers equal. "
        f"Python {platform.python_version()}, TensorBoard {version('tensorboard')}, {os.cpu_count()} cores."
    )


def _mb(one: Round, index: int) -> str:
    return ", ".join(f"{sizes[index] / 1e6:.0f}" for sizes in (one.before, one.peak, one.after))


def main() -> int:
    """Runs the command; returns 1 if a response was wrong, a request hung or a connection broke."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Load()
    parser.add_argument("--clients", type=int, default=usual.clients)
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--kills", type=int, default=usual.kills, help="workers to kill in each round")
    parser.add_argument("--most-mb", type=int, default=usual.most_bytes // 2**20, help="end the server beyond this")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results.md")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server ends with this process
    load = Load(
        clients=chosen.clients, seconds=chosen.seconds, rounds=chosen.rounds, kills=chosen.kills,
        most_bytes=chosen.most_mb * 2**20,
    )  # fmt: skip
    outcome = run_load(load)
    text = markdown(outcome, load)
    print(text)
    for one in outcome.rounds:
        print(*one.tally.examples, sep="\n")
    if chosen.write:
        document.replace(document.RESULTS, "load", text)
    return int(any(one.tally.kinds[kind] for one in outcome.rounds for kind in (WRONG, HUNG, BROKEN)))


if __name__ == "__main__":
    raise SystemExit(main())
