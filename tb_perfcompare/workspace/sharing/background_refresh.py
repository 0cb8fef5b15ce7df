"""A value that is refreshed when it has aged: one refresh at a time, without waiting for a lock."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from tb_perfcompare.workspace.sharing.single_flight import Flight

T = TypeVar("T")

SHORT_S = 0.1
"""What takes no longer to make needs no rest, and is waited for."""
REST = 4
"""So many times as long as a making took passes before the next one."""
_PATIENCE_S = 1.0
"""How long a caller with an aged value waits for a refresh that is usually quick."""


class Refreshed(Generic[T]):
    """The latest value. Safe to use from several threads; each making has a thread of its own, which nothing waits for
    when the program ends.

    kept_s  how old a value may become, at least: what took long to make is kept longer
    """

    def __init__(self, make: Callable[[], T], *, kept_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._kept_s = kept_s
        self._clock = clock
        self._lock = threading.Lock()  # held for a moment only, never while making
        self._value: T | None = None
        self._making: _Making[T] | None = None
        self._took_s = 0.0
        self._done_s = -math.inf

    def get(self, *, anew: bool = False) -> T:
        """The present value while it is fresh. An old one is refreshed, and waited for only if that is quick. With
        `anew` the value is made after the call, unless the last refresh was too recent: then it is the one being made,
        or the present one. Raises what making raises."""
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
        self._making = making  # its thread cannot have ended: that takes the lock
        return making

    def _work(self, making: _Making[T]) -> None:
        value = self._value
        try:
            made = self._make()
            # an equal one stays the same object: what was made of it is found again
            value = value if value == made else made
        except BaseException as error:  # nothing is swallowed: the waiting caller gets it
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

    def within(self, timeout_s: float, other: T) -> T:
        """What is made, or the other value if that takes longer."""
        return self.result() if self.wait(max(0.0, timeout_s)) else other
