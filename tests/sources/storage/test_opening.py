"""Opening files: only regular ones, and for a log directory only those inside it, even when links change."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.sources.storage import inside_only
from tb_perfcompare.sources.storage.filesystem import LOCAL, NOT_A_FILE, FileSystem, open_regular
from tb_perfcompare.sources.storage.inside_only import REFUSED, InsideOnly

SECRET = b"private"


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


@pytest.mark.parametrize("make", [pipe, listening, device, link_to_a_pipe], ids=lambda make: make.__name__)
def test_other_kinds_of_files_are_refused_without_blocking(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    with pytest.raises(OSError, match=NOT_A_FILE):
        LOCAL.open(str(tmp_path / "odd"))


def test_a_directory_is_refused_as_one(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        LOCAL.open(str(tmp_path))


def test_a_pipe_that_replaces_a_file_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"{}")
    opened = os.open

    def swapped(*arguments: object, **options: object) -> int:
        path.unlink()
        os.mkfifo(path)
        return opened(*arguments, **options)

    monkeypatch.setattr(os, "open", swapped)
    handles = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(OSError, match=NOT_A_FILE):
        open_regular(path)
    if handles:
        assert len(os.listdir("/proc/self/fd")) == handles, "a file is left open"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """logs/ with a file, a folder, links to both, and links to the private folder outside."""
    logs = tmp_path / "logs"
    (logs / "run").mkdir(parents=True)
    (logs / "run" / "own").write_bytes(b"own")
    (logs / "own_link").symlink_to("run/own")
    (logs / "run_link").symlink_to("run")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "secret").write_bytes(SECRET)
    (logs / "out").symlink_to(tmp_path / "private" / "secret")
    (logs / "out_dir").symlink_to(tmp_path / "private")
    return logs


def content(files: FileSystem, path: Path) -> bytes:
    with files.open(str(path)) as file:
        return file.read()


@pytest.fixture(params=["by directories", "by real path"])
def inside(logs: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> InsideOnly:
    """Both ways to open; real paths are for systems without openat, such as Windows."""
    if request.param == "by real path":
        monkeypatch.setattr("tb_perfcompare.sources.storage.inside_only._NO_FOLLOW", 0)
    return InsideOnly(str(logs))


@pytest.mark.parametrize("name", ["run/own", "own_link", "run_link/own"])
def test_links_that_stay_inside_are_followed(logs: Path, inside: InsideOnly, name: str) -> None:
    assert content(inside, logs / name) == b"own"


@pytest.mark.parametrize("name", ["out", "out_dir/secret", "../private/secret", "run/../../private/secret"])
def test_files_outside_are_neither_opened_nor_described(logs: Path, inside: InsideOnly, name: str) -> None:
    for ask in (inside.open, inside.stat):
        with pytest.raises(OSError, match="leads out of the log directory"):
            ask(str(logs / name))


@pytest.mark.parametrize("part", ["run/own", "run"])
def test_a_link_that_appears_after_the_check_leads_nowhere_outside(
    logs: Path, inside: InsideOnly, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the check the file, or its folder, becomes a link to the private folder."""
    (logs.parent / "private" / "own").write_bytes(SECRET)
    target, leads_to = logs / part, logs.parent / "private" / part.removeprefix("run").removeprefix("/")
    below = inside_only._below

    def swapped(real: str, root: str) -> bool:
        found = below(real, root)
        if not target.is_symlink():
            target.rename(logs / "gone")
            target.symlink_to(leads_to)
        return found

    monkeypatch.setattr(inside_only, "_below", swapped)
    try:
        found = content(inside, logs / "run" / "own")
    except OSError as error:
        assert error.strerror == REFUSED
    else:
        assert found == b"own"
