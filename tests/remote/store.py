"""A web server on this machine that has the files of a folder, and says what it was asked."""

from __future__ import annotations

import hashlib
import http.server
import re
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote


class Store:
    """Serves below `folder` from a thread; use as a context manager.

    ranges   whether parts of files are given
    named    whether files have an ETag
    breaks   how many answers stop in the middle
    refuse   paths that are answered with a status
    asked    (method, path, bytes that were sent) of every answer
    """

    def __init__(self, folder: Path, *, ranges: bool = True, named: bool = True, breaks: int = 0) -> None:
        self.folder, self.ranges, self.named, self.breaks = folder, ranges, named, breaks
        self.refuse: dict[str, int] = {}
        self.asked: list[tuple[str, str, int]] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Store:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def sent(self, name: str) -> int:
        """Bytes of the file that were sent so far."""
        return sum(size for method, path, size in self.asked if method == "GET" and path.endswith(name))


def _handler(store: Store) -> Callable[..., http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def log_message(self, *_: object) -> None:
            return None

        def _answer(self, *, with_body: bool) -> None:
            path = unquote(self.path.partition("?")[0])
            status = store.refuse.get(path, 0)
            place = store.folder / path.strip("/")
            if not status and not place.exists():
                status = 404
            if status:
                self._send(status, b"", {}, with_body)
            elif place.is_dir():
                links = "".join(f'<a href="{one.name}{"/" * one.is_dir()}">{one.name}</a>' for one in place.iterdir())
                page = f'<a href="?C=N">Name</a><a href="../">up</a>{links}'.encode()
                self._send(200, page, {"Content-Type": "text/html"}, with_body)
            else:
                self._file(place.read_bytes(), with_body)

        def _file(self, content: bytes, with_body: bool) -> None:
            headers = {"Content-Type": "application/octet-stream"}
            if store.named:
                headers["ETag"] = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if not store.ranges or asked is None:
                self._send(200, content, headers, with_body)
                return
            first, last = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            self._send(206, content[first : last + 1], headers, with_body)

        def _send(self, status: int, body: bytes, headers: dict[str, str], with_body: bool) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            breaks = with_body and store.breaks > 0 and "ETag" in headers and len(body) > 100
            sent = b"" if not with_body else body[: len(body) // 2] if breaks else body
            store.asked.append((self.command, self.path, len(sent)))
            self.wfile.write(sent)
            if breaks:
                store.breaks -= 1
                self.close_connection = True

    return Handler
