"""A value that is refreshed in the background when it is too old: one refresh at a time, no lock held meanwhile."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from tb_perfcompare.workspace.sharing.single_flight import Flight

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
        self._making: _Making[T] | None = None
        self._took_s = 0.0
        self._done_s = -math.inf

    def get(self, *, anew: bool = False) -> T:
        """Returns the value. If it is too old a refresh is started, and waited for only if refreshes are quick. With
        `anew` the result is made after this call, unless the last slow refresh was too recent: then it is the value
        being made, or the current one. Raises what `make` raises."""
        asked_s = self._clock()
        while True:
            with self._lock:
                value, is_short = self._value, self._took_s <= SHORT_S
                if value is not None and not self._is_due(anew):
                    return value
                making = self._making or self._begin()
            if value is not None and not anew:
                return making.within(_PATIENCE_S - (self._clock() - making.begun_s), value) if is_short else value
            value = making.result()
            if not anew or making.begun_s >= asked_s:
                return value

    def _is_due(self, anew: bool) -> bool:
        if anew and self._making is not None:
            return True
        rest_s = REST * self._took_s if self._took_s > SHORT_S else 0.0
        return self._clock() - self._done_s >= (rest_s if anew else max(rest_s, self._kept_s))

    def _begin(self) -> _Making[T]:
        making: _Making[T] = _Making(self._clock())
        threading.Thread(target=self._work, args=(making,), name="tb_perfcompare refresh", daemon=True).start()
        self._making = making  # cannot have finished yet: finishing needs the lock, which this thread holds
        return making

    def _work(self, making: _Making[T]) -> None:
        value = self._value
        try:
            new_value = self._make()
            # an equal value keeps its identity, so that caches keyed by the object still hit
            value = value if value == new_value else new_value
        except BaseException as error:  # not swallowed: `result` raises it in the waiting caller
            self._end(making, self._value)
            making.fail(error)
            return
        self._end(making, value)
        making.finish(value)

    def _end(self, making: _Making[T], value: T | None) -> None:
        with self._lock:
            self._value = value
            self._making = None
            self._done_s = self._clock()
            self._took_s = self._done_s - making.begun_s


class _Making(Flight[T]):
    def __init__(self, begun_s: float) -> None:
        super().__init__(begun_s)
        self.begun_s = begun_s

    def within(self, timeout_s: float, fallback: T) -> T:
        """Returns the result if it is ready in time, else `fallback`."""
        return self.result() if self.wait(max(0.0, timeout_s)) else fallback
