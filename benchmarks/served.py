"""Runs a real TensorBoard on a free port, for a `with` body, and observes its processes and their memory."""

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
from tensorboard import main_lib, program
from tb_perfcompare.plugin.loader import PerfCompareLoader
OTHERS
main_lib.global_init()
server = program.TensorBoard(plugins=[*others, PerfCompareLoader])
app.run(server.main, flags_parser=server.configure)
"""
"""tensorboard.main with only its own plugins and this one, as torch-tb-profiler's would start a process for each file.
Written to a script file, like the real one, so that Python does not import from the working directory."""
_OWN = "from tensorboard import default; others = default.get_static_plugins()"
_CORE = "from tensorboard.plugins.core.core_plugin import CorePluginLoader; others = [CorePluginLoader()]"
_EMPTY = f"""
{_CORE}
from tensorboard.plugins.base_plugin import FrontendMetadata, TBPlugin
from werkzeug.wrappers import Response

class Empty(TBPlugin):
    plugin_name = "empty"
    def is_active(self):
        return True
    def get_plugin_apps(self):
        return {{"/index.js": Response("export function render() {{}}", mimetype="text/javascript")}}
    def frontend_metadata(self):
        return FrontendMetadata(es_module_path="/index.js", tab_name="Empty")

others.append(Empty)
"""
"""A dashboard that shows nothing, to which one can leave ours."""
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
    """A response."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Served:
    """A running server, in a session of its own, so that all processes it has started can be ended with it."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path, prefix: str = "") -> None:
        self.process = process
        self.port = port
        self.address = f"http://127.0.0.1:{port}{prefix}/"
        self._prefix = prefix
        self._log = log

    def get(self, path: str, *, timeout_s: float = 60.0, **query: str) -> Answer:
        """Sends a GET to a route of the plugin, or to an absolute path."""
        connection = self.connect(timeout_s)
        try:
            connection.request("GET", self.target(path, **query), headers={"Accept-Encoding": "identity"})
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, answer.read(), headers)
        finally:
            connection.close()

    def connect(self, timeout_s: float = 60.0) -> http.client.HTTPConnection:
        """Returns a new connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def target(self, path: str, **query: str) -> str:
        """Returns path and query of a route of the plugin, or of an absolute path."""
        full_path = self._prefix + (path if path.startswith("/") else ROUTE + path)
        return f"{full_path}?{urlencode(query, quote_via=quote)}" if query else full_path

    def workers(self) -> list[int]:
        """Ids of the live processes that the server has started."""
        return children(self.process.pid)

    def rss_bytes(self) -> tuple[int, int]:
        """(resident bytes of the server itself, of all its workers together)."""
        return rss_bytes(self.process.pid), sum(map(rss_bytes, self.workers()))

    def log_text(self) -> str:
        """The server's output so far."""
        return self._log.read_text("utf-8", "replace")


@contextlib.contextmanager
def served(
    logdir: Path, *, environment: Mapping[str, str] | None = None, flags: tuple[str, ...] = (), cwd: Path | None = None,
    prefix: str = "", all_plugins: bool = False, core_only: bool = False, empty_tab: bool = False,
) -> Iterator[Served]:  # fmt: skip
    """Runs TensorBoard on a log directory during the `with` body: started in `cwd`, with a path prefix, with this
    plugin and its own ones (`core_only`: without its dashboards, in half of the time; `empty_tab`: with an empty one
    instead) or all that are installed. Raises RuntimeError, with its output, if it does not start."""
    with tempfile.TemporaryDirectory() as folder:
        log, script = Path(folder) / "log", Path(folder) / "tensorboard"
        others = _CORE if core_only else _EMPTY if empty_tab else _OWN
        script.write_text(_ALL_PLUGINS if all_plugins else _MAIN.replace("OTHERS", others))
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
            server = Served(process, port, log, prefix)
            _wait_until_up(server, _BUSY_START_S if all_plugins else START_S)
            yield server
        finally:
            _end(process)


def children(process_id: int) -> list[int]:
    """Returns the ids of a process's live children."""
    ids: list[int] = []
    try:
        for task in os.listdir(f"/proc/{process_id}/task"):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{process_id}/task/{task}/children").read_text()
                ids += [child for child in map(int, text.split()) if is_running(child)]
    except OSError:
        return []
    return sorted(ids)


def is_running(process_id: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def rss_bytes(process_id: int) -> int:
    """Resident memory of a process in bytes, 0 if it has ended."""
    try:
        return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(server: Served, most_s: float) -> None:
    until_s = time.monotonic() + most_s
    while time.monotonic() < until_s and server.process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if server.get("/data/plugins_listing", timeout_s=10).status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"TensorBoard did not start:\n{server.log_text()[-3000:]}")


def _end_with_parent() -> None:
    """Runs in the child: has the system kill it when its parent ends, however that happens."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the server and all processes in its session."""
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
