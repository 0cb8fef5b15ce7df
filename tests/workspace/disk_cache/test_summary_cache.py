"""Summaries on disk: the same as computed, never older than the input, never in anybody's way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tb_perfcompare.workspace.disk_cache.summary_cache as module
from tb_perfcompare.cli.main import main
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.progress import silent
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.disk_cache import cache_keys
from tb_perfcompare.workspace.disk_cache.disk_store import LIMIT, SWITCH
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache, user_cache
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import write_run

DEMO = Path(__file__).parents[3] / "demo_logs"


@pytest.fixture(autouse=True)
def every_size_is_worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_KEEPING_BYTES", 0)


def job(path: Path | str, window: str = "device") -> SummaryJob:
    return SummaryJob(side_from_path(str(path), None, None).files[0], window)


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    write_run(tmp_path / "run")
    (only,) = (tmp_path / "run").iterdir()
    return only


@pytest.fixture
def cache(tmp_path: Path) -> SummaryCache:
    return SummaryCache(tmp_path / "cache")


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").iterdir())


def same(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
    if is_dataclass(x):
        return type(x) is type(y) and all(same(getattr(x, f.name), getattr(y, f.name)) for f in fields(x))
    if isinstance(x, Mapping):
        return list(x) == list(y) and all(same(x[key], y[key]) for key in x)
    if isinstance(x, tuple):
        return isinstance(y, tuple) and len(x) == len(y) and all(map(same, x, y))
    return type(x) is type(y) and x == y


def kept(cache: SummaryCache, wanted: SummaryJob) -> Summary:
    found = summarize_file(wanted, silent)
    cache.put(wanted, found)
    return found


@pytest.mark.parametrize(
    "path",
    [
        "cpu_training/normal",
        "gpu_training_synthetic/baseline",
        "kernel_listing_synthetic/before.txt",
    ],
)
def test_what_is_kept_is_what_was_computed(cache: SummaryCache, path: str) -> None:
    wanted = job(DEMO / path)
    found = kept(cache, wanted)
    again = cache.get(wanted)
    assert again is not None and again is not found and same(found, again)


def test_another_window_is_another_summary(cache: SummaryCache, drawn: Path) -> None:
    kept(cache, job(drawn))
    assert cache.get(job(drawn, "marker")) is None


def test_a_changed_input_is_read_anew(cache: SummaryCache, drawn: Path) -> None:
    kept(cache, job(drawn))
    before = drawn.stat()
    drawn.write_bytes(drawn.read_bytes()[:-1] + b" ")
    os.utime(drawn, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    assert cache.get(job(drawn)) is None


def test_an_unchanged_input_is_looked_at_once(
    cache: SummaryCache, drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    places = cache_keys._places

    def counted(size: int) -> list[int]:
        looked_at.append(size)
        return places(size)

    monkeypatch.setattr(cache_keys, "_places", counted)
    kept(cache, job(drawn))
    assert cache.get(job(drawn)) is not None and len(looked_at) == 1
    test_a_changed_input_is_read_anew(cache, drawn)
    assert len(looked_at) == 2


def test_names_are_those_of_the_question(cache: SummaryCache, drawn: Path) -> None:
    wanted = job(drawn)
    kept(cache, wanted)
    other = replace(wanted, file=replace(wanted.file, source="elsewhere", run="other", worker="w", span="9"))
    found = cache.get(other)
    assert found is not None
    assert (found.source, found.captures[0].run, found.captures[0].span) == ("elsewhere", "other", "9")


def test_the_least_recently_used_go_first(drawn: Path, tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    for name in names:
        shutil.copy(drawn, tmp_path / f"{name}.pt.trace.json")
    probe = SummaryCache(tmp_path / "probe")
    kept(probe, job(drawn))
    size = probe._entries.facts().bytes
    cache = SummaryCache(tmp_path / "cache", limit_bytes=int(size * 2.5))
    for name in names[:2]:
        kept(cache, job(tmp_path / f"{name}.pt.trace.json"))
    first = entries(tmp_path)
    for number, entry in enumerate(first):
        os.utime(entry, ns=(number, number))
    assert cache.get(job(tmp_path / "a.pt.trace.json")) is not None  # used just now
    kept(cache, job(tmp_path / "c.pt.trace.json"))
    there = [cache.get(job(tmp_path / f"{name}.pt.trace.json")) is not None for name in names]
    assert there == [True, False, True]
    assert cache._entries.facts().bytes <= size * 2.5


def test_what_a_stopped_process_left_is_cleared(cache: SummaryCache, drawn: Path, tmp_path: Path) -> None:
    kept(cache, job(drawn))
    (tmp_path / "cache" / "writing-x.summary").write_bytes(b"half")
    assert cache._entries.clear().entries == 2
    assert entries(tmp_path) == []


def test_threads_and_processes_share_a_cache(cache: SummaryCache, drawn: Path, tmp_path: Path) -> None:
    wanted = job(drawn)
    found = kept(cache, wanted)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(30):
            cache.put(wanted, found)
            again = cache.get(wanted)
            if again is not None and not same(found, again):
                wrong.append("differs")

    code = (
        "import sys; import tb_perfcompare.workspace.disk_cache.summary_cache as m; m.WORTH_KEEPING_BYTES = 0\n"
        "from tests.workspace.disk_cache.test_summary_cache import job, kept\n"
        "cache = m.SummaryCache(sys.argv[1])\n"
        "for _ in range(20): kept(cache, job(sys.argv[2])); assert cache.get(job(sys.argv[2])) is not None"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "cache"), str(drawn)])
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(60) == 0
    assert not wrong
    assert not [entry for entry in entries(tmp_path) if entry.name.startswith("writing-")]


def test_a_workspace_reads_a_file_once(cache: SummaryCache, drawn: Path) -> None:
    read: list[str] = []

    def counted(wanted: SummaryJob, report: Any) -> Summary:
        read.append(wanted.file.shown)
        return summarize_file(wanted, report)

    for _ in range(2):
        workspace = Workspace(in_process_bytes=2**30, cache=cache, summarize=counted)
        workspace.load(side_from_path(str(drawn), None, None))
        workspace.close()
    assert len(read) == 1


def test_small_inputs_are_not_kept(
    cache: SummaryCache, drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WORTH_KEEPING_BYTES", drawn.stat().st_size + 1)
    kept(cache, job(drawn))
    assert not (tmp_path / "cache").exists()


def test_it_can_be_switched_off_moved_and_limited(tmp_path: Path) -> None:
    assert user_cache({SWITCH: "off"}) is None
    moved = user_cache({SWITCH: str(tmp_path), LIMIT: "2"})
    assert moved is not None
    assert (moved._entries.facts().directory, moved._entries.facts().limit_bytes) == (str(tmp_path), 2 * 2**20)
    usual = user_cache({})
    assert usual is not None and str(usual._entries.facts().directory).endswith("tb_perfcompare")
    with pytest.raises(PerfCompareError, match="give a number of megabytes"):
        user_cache({LIMIT: "much"})


def test_the_command_shows_and_clears(
    cache: SummaryCache, drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(cache, job(drawn))
    where = str(tmp_path / "cache")
    assert main(["cache", "--directory", where]) == 0
    assert "1 summaries" in capsys.readouterr().out
    assert main(["cache", "--directory", where, "--clear"]) == 0
    assert "removed 1 summaries" in capsys.readouterr().out
    assert main(["cache", "--directory", where, "--json"]) == 0
    assert '"entries": 0' in capsys.readouterr().out
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == "switched off (TB_PERFCOMPARE_CACHE)\n"
