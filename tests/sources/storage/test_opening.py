"""What is opened: regular files only, and where links must stay inside only what lies there, whatever was swapped."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.sources.storage import filesystem, inside_only
from tb_perfcompare.sources.storage.filesystem import LOCAL, NOT_A_FILE, FileSystem, open_regular
from tb_perfcompare.sources.storage.inside_only import REFUSED, InsideOnly

SECRET = b"of somebody else"


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
def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    with pytest.raises(OSError, match=NOT_A_FILE):
        LOCAL.open(str(tmp_path / "odd"))


def test_a_directory_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        LOCAL.open(str(tmp_path))


def test_a_pipe_that_takes_the_place_of_a_file_after_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"{}")
    opened = os.open

    def swapped(*arguments: object, **how: object) -> int:
        path.unlink()
        os.mkfifo(path)
        return opened(*arguments, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(filesystem.os, "open", swapped)
    handles = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(OSError, match=NOT_A_FILE):
        open_regular(path)
    if handles:
        assert len(os.listdir("/proc/self/fd")) == handles, "one is left open"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """logs/ with a file, a directory, links to both, and links out of it; beside it what nobody may see."""
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
def inside(place: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> InsideOnly:
    """Both ways to open: the second is for systems that cannot open below a directory's handle, such as Windows."""
    if request.param == "by real path":
        monkeypatch.setattr("tb_perfcompare.sources.storage.inside_only._NO_FOLLOW", 0)
    return InsideOnly(str(place))


@pytest.mark.parametrize("name", ["run/own", "own_link", "run_link/own"])
def test_links_that_stay_inside_are_followed(place: Path, inside: InsideOnly, name: str) -> None:
    assert content(inside, place / name) == b"own"


@pytest.mark.parametrize("name", ["out", "out_dir/secret", "../private/secret", "run/../../private/secret"])
def test_what_lies_outside_is_neither_opened_nor_described(place: Path, inside: InsideOnly, name: str) -> None:
    for ask in (inside.open, inside.stat):
        with pytest.raises(OSError, match="leads out of the log directory"):
            ask(str(place / name))


@pytest.mark.parametrize("part", ["run/own", "run"])
def test_a_link_that_appears_between_the_check_and_the_opening(
    place: Path, inside: InsideOnly, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path was fine when it was checked; then it, or a directory above, becomes a link that leads out."""
    (place.parent / "private" / "own").write_bytes(SECRET)
    target, leads_to = place / part, place.parent / "private" / part.removeprefix("run").removeprefix("/")
    below = inside_only._below

    def swapped(real: str, root: str) -> bool:
        found = below(real, root)
        if not target.is_symlink():
            target.rename(place / "gone")
            target.symlink_to(leads_to)
        return found

    monkeypatch.setattr(inside_only, "_below", swapped)
    try:
        found = content(inside, place / "run" / "own")
    except OSError as error:
        assert error.strerror == REFUSED
    else:
        assert found == b"own"
