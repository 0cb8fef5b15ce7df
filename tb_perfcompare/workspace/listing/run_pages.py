"""A listing as api/runs answers it: at most MOST_BYTES at a time, made once for as long as nothing changes on disk."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, filled, raw
from tb_perfcompare.sources.discover import RunEntry
from tb_perfcompare.workspace.listing.describe import pair_dict, problem_dict, run_dict, runs_dict
from tb_perfcompare.workspace.listing.index import Listing

_PAIRS_BYTES, _PROBLEMS_BYTES = 250_000, 100_000
_RESERVE = 2_000


@dataclass(frozen=True, slots=True)
class RunsPage:
    """`tag` changes with the body."""

    body: bytes
    tag: str


class RunPages:
    """Pages of the latest listing. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Listing | None = None
        self._pages: dict[tuple[object, ...], RunsPage] = {}

    def page(
        self, listing: Listing, roots: Sequence[str], problems: tuple[tuple[str, str], ...], profiler_tab: bool,
        offset: int,
    ) -> RunsPage:  # fmt: skip
        """The page that begins with the worker number `offset`. `problems`, (path, message), come before those of the
        listing; `profiler_tab`: torch-tb-profiler's tab is there."""
        key = (tuple(roots), problems, profiler_tab, offset)
        with self._lock:
            if self._of is not listing:
                self._of, self._pages = listing, {}
            known = self._pages.get(key)
        if known is None:
            body = _body(listing, roots, problems, profiler_tab, offset)
            known = RunsPage(body, hashlib.sha256(body).hexdigest()[:32])
            with self._lock:
                if self._of is listing:
                    self._pages[key] = known
        return known


def _body(
    listing: Listing, roots: Sequence[str], given: Sequence[tuple[str, str]], profiler_tab: bool, offset: int
) -> bytes:
    """Pairs and problems are on the first page only."""
    frame = runs_dict(Listing((), (), (), listing.points), roots)
    total = sum(len(run.workers) for run in listing.runs)
    pairs, _ = filled(map(pair_dict, listing.pairs if offset == 0 else ()), _PAIRS_BYTES)
    wrong = [{"path": path, "message": message} for path, message in given] + list(map(problem_dict, listing.problems))
    problems, _ = filled(wrong if offset == 0 else (), _PROBLEMS_BYTES)
    tail: dict[str, Any] = {"profiler_tab": profiler_tab, "pairs": pairs, "problems": problems}
    if offset == 0:
        left_out = {"pairs": len(listing.pairs) - len(pairs), "problems": len(wrong) - len(problems)}
        tail |= {f"{name}_left_out": count for name, count in left_out.items() if count}
    plain = {key: raw(value) for key, value in frame.items()}
    room = MOST_BYTES - len(encoded({**plain, **tail})) - _RESERVE
    runs: list[Any] = []
    taken = 0
    for run in _from(listing.runs, offset):
        size = len(text := encoded(run_dict(run)))
        if size > room:
            part = _fitting(run, room, at_least=0 if taken else 1)
            if part is not None:
                runs.append(raw(run_dict(part)))
                taken += len(part.workers)
            break
        runs.append(msgspec.Raw(text))
        room -= size + 1
        taken += len(run.workers)
    end = offset + taken
    more = {"next_offset": end} if end < total else {}
    paged = {"offset": offset, "total_workers": total, "listing": listing.tag, **more} if more or offset else {}
    return encoded({**plain, "runs": runs, **tail, **paged})


def _from(runs: Sequence[RunEntry], offset: int) -> Iterator[RunEntry]:
    """The runs from the worker number `offset` on; the first may begin in its middle."""
    for run in runs:
        count = len(run.workers)
        if offset < count or count == 0:
            yield replace(run, workers=run.workers[offset:]) if offset else run
        offset = max(0, offset - count)


def _fitting(run: RunEntry, room: int, at_least: int) -> RunEntry | None:
    """The run with as many of its first workers as fit, None if there are none."""
    few, many = at_least, len(run.workers)
    while few < many:  # the largest number that fits
        middle = (few + many + 1) // 2
        fits = len(encoded(run_dict(replace(run, workers=run.workers[:middle])))) <= room
        few, many = (middle, many) if fits else (few, middle - 1)
    return replace(run, workers=run.workers[:few]) if few else None
