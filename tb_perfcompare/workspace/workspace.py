"""From names to comparisons: finds files, has each read once, compares, remembers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.comparison import Comparison
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError, NotComparable
from tb_perfcompare.model.cycles import CounterTable
from tb_perfcompare.model.launches import LaunchRecording
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.summary import Summary
from tb_perfcompare.workspace.cache import ByteCache
from tb_perfcompare.workspace.flights import Flight, SharedWork, follow
from tb_perfcompare.workspace.index import Index, Listing, Root
from tb_perfcompare.workspace.jobs import (
    CaptureFile,
    LoadedSide,
    Side,
    Steps,
    SummaryJob,
    compare_sides,
    failure_note,
    pooled,
    read_counter_file,
    read_launches,
    summarize_file,
)
from tb_perfcompare.workspace.run_pages import RunPages
from tb_perfcompare.workspace.strict_jobs import (
    StrictQuestion,
    check_kinds,
    refused,
    strict_of_tables,
    strict_of_traces,
)
from tb_perfcompare.workspace.summary_cache import SummaryCache
from tb_perfcompare.workspace.table_pages import TablePages
from tb_perfcompare.workspace.workers import WorkerDied, WorkerPool, default_workers

SMALL_BYTES = 6 * 2**20
"""Files up to this size together are read faster here than by processes that have to be started for them."""

_SUMMARY_CACHE_BYTES = 256 * 2**20
_COMPARISON_CACHE_BYTES = 256 * 2**20
_STRICT_CACHE_BYTES = 32 * 2**20
_LAUNCHES_CACHE_BYTES = 64 * 2**20

Summarizer = Callable[[SummaryJob, Reporter], Summary]
Comparer = Callable[[LoadedSide, LoadedSide, CompareOptions, Reporter], Comparison]


@dataclass(frozen=True, slots=True)
class Question:
    """Everything a comparison depends on. Equal questions have equal answers."""

    baseline: Side
    candidate: Side
    options: CompareOptions = field(default_factory=CompareOptions)

    def tag(self) -> str:
        """A text that changes whenever the answer may: the files' names, sizes and times, the options, the version."""
        return hashlib.sha256(repr((__version__, self)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


class Workspace:
    """Runs below some roots. Construction touches nothing: no files, no threads, no processes.

    in_process_bytes  a question whose files have at most this size together is answered in this process instead of by
                      workers; a server leaves it at 0, because reading keeps Python busy for its other threads
    cache     summaries and comparisons on disk; None: everything is read
    summarize, compare  what to do with a file and with two sides; module-level functions, so that workers find them
    """

    def __init__(
        self,
        roots: Sequence[Root] = (),
        *,
        workers: int | None = None,
        in_process_bytes: int = 0,
        cache: SummaryCache | None = None,
        summarize: Summarizer = summarize_file,
        compare: Comparer = compare_sides,
    ) -> None:
        self._index = Index(roots)
        self._in_process_bytes = in_process_bytes
        self._summarize = summarize
        self._cache = cache
        self._compare = compare
        usual = summarize is summarize_file and compare is compare_sides
        self._kept = cache.comparisons if cache is not None and usual else None
        self._pool = WorkerPool(default_workers() if workers is None else workers)
        self._summaries: SharedWork[Summary] = SharedWork(ByteCache(_SUMMARY_CACHE_BYTES))
        self._comparisons: SharedWork[Comparison] = SharedWork(ByteCache(_COMPARISON_CACHE_BYTES))
        self._launches: SharedWork[LaunchRecording] = SharedWork(ByteCache(_LAUNCHES_CACHE_BYTES))
        self._strict: SharedWork[bytes] = SharedWork(ByteCache(_STRICT_CACHE_BYTES))
        self.pages = TablePages(self)
        self.run_pages = RunPages()

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
        return pooled(self._load_sides((side,), window, report)[0])

    def survey(
        self, files: Sequence[CaptureFile], window: str = "device", report: Reporter = silent
    ) -> list[Summary | InputError]:
        """Each file by itself: its summary, or why it cannot be read."""
        small = self._is_small(files)
        flights: list[Flight[Summary]] = []
        try:
            for file in files:
                job = SummaryJob(file, window)
                flights.append(self._summaries.join(job, self._summarizer(job, small)))
            follow(flights, report)
            return [_summary_or_error(flight) for flight in flights]
        finally:
            for flight in flights:
                self._summaries.leave(flight)

    def ask(self, question: Question) -> Flight[Comparison]:
        """The comparison, finished, under way or started now; the same question is computed once. The caller must
        `leave` it."""
        return self._comparisons.join(question, lambda flight: self._answer(question, flight))

    def leave(self, flight: Flight[Comparison]) -> None:
        """Stops waiting for it. When nobody waits any more the work ends."""
        self._comparisons.leave(flight)

    def compare(self, question: Question, report: Reporter = silent) -> Comparison:
        """`ask` and wait. Leaves when `report` raises (Cancelled, KeyboardInterrupt, ...)."""
        flight = self.ask(question)
        try:
            follow([flight], report)
            return flight.result()
        finally:
            self.leave(flight)

    def kept_answer(self, question: Question) -> bytes | None:
        """render/pages.py's answer about the pair, if it is on disk."""
        key = None if self._kept is None else self._kept.key(question)
        return None if self._kept is None or key is None else self._kept.answer(key)

    def strict(self, question: StrictQuestion, report: Reporter = silent) -> bytes:
        """The strict report, drawn. Leaves when `report` raises; work that nobody waits for ends."""
        with self._strict.joined(question, lambda flight: self._answer_strict(question, flight)) as flight:
            follow([flight], report)
            return flight.result()

    def close(self) -> None:
        """Ends all work and all processes."""
        self.pages.close()
        self._strict.cancel_all()
        self._comparisons.cancel_all()
        self._summaries.cancel_all()
        self._launches.cancel_all()
        self._pool.close()

    @property
    def process_ids(self) -> list[int]:
        """Of the live worker processes."""
        return self._pool.process_ids

    def _answer(self, question: Question, flight: Flight[Comparison]) -> Comparison:
        key = None if self._kept is None else self._kept.key(question)
        kept = None if self._kept is None or key is None else self._kept.get(key)
        if kept is not None:
            return kept
        found = self._compared(question, flight)
        if self._kept is not None and key is not None:
            self._kept.put(key, question, found)
        return found

    def _compared(self, question: Question, flight: Flight[Comparison]) -> Comparison:
        sides = (question.baseline, question.candidate)
        baseline, candidate = self._load_sides(sides, question.options.window, flight.report)
        flight.report(Progress("comparing"))
        if self._is_small([file for side in sides for file in side.everything]):
            return self._compare(baseline, candidate, question.options, flight.report)
        return self._pool.run(self._compare, (baseline, candidate, question.options), flight)

    def _answer_strict(self, question: StrictQuestion, flight: Flight[bytes]) -> bytes:
        try:
            are_tables = check_kinds(question)
        except NotComparable as error:
            return refused(error, question)
        small = self._is_small([file for side in question.sides for file in side.files])
        if are_tables:
            if small:
                return strict_of_tables(question, flight.report)
            return self._pool.run(strict_of_tables, (question,), flight)
        baseline, candidate = self._load_sides(question.sides, question.window, flight.report)
        if small:
            return strict_of_traces(baseline, candidate, question, flight.report)
        return self._pool.run(strict_of_traces, (baseline, candidate, question), flight)

    def _is_small(self, files: Sequence[CaptureFile]) -> bool:
        return sum(file.bytes for file in files) <= self._in_process_bytes

    def _load_sides(self, sides: Sequence[Side], window: str, report: Reporter) -> list[LoadedSide]:
        """Reads the files of all sides side by side."""
        files = [file for side in sides for file in side.files]
        found = iter(self.survey(files, window, report))
        loaded = [_loaded(side, [next(found) for _ in side.files]) for side in sides]
        return [
            replace(one, launches=self._attached(one.side, report), counters=_counters(one.side, report))
            for one in loaded
        ]

    def _attached(self, side: Side, report: Reporter) -> LaunchRecording | None:
        """What the side's launches file holds; read once however many sides use it."""
        file = side.launches
        if file is None:
            return None

        def read(flight: Flight[LaunchRecording]) -> LaunchRecording:
            if self._is_small([file]):
                return read_launches(file, flight.report)
            return self._pool.run(read_launches, (file,), flight)

        with self._launches.joined(file, read) as flight:
            follow([flight], report)
            return flight.result()

    def _summarizer(self, job: SummaryJob, small: bool) -> Callable[[Flight[Summary]], Summary]:
        def compute(flight: Flight[Summary]) -> Summary:
            flight.report(Progress("reading", job.file.shown, 0, job.file.bytes))
            kept = self._cache.get(job) if self._cache is not None else None
            if kept is not None:
                return kept
            found = read(flight)
            if self._cache is not None:
                self._cache.put(job, found)
            return found

        def read(flight: Flight[Summary]) -> Summary:
            if small:
                return self._summarize(job, flight.report)
            try:
                return self._pool.run(self._summarize, (job,), flight)
            except WorkerDied as died:
                raise InputError(
                    job.file.shown,
                    died.message,
                    hint="ask again; if it happens again the file may need more memory than there is",
                ) from died

        return compute


def _summary_or_error(flight: Flight[Summary]) -> Summary | InputError:
    try:
        return flight.result()
    except InputError as error:
        return error


def _loaded(side: Side, found: Sequence[Summary | InputError]) -> LoadedSide:
    """The side's summaries; an error only if there is none."""
    failed = [(file, error) for file, error in zip(side.files, found, strict=True) if isinstance(error, InputError)]
    summaries = tuple(summary for summary in found if isinstance(summary, Summary))
    if not summaries:
        raise _none_loaded(side, [error for _, error in failed])
    return LoadedSide(side, summaries, tuple(failure_note(file, error) for file, error in failed))


def _counters(side: Side, report: Reporter) -> CounterTable | None:
    return None if side.counters is None else read_counter_file(side.counters, report)


def _none_loaded(side: Side, errors: Sequence[InputError]) -> InputError:
    first = errors[0]
    if len(errors) == 1:
        return first
    reason = f"none of its {len(errors)} files can be read; the first: {first.path}: {first.reason}"
    return InputError(side.source, reason, hint=first.hint)
