"""A pair of runs for tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drawn_runs import write_pair


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """normal and abnormal; the abnormal run waits 500 us longer for data per step."""
    return write_pair(tmp_path)
