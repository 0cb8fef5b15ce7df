"""Fixtures for tests that run with each reader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE, VARIABLE


@pytest.fixture(scope="module", params=sorted(AVAILABLE, reverse=True))
def each_reader(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs the tests of a module with every available reader; gives its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, request.param)
        yield request.param
