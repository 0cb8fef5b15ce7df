"""Clients of a load test: threads that send one request after the other and compare the responses with those of an idle
server."""

from __future__ import annotations

import http.client
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.load_questions import Question
from benchmarks.served import Served

TIMEOUT_S = 60.0
_SLOW_BYTES, _SLOW_S = 4096, 0.02
_KILLED = b"ended unexpectedly"
"""Part of a response about a file whose worker was killed."""
_LOST = re.compile(rb'"lost":[1-9]')
"""Part of a page of a table that lacks such a file; a downloaded table has "incomplete" in its file name."""

RIGHT, REPORTED, WRONG, LEFT, HUNG, BROKEN = "right", "reported", "wrong", "left", "hung", "broken"


@dataclass(slots=True)
class Tally:
    """Outcomes of requests: number per kind, and the seconds that each response took."""

    kinds: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    slow_seconds: list[float] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, seconds: float, *, slow: bool = False, example: str = "") -> None:
        """Counts one request."""
        with self._lock:
            self.kinds[kind] += 1
            if kind in (RIGHT, REPORTED, WRONG):
                (self.slow_seconds if slow else self.seconds).append(seconds)
            if example and len(self.examples) < 10:
                self.examples.append(example)


@dataclass(frozen=True, slots=True)
class Reference:
    """The correct response: status, and last line of the body."""

    status: int
    body: bytes


def reference(server: Served, asked: Sequence[Question]) -> dict[int, Reference]:
    """Returns an idle server's responses, by index of the question."""
    references = {}
    for place, question in enumerate(asked):
        if question.compared:
            answer = server.get(question.route, timeout_s=TIMEOUT_S, **question.query)
            references[place] = Reference(answer.status, last_line(question, answer.body))
    return references


def last_line(question: Question, body: bytes) -> bytes:
    """Returns the last line of a streamed response, which is the result, or the complete body of others."""
    is_lines = question.route == "api/comparison" and question.query.get("stream") != "0"
    return body.rstrip(b"\n").rpartition(b"\n")[2] if is_lines else body


class Client(threading.Thread):
    """Thread that sends random requests until the time is over. `slow` clients read in small pieces; clients with
    `leaves` disconnect before the response."""

    def __init__(
        self, server: Served, asked: Sequence[Question], right: Mapping[int, Reference], tally: Tally,
        until: Callable[[], bool], seed: int, *, slow: bool = False, leaves: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(name=f"client {seed}", daemon=True)
        self._server, self._asked, self._right, self._tally = server, asked, right, tally
        self._until, self._draw, self._slow, self._leaves = until, random.Random(seed), slow, leaves

    def run(self) -> None:
        """Sends requests until the time is over."""
        while not self._until():
            self.ask(self._draw.randrange(len(self._asked)))

    def ask(self, place: int) -> None:
        """Sends the request with index `place` and counts its outcome."""
        question = self._asked[place]
        start_s = time.monotonic()
        connection = self._server.connect(TIMEOUT_S)
        example = ""
        try:
            connection.request("GET", self._server.target(question.route, **question.query))
            if self._leaves:
                time.sleep(self._draw.random() * 0.3)
                kind = LEFT
            else:
                answer = connection.getresponse()
                body = self._read(answer)
                incomplete = ".incomplete." in answer.headers.get("Content-Disposition", "")
                kind = self._outcome(place, answer.status, body, incomplete)
                if kind == WRONG:
                    example = f"{question}: {answer.status}, {body[:200]!r}"
        except TimeoutError:
            kind, example = HUNG, str(question)
        except (OSError, http.client.HTTPException) as error:
            kind, example = BROKEN, f"{question}: {error!r}"
        finally:
            connection.close()
        self._tally.add(kind, time.monotonic() - start_s, slow=self._slow, example=example)

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        if not self._slow:
            return answer.read()
        parts = []
        while part := answer.read(_SLOW_BYTES):
            parts.append(part)
            time.sleep(_SLOW_S)
        return b"".join(parts)

    def _outcome(self, place: int, status: int, body: bytes, incomplete: bool) -> str:
        right = self._right.get(place)
        if right is None or (status, last_line(self._asked[place], body)) == (right.status, right.body):
            return RIGHT if status < 500 or right is not None else WRONG
        return REPORTED if incomplete or _KILLED in body or _LOST.search(body) else WRONG
