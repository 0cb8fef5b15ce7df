"""A value that is refreshed in the background when it is too old: one refresh at a time, no lock held meanwhile."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

T = TypeVar("T")

SHORT_S = 0.1
"""A refresh that took no longer than this counts as quick: callers wait for it, and the next may follow at once."""
REST = 4
"""After a slow refresh the next one starts at the earliest after this many times its duration."""
_PATIENCE_S = 1.0
"""Longest wait for a refresh that is usually quick; after that the caller gets the old value."""


class Refreshed(Generic[T]):
    """Holds the latest result of `make`. Safe to use from several threads; each refresh runs in a daemon thread.

    kept_s  age at which a value is refreshed; longer if it took long to make
    """

    def __init__(self, make: Callable[[], T], *, kept_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._kept_s = kept_s
        self._clock = clock
        self._lock = threading.Lock()  # held briefly, never during `make`
        self._value: T | None = None
        self._making: tuple[float, Future[T]] | None = None  # when it began, and its result
        self._took_s = 0.0
        self._done_s = -math.inf

    def get(self, *, force: bool = False) -> T:
        """Returns the value. If it is too old a refresh is started, and waited for only if refreshes are quick. With
        `force` the result is made after this call, unless the last slow refresh was too recent: then it is the value
        being made, or the current one. Raises what `make` raises."""
        asked_s = self._clock()
        while True:
            with self._lock:
                value, is_short = self._value, self._took_s <= SHORT_S
                if value is not None and not self._is_due(force):
                    return value
                begun_s, made = self._making or self._begin()
            if value is not None and not force:
                left_s = max(0.0, _PATIENCE_S - (self._clock() - begun_s))
                return made.result() if is_short and not wait([made], left_s).not_done else value
            value = made.result()
            if not force or begun_s >= asked_s:
                return value

    def _is_due(self, force: bool) -> bool:
        if force and self._making is not None:
            return True
        rest_s = REST * self._took_s if self._took_s > SHORT_S else 0.0
        return self._clock() - self._done_s >= (rest_s if force else max(rest_s, self._kept_s))

    def _begin(self) -> tuple[float, Future[T]]:
        making = self._clock(), Future[T]()
        threading.Thread(target=self._work, args=making, name="tb_perfcompare refresh", daemon=True).start()
        self._making = making  # cannot have finished yet: finishing needs the lock, which this thread holds
        return making

    def _work(self, begun_s: float, made: Future[T]) -> None:
        value = self._value
        try:
            new_value = self._make()
            # an equal value keeps its identity, so that caches keyed by the object still hit
            value = value if value == new_value else new_value
        except BaseException as error:  # not swallowed: `result` raises it in the waiting caller
            self._end(begun_s, self._value)
            made.set_exception(error)
            return
        self._end(begun_s, value)
        made.set_result(value)

    def _end(self, begun_s: float, value: T | None) -> None:
        with self._lock:
            self._value = value
            self._making = None
            self._done_s = self._clock()
            self._took_s = self._done_s - begun_s
