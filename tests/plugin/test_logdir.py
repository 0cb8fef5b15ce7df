"""Which directories are meant, and whether there is any trace in them."""

from __future__ import annotations

import contextlib
import gzip
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tests.drawn_runs import write_run
from tests.workspace.waiting import becomes_true


def meant(given: str | None, spec: str | None = None) -> list[tuple[str, str]]:
    return [(root.name, root.path) for root in logdir_roots(given, spec)]


def test_one_directory_or_several_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert meant("logs") == [("", str(tmp_path / "logs"))]
    assert meant("~/logs") == [("", "/home/me/logs")]
    assert meant("", "a:/x,b:~/y,/z,/odd:name,gs://bucket/x,far:hdfs://host/x,,rel") == [
        ("a", "/x"), ("b", "/home/me/y"), ("", "/z"), ("", "/odd:name"), ("", "gs://bucket/x"), ("far", "hdfs://host/x"),
        ("", str(tmp_path / "rel")),
    ]  # fmt: skip
    assert meant("/x", "a:/y") == [("", "/x")]
    assert meant(None, None) == []


def test_remote_stores_are_told_apart() -> None:
    assert [root.is_remote for root in logdir_roots("", "s3://b,a:gs://b,/local")] == [True, True, False]


def probe(path: Path, **how: Any) -> TraceProbe:
    """One that looks again whenever it is asked."""
    return TraceProbe(logdir_roots(str(path), None), kept_s=0.0, **how)


def test_active_from_the_first_trace_on_and_for_ever(tmp_path: Path) -> None:
    found = probe(tmp_path)
    assert not found.found()
    run = write_run(tmp_path / "a" / "b" / "c")
    assert found.found()
    next(run.iterdir()).unlink()
    assert found.found()


def test_a_look_is_remembered_for_a_few_seconds(tmp_path: Path) -> None:
    found = TraceProbe(logdir_roots(str(tmp_path), None))
    assert not found.found()
    write_run(tmp_path / "run")
    assert not found.found()


class Counted:
    """The file system, with what was asked of it."""

    def __init__(self) -> None:
        self.listed: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()

    @contextlib.contextmanager
    def scandir(self, path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with os.scandir(path) as found:
            yield (self._count(entry) for entry in found)

    def _count(self, entry: os.DirEntry[str]) -> os.DirEntry[str]:
        self.listed[entry.path] += 1
        return entry

    def open(self, path: str) -> BinaryIO:
        self.opened[path] += 1
        return open(path, "rb")


def fill(folder: Path, files: int, ending: str = "txt") -> list[str]:
    """Empty files that might be runs by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:05d}.{ending}" for number in range(files)]
    for path in paths:
        path.touch()
    return [str(path) for path in paths]


@pytest.mark.parametrize("place", ["big", "beside"])
def test_a_trace_is_found_by_its_name_before_any_file_is_opened(tmp_path: Path, place: str) -> None:
    fill(tmp_path / "big", 1000)
    write_run(tmp_path / place)
    files = Counted()
    found = probe(tmp_path, scandir=files.scandir, opened=files.open)
    assert becomes_true(found.found)
    assert max(files.listed.values()) == 1
    assert not files.opened


def test_a_listing_among_many_files_is_found_in_one_search(tmp_path: Path) -> None:
    paths = fill(tmp_path / "a", 1000)
    listing = tmp_path / "b" / "below" / "kernels.txt"  # deeper directories come later
    listing.parent.mkdir(parents=True)
    listing.write_text("Name Latency Tensor DRAM\n")
    files = Counted()
    found = probe(tmp_path, scandir=files.scandir, opened=files.open)
    assert becomes_true(found.found)
    assert files.opened == Counter([*paths, str(listing)])
    assert max(files.listed.values()) == 2


def test_a_compressed_table_makes_the_tab_active(tmp_path: Path) -> None:
    (tmp_path / "launches.txt.gz").write_bytes(gzip.compress(b"Name Latency Tensor DRAM\n"))
    assert becomes_true(TraceProbe(logdir_roots(str(tmp_path), None)).found)


def test_where_nothing_can_be_a_run_nothing_is_opened_or_listed_again(tmp_path: Path) -> None:
    paths = fill(tmp_path, 1000, "png")
    files = Counted()
    assert not TraceProbe(logdir_roots(str(tmp_path), None), scandir=files.scandir, opened=files.open).found()
    assert becomes_true(lambda: files.listed == Counter(paths))
    assert not files.opened


def test_a_page_load_does_not_wait_for_a_slow_store(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    answers = threading.Event()

    def slow(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        answers.wait()
        return os.scandir(path)

    found = probe(tmp_path, scandir=slow)
    assert [found.found() for _ in range(3)] == [False, False, False]
    answers.set()
    assert becomes_true(found.found)


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "a.txt"
    pipe.touch()
    (tmp_path / "b.txt").write_text("Name Latency Tensor DRAM\n")
    with os.scandir(tmp_path) as listed:
        before = sorted(listed, key=lambda entry: entry.name)
    pipe.unlink()
    os.mkfifo(pipe)
    assert becomes_true(probe(tmp_path, scandir=lambda _: contextlib.nullcontext(iter(before))).found)


def test_links_in_a_circle_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    os.symlink(tmp_path, tmp_path / "a" / "up")
    found = probe(tmp_path)
    for _ in range(5):
        assert not found.found()


def test_a_directory_that_is_not_there_is_not_active(tmp_path: Path) -> None:
    found = probe(tmp_path / "missing")
    assert not found.found()
    assert not TraceProbe(logdir_roots("cns://bucket", None)).found()


def test_a_store_that_can_be_opened_is_active_without_being_asked() -> None:
    assert TraceProbe(logdir_roots("s3://bucket", None)).found()
