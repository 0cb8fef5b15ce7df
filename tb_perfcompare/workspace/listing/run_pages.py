"""Pages of a listing for api/runs: at most MAX_BYTES each, built again only after changes on disk."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from tb_perfcompare.comparison.pairing.pairing import Pair
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, encoded, raw, rows_that_fit
from tb_perfcompare.sources.run_entries import RunEntry
from tb_perfcompare.workspace.listing.describe import problem_dict, run_dict, runs_dict
from tb_perfcompare.workspace.listing.index import Listing

if TYPE_CHECKING:
    from tb_perfcompare.workspace.disk_cache.known_runs import KnownFile, KnownRuns

_PAIRS_BYTES, _PROBLEMS_BYTES = 250_000, 100_000
_RESERVE = 2_000


@dataclass(frozen=True, slots=True)
class RunsPage:
    """The JSON of a page, and a hash of it."""

    body: bytes
    tag: str


class RunPages:
    """Pages of the latest listing. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made_from: tuple[Listing, int | None] | None = None
        self._pages: dict[tuple[object, ...], RunsPage] = {}

    def page(
        self, listing: Listing, roots: Sequence[str], problems: tuple[tuple[str, str], ...], profiler_tab: bool,
        offset: int, known: KnownRuns | None = None,
    ) -> RunsPage:  # fmt: skip
        """Returns the page that begins with worker number `offset`. `problems`, (path, message), precede those of the
        listing; `profiler_tab` says that torch-tb-profiler's tab is installed; `known` has facts about files that were
        read before."""
        key = (tuple(roots), problems, profiler_tab, offset)
        state = None if known is None else known.state()
        with self._lock:
            if self._made_from is None or self._made_from[0] is not listing or self._made_from[1] != state:
                self._made_from, self._pages = (listing, state), {}
            made_from = self._made_from
            page = self._pages.get(key)
        if page is None:
            body = _body(listing, roots, problems, profiler_tab, offset, known)
            page = RunsPage(body, hashlib.sha256(body).hexdigest()[:32])
            with self._lock:
                if self._made_from is made_from:
                    self._pages[key] = page
        return page


def _body(
    listing: Listing, roots: Sequence[str], extra_problems: Sequence[tuple[str, str]], profiler_tab: bool, offset: int,
    known: KnownRuns | None,
) -> bytes:  # fmt: skip
    """Returns the JSON of a page; only the first page has pairs and problems."""

    def described(run: RunEntry) -> dict[str, Any]:
        return run_dict(run, None if known is None else lambda _run, _worker, span: _known(known.of(span.file)))

    plain = {key: raw(value) for key, value in runs_dict(Listing((), (), (), listing.points), roots).items()}
    of_first = {"pairs": [], "problems": []} if offset else _pairs_and_problems(listing, extra_problems, known)
    tail = {"profiler_tab": profiler_tab, **of_first}
    room = MAX_BYTES - len(encoded({**plain, **tail})) - _RESERVE
    runs, workers = _that_fit(_from(listing.runs, offset), room, described)
    end, total = offset + workers, sum(len(run.workers) for run in listing.runs)
    more = {"next_offset": end} if end < total else {}
    paged = {"offset": offset, "total_workers": total, "listing": listing.tag, **more} if more or offset else {}
    return encoded({**plain, "runs": runs, **tail, **paged})


def _pairs_and_problems(
    listing: Listing, extra_problems: Sequence[tuple[str, str]], known: KnownRuns | None
) -> dict[str, Any]:
    """Members of the first page: the first suggested pairs, the first problems, and how many do not fit."""
    suggested = list(_pairs_of_same_device(listing, known))
    wrong: list[Any] = [{"path": path, "message": message} for path, message in extra_problems]
    wrong += map(problem_dict, listing.problems)
    pairs, _ = rows_that_fit(suggested, _PAIRS_BYTES)
    problems, _ = rows_that_fit(wrong, _PROBLEMS_BYTES)
    left_out = {"pairs_left_out": len(suggested) - len(pairs), "problems_left_out": len(wrong) - len(problems)}
    return {"pairs": pairs, "problems": problems, **{name: count for name, count in left_out.items() if count}}


def _that_fit(
    runs: Iterator[RunEntry], room: int, described: Callable[[RunEntry], dict[str, Any]]
) -> tuple[list[msgspec.Raw], int]:
    """(the first runs that fit into `room` bytes, the last one with its first workers only; number of their workers),
    at least one worker."""
    out: list[msgspec.Raw] = []
    workers = 0
    for run in runs:
        text = encoded(described(run))
        if len(text) > room:
            part = _first_workers(run, room, described, at_least=0 if workers else 1)
            return (out, workers) if part is None else ([*out, raw(described(part))], workers + len(part.workers))
        out.append(msgspec.Raw(text))
        room -= len(text) + 1
        workers += len(run.workers)
    return out, workers


def _from(runs: Sequence[RunEntry], offset: int) -> Iterator[RunEntry]:
    """Yields the runs from worker number `offset` on; the first run may lack its first workers."""
    for run in runs:
        count = len(run.workers)
        if offset < count or count == 0:
            yield replace(run, workers=run.workers[offset:]) if offset else run
        offset = max(0, offset - count)


def _pairs_of_same_device(listing: Listing, known: KnownRuns | None) -> Iterator[Pair]:
    """Yields the suggested pairs, except those whose runs are known to be of different devices."""
    if known is None:
        yield from listing.pairs
        return
    devices: dict[str, set[str]] = {}
    for run in listing.runs:
        known_files = (known.of(span.file) for worker in run.workers for span in worker.spans)
        devices[run.name] = {known_file.device for known_file in known_files if known_file is not None}
    for pair in listing.pairs:
        baseline, candidate = devices[pair.baseline.run], devices[pair.candidate.run]
        if not baseline or not candidate or baseline & candidate:
            yield pair


def _known(file: KnownFile | None) -> dict[str, Any]:
    if file is None:
        return {}
    return {"known": {"device": file.device, "steps": file.steps, "mean_step_us": file.mean_step_us}}


def _first_workers(
    run: RunEntry, room: int, described: Callable[[RunEntry], dict[str, Any]], at_least: int
) -> RunEntry | None:
    """Returns the run with as many of its first workers as fit into `room` bytes, at least `at_least`; None for 0."""
    few, many = at_least, len(run.workers)
    while few < many:  # binary search for the largest number that fits
        middle = (few + many + 1) // 2
        fits = len(encoded(described(replace(run, workers=run.workers[:middle])))) <= room
        few, many = (middle, many) if fits else (few, middle - 1)
    return replace(run, workers=run.workers[:few]) if few else None
