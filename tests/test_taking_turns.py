"""A test that is alone waits for those that run, and those that come later wait for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests import taking_turns
from tests.taking_turns import Turn, held

pytestmark = pytest.mark.skipif(taking_turns.fcntl is None, reason="no file locks here")


def test_one_alone_waits_for_those_who_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_GATE", "_ROOM"):
        (tmp_path / name).touch()
        monkeypatch.setattr(taking_turns, name, tmp_path / name)
    one, other, alone = Turn(), Turn(), Turn()
    one.take(alone=False)
    other.take(alone=False)
    other.give_back()
    waiting = threading.Thread(target=lambda: alone.take(alone=True))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    one.give_back()
    waiting.join(20)
    assert not waiting.is_alive()
    later = threading.Thread(target=lambda: other.take(alone=False))
    later.start()
    alone.take(alone=True)  # the next one that is alone: nobody gets in between
    later.join(0.2)
    assert later.is_alive()
    alone.give_back()
    later.join(20)
    assert not later.is_alive()
    other.give_back()


def test_what_is_held_is_let_go_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        with held(tmp_path / "file"):
            pass
