"""Servers that are closed after each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.drawn_runs import write_pair
from tests.plugin.server import Server


@pytest.fixture(autouse=True, scope="module")
def one_worker(kept_workers: None) -> Iterator[None]:
    """Starting processes would be most of what these tests do; those that need several say so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORKERS, "1")
        yield


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers."""
    made: list[Server] = []

    def start(*arguments: Any, **options: Any) -> Server:
        made.append(Server(*arguments, **options))
        return made[-1]

    yield start
    for server in made:
        server.close()


@pytest.fixture
def server(tmp_path: Path, serve: Callable[..., Server]) -> Server:
    """A server over normal/ and abnormal/."""
    write_pair(tmp_path / "logs")
    return serve(tmp_path / "logs")


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The same for all tests of a module that change nothing."""
    logs = tmp_path_factory.mktemp("lasting") / "logs"
    write_pair(logs)
    found = Server(logs)
    yield found
    found.close()
