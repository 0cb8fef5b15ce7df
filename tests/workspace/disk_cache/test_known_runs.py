"""What a list tells of runs that were read: after another process has read them, and only of files as they are now."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.model.summary.outline import Outline
from tb_perfcompare.workspace.disk_cache.disk_store import DiskStore
from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns, SpanFacts
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.run_files import span_file
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, outline_file
from tb_perfcompare.workspace.listing.index import Index, Root
from tb_perfcompare.workspace.listing.run_pages import RunPages
from tb_perfcompare.workspace.loading import Outliner
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace
from tests.drawn_runs import write_pair


def listed(logdir: Path, known: KnownRuns) -> dict[str, Any]:
    page = RunPages().page(Index([Root(str(logdir))]).listing(), [], (), False, 0, known)
    answer = json.loads(page.body)
    return {run["run"]: [span.get("known") for span in run["workers"][0]["spans"]] for run in answer["runs"]}


def read(logdir: Path, cache: Path, run: str) -> None:
    workspace = Workspace([Root(str(logdir))], in_process_bytes=SMALL_BYTES, cache=SummaryCache(cache))
    try:
        workspace.load(workspace.side(Selection(run)))
    finally:
        workspace.close()


def test_a_run_that_was_read_is_told_until_it_changes(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    write_pair(logdir)
    known = KnownRuns(DiskStore(cache, 2**20))
    assert set(map(str, listed(logdir, known).values())) == {"[None]"}
    read(logdir, cache, "normal")
    found = listed(logdir, known)
    (facts,) = found["normal"]
    assert facts["device"] and facts["steps"] > 0 and facts["mean_step_us"] > 0
    assert found["abnormal"] == [None]
    assert str(logdir) not in (cache / "runs.known").read_text("latin1")
    (file,) = (logdir / "normal").iterdir()
    os.utime(file, (1, 1))
    assert listed(logdir, known)["normal"] == [None]


def test_two_readers_keep_what_the_other_found(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    write_pair(logdir)
    for run in ("normal", "abnormal"):
        read(logdir, cache, run)
    assert None not in [span for spans in listed(logdir, KnownRuns(DiskStore(cache, 2**20))).values() for span in spans]


def test_a_damaged_entry_says_less(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    write_pair(logdir)
    read(logdir, cache, "normal")
    (cache / "runs.known").write_bytes(b"\xff" * 40)
    assert listed(logdir, KnownRuns(DiskStore(cache, 2**20)))["normal"] == [None]
    assert DiskStore(cache, 2**20).clear().entries == 0
    assert list(cache.iterdir()) == []


def test_runs_of_two_devices_are_no_suggestion(tmp_path: Path) -> None:
    write_pair(tmp_path)
    listing = Index([Root(str(tmp_path))]).listing()
    answer = [json.loads(RunPages().page(listing, [], (), False, 0, known).body)["pairs"] for known in (None, _Two())]
    assert [len([pair for pair in pairs if "normal/abnormal" in pair["reason"]]) for pairs in answer] == [1, 0]


class _One:
    steps, mean_step_us = 3, None

    def __init__(self, device: str) -> None:
        self.device = device


class _Two:
    """Each file is of a device of its own."""

    def state(self) -> int:
        return 0

    def of(self, file: Any) -> _One:
        return _One(file.path)


def surveyed(logdir: Path, cache: Path, outline: Outliner = outline_file) -> list[SpanFacts | InputError]:
    """The facts of every file below a directory, read with `outline`."""
    workspace = Workspace([Root(str(logdir))], in_process_bytes=SMALL_BYTES, cache=SummaryCache(cache), outline=outline)
    try:
        listing = Index([Root(str(logdir))]).listing()
        spans = [(run, worker, span) for run in listing.runs for worker in run.workers for span in worker.spans]
        return workspace.facts([span_file(*span) for span in spans])
    finally:
        workspace.close()


def refuses(job: SummaryJob, report: Reporter) -> Outline:
    raise InputError(job.file.shown, "is read")


def test_a_list_reads_a_file_once(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    write_pair(logdir)
    found = surveyed(logdir, cache)
    assert [facts["steps"]["admitted"] > 0 for facts in found if not isinstance(facts, InputError)] == [True, True]
    assert surveyed(logdir, cache, refuses) == found
    (file,) = (logdir / "normal").iterdir()
    os.utime(file, (1, 1))
    assert [isinstance(facts, InputError) for facts in surveyed(logdir, cache, refuses)].count(True) == 1


def test_a_file_read_along_with_it_makes_it_read_again(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    shutil.copytree(Path("demo_logs/perf_data_synthetic"), logdir)
    found = surveyed(logdir, cache)
    assert surveyed(logdir, cache, refuses) == found
    for path in logdir.rglob("*counters*"):
        os.utime(path, (1, 1))
    assert all(isinstance(facts, InputError) for facts in surveyed(logdir, cache, refuses))


def test_a_list_reads_no_file_whose_summary_is_kept(tmp_path: Path) -> None:
    logs, moved, cache = tmp_path / "logs", tmp_path / "moved", tmp_path / "cache"
    shutil.copytree(Path("demo_logs/gpu_decoding"), logs)
    read(logs, cache, "abnormal")
    shutil.copytree(logs / "abnormal", moved / "abnormal")  # same bytes and times, another path: not yet known
    assert all(isinstance(facts, dict) for facts in surveyed(moved, cache, refuses))
