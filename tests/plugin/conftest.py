"""Servers that are closed after each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.drawn_runs import write_pair
from tests.plugin.server import Server


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
