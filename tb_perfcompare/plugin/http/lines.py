"""An answer as lines of JSON: where the work is, a few times per second, and at last the result or an error."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from tb_perfcompare.errors import REFUSED_MEMORY, PerfCompareError, out_of_memory
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.responses import error_dict

if TYPE_CHECKING:
    from tb_perfcompare.workspace.sharing.single_flight import Flight

T = TypeVar("T")

LINE_EVERY_S = 0.25
"""Also how soon a browser that has gone is noticed."""


class Lines:
    """The lines of an answer. The server closes it when the browser has gone, which stops the work."""

    def __init__(self, lines: Generator[bytes, None, None]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def close(self) -> None:
        """Called by the server in every case."""
        self._lines.close()


def lines_of(
    joined: Callable[[], AbstractContextManager[Flight[T]]], draw: Callable[[T], bytes], connection: Connection
) -> Lines:
    """The lines of one computation.

    joined  the computation, joined when the first line is asked for and left at the end
    draw    the result as a JSON object
    """
    return Lines(_talk(joined, draw, connection))


def progress_dict(progress: Progress) -> dict[str, Any]:
    """The JSON form of where the work is."""
    return {
        "phase": progress.phase,
        "path": progress.path,
        "done_bytes": progress.done_bytes,
        "total_bytes": progress.total_bytes,
        "events": progress.events,
    }


def _talk(
    joined: Callable[[], AbstractContextManager[Flight[T]]], draw: Callable[[T], bytes], connection: Connection
) -> Generator[bytes, None, None]:
    try:
        with joined() as flight:
            yield from progress_lines(flight, connection)
            if flight.done:
                yield b'{"result":' + draw(flight.result()) + b"}\n"
    except PerfCompareError as error:
        yield line(error_dict(error))
    except REFUSED_MEMORY as error:
        refused = out_of_memory(error)
        if refused is None:
            raise
        yield line(error_dict(refused))


def progress_lines(flight: Flight[Any], connection: Connection, **more: int) -> Iterator[bytes]:
    """A first line at once, then what is new; the last line again when nothing is, so that a browser that has gone is
    noticed where its connection does not tell. Nothing for an answer that is known already; ends early when the browser
    has gone. `more` stands in each line."""
    connection.writes_lines()
    start_s, seen, wait_s = time.monotonic(), 0, 0.0
    updates = [progress_dict(Progress("listing"))]
    while not flight.wait(wait_s):
        if connection.gone():
            return
        wait_s = LINE_EVERY_S
        seen, news = flight.news(seen)
        updates = [progress_dict(progress) for progress in news] or updates[-1:]
        elapsed_s = round(time.monotonic() - start_s, 3)
        for one in updates:
            yield line({"progress": {**one, "elapsed_s": elapsed_s, **more}})


def line(value: Mapping[str, Any]) -> bytes:
    """A value as one line."""
    return json.dumps(value).encode() + b"\n"
