"""Creates the parts of a workspace when they are needed: nothing at TensorBoard's start, little for the list of runs
and for cached responses, and what computes at the first request that needs it, or in advance once the list was sent."""

from __future__ import annotations

import contextlib
import threading
import time
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.plugin.logdir import LogdirRoot

if TYPE_CHECKING:
    from tb_perfcompare.workspace.disk_cache.comparison_cache import ComparisonCache
    from tb_perfcompare.workspace.disk_cache.disk_store import DiskStore
    from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.listing.index import Index, Root
    from tb_perfcompare.workspace.listing.run_pages import RunPages
    from tb_perfcompare.workspace.sharing.single_flight import Flight
    from tb_perfcompare.workspace.workspace import Workspace

_IDLE_S = 0.25
"""Importing in advance starts this long after the last request: it would slow down the next one, which a tab that shows
a pair sends at once."""

_OF_A_PAIR = 2
"""Worker processes to start in advance: a pair of files keeps two busy."""


class LazyWorkspace:
    """Index, caches and workspace of the log directories, each created at first use. Safe to use from several
    threads."""

    def __init__(self, roots: tuple[LogdirRoot, ...]) -> None:
        self._roots = roots
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._workspace: Workspace | None = None
        self._ahead: threading.Thread | None = None
        self._last_request_s = 0.0
        self._closed = False

    @property
    def index(self) -> Index:
        """Finds runs and their files by name."""
        self._last_request_s = time.monotonic()
        with self._lock:
            return self._index

    @cached_property
    def run_pages(self) -> RunPages:
        """Pages of the listing, as JSON."""
        from tb_perfcompare.workspace.listing.run_pages import RunPages

        return RunPages()

    def first(self, request: ComparisonRequest) -> AbstractContextManager[Flight[bytes]]:
        """Joins the computation of the first response about a pair, as table_pages.first_response does. If it is cached
        on disk, nothing that computes is imported for it."""
        if self._workspace is None:
            cache = self._response_cache
            body = None if cache is None else cache.get_response(request)
            if body is not None:
                from tb_perfcompare.workspace.sharing.single_flight import Flight

                flight: Flight[bytes] = Flight(request)
                flight.set_result(body)
                return contextlib.nullcontext(flight)
        workspace = self.workspace
        from tb_perfcompare.workspace.queries.table_pages import first_response

        return first_response(workspace, request)

    @property
    def workspace(self) -> Workspace:
        """The workspace. Starts the worker processes for a pair before importing it, so that both import at the same
        time."""
        index = self.index
        with self._opening:
            if self._workspace is None:
                from tb_perfcompare.workspace.jobs.worker_preload import import_jobs
                from tb_perfcompare.workspace.workers.limits import default_workers
                from tb_perfcompare.workspace.workers.worker_pool import WorkerPool

                pool = WorkerPool(default_workers())
                if not self._closed:
                    pool.prepare(_OF_A_PAIR, (import_jobs,))

                from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
                from tb_perfcompare.workspace.workspace import Workspace

                self._workspace = Workspace(index=index, pool=pool, cache=user_cache(), known=self.known)
            return self._workspace

    def prestart(self) -> None:
        """Creates the workspace in a thread, once no request has come for _IDLE_S. Only the first call has an
        effect."""
        with self._lock:
            if self._ahead is None and self._workspace is None:
                self._ahead = threading.Thread(target=self._prestart, name="tb_perfcompare ahead", daemon=True)
                self._ahead.start()

    def close(self) -> None:
        """Ends all worker processes."""
        self._closed = True
        with self._opening:
            if self._workspace is not None:
                self._workspace.close()

    def _prestart(self) -> None:
        while (wait_s := self._last_request_s + _IDLE_S - time.monotonic()) > 0:
            time.sleep(wait_s)
        if self._closed:
            return
        with contextlib.suppress(PerfCompareError):  # raised again, and reported, at the next request
            self.workspace  # noqa: B018

    @cached_property
    def _index(self) -> Index:
        from tb_perfcompare.workspace.listing.index import Index, Root, links_stay_inside

        opened: list[Root] = [Root(root.path, root.name) for root in self._roots if root.is_opened]
        return Index(opened, inside=links_stay_inside())

    @cached_property
    def known(self) -> KnownRuns:
        """Facts about files that were read before."""
        from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns

        return KnownRuns(self._store)

    @cached_property
    def _response_cache(self) -> ComparisonCache | None:
        from tb_perfcompare.workspace.disk_cache.comparison_cache import ComparisonCache

        return None if self._store is None else ComparisonCache(self._store)

    @cached_property
    def _store(self) -> DiskStore | None:
        from tb_perfcompare.workspace.disk_cache.disk_store import DiskStore, user_place

        place = user_place()
        return None if place is None else DiskStore(*place)
