"""Responses as lines of JSON: progress a few times per second, then the result or an error."""

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
"""Interval of progress lines, and so the time in which a closed connection is noticed."""


class Lines:
    """The lines of a response. The server closes it when the client has gone, which cancels the work."""

    def __init__(self, lines: Generator[bytes, None, None]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def close(self) -> None:
        """Leaves the computation; the server always calls it."""
        self._lines.close()


def lines_of(
    joined: Callable[[], AbstractContextManager[Flight[T]]], encode: Callable[[T], bytes], connection: Connection
) -> Lines:
    """Returns the lines of one computation.

    joined  joins the computation; called for the first line, left at the end
    encode  encodes the result as a JSON object
    """
    return Lines(_stream(joined, encode, connection))


def progress_dict(progress: Progress) -> dict[str, Any]:
    """Returns a progress report as a JSON object."""
    return {
        "phase": progress.phase,
        "path": progress.path,
        "done_bytes": progress.done_bytes,
        "total_bytes": progress.total_bytes,
        "events": progress.events,
    }


def _stream(
    joined: Callable[[], AbstractContextManager[Flight[T]]], encode: Callable[[T], bytes], connection: Connection
) -> Generator[bytes, None, None]:
    try:
        with joined() as flight:
            yield from progress_lines(flight, connection)
            if flight.done:
                yield b'{"result":' + encode(flight.result()) + b"}\n"
    except PerfCompareError as error:
        yield line(error_dict(error))
    except REFUSED_MEMORY as error:
        refused = out_of_memory(error)
        if refused is None:
            raise
        yield line(error_dict(refused))


def progress_lines(flight: Flight[Any], connection: Connection, **more: int) -> Iterator[bytes]:
    """Yields a first progress line at once, then new ones. Without news it repeats the last one: writing shows that a
    connection is closed even if its socket cannot be polled. Yields nothing for a finished flight; ends early when the
    client has gone. `more` is added to each line."""
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
        for update in updates:
            yield line({"progress": {**update, "elapsed_s": elapsed_s, **more}})


def line(value: Mapping[str, Any]) -> bytes:
    """Encodes a value as one line of JSON."""
    return json.dumps(value).encode() + b"\n"
