"""Whether the browser that asked still waits for its answer."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

from tb_perfcompare.errors import Cancelled
from tb_perfcompare.model.progress import Progress

_LOOK = getattr(socket, "MSG_PEEK", 0) | getattr(socket, "MSG_DONTWAIT", 0)
_CAN_LOOK = hasattr(socket, "MSG_DONTWAIT")


class Connection:
    """The socket of a request, where the server shows it (TensorBoard's own does); elsewhere nobody ever goes."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._socket = environ.get("werkzeug.socket")

    def gone(self) -> bool:
        """True once the other side has closed; never waits."""
        if self._socket is None or not _CAN_LOOK:
            return False
        try:
            return bool(self._socket.recv(1, _LOOK) == b"")
        except (BlockingIOError, InterruptedError, ValueError):
            return False  # nothing was sent, which is what a waiting browser does; or a socket that cannot be asked
        except OSError:
            return True

    def report(self, progress: Progress, /) -> None:
        """A Reporter: raises Cancelled when the browser has gone, so that nobody waits for its answer any more."""
        if self.gone():
            raise Cancelled
