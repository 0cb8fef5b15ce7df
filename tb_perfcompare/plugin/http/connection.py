"""Detects whether the client still waits for its response.

A browser that leaves and a client that only closes its sending half (`nc -N`, some proxies) look alike: both send FIN,
and Chromium sends nothing else for an aborted request or a closed tab. They differ when something is written to them: a
client that has closed both halves answers with RST, which the next poll of the socket shows; the other reads it. So
after a FIN

* a response in lines continues: its next line, a quarter of a second later, is such a write;
* before a single response, `100 Continue` is written once, which HTTP/1.1 clients must ignore;
* HTTP/1.0 clients do not know `100 Continue`: they count as gone after a few more seconds.
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
"""How long work continues after the FIN of a client that cannot be probed."""

_PROBE = b"HTTP/1.1 100 Continue\r\n\r\n"
_PEEK_FLAGS = getattr(socket, "MSG_PEEK", 0) | getattr(socket, "MSG_DONTWAIT", 0)
_PEER_SHUTDOWN: int = getattr(select, "POLLRDHUP", 0)
"""Poll event for a FIN from the other side; 0 where the system (all but Linux) does not report it separately."""


class Connection:
    """The connection of a request, by its socket. Without access to that (TensorBoard's own server gives it) the client
    never counts as gone."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._socket: socket.socket | None = environ.get("werkzeug.socket")
        self._skips_probes = environ.get("SERVER_PROTOCOL", "") >= "HTTP/1.1"
        self._writes_lines = False
        self._fin_seen_s: float | None = None

    def writes_lines(self) -> None:
        """Declares that the response is now written in lines: they serve as probes, so that none is sent between
        them."""
        self._writes_lines = True

    def gone(self) -> bool:
        """Whether the client has closed both halves of the connection, as far as can be detected. Never blocks."""
        if self._socket is None:
            return False
        if not _PEER_SHUTDOWN:
            return _has_sent_fin(self._socket)
        try:
            events = _events(self._socket)
            if events & ~_PEER_SHUTDOWN:
                return True
            return bool(events) and not self._writes_lines and self._is_refused(self._socket)
        except (OSError, ValueError):  # the server has closed the socket
            return True

    def report(self, progress: Progress, /) -> None:
        """Reporter that raises Cancelled once the client has gone."""
        if self.gone():
            raise Cancelled

    def _is_refused(self, sock: socket.socket) -> bool:
        """Whether a client that has sent FIN counts as gone. The first call writes a probe, whose RST a later poll
        shows; a client that cannot be probed counts as gone after UNTOLD_S."""
        if self._fin_seen_s is not None:
            return not self._skips_probes and time.monotonic() - self._fin_seen_s > UNTOLD_S
        self._fin_seen_s = time.monotonic()
        if self._skips_probes:
            sock.sendall(_PROBE)
        return False


def _events(sock: socket.socket) -> int:
    """Polls the connection without waiting: 0 if it is open, _PEER_SHUTDOWN after a FIN, further bits after an RST."""
    poll = select.poll()
    poll.register(sock, _PEER_SHUTDOWN)
    return next((events for _, events in poll.poll(0)), 0)


def _has_sent_fin(sock: socket.socket) -> bool:
    """Whether the client has sent FIN or the connection failed, for systems without _PEER_SHUTDOWN; False if only a
    blocking read would tell."""
    if not hasattr(socket, "MSG_DONTWAIT"):
        return False
    try:
        return sock.recv(1, _PEEK_FLAGS) == b""
    except (BlockingIOError, InterruptedError, ValueError):
        return False  # nothing was sent, as by a waiting browser, or the socket does not allow peeking
    except OSError:
        return True
