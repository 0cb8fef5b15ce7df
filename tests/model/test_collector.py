"""The garbage collector is paused while rows are made."""

from __future__ import annotations

import gc

import pytest

from tb_perfcompare.model.collector import paused_collector


def test_the_collector_is_paused_until_the_last_overlapping_body_ends() -> None:
    assert gc.isenabled()
    first, second = paused_collector(), paused_collector()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_resumes_the_collector() -> None:
    with pytest.raises(ValueError, match="no"), paused_collector():
        raise ValueError("no")
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
