"""Entries of the cache that somebody swapped, replaced, or wrote with a digest that fits: a miss, never another pair's
numbers and never a traceback."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.tables.row_query import RowQuery, choose_rows, row_keys
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.progress import silent
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.wire.pages import Page, comparison_answer, table_answer
from tb_perfcompare.workspace.disk_cache.disk_store import _HEAD, COMPARISON, SUMMARY, sealed
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.table_pages import first_response
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_run
from tests.fuzz.readers.json_mutation import changed, parsed, written
from tests.fuzz.readers.packed_mutation import columnar_changed
from tests.thorough import sample
from tests.workspace.altered import altered

DRAWN = sample(120, 7)
"""Altered entries of each kind."""

RUNS = {"normal": 0.0, "abnormal": 500.0, "worse": 900.0}
PAIRS = (("normal", "abnormal"), ("normal", "worse"))


class Kept:
    """Two pairs that were compared once with a cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self._logs = folder / "logs"
        for run, extra_us in RUNS.items():
            write_run(self._logs / run, extra_us=extra_us)
        self.answers, self.entries = {}, {}
        for pair in PAIRS:
            before = self._stored()
            self.answers[pair] = self.compared(pair)
            (self.entries[pair],) = [path for path in self._stored() - before if path.name.endswith(COMPARISON)]
        self.summaries = sorted(path for path in self._stored() if path.name.endswith(SUMMARY))
        self.whole = {path: path.read_bytes() for path in self._stored()}

    def compared(self, pair: tuple[str, str]) -> tuple[bytes, Comparison]:
        """What the tab is sent, and what the command line draws, by a workspace that remembers nothing."""
        opened = Workspace([Root(str(self._logs))], in_process_bytes=2**30, cache=SummaryCache(self.cache))
        try:
            request = ComparisonRequest(*(opened.side(Selection(run)) for run in pair))
            return wait_for(first_response(opened, request), silent).result(), opened.compare(request)
        finally:
            opened.close()

    def restored(self, *without: str) -> None:
        """All entries as they were made, but those of some endings."""
        for path in self._stored():
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for path, stored in self.whole.items():
            if not path.name.endswith(without):
                path.write_bytes(stored)

    def _stored(self) -> set[Path]:
        return set(self.cache.iterdir()) if self.cache.is_dir() else set()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("summary_cache", "comparison_cache"):
            patch.setattr(f"tb_perfcompare.workspace.disk_cache.{module}.WORTH_KEEPING_BYTES", 0)
        yield Kept(tmp_path_factory.mktemp("altered"))


def test_swapped_comparisons_are_made_anew(kept: Kept) -> None:
    kept.restored()
    one, other = kept.entries.values()
    one.write_bytes(kept.whole[other])
    other.write_bytes(kept.whole[one])
    assert [kept.compared(pair) for pair in PAIRS] == [kept.answers[pair] for pair in PAIRS]
    assert [path.read_bytes() for path in (one, other)] == [kept.whole[one], kept.whole[other]]


def test_swapped_summaries_are_made_anew(kept: Kept) -> None:
    kept.restored(COMPARISON)
    for path, other in zip(kept.summaries, kept.summaries[1:] + kept.summaries[:1], strict=True):
        path.write_bytes(kept.whole[other])
    assert [kept.compared(pair) for pair in PAIRS] == [kept.answers[pair] for pair in PAIRS]
    assert all(path.read_bytes() == kept.whole[path] for path in kept.summaries)


def test_the_parts_of_an_entry_cannot_change_places(kept: Kept) -> None:
    kept.restored()
    path = kept.entries[PAIRS[0]]
    first, second = parts(kept.whole[path])
    count, head_of_second, head_of_first, *_ = sealed(path, second, first)
    path.write_bytes(b"".join((count, head_of_first, head_of_second, first, second)))
    assert kept.compared(PAIRS[0]) == kept.answers[PAIRS[0]]
    assert path.read_bytes() == kept.whole[path]


def a_socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)  # the path of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a socket": a_socket,
    "a folder": os.mkdir,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": a_link_to_itself,
    "a link to nothing": lambda path: path.symlink_to("/nothing"),
}


@pytest.mark.parametrize("ending", [SUMMARY, COMPARISON])
@pytest.mark.parametrize("what", NO_FILES)
def test_what_is_no_file_is_no_entry(kept: Kept, ending: str, what: str) -> None:
    kept.restored(COMPARISON)
    places = kept.summaries if ending == SUMMARY else kept.entries.values()
    for path in places:
        path.unlink(missing_ok=True)
        NO_FILES[what](path)
    assert kept.compared(PAIRS[0]) == kept.answers[PAIRS[0]]
    SummaryCache(kept.cache)._entries.clear()
    left = [path for path in kept.cache.iterdir() if not path.is_dir()]
    assert left == []


@pytest.mark.parametrize("ending", [SUMMARY, COMPARISON])
def test_an_entry_larger_than_the_cache_is_not_read(kept: Kept, ending: str) -> None:
    kept.restored(COMPARISON)
    places = kept.summaries if ending == SUMMARY else [kept.entries[PAIRS[0]]]
    for path in places:
        path.touch()
        os.truncate(path, 2**42)  # a hole of 4 TiB, more than any memory
    assert kept.compared(PAIRS[0]) == kept.answers[PAIRS[0]]
    assert kept.entries[PAIRS[0]].read_bytes() == kept.whole[kept.entries[PAIRS[0]]]


def parts(stored: bytes) -> tuple[bytes, bytes]:
    """Of the entry of a comparison."""
    start = 1 + 2 * _HEAD.size
    (first, _), _ = _HEAD.iter_unpack(stored[1:start])
    return stored[start : start + first], stored[start + first :]


def drawn(found: Comparison) -> None:
    """What every face makes of a comparison."""
    json.loads(comparison_answer(found))
    for form in FORMATS:
        render(found, form)
    for table in found.tables.values():
        row_keys(table)
        for query in (RowQuery(), RowQuery(sort=((table.columns[-1].name, True),), least_us=1.0, clear=True)):
            table_answer(table, choose_rows(table, query), Page())


def test_altered_comparisons_with_a_digest_that_fits(kept: Kept) -> None:
    kept.restored()
    path, cache = kept.entries[PAIRS[0]], SummaryCache(kept.cache).comparisons
    key = path.name.removesuffix(COMPARISON)
    answer, body = parts(kept.whole[path])
    refused = 0
    for seed in range(DRAWN):
        path.write_bytes(b"".join(sealed(path, answer, altered(body, Random(seed)))))
        found = cache.get(key)
        if found is None:
            refused += 1
            assert not path.exists(), seed
        else:
            drawn(found)
    assert DRAWN / 4 < refused < DRAWN


def test_altered_answers_with_a_digest_that_fits(kept: Kept) -> None:
    kept.restored()
    path, cache = kept.entries[PAIRS[0]], SummaryCache(kept.cache).comparisons
    key = path.name.removesuffix(COMPARISON)
    answer, body = parts(kept.whole[path])
    wanted = {name: type(value) for name, value in json.loads(answer).items()}
    for seed in range(2 * DRAWN):
        path.write_bytes(b"".join(sealed(path, written(changed(parsed(answer), Random(seed))), body)))
        sent = cache.read_response(key)
        if sent is None:
            assert not path.exists(), seed
        else:
            told = json.loads(sent.decode("utf-8", "replace"), strict=False, parse_int=float)  # of any length
            assert {name: type(told[name]) for name in wanted} == wanted, seed


def test_an_answer_with_a_part_of_another_type_is_refused(kept: Kept) -> None:
    kept.restored()
    path, cache = kept.entries[PAIRS[0]], SummaryCache(kept.cache).comparisons
    answer, body = parts(kept.whole[path])
    for name, value in json.loads(answer).items():
        other = {**json.loads(answer), name: [] if value is None or isinstance(value, str) else ""}
        path.write_bytes(b"".join(sealed(path, json.dumps(other).encode(), body)))
        assert cache.read_response(path.name.removesuffix(COMPARISON)) is None and not path.exists(), name


def test_altered_summaries_with_a_digest_that_fits(kept: Kept) -> None:
    refused = 0
    path = kept.summaries[0]
    body = kept.whole[path][1 + _HEAD.size :]
    for seed in range(DRAWN // 4):
        kept.restored(COMPARISON)
        other = columnar_changed(body, Random(seed), ())
        path.write_bytes(b"".join(sealed(path, other)))
        for pair in PAIRS:
            try:
                drawn(kept.compared(pair)[1])
            except PerfCompareError:  # say of runs of different kinds
                continue
        refused += path.read_bytes() == kept.whole[path]
    assert 0 < refused < DRAWN // 4
