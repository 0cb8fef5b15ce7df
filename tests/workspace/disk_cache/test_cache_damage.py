"""Entries of the cache, damaged in every region: noticed, removed, computed anew; the answer is always the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.progress import silent
from tb_perfcompare.workspace.disk_cache.disk_store import ENDINGS
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.table_pages import first_response
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_pair
from tests.thorough import THOROUGH

REGIONS, EDGES = (8, 24) if THOROUGH else (3, 60)
"""A bit of each of so many equal parts of an entry is flipped, and of every so many bytes of its first and last 96."""

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing left": lambda stored: b"",
    "one byte": lambda stored: stored[:1],
    "cut in the middle": lambda stored: stored[: len(stored) // 2],
    "last byte gone": lambda stored: stored[:-1],
    "first byte gone": lambda stored: stored[1:],
    "one byte more": lambda stored: stored + b"\0",
    "zeros": lambda stored: bytes(len(stored)),
    "ones": lambda stored: b"\xff" * len(stored),
    "another format": lambda stored: b"PK\x03\x04 torn",
    "halves exchanged": lambda stored: stored[len(stored) // 2 :] + stored[: len(stored) // 2],
}


class Kept:
    """A pair that was compared once with a cache, and what the cache holds."""

    def __init__(self, folder: Path) -> None:
        write_pair(folder / "logs")
        self._folder = folder
        self.answer = self.compared()
        self.entries = {path: path.read_bytes() for path in sorted((folder / "cache").iterdir())}

    def compared(self) -> tuple[bytes, Comparison]:
        """What the tab is sent, and what the command line draws, by a workspace that remembers nothing."""
        roots = [Root(str(self._folder / "logs"))]
        opened = Workspace(roots, in_process_bytes=2**30, cache=SummaryCache(self._folder / "cache"))
        try:
            request = ComparisonRequest(*(opened.side(Selection(run)) for run in ("normal", "abnormal")))
            return wait_for(first_response(opened, request), silent).result(), opened.compare(request)
        finally:
            opened.close()

    def with_damage(self, path: Path, damaged: bytes) -> tuple[tuple[bytes, Comparison], bool]:
        """(the answers with one damaged entry and no finished comparison beside a damaged summary, whether the entry is
        whole again)."""
        for other, stored in self.entries.items():
            if other == path or other.suffix == path.suffix:
                other.write_bytes(stored)
            else:
                other.unlink(missing_ok=True)
        path.write_bytes(damaged)
        found = self.compared()
        return found, path.read_bytes() == self.entries[path]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("summary_cache", "comparison_cache"):
            patch.setattr(f"tb_perfcompare.workspace.disk_cache.{module}.WORTH_KEEPING_BYTES", 0)
        made = Kept(tmp_path_factory.mktemp("damage"))
        assert sorted({path.name.partition(".")[2] for path in made.entries}) == sorted(e[1:] for e in ENDINGS)
        yield made


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_flipped_bit_anywhere_is_noticed(kept: Kept, ending: str) -> None:
    path = next(path for path in kept.entries if path.name.endswith(ending))
    stored = kept.entries[path]
    edges = [*range(0, 96, EDGES), *range(len(stored) - 96, len(stored), EDGES)]
    for place in {*edges, *range(0, len(stored), max(1, len(stored) // REGIONS))}:
        flipped = bytes([stored[place] ^ (1 << place % 8)])
        found, whole = kept.with_damage(path, stored[:place] + flipped + stored[place + 1 :])
        assert found == kept.answer, place
        assert whole, f"byte {place}: the entry was not made anew"


@pytest.mark.parametrize(
    ("damage", "ending"),
    [
        (damage, ending)
        for number, damage in enumerate(DAMAGES)
        for turn, ending in enumerate(ENDINGS)
        if THOROUGH or (number + turn) % 2 == 0
    ],
)
def test_a_damaged_entry_is_made_anew(kept: Kept, ending: str, damage: str) -> None:
    path = next(path for path in kept.entries if path.name.endswith(ending))
    found, whole = kept.with_damage(path, DAMAGES[damage](kept.entries[path]))
    assert found == kept.answer
    assert whole
