"""Waiting for something to become true, with an end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

SOON_S = 20.0
"""For a slow and busy machine; whatever is waited for happens at once, or a minute later if at all."""


def becomes_true(check: Callable[[], bool], within_s: float = SOON_S) -> bool:
    """Whether the check holds within the time."""
    end_s = time.monotonic() + within_s
    while time.monotonic() < end_s:
        if check():
            return True
        time.sleep(0.02)
    return check()


def asked_by_another(ask: Callable[[], T]) -> Future[T]:
    """The answer to come of a thread that has begun to ask."""
    asked = threading.Event()
    answer: Future[T] = Future()

    def work() -> None:
        asked.set()
        answer.set_result(ask())

    threading.Thread(target=work, daemon=True).start()
    asked.wait()
    return answer
