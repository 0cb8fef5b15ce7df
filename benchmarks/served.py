"""A real TensorBoard on a port of its own, with the processes it starts and their memory; nothing of it outlives the
block that opened it."""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

ROUTE = "/data/plugin/tb_perfcompare/"

_MAIN = """
from absl import app
from tensorboard import default, main_lib, program
from tb_perfcompare.plugin.loader import PerfCompareLoader
main_lib.global_init()
server = program.TensorBoard(plugins=[*default.get_static_plugins(), PerfCompareLoader])
app.run(server.main, flags_parser=server.configure)
"""
"""tensorboard.main with its own plugins and this one, in a file of its own as the real one is: Python looks for modules
beside it, not in the working directory. Others that are installed stay out: torch-tb-profiler's starts a
process for each file below the log directory."""
_ALL_PLUGINS = """
from tensorboard.main import run_main
if __name__ == "__main__":
    run_main()
"""
START_S = 90.0
_BUSY_START_S = 300.0
_END_S = 10.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Served:
    """A server that is up. It has a session of its own, so that its end is the end of all it started."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path, prefix: str = "") -> None:
        self.process = process
        self.port = port
        self.address = f"http://127.0.0.1:{port}{prefix}/"
        self._prefix = prefix
        self._log = log

    def get(self, path: str, *, timeout_s: float = 60.0, **query: str) -> Answer:
        """The answer to a GET of a route of the plugin, or of an absolute path."""
        connection = self.connect(timeout_s)
        try:
            connection.request("GET", self.target(path, **query), headers={"Accept-Encoding": "identity"})
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, answer.read(), headers)
        finally:
            connection.close()

    def connect(self, timeout_s: float = 60.0) -> http.client.HTTPConnection:
        """A connection that nothing has been sent over."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def target(self, path: str, **query: str) -> str:
        """Path and query of a route of the plugin; paths that begin with / are taken as they are."""
        whole = self._prefix + (path if path.startswith("/") else ROUTE + path)
        return f"{whole}?{urlencode(query, quote_via=quote)}" if query else whole

    def workers(self) -> list[int]:
        """Ids of the processes it has started and that live."""
        return children(self.process.pid)

    def rss_bytes(self) -> tuple[int, int]:
        """Resident memory of the server itself, and of its workers together."""
        return rss_bytes(self.process.pid), sum(map(rss_bytes, self.workers()))

    def log_text(self) -> str:
        """What it has written so far."""
        return self._log.read_text("utf-8", "replace")


@contextlib.contextmanager
def served(
    logdir: Path, *, environment: Mapping[str, str] | None = None, flags: tuple[str, ...] = (), cwd: Path | None = None,
    prefix: str = "", all_plugins: bool = False,
) -> Iterator[Served]:  # fmt: skip
    """TensorBoard over the log directory, started in `cwd`, below a path prefix, with its own plugins and this one, or
    with all that are installed. Raises RuntimeError with its output when it does not come up."""
    with tempfile.TemporaryDirectory() as folder:
        log, script = Path(folder) / "log", Path(folder) / "tensorboard"
        script.write_text(_ALL_PLUGINS if all_plugins else _MAIN)
        port = _free_port()
        command = [sys.executable, str(script), "--logdir", str(logdir), "--host", "127.0.0.1", "--port", str(port)]
        command += ["--load_fast=false", "--path_prefix", prefix, *flags]
        with log.open("wb") as out:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
                env={**os.environ, **(environment or {})}, cwd=cwd,
            )  # fmt: skip
        try:
            found = Served(process, port, log, prefix)
            _wait_until_up(found, _BUSY_START_S if all_plugins else START_S)
            yield found
        finally:
            _end(process)


def children(process_id: int) -> list[int]:
    """Ids of the live children of a process."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{process_id}/task"):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{process_id}/task/{task}/children").read_text()
                found += [child for child in map(int, text.split()) if is_running(child)]
    except OSError:
        return []
    return sorted(found)


def is_running(process_id: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def rss_bytes(process_id: int) -> int:
    """Resident memory, 0 of a process that has gone."""
    try:
        return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(found: Served, most_s: float) -> None:
    until_s = time.monotonic() + most_s
    while time.monotonic() < until_s and found.process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if found.get("/data/plugins_listing", timeout_s=10).status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"TensorBoard did not start:\n{found.log_text()[-3000:]}")


def _end_with_parent() -> None:
    """In the child: the system kills it when this process ends, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The server and everything in its session."""
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
