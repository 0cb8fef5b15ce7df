"""The plugin behind TensorBoard's own WSGI stack, without sockets."""

from __future__ import annotations

import json
import warnings
from argparse import Namespace
from pathlib import Path
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of a library inside TensorBoard, about itself
    from tensorboard.backend.application import TensorBoardWSGI
from tensorboard.plugins.base_plugin import TBContext
from werkzeug.test import Client, TestResponse

from tb_perfcompare.plugin.loader import PerfCompareLoader
from tb_perfcompare.plugin.plugin import PerfComparePlugin

PREFIX = "/data/plugin/tb_perfcompare"


class Server:
    """One plugin on one log directory, and a client that asks it."""

    def __init__(self, logdir: Path | str = "", *, logdir_spec: str = "", others: dict[str, Any] | None = None) -> None:
        flags = Namespace(logdir=str(logdir), logdir_spec=logdir_spec)
        context = TBContext(logdir=str(logdir), flags=flags, plugin_name_to_instance=others)
        self.plugin: PerfComparePlugin = PerfCompareLoader().load(context)
        self.app = TensorBoardWSGI([self.plugin])
        self._client = Client(self.app)

    def get(self, route: str, *, headers: dict[str, str] | None = None, **query: str) -> TestResponse:
        """A GET below the plugin's prefix."""
        return self._client.get(f"{PREFIX}/{route}", query_string=query, headers=headers)

    def ask(self, method: str, path: str, **query: str) -> TestResponse:
        """Any method, any path."""
        return self._client.open(path, method=method, query_string=query)

    def json(self, route: str, **query: str) -> Any:
        """The decoded answer of a route that must be 200."""
        answer = self.get(route, **query)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.data)

    def lines(self, route: str = "api/comparison", **query: str) -> list[dict[str, Any]]:
        """The decoded lines of a route that streams, which must be 200."""
        answer = self.get(route, **query)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.data.splitlines()]

    def close(self) -> None:
        """Ends the plugin's processes."""
        self.plugin.close()


PAIR = {"baseline": "normal", "candidate": "abnormal"}
