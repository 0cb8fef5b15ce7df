"""The cycle collector rests while rows are made, and only then."""

from __future__ import annotations

import gc

import pytest

from tb_perfcompare.model.collector import paused_collector


def test_it_rests_until_the_last_of_overlapping_bodies_ends() -> None:
    assert gc.isenabled()
    first, second = paused_collector(), paused_collector()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_wakes_it() -> None:
    with pytest.raises(ValueError, match="no"), paused_collector():
        raise ValueError("no")
    assert gc.isenabled()


def test_whoever_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
