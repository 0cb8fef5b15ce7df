"""Where the real traces are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data; the test is skipped where there is none."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("TB_PERFCOMPARE_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"shared data not found at {folder}")
    return folder
