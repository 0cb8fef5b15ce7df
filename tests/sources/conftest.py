"""Where the real traces are, and tests that run with each reader."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE, VARIABLE


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data; the test is skipped where there is none."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("TB_PERFCOMPARE_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"shared data not found at {folder}")
    return folder


@pytest.fixture(scope="module", params=sorted(AVAILABLE, reverse=True))
def each_reader(request: pytest.FixtureRequest) -> Iterator[str]:
    """The tests of a module run once with every reader there is; the name of the one in use.

    That the compiled one is there is tested in test_compiled_module.py.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, request.param)
        yield request.param
