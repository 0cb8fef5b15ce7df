"""A listing in pages: together they are the listing, and none is large."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tb_perfcompare.sources.run_entries import FileEntry, RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.workspace.listing import run_pages
from tb_perfcompare.workspace.listing.describe import runs_dict
from tb_perfcompare.workspace.listing.index import Index, Listing, Root
from tb_perfcompare.workspace.listing.run_pages import RunPages
from tb_perfcompare.workspace.sharing import background_refresh
from tests.drawn_runs import write_pair, write_run


def run(name: str, workers: int, spans: int = 2) -> RunEntry:
    def span(worker: int, number: int) -> SpanEntry:
        file = FileEntry("/x", f"worker{worker}.{1_700_000_000_000 + number}.pt.trace.json.gz", 123_456, 10**18)
        return SpanEntry(str(number), str(number), (file,))

    return RunEntry(
        name, "/x", tuple(WorkerEntry(f"worker{n}", n, tuple(span(n, s) for s in range(spans))) for n in range(workers))
    )


def listing(*runs: RunEntry) -> Listing:
    return Listing(runs, (), ())


def answers(found: Listing) -> list[dict[str, object]]:
    pages, out = RunPages(), []
    offset: object = 0
    while offset is not None:
        page = pages.page(found, ["logs"], (), False, offset)
        assert len(page.body) <= MAX_BYTES
        out.append(json.loads(page.body))
        offset = out[-1].get("next_offset")
    return out


def joined(found: list[dict[str, object]]) -> list[object]:
    """As the page joins them."""
    runs: list[dict[str, list[object]]] = []
    for part in found:
        for each in part["runs"]:  # type: ignore[attr-defined]
            if runs and runs[-1]["run"] == each["run"]:
                runs[-1]["workers"] += each["workers"]
            else:
                runs.append(each)
    return runs  # type: ignore[return-value]


@pytest.mark.parametrize(
    "runs",
    [
        lambda: (),
        lambda: (run("a", 2), run("b", 1)),
        lambda: (run(f"run{n:04d}", 8) for n in range(500)),
        lambda: (run("before", 1), run("huge", 3_000), run("after", 1)),
    ],
    ids=["none", "few", "many runs", "many workers"],
)
def test_pages_together_are_the_listing(runs: Callable[[], Iterable[RunEntry]]) -> None:
    found = listing(*runs())
    whole = json.loads(json.dumps(runs_dict(found, ["logs"])))
    parts = answers(found)
    assert joined(parts) == whole["runs"]
    if len(parts) > 1:
        assert {part["listing"] for part in parts} == {found.tag}
    else:
        assert parts[0] == {**whole, "profiler_tab": False}


def test_pairs_and_problems_are_on_the_first_page_and_cut_with_a_count(tmp_path: Path) -> None:
    write_pair(tmp_path)
    found = Index([Root(str(tmp_path))]).listing()
    many = Listing(tuple(run(f"run{n:04d}", 8) for n in range(1_000)), (), found.pairs * 5_000)
    first, *rest = answers(many)
    assert len(first["pairs"]) + first["pairs_left_out"] == len(many.pairs)
    assert all(part["pairs"] == [] for part in rest)


def test_pages_are_made_once_while_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_refresh, "SHORT_S", 60)  # no scan rests, however slow the machine
    write_run(tmp_path / "a")
    index, pages = Index([Root(str(tmp_path))]), RunPages()
    before = pages.page(index.listing(), ["logs"], (), False, 0)
    with monkeypatch.context() as patch:
        patch.setattr(run_pages, "_body", None)
        assert pages.page(index.listing(rescan=True), ["logs"], (), False, 0) is before
    write_run(tmp_path / "b")
    after = pages.page(index.listing(rescan=True), ["logs"], (), False, 0)
    assert after.tag != before.tag
