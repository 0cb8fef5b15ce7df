"""Workspace: finds the files of named runs, has each file read once, compares, and caches the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import MarkerMissing, NotComparable
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side, Steps
from tb_perfcompare.workspace.jobs.summary_jobs import LoadedSide, compare_sides, outline_file, pooled, summarize_file
from tb_perfcompare.workspace.listing.index import Index, Listing, Root
from tb_perfcompare.workspace.loading import Loader, Outliner, Summarizer
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, SingleFlight, wait_for
from tb_perfcompare.workspace.workers.cluster import ClusterPool
from tb_perfcompare.workspace.workers.limits import default_workers
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns
    from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
    from tb_perfcompare.workspace.jobs.compat_jobs import CompatAnswer, CompatRequest
    from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
    from tb_perfcompare.workspace.listing.history import LatestHistory

SMALL_BYTES = 6 * 2**20
"""Up to this total size (`packed_bytes`), reading in this process is faster than starting worker processes, which takes
300 ms of CPU time: uncompressed pairs of 8 to 70 MB take 26 to 43 % less time on two busy cores."""

_COMPARISONS: Kind[Comparison] = Kind("comparisons", 128 * 2**20)
_STRICT: Kind[bytes] = Kind("strict reports", 32 * 2**20)
_PROFILER_ANSWERS: Kind[CompatAnswer] = Kind("answers of torch-tb-profiler", 0)

T = TypeVar("T")
Comparer = Callable[[LoadedSide, LoadedSide, CompareOptions, Reporter], "Comparison"]


class Workspace:
    """Answers requests about the runs below some roots. Construction opens no files and starts no threads or
    processes; the module for each kind of request is imported at the first such request.

    in_process_bytes  files of at most this total size (`packed_bytes`) are read in this process instead of by workers,
                      and sides of any size are compared in it; a server leaves it at 0, because that would block its
                      other threads (GIL)
    cache         summaries and comparisons on disk; None: every file is read
    index, pool   an existing index of the same roots and an existing worker pool to share; None: create new ones
    scheduler     address of a Dask scheduler whose cluster summarizes the files; None: processes of this machine
    known         where to store the facts that run lists show about files; None: in the cache
    summarize, compare, outline  functions that summarize a file, compare two sides, and read the facts for a list of
                                 runs; module-level functions, so that workers can import them

    Its methods `survey`, `facts` and `work` are those of its Loader.
    """

    def __init__(
        self,
        roots: Sequence[Root] = (),
        *,
        workers: int | None = None,
        in_process_bytes: int = 0,
        cache: SummaryCache | None = None,
        index: Index | None = None,
        pool: WorkerPool | None = None,
        scheduler: str | None = None,
        known: KnownRuns | None = None,
        summarize: Summarizer = summarize_file,
        compare: Comparer = compare_sides,
        outline: Outliner = outline_file,
    ) -> None:
        self._flights: dict[Kind[Any], SingleFlight[Any]] = {}
        self._index = Index(roots) if index is None else index
        self._compare = compare
        is_default = summarize is summarize_file and compare is compare_sides
        self._comparison_cache = cache.comparisons if cache is not None and is_default else None
        self._pool = WorkerPool(default_workers() if workers is None else workers) if pool is None else pool
        self._cluster = None if scheduler is None else ClusterPool(scheduler)
        self._loader = Loader(
            self.flights, self._pool, self._cluster, cache, known, in_process_bytes, summarize, outline
        )  # fmt: skip
        self.survey, self.facts, self.work = self._loader.survey, self._loader.facts, self._loader.work

    @cached_property
    def histories(self) -> LatestHistory:
        """Answers requests for the history of a series."""
        from tb_perfcompare.workspace.listing.history import LatestHistory

        return LatestHistory()

    def flights(self, kind: Kind[T]) -> SingleFlight[T]:
        """Returns the computations of a kind, which share a cache; their work ends with the workspace."""
        return self._flights.setdefault(kind, SingleFlight(kind.cache_bytes))

    def listing(self, *, rescan: bool = False) -> Listing:
        """Runs, problems and suggested pairs; up to a few seconds old unless `rescan`."""
        return self._index.listing(rescan=rescan)

    def side(self, selection: Selection, steps: Steps | None = None, launches: str | None = None) -> Side:
        """Finds the files of a selection as they are now; `launches` names a run that is a kernel listing or an ncu
        export. Raises SelectionError."""
        return self._index.side(selection, steps, launches)

    def load(self, side: Side, window: str = "device", report: Reporter = silent) -> Summary:
        """Returns one summary of the side: its captures pooled and narrowed to its steps, with a note for each file
        that could not be read.

        Raises InputError if no file can be read, SelectionError for steps that do not exist, and whatever `report`
        raises.
        """
        return pooled(self._loader.sides((side,), window, report)[0][0])

    def load_within(self, flight: Flight[Any], side: Side, window: str, *, paths: bool = False) -> Summary:
        """`load` as part of another computation; marks `flight` provisional if a file failed that may be readable
        later. With `paths` the summary has the callers of rows, for which the files are read again."""
        (loaded,), flight.provisional = self._loader.sides((side,), window, flight.report, paths=paths)
        return pooled(loaded)

    def agreed(self, sides: Sequence[Side], window: str, report: Reporter = silent) -> tuple[Side, Side]:
        """Returns both sides with a common step marker if their default markers would cut them into different units.

        Raises MarkerMissing, listing the markers of each side, and what reading raises."""
        loaded, _ = self._both(sides, window, report)
        return loaded[0].side, loaded[1].side

    def ask(self, request: ComparisonRequest) -> AbstractContextManager[Flight[Comparison]]:
        """Joins the computation of a comparison: a cached result, work under way, or new work; equal requests are
        computed once. The `with` body holds it; work that no caller holds any more is cancelled."""
        return self.flights(_COMPARISONS).joined(request, lambda flight: self._answer(request, flight))

    def compare(self, request: ComparisonRequest, report: Reporter = silent) -> Comparison:
        """`ask`, then wait for the result. Stops waiting when `report` raises (Cancelled, KeyboardInterrupt, ...)."""
        return wait_for(self.ask(request), report).result()

    def cached_response(self, request: ComparisonRequest) -> bytes | None:
        """The pair's comparison as JSON (render/wire/pages.py) if it is cached on disk, else None."""
        return None if self._comparison_cache is None else self._comparison_cache.get_response(request)

    def ask_strict(self, request: StrictRequest) -> AbstractContextManager[Flight[bytes]]:
        """Joins the computation of a strict report, as `ask` does for a comparison."""
        return self.flights(_STRICT).joined(request, lambda flight: self._answer_strict(request, flight))

    def profiler_answer(self, request: CompatRequest, report: Reporter = silent) -> CompatAnswer:
        """Returns torch-tb-profiler's answer about a file. Raises InputError and SelectionError; stops waiting when
        `report` raises."""
        from tb_perfcompare.workspace.jobs.compat_jobs import MEMORY_FACTOR, compat_answer

        def ask(flight: Flight[CompatAnswer]) -> CompatAnswer:
            return self._loader.in_worker(compat_answer, (request,), flight, request.file, MEMORY_FACTOR)

        return wait_for(self.flights(_PROFILER_ANSWERS).joined(request, ask), report).result()

    def close(self) -> None:
        """Ends all work and all processes."""
        for flights in tuple(self._flights.values()):
            flights.cancel_all()
        self._pool.close()
        if self._cluster is not None:
            self._cluster.close()

    @property
    def process_ids(self) -> list[int]:
        """Process ids of the live workers."""
        return self._pool.process_ids

    def _answer(self, request: ComparisonRequest, flight: Flight[Comparison]) -> Comparison:
        cache = self._comparison_cache
        if cache is None or (key := cache.key(request)) is None:
            return self._compared(request, flight)
        comparison = cache.get(key)
        if comparison is None:
            comparison = self._compared(request, flight)
            if not flight.provisional:
                cache.put(key, request, comparison)
        return comparison

    def _compared(self, request: ComparisonRequest, flight: Flight[Comparison]) -> Comparison:
        (baseline, candidate), flight.provisional = self._both(request.sides, request.options.window, flight.report)
        flight.report(Progress("comparing"))
        files = [file for side in request.sides for file in side.all_files]
        return self._loader.work(self._compare, (baseline, candidate, request.options), flight, files, reads=False)

    def _both(
        self, sides: Sequence[Side], window: str, report: Reporter, *, keep_ranks: bool = False
    ) -> tuple[list[LoadedSide], bool]:
        """Loader.sides; if a side lacks the requested step marker, the error lists the markers of both sides."""
        try:
            return self._loader.sides(sides, window, report, keep_ranks=keep_ranks)
        except MarkerMissing as error:
            from tb_perfcompare.workspace.inputs.step_markers import markers_of

            unmarked = [replace(side, marker="") for side in sides]
            reloaded, _ = self._loader.sides(unmarked, window, report, keep_ranks=keep_ranks)
            has = "; ".join(markers_of(loaded_side.side.source, loaded_side.summaries) for loaded_side in reloaded)
            near = f"{error.hint} " if error.hint.endswith("?") else ""
            raise MarkerMissing(error.message, hint=near + has) from error

    def _answer_strict(self, request: StrictRequest, flight: Flight[bytes]) -> bytes:
        from tb_perfcompare.workspace.jobs.strict_jobs import (
            check_kinds,
            not_comparable_report,
            strict_of_tables,
            strict_of_traces,
        )

        try:
            are_tables = check_kinds(request)
        except NotComparable as error:
            return not_comparable_report(error, request)
        files = [file for side in request.sides for file in side.files]
        if are_tables:
            return self._loader.work(strict_of_tables, (request,), flight, files)
        loaded = self._both(request.sides, request.window, flight.report, keep_ranks=True)
        (baseline, candidate), flight.provisional = loaded
        return self._loader.work(strict_of_traces, (baseline, candidate, request), flight, files, reads=False)
