"""From names to comparisons: finds files, has each read once, compares, and caches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import InputError, MarkerMissing, NotComparable
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.workspace.inputs.sides import CaptureFile, ComparisonRequest, Side, Steps
from tb_perfcompare.workspace.jobs.span_facts import SpanFacts
from tb_perfcompare.workspace.jobs.summary_jobs import LoadedSide, compare_sides, outline_file, pooled, summarize_file
from tb_perfcompare.workspace.listing.index import Index, Listing, Root
from tb_perfcompare.workspace.loading import Loader, Outliner, Summarizer, markers_of
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, finished
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
    from tb_perfcompare.workspace.queries.candidates import CandidateComparisons
    from tb_perfcompare.workspace.queries.row_responses import RowResponses
    from tb_perfcompare.workspace.queries.step_views import StepViews
    from tb_perfcompare.workspace.queries.table_pages import TablePages

SMALL_BYTES = 6 * 2**20
"""Files up to this size together are read faster here than by processes that have to be started for them."""

_COMPARISON_CACHE_BYTES = 128 * 2**20
_STRICT_CACHE_BYTES = 32 * 2**20

T = TypeVar("T")
Comparer = Callable[[LoadedSide, LoadedSide, CompareOptions, Reporter], "Comparison"]


class Workspace:
    """Runs below some roots. Construction touches nothing: no files, no threads, no processes; what answers a kind of
    question is imported with the first one.

    in_process_bytes  a question whose files have at most this size together is answered in this process instead of by
                      workers; a server leaves it at 0, because reading keeps Python busy for its other threads
    cache     summaries and comparisons on disk; None: everything is read
    links_inside  links that lead out of a root are not followed
    index, pool  of the same roots, and the processes that work: ones that are there already; None: new ones
    scheduler  address of a Dask scheduler whose cluster summarises the files; None: processes of this machine
    known  takes what a list of runs tells of files that were read; None: the cache's
    summarize, compare, outline  what to do with a file, with two sides, and with a file that is only listed;
                                 module-level functions, so that workers find them
    """

    def __init__(
        self,
        roots: Sequence[Root] = (),
        *,
        workers: int | None = None,
        in_process_bytes: int = 0,
        cache: SummaryCache | None = None,
        links_inside: bool = False,
        index: Index | None = None,
        pool: WorkerPool | None = None,
        scheduler: str | None = None,
        known: KnownRuns | None = None,
        summarize: Summarizer = summarize_file,
        compare: Comparer = compare_sides,
        outline: Outliner = outline_file,
    ) -> None:
        self._index = Index(roots, inside=links_inside) if index is None else index
        self._compare = compare
        usual = summarize is summarize_file and compare is compare_sides
        self._kept = cache.comparisons if cache is not None and usual else None
        self._pool = WorkerPool(default_workers() if workers is None else workers) if pool is None else pool
        self._cluster = None if scheduler is None else ClusterPool(scheduler)
        self._loader = Loader(self._pool, cache, summarize, in_process_bytes, self._cluster, known, outline)
        self._comparisons: SingleFlight[Comparison] = SingleFlight(ByteCache(_COMPARISON_CACHE_BYTES))
        self._strict: SingleFlight[bytes] = SingleFlight(ByteCache(_STRICT_CACHE_BYTES))
        self._profiler_answers: SingleFlight[CompatAnswer] = SingleFlight(ByteCache(0))
        self._lock = threading.Lock()
        self._queries: dict[Callable[..., Any], Any] = {}

    @property
    def pages(self) -> TablePages:
        """Pages of tables."""
        from tb_perfcompare.workspace.queries.table_pages import TablePages

        return self._answering(TablePages)

    @property
    def rows(self) -> RowResponses:
        """Steps and callers of rows."""
        from tb_perfcompare.workspace.queries.row_responses import RowResponses

        return self._answering(RowResponses)

    @property
    def candidates(self) -> CandidateComparisons:
        """Comparisons in short."""
        from tb_perfcompare.workspace.queries.candidates import CandidateComparisons

        return self._answering(CandidateComparisons)

    @property
    def step_views(self) -> StepViews:
        """Steps with their events."""
        from tb_perfcompare.workspace.queries.step_views import StepViews

        return self._answering(StepViews)

    @cached_property
    def histories(self) -> LatestHistory:
        """Series of runs."""
        from tb_perfcompare.workspace.listing.history import LatestHistory

        return LatestHistory()

    def listing(self, *, rescan: bool = False) -> Listing:
        """Runs, problems and suggested pairs; kept for a few seconds unless `rescan`."""
        return self._index.listing(rescan=rescan)

    def side(self, selection: Selection, steps: Steps | None = None, launches: str | None = None) -> Side:
        """The files a selection means now; `launches` names a run that is a listing or an export. Raises
        SelectionError."""
        return self._index.side(selection, steps, launches)

    def load(self, side: Side, window: str = "device", report: Reporter = silent) -> Summary:
        """One summary of the side, its captures pooled and narrowed to its steps; files that failed are notes on it.

        Raises InputError if no file can be read, SelectionError for steps that do not exist, what `report` raises.
        """
        return pooled(self._loader.sides((side,), window, report)[0][0])

    def load_within(self, flight: Flight[Any], side: Side, window: str, *, paths: bool = False) -> Summary:
        """`load` as a part of a computation, which is remembered for a moment only if a file may be read next time.
        With `paths` it has the callers of rows, for which files are read once more."""
        (loaded,), flight.provisional = self._loader.sides((side,), window, flight.report, paths=paths)
        return pooled(loaded)

    def agreed(self, sides: Sequence[Side], window: str, report: Reporter = silent) -> tuple[Side, Side]:
        """Both sides with the marker of steps that all their recordings have, where by themselves they would be cut
        into different units. Raises MarkerMissing, naming what each side has, and what reading raises."""
        loaded, _ = self._both(sides, window, report)
        return loaded[0].side, loaded[1].side

    def survey(
        self, files: Sequence[CaptureFile], window: str = "device", report: Reporter = silent, *, tail: bool = False,
        marker: str = "",
    ) -> list[Summary | InputError]:  # fmt: skip
        """Each file by itself: its summary, or why it cannot be read; `tail` and `marker` as of SummaryJob."""
        return self._loader.survey(files, window, report, tail=tail, marker=marker)

    def facts(
        self, files: Sequence[CaptureFile], report: Reporter = silent, *, marker: str = ""
    ) -> list[SpanFacts | InputError]:
        """The facts that a list of runs shows of each file, or why it cannot be read. Only files that are new or have
        changed are read; all of them if a `marker` is given."""
        return self._loader.facts(files, report, marker=marker)

    def ask(self, question: ComparisonRequest) -> AbstractContextManager[Flight[Comparison]]:
        """The comparison, finished, under way or started now, for as long as the body lasts; the same question is
        computed once. The work ends when no caller waits any more."""
        return self._comparisons.joined(question, lambda flight: self._answer(question, flight))

    def compare(self, question: ComparisonRequest, report: Reporter = silent) -> Comparison:
        """`ask` and wait. Leaves when `report` raises (Cancelled, KeyboardInterrupt, ...)."""
        return finished(self.ask(question), report).result()

    def kept_answer(self, question: ComparisonRequest) -> bytes | None:
        """render/wire/pages.py's answer about the pair, if it is on disk."""
        return None if self._kept is None else self._kept.answer_to(question)

    def strict(self, question: StrictRequest, report: Reporter = silent) -> bytes:
        """The strict report, drawn. Leaves when `report` raises; work without a waiting caller ends."""
        return finished(self.ask_strict(question), report).result()

    def ask_strict(self, question: StrictRequest) -> AbstractContextManager[Flight[bytes]]:
        """The same, done, under way or started now, for as long as the body lasts."""
        return self._strict.joined(question, lambda flight: self._answer_strict(question, flight))

    def profiler_answer(self, question: CompatRequest, report: Reporter = silent) -> CompatAnswer:
        """What torch-tb-profiler answers about a file. Raises InputError and SelectionError; leaves when `report`
        raises."""
        from tb_perfcompare.workspace.jobs.compat_jobs import TIMES_A_SUMMARY, compat_answer

        def ask(flight: Flight[CompatAnswer]) -> CompatAnswer:
            return self._loader.apart(compat_answer, (question,), flight, question.file, TIMES_A_SUMMARY)

        return finished(self._profiler_answers.joined(question, ask), report).result()

    def work(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], files: Sequence[CaptureFile]
    ) -> T:
        """`function(*arguments, report)` about some files: here where they are small, else in a worker."""
        return self._loader.work(function, arguments, flight, files)

    def close(self) -> None:
        """Ends all work and all processes."""
        with self._lock:
            asked = list(self._queries.values())
        for queries in asked:
            queries.close()
        self._profiler_answers.cancel_all()
        self._strict.cancel_all()
        self._comparisons.cancel_all()
        self._loader.close()
        self._pool.close()
        if self._cluster is not None:
            self._cluster.close()

    @property
    def process_ids(self) -> list[int]:
        """Of the live worker processes."""
        return self._pool.process_ids

    def _answering(self, kind: Callable[[Workspace], T]) -> T:
        """The one of its kind, for all threads."""
        with self._lock:
            if kind not in self._queries:
                self._queries[kind] = kind(self)
            answering: T = self._queries[kind]
        return answering

    def _answer(self, question: ComparisonRequest, flight: Flight[Comparison]) -> Comparison:
        key = None if self._kept is None else self._kept.key(question)
        kept = None if self._kept is None or key is None else self._kept.get(key)
        if kept is not None:
            return kept
        found = self._compared(question, flight)
        if self._kept is not None and key is not None and not flight.provisional:
            self._kept.put(key, question, found)
        return found

    def _compared(self, question: ComparisonRequest, flight: Flight[Comparison]) -> Comparison:
        sides = (question.baseline, question.candidate)
        (baseline, candidate), flight.provisional = self._both(sides, question.options.window, flight.report)
        flight.report(Progress("comparing"))
        files = [file for side in sides for file in side.everything]
        return self._loader.work(self._compare, (baseline, candidate, question.options), flight, files, reads=False)

    def _both(
        self, sides: Sequence[Side], window: str, report: Reporter, *, whole: bool = False
    ) -> tuple[list[LoadedSide], bool]:
        """Loader.sides; where one lacks the marker of steps that was asked for, the error names what each has."""
        try:
            return self._loader.sides(sides, window, report, whole=whole)
        except MarkerMissing as error:
            found, _ = self._loader.sides([replace(side, marker="") for side in sides], window, report, whole=whole)
            has = "; ".join(markers_of(loaded_side.side.source, loaded_side.summaries) for loaded_side in found)
            near = f"{error.hint} " if error.hint.endswith("?") else ""
            raise MarkerMissing(error.message, hint=near + has) from error

    def _answer_strict(self, question: StrictRequest, flight: Flight[bytes]) -> bytes:
        from tb_perfcompare.workspace.jobs.strict_jobs import check_kinds, refused, strict_of_tables, strict_of_traces

        try:
            are_tables = check_kinds(question)
        except NotComparable as error:
            return refused(error, question)
        files = [file for side in question.sides for file in side.files]
        if are_tables:
            return self._loader.work(strict_of_tables, (question,), flight, files)
        loaded = self._both(question.sides, question.window, flight.report, whole=True)
        (baseline, candidate), flight.provisional = loaded
        return self._loader.work(strict_of_traces, (baseline, candidate, question), flight, files, reads=False)
