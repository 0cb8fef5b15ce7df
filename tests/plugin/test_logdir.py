"""Which directories are meant, and whether there is any trace in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_perfcompare.plugin import logdir
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tests.drawn_runs import write_run


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


def probe(path: Path, monkeypatch: pytest.MonkeyPatch) -> TraceProbe:
    monkeypatch.setattr(logdir, "_KEPT_S", 0.0)
    return TraceProbe(logdir_roots(str(path), None))


def test_active_from_the_first_trace_on_and_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = probe(tmp_path, monkeypatch)
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


def test_a_large_directory_is_searched_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        for file in range(10):
            (folder / f"f{file}").touch()
    write_run(tmp_path / "d5" / "deep")
    monkeypatch.setattr(logdir, "_ENTRIES_PER_LOOK", 10)
    found = probe(tmp_path, monkeypatch)
    looks = 0
    while not found.found():
        looks += 1
        assert looks < 20
    assert looks > 1


def test_links_in_a_circle_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    os.symlink(tmp_path, tmp_path / "a" / "up")
    found = probe(tmp_path, monkeypatch)
    for _ in range(5):
        assert not found.found()


def test_a_directory_that_is_not_there_is_not_active(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = probe(tmp_path / "missing", monkeypatch)
    assert not found.found()
    assert not TraceProbe(logdir_roots("cns://bucket", None)).found()


def test_a_store_that_can_be_opened_is_active_without_being_asked() -> None:
    assert TraceProbe(logdir_roots("s3://bucket", None)).found()
