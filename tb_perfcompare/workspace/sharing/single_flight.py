"""Single flight: one computation per key, shared by all callers and cancelled when the last of them leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from tb_perfcompare.errors import Cancelled, out_of_memory
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache

T = TypeVar("T")
Item = TypeVar("Item")
Taken = TypeVar("Taken")

_TICK_S = 0.1


class Flight(Future[T]):
    """One computation, under way or finished, and its progress.

    The computing thread calls `report`, which raises Cancelled once no caller waits any more, and uses `stopping` to
    register how to interrupt blocking work. Waiting threads use `progress_since` and what futures have.

    provisional  set by the computing thread if a repetition may give a better value: it is cached only briefly
    """

    def __init__(self, key: Hashable) -> None:
        super().__init__()
        self.key = key
        self.waiters = 0
        self.provisional = False
        self._lock = threading.Lock()
        self._cancelled = False
        self._stops: list[Callable[[], None]] = []
        self._progress: dict[str, tuple[int, Progress]] = {}
        self._version = 0

    def report(self, progress: Progress, /) -> None:
        """Reporter that keeps the latest progress of each path. Raises Cancelled if no caller waits any more."""
        with self._lock:
            self._version += 1
            self._progress[progress.path] = (self._version, progress)
        self.check()

    def check(self) -> None:
        """Raises Cancelled if no caller waits any more."""
        if self._cancelled:
            raise Cancelled

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Has `cancel` call `stop`, from another thread, while the `with` body runs; calls it at once if the flight is
        already cancelled."""
        with self._lock:
            self._stops.append(stop)
            cancelled = self._cancelled
        if cancelled:
            stop()
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)

    def cancel(self) -> bool:
        """Asks the computing thread to end now; the future is done when that thread has ended."""
        with self._lock:
            self._cancelled = True
            stops = tuple(self._stops)
        for stop in stops:
            stop()
        return True

    def progress_since(self, since: int) -> tuple[int, list[Progress]]:
        """Returns (the version for the next call, the latest progress of each path that reported after `since`)."""
        with self._lock:
            fresh = sorted(entry for entry in self._progress.values() if entry[0] > since)
            return self._version, [progress for _, progress in fresh]


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """A kind of computation, and the bytes that its finished values may take in the cache."""

    name: str
    cache_bytes: int


class SingleFlight(Generic[T]):
    """Flights by key, with finished values in a cache of some bytes. Safe to use from several threads."""

    def __init__(self, cache_bytes: int) -> None:
        self._cache: ByteCache[T] = ByteCache(cache_bytes)
        self._lock = threading.Lock()
        self._flights: dict[Hashable, Flight[T]] = {}

    def join(self, key: Hashable, compute: Callable[[Flight[T]], T]) -> Flight[T]:
        """Returns the flight for `key`: a finished one from the cache, the one under way, or a new one. Each `join`
        needs a `leave`."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is None:
                flight = Flight(key)
                cached = self._cache.find(key)
                if cached is not None:
                    value, flight.provisional = cached
                    flight.set_result(value)
                    return flight
                threading.Thread(
                    target=self._compute, args=(flight, compute), name="tb_perfcompare work", daemon=True
                ).start()
                self._flights[key] = flight  # not before the thread has started: a failed start would never finish it
            flight.waiters += 1
            return flight

    def leave(self, flight: Flight[T]) -> None:
        """Stops waiting. When the last caller leaves, unfinished work is cancelled."""
        with self._lock:
            flight.waiters -= 1
            abandoned = flight.waiters <= 0 and not flight.done()
            if abandoned and self._flights.get(flight.key) is flight:
                del self._flights[flight.key]  # a new request starts again instead of joining cancelled work
        if abandoned:
            flight.cancel()

    @contextmanager
    def joined(self, key: Hashable, compute: Callable[[Flight[T]], T]) -> Iterator[Flight[T]]:
        """Joins a flight for the `with` body, then leaves it."""
        flight = self.join(key, compute)
        try:
            yield flight
        finally:
            self.leave(flight)

    def get(self, key: Hashable) -> T | None:
        """Returns the cached value, None if there is none."""
        return self._cache.get(key)

    def put(self, key: Hashable, value: T) -> None:
        """Caches a value that another computation found."""
        self._cache.put(key, value)

    def cancel_all(self) -> None:
        """Cancels all work under way; waiting callers get Cancelled."""
        with self._lock:
            flights = tuple(self._flights.values())
            self._flights.clear()
        for flight in flights:
            flight.cancel()

    def _compute(self, flight: Flight[T], compute: Callable[[Flight[T]], T]) -> None:
        try:
            value = compute(flight)
        except BaseException as error:  # not swallowed: result() raises it in the waiting caller
            self._forget(flight)
            flight.set_exception(out_of_memory(error) or error)
            return
        self._cache.put(flight.key, value, provisional=flight.provisional)
        self._forget(flight)
        flight.set_result(value)

    def _forget(self, flight: Flight[T]) -> None:
        with self._lock:
            if self._flights.get(flight.key) is flight:
                del self._flights[flight.key]


def wait_for_all(flights: Sequence[Flight[Any]], report: Reporter) -> None:
    """Waits until all flights are done, forwarding their progress. Without news the last report is repeated every tick,
    so that `report` can end the wait by raising."""
    follower = _Follower(report)
    pending = list(flights)
    while pending:
        pending = follower.tick(pending)


def wait_for(joined: AbstractContextManager[Flight[T]], report: Reporter) -> Flight[T]:
    """Waits for a joined flight and returns it, forwarding its progress. Raises what the computation or `report`
    raises."""
    with joined as flight:
        wait_for_all([flight], report)
        flight.result()
        return flight


def each_in_turn(
    items: Sequence[Item], begin: Callable[[Item], Flight[T]], leave: Callable[[Flight[T]], None],
    take: Callable[[Flight[T]], Taken], at_once: int, report: Reporter,
) -> list[Taken]:  # fmt: skip
    """Returns `take(flight)` of each item's finished flight, in the items' order; up to `at_once` flights run at a
    time. Every flight is left, even if `report` raises."""
    follower = _Follower(report)
    out: dict[int, Taken] = {}
    active: dict[int, Flight[T]] = {}
    try:
        for number, item in enumerate(items):
            active[number] = begin(item)
            while len(active) >= at_once or (active and number == len(items) - 1):
                follower.tick(list(active.values()))
                for done in [index for index, flight in active.items() if flight.done()]:
                    out[done] = take(active[done])
                    leave(active.pop(done))
        return [out[number] for number in range(len(items))]
    finally:
        for flight in active.values():
            leave(flight)


class _Follower:
    """Forwards the progress of flights to a reporter."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._seen: WeakKeyDictionary[Flight[Any], int] = WeakKeyDictionary()
        self._latest = Progress("listing")

    def tick(self, flights: Sequence[Flight[Any]]) -> list[Flight[Any]]:
        """Waits up to _TICK_S for a flight to finish and forwards news; returns the unfinished flights."""
        wait(flights, _TICK_S, FIRST_COMPLETED)
        news: list[Progress] = []
        for flight in flights:
            self._seen[flight], fresh = flight.progress_since(self._seen.get(flight, 0))
            news += fresh
        for progress in news or [self._latest]:
            self._report(progress)
            self._latest = progress
        return [flight for flight in flights if not flight.done()]
