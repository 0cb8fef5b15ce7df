"""Responses as lines of JSON: progress a few times per second, then the result or an error."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from contextlib import AbstractContextManager
from dataclasses import asdict
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


def lines_of(
    joined: Callable[[], AbstractContextManager[Flight[T]]], encode: Callable[[T], bytes], connection: Connection
) -> Iterator[bytes]:
    """Yields the lines of one computation. The server closes them when the client has gone, which cancels the work.

    joined  joins the computation; called for the first line, left at the end
    encode  encodes the result as a JSON object
    """
    try:
        with joined() as flight:
            yield from progress_lines(flight, connection)
            if flight.done():
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
    updates = [asdict(Progress("listing"))]
    while wait([flight], wait_s).not_done:
        if connection.gone():
            return
        wait_s = LINE_EVERY_S
        seen, news = flight.progress_since(seen)
        updates = [asdict(progress) for progress in news] or updates[-1:]
        elapsed_s = round(time.monotonic() - start_s, 3)
        for update in updates:
            yield line({"progress": {**update, "elapsed_s": elapsed_s, **more}})


def line(value: Mapping[str, Any]) -> bytes:
    """Encodes a value as one line of JSON."""
    return json.dumps(value).encode() + b"\n"
