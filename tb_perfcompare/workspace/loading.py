"""Turns files into summaries: from the cache, in this process if they are small, else in worker processes; each file is
read once for all callers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tb_perfcompare.errors import InputChanged, InputError, OutOfMemory, PerfCompareError
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.summary.outline import Outline, outline_of
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns, SpanFacts, span_facts
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side, with_current_state
from tb_perfcompare.workspace.jobs.summary_collector import SummaryCollector, has_many_ranks, loaded_side
from tb_perfcompare.workspace.jobs.summary_jobs import LoadedSide, SummaryJob, read_counter_file, read_launches
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, SingleFlight, each_in_turn, wait_for
from tb_perfcompare.workspace.workers.cluster import ClusterPool, TaskLost
from tb_perfcompare.workspace.workers.memory_need import PROCESS_BYTES
from tb_perfcompare.workspace.workers.reading_size import Outgrown, are_small, packed_bytes, reading_bytes, while_small
from tb_perfcompare.workspace.workers.worker import WorkerDied
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool

T = TypeVar("T")
Answer = TypeVar("Answer")

_SUMMARIES: Kind[Summary] = Kind("summaries", 128 * 2**20)
_OUTLINES: Kind[Outline] = Kind("outlines", 0)
_LAUNCHES: Kind[LaunchRecording] = Kind("launches", 64 * 2**20)

_TRIES = 3
"""Attempts to read a file that keeps changing while it is read."""

Summarizer = Callable[[SummaryJob, Reporter], Summary]
Outliner = Callable[[SummaryJob, Reporter], Outline]


class Loader:
    """Reads files for a workspace: in this process if they have at most `in_process_bytes` together, else in worker
    processes. With a `cluster`, that summarizes all files."""

    def __init__(
        self, flights: Callable[[Kind[Any]], SingleFlight[Any]], pool: WorkerPool, cluster: ClusterPool | None,
        cache: SummaryCache | None, known: KnownRuns | None, in_process_bytes: int, summarize: Summarizer,
        outline: Outliner,
    ) -> None:  # fmt: skip
        self._pool = pool
        self._cluster = cluster
        self._cache = cache
        self._known = known or (KnownRuns(None) if cache is None else cache.known)
        self._summarize = summarize
        self._outline = outline
        self._in_process_bytes = in_process_bytes
        self._summaries: SingleFlight[Summary] = flights(_SUMMARIES)
        self._outlines: SingleFlight[Outline] = flights(_OUTLINES)
        self._launches: SingleFlight[LaunchRecording] = flights(_LAUNCHES)

    def is_small(self, files: Sequence[CaptureFile]) -> bool:
        """Whether to read the files in this process. Never in a server (in_process_bytes 0), not even empty files:
        something that reports a size of 0 may still block when it is opened."""
        return 0 < self._in_process_bytes >= sum(map(packed_bytes, files)) and are_small(files)

    def work(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], files: Sequence[CaptureFile],
        *, reads: bool = True,
    ) -> T:  # fmt: skip
        """Calls `function(*arguments, report)` on `files`: in this process if they are small, else in a worker. Unless
        it `reads` them, a command calls it in this process in any case: sending summaries to a worker and a comparison
        back takes 69 ms of CPU time for a pair of 190 MB, of 1,400 ms."""
        if not reads and self._in_process_bytes:
            return function(*arguments, flight.report)
        if self.is_small(files):
            with contextlib.suppress(Outgrown):
                return function(*arguments, while_small(flight.report))
        return self._pool.run(function, arguments, flight, sum(map(reading_bytes, files)) if reads else 0)

    def in_worker(
        self, function: Callable[..., T], arguments: tuple[Any, ...], flight: Flight[Any], file: CaptureFile,
        times: int = 1,
    ) -> T:  # fmt: skip
        """Calls `function(*arguments, report)` on a file in a worker, whatever its size; it needs `times` the memory of
        summarizing the file. Raises InputError also if the process ends unexpectedly."""
        need = PROCESS_BYTES + times * (reading_bytes(file) - PROCESS_BYTES)
        try:
            return self._pool.run(function, arguments, flight, need)
        except (WorkerDied, OutOfMemory) as died:
            raise _died_error(file, died) from died

    def survey(
        self, files: Sequence[CaptureFile], window: str = "device", report: Reporter = silent, *, tail: bool = False,
        marker: str = "",
    ) -> list[Summary | InputError]:  # fmt: skip
        """Summarizes each file separately: its summary, or the error; `tail` and `marker` as in SummaryJob."""
        jobs = [SummaryJob(file, window, tail=tail, marker=marker) for file in files]
        return self._each(jobs, report, self._summaries, self._summarized, _answer_or_error)

    def facts(
        self, files: Sequence[CaptureFile], report: Reporter = silent, *, marker: str = ""
    ) -> list[SpanFacts | InputError]:
        """Returns for each file the facts that a list of runs shows, or the error. Reads only new or changed files, or
        all of them if a `marker` is given."""
        self._known.state()
        known = [None if marker else self._known.facts(file) for file in files]
        jobs = [
            SummaryJob(file, "device", marker=marker)
            for file, facts in zip(files, known, strict=True)
            if facts is None
        ]
        outlines = iter(self._each(jobs, report, self._outlines, self._outlined, _answer_or_error))
        return [facts or _facts_or_error(next(outlines)) for facts in known]

    def _each(
        self, jobs: Sequence[SummaryJob], report: Reporter, flights: SingleFlight[Answer],
        answer: Callable[[SummaryJob, Flight[Answer], bool], Answer],
        take: Callable[[Flight[Answer]], T],
    ) -> list[T]:  # fmt: skip
        """Returns what `take` makes of the finished flight of each job, in order.

        Runs as many jobs at once as there are workers, so that a request for many files does not block other requests
        until all of them are read. Files read in this process are read one by one, as threads would not run in
        parallel (GIL)."""
        small = self.is_small([job.file for job in jobs])
        for job in jobs:  # so that progress shows the total size from the beginning
            report(_not_begun(job.file))

        def begin(job: SummaryJob) -> Flight[Answer]:
            def compute(flight: Flight[Answer]) -> Answer:
                flight.report(_not_begun(job.file))
                return _in_one_state(job.file, flight, lambda file: answer(replace(job, file=file), flight, small))

            return flights.join(job, compute)

        at_once = 1 if small and self._cluster is None else (self._cluster or self._pool).size
        try:
            return each_in_turn(jobs, begin, flights.leave, take, at_once, report)
        finally:
            self._known.save()

    def sides(
        self, sides: Sequence[Side], window: str, report: Reporter, *, keep_ranks: bool = False, paths: bool = False
    ) -> tuple[list[LoadedSide], bool]:
        """Reads the files of all sides concurrently; returns (the loaded sides, whether a file failed that may be
        readable later). Many ranks are averaged while they are read, unless `keep_ranks`. `paths` also collects the
        callers of rows. Recordings whose default step markers have different units are cut by a marker that all of them
        have, if there is one."""
        from tb_perfcompare.workspace.inputs.step_markers import agreed_markers

        loaded, provisional = self._load_jobs(sides, window, report, keep_ranks=keep_ranks, paths=paths)
        markers = agreed_markers([one.summaries for one in loaded])
        if any(marker and not side.marker for marker, side in zip(markers, sides, strict=True)):
            sides = [replace(side, marker=side.marker or marker) for side, marker in zip(sides, markers, strict=True)]
            loaded, provisional = self._load_jobs(sides, window, report, keep_ranks=keep_ranks, paths=paths)
        attached = [
            replace(
                one,
                launches=self._attached_launches(one.side, report),
                counters=read_counter_file(counters, report) if (counters := one.side.counters) else None,
            )
            for one in loaded
        ]
        return attached, provisional

    def _load_jobs(
        self, sides: Sequence[Side], window: str, report: Reporter, *, keep_ranks: bool, paths: bool
    ) -> tuple[list[LoadedSide], bool]:
        jobs = [
            SummaryJob(file, window, paths, side.keeps_tail, side.marker) for side in sides for file in side.files
        ]
        collectors = [SummaryCollector(many=not keep_ranks and has_many_ranks(side)) for side in sides]
        destinations = [
            (collector, number)
            for collector, side in zip(collectors, sides, strict=True)
            for number in range(len(side.files))
        ]
        waiting = {job: list[tuple[SummaryCollector, int]]() for job in jobs}
        for job, destination in zip(jobs, destinations, strict=True):
            waiting[job].append(destination)

        def take(flight: Flight[Summary]) -> bool:
            answer = _answer_or_error(flight)
            collector, number = waiting[flight.key].pop(0)  # type: ignore[index]  # the key is a SummaryJob
            collector.take(number, answer)
            # errors of other types are about the file's content, which will not change
            return flight.provisional or type(answer) in (InputError, InputChanged)

        provisional = any(self._each(jobs, report, self._summaries, self._summarized, take))
        loaded = [loaded_side(side, *collector.finish()) for side, collector in zip(sides, collectors, strict=True)]
        return loaded, provisional

    def _attached_launches(self, side: Side, report: Reporter) -> LaunchRecording | None:
        """Reads the side's launches file, once for all sides that use it; None for a side without one."""
        file = side.launches
        if file is None:
            return None

        def read(flight: Flight[LaunchRecording]) -> LaunchRecording:
            return _in_one_state(
                file, flight, lambda current: self.work(read_launches, (current,), flight, [current])
            )

        return wait_for(self._launches.joined(file, read), report).result()

    def _summarized(self, job: SummaryJob, flight: Flight[Summary], small: bool) -> Summary:
        summary = self._cache.get(job) if self._cache is not None else None
        if summary is None:
            summary = self._read(self._summarize, job, flight, small)
            if self._cache is not None:
                self._cache.put(job, summary)
        self._known.note(job, outline_of(summary))
        return summary

    def _outlined(self, job: SummaryJob, flight: Flight[Outline], small: bool) -> Outline:
        summary = self._cache.get(job) if self._cache is not None else None
        outline = self._read(self._outline, job, flight, small) if summary is None else outline_of(summary)
        self._known.note(job, outline)
        return outline

    def _read(
        self, function: Callable[[SummaryJob, Reporter], T], job: SummaryJob, flight: Flight[T], small: bool
    ) -> T:
        """Calls `function(job, report)`: in this process if the file is small, else on the cluster or in a worker."""
        if small and self._cluster is None:
            with contextlib.suppress(Outgrown):
                return function(job, while_small(flight.report))
        try:
            if self._cluster is not None:
                return self._cluster.run(function, (job,), flight)
            return self._pool.run(function, (job,), flight, reading_bytes(job.file))
        except (WorkerDied, TaskLost, OutOfMemory) as died:
            raise _died_error(job.file, died) from died


def _died_error(file: CaptureFile, died: PerfCompareError) -> InputError:
    again = "ask again; if it happens again the file may need more memory than there is"
    return InputError(file.shown, died.message, hint=died.hint or again)


def _in_one_state(file: CaptureFile, flight: Flight[Any], read: Callable[[CaptureFile], T]) -> T:
    """Returns `read(file)`. If the file has changed since the request, reads its current state instead and marks the
    flight provisional, as the result does not answer the original request. Raises InputChanged after _TRIES attempts
    on a file that keeps changing."""
    for tries_left in reversed(range(_TRIES)):
        try:
            return read(file)
        except InputChanged:
            flight.provisional = True
            if not tries_left:
                raise
            file = with_current_state(file)
    raise AssertionError


def _not_begun(file: CaptureFile) -> Progress:
    return Progress("reading", file.shown, 0, file.bytes)


def _answer_or_error(flight: Flight[T]) -> T | InputError:
    try:
        return flight.result()
    except InputError as error:
        return error


def _facts_or_error(answer: Outline | InputError) -> SpanFacts | InputError:
    return answer if isinstance(answer, InputError) else span_facts(answer)
