"""Whether the browser that asked still waits for its answer.

A browser that leaves and a client that has said all it has to say (`nc -N`, some proxies) look alike: either sends the
end of its half of the connection (FIN), and Chromium sends nothing else for an aborted request or a closed tab. They
differ in what they do when something is written to them: whoever has closed both halves refuses it with a reset, which
the next look at the socket shows; the other reads it. So at the end of the other side's half

* an answer in lines goes on: its next line, a quarter of a second later, is that write;
* before a single answer, `100 Continue` is written once, which clients of HTTP/1.1 have to skip;
* a client of HTTP/1.0 does not know such an answer to come: it is given a few seconds more, then it counts as gone.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Mapping
from typing import Any

from tb_perfcompare.errors import Cancelled
from tb_perfcompare.model.progress import Progress

UNTOLD_S = 5.0
"""How long work goes on for a client that has ended its half and cannot be asked whether it reads the other one."""

_PROBE = b"HTTP/1.1 100 Continue\r\n\r\n"
_LOOK = getattr(socket, "MSG_PEEK", 0) | getattr(socket, "MSG_DONTWAIT", 0)
_HALF: int = getattr(select, "POLLRDHUP", 0)
"""Where the system tells the end of a half from that of both: Linux."""


class Connection:
    """The socket of a request, if the server exposes it (TensorBoard's own does); else never seen as closed."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._socket: socket.socket | None = environ.get("werkzeug.socket")
        self._skips_probes = environ.get("SERVER_PROTOCOL", "") >= "HTTP/1.1"
        self._writes_lines = False
        self._ended_s: float | None = None

    def writes_lines(self) -> None:
        """From now on lines of the answer are written: they tell, and nothing else may come between them."""
        self._writes_lines = True

    def gone(self) -> bool:
        """True once the other side has closed both halves of the connection, as far as it can be told; never waits."""
        if self._socket is None:
            return False
        if not _HALF:
            return _sent_its_last(self._socket)
        try:
            events = _events(self._socket)
            if events & ~_HALF:
                return True
            return bool(events) and not self._writes_lines and self._is_refused(self._socket)
        except (OSError, ValueError):  # the server has closed it
            return True

    def report(self, progress: Progress, /) -> None:
        """A Reporter: raises Cancelled once the browser has gone."""
        if self.gone():
            raise Cancelled

    def _is_refused(self, ended: socket.socket) -> bool:
        """Of a client that has ended its half: the first look writes, a later one sees what came of it."""
        if self._ended_s is not None:
            return not self._skips_probes and time.monotonic() - self._ended_s > UNTOLD_S
        self._ended_s = time.monotonic()
        if self._skips_probes:
            ended.sendall(_PROBE)
        return False


def _events(looked_at: socket.socket) -> int:
    """What has happened to the connection: `_HALF` and more when both halves are over."""
    poll = select.poll()
    poll.register(looked_at, _HALF)
    return next((events for _, events in poll.poll(0)), 0)


def _sent_its_last(looked_at: socket.socket) -> bool:
    """Whether the other side's half is over, where no more can be seen; False where not even that can."""
    if not hasattr(socket, "MSG_DONTWAIT"):
        return False
    try:
        return looked_at.recv(1, _LOOK) == b""
    except (BlockingIOError, InterruptedError, ValueError):
        return False  # nothing was sent, which is what a waiting browser does; or a socket that cannot be asked
    except OSError:
        return True
