"""Comparisons on disk: the same as computed, never of other files, never in anybody's way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tb_perfcompare.workspace.disk_cache.comparison_cache as module
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.progress import silent
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.wire.pages import comparison_answer
from tb_perfcompare.workspace.disk_cache.disk_store import COMPARISON
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.table_pages import first_response
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_garbage, write_pair, write_run
from tests.render.examples import comparison

DEMO = Path(__file__).parents[3] / "demo_logs"


@pytest.fixture(autouse=True)
def every_size_is_worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_KEEPING_BYTES", 0)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    write_pair(tmp_path / "logs")
    return tmp_path / "logs"


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob(f"*{COMPARISON}"))


def workspace(logdir: Path) -> Workspace:
    cache = SummaryCache(logdir.parent / "cache")
    return Workspace([Root(str(logdir))], in_process_bytes=2**30, cache=cache)


def comparison_request(opened: Workspace, **options: object) -> ComparisonRequest:
    sides = [opened.side(Selection(run)) for run in ("normal", "abnormal")]
    return ComparisonRequest(sides[0], sides[1], CompareOptions(**options))


def compared(logdir: Path, **options: object) -> Comparison:
    opened = workspace(logdir)
    try:
        return opened.compare(comparison_request(opened, **options))
    finally:
        opened.close()


def test_the_second_opening_computes_nothing(logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compared(logdir)
    assert len(entries(tmp_path)) == 1

    def refuse(*_: object) -> None:
        raise AssertionError("it was computed again")

    monkeypatch.setattr(Workspace, "_compared", refuse)
    assert compared(logdir) == first


@pytest.mark.parametrize(
    "pair",
    [
        "cpu_training/normal cpu_training/abnormal",
        "gpu_training_synthetic/baseline gpu_training_synthetic/candidate",
        "perf_data_synthetic/normal_perf_data perf_data_synthetic/abnormal_perf_data",
        "kernel_listing_synthetic/before.txt kernel_listing_synthetic/after.txt",
        "ncu_synthetic/before.csv ncu_synthetic/after.csv",
    ],
)
def test_what_is_read_back_is_drawn_byte_for_byte_as_what_was_computed(tmp_path: Path, pair: str) -> None:
    drawn = []
    for _ in range(2):
        opened = Workspace([Root(str(DEMO))], in_process_bytes=2**30, cache=SummaryCache(tmp_path / "cache"))
        asked = ComparisonRequest(*(opened.side(Selection(run)) for run in pair.split()))
        drawn.append([render(opened.compare(asked), form) for form in FORMATS])
        opened.close()
    assert len(entries(tmp_path)) == 1
    assert drawn[0] == drawn[1]


def test_the_first_answer_lies_beside_it(logdir: Path) -> None:
    first = compared(logdir)
    opened = workspace(logdir)
    request = comparison_request(opened)
    assert opened.cached_response(request) == comparison_answer(first)
    assert wait_for(first_response(opened, request), silent).result() == comparison_answer(first)
    opened.close()


def test_other_files_names_and_options_are_other_comparisons(logdir: Path, tmp_path: Path) -> None:
    compared(logdir)
    compared(logdir, window="marker")
    assert len(entries(tmp_path)) == 2
    write_run(logdir / "normal", steps=9)
    assert compared(logdir).headline.n == (9, 8)
    (logdir / "abnormal").rename(logdir / "other")
    write_run(logdir / "abnormal", extra_us=500)
    assert compared(logdir).candidate.run == "abnormal"
    opened = workspace(logdir)
    other = replace(comparison_request(opened), candidate=opened.side(Selection("other")))
    assert opened.compare(other).candidate.run == "other"
    opened.close()


def test_a_comparison_that_lacks_a_file_is_not_kept(logdir: Path, tmp_path: Path) -> None:
    write_garbage(logdir / "normal")
    compared(logdir)
    assert entries(tmp_path) == []


def test_a_comparison_of_too_many_rows_is_not_kept(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = sum(len(table.rows) for table in compared(logdir).tables.values())
    monkeypatch.setattr("tb_perfcompare.workspace.disk_cache.comparison_cache.MAX_ROWS", rows - 1)
    compared(logdir, window="marker")
    assert len(entries(tmp_path)) == 1


def test_what_cannot_be_written_is_not_kept(logdir: Path, tmp_path: Path) -> None:
    cache = SummaryCache(tmp_path / "cache").comparisons
    opened = workspace(logdir)
    asked = comparison_request(opened)
    key = cache.key(asked)
    assert key is not None
    ledger = replace(comparison().ledger, baseline=2**80)
    cache.put(key, asked, comparison(ledger=ledger))  # beyond 64 bits
    (tmp_path / "cache").write_text("in the way")
    cache.put(key, asked, comparison())
    assert cache.get(key) is None
    opened.close()


def test_facts_tell_comparisons_from_summaries(logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_perfcompare.workspace.disk_cache.summary_cache.WORTH_KEEPING_BYTES", 0)
    compared(logdir)
    facts = SummaryCache(tmp_path / "cache")._entries.facts()
    assert (facts.entries, facts.comparisons) == (3, 1)


def test_a_small_pair_is_kept_and_a_tiny_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    cache = SummaryCache(tmp_path / "cache")
    opened = Workspace([Root(str(DEMO / "gpu_training_synthetic"))], cache=cache)
    small = [opened.side(Selection(run)) for run in ("baseline", "candidate")]
    tiny = [replace(side, files=tuple(replace(file, bytes=100) for file in side.files)) for side in small]
    assert cache.comparisons.key(ComparisonRequest(small[0], small[1])) is not None
    assert cache.comparisons.key(ComparisonRequest(tiny[0], tiny[1])) is None
    opened.close()
