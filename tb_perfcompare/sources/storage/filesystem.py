"""The interface between readers and file storage.

Discovery and reading use a FileSystem and never call `os` themselves, so that remote stores work like
LocalFileSystem. Paths are texts; only the FileSystem that made a path may take it apart.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Hashable, Sequence
from contextlib import ExitStack
from typing import BinaryIO, Protocol

from tb_perfcompare.quick_dataclass import dataclass

FileState = tuple[int, int, str]
"""(bytes, time in ns, version) of a stored file: equal only while its content is unchanged."""

NOT_A_FILE = "not a file: a pipe, a socket or a device"
"""Problem of an entry that is never opened, because reading it might never end."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """One directory entry, following links.

    identity   equal for two paths if and only if they lead to the same file or directory
    is_link    the name itself is a link; the other members describe its target
    problem    why the entry cannot be used (broken link, no permission), "" if it can
    version    identifies the state of the file: a store's ETag, or the local file's inode and ctime, which cannot be
               set back; "" if there is none
    link_root  the directory that links must not lead out of, "" if they may lead anywhere
    """

    path: str
    name: str
    is_dir: bool
    bytes: int = 0
    mtime_ns: int = 0
    identity: Hashable = None
    is_link: bool = False
    problem: str = ""
    version: str = ""
    link_root: str = ""

    @property
    def state(self) -> FileState:
        """A value that changes whenever the content does."""
        return self.bytes, self.mtime_ns, self.version


class FileSystem(Hashable, Protocol):
    """Lists, describes and opens files. Every method raises OSError if the store refuses."""

    def entries(self, path: str) -> Sequence[FileStat]:
        """The entries of a directory, in any order."""
        ...

    def stat(self, path: str) -> FileStat:
        ...

    def open(self, path: str) -> BinaryIO:
        """Opens the stored bytes; the caller closes them. Never blocks on a pipe; refuses anything but a file."""
        ...

    def opened_state(self, file: BinaryIO) -> FileState:
        """The state of a file that `open` returned: that of the handle, whatever its path leads to now."""
        ...

    def absolute(self, path: str) -> str:
        """The path from the root of the store, without trailing separator."""
        ...

    def basename(self, path: str) -> str:
        """The last part of an absolute path."""
        ...


class LocalFileSystem:
    """The file system of this machine."""

    def entries(self, path: str) -> list[FileStat]:
        with os.scandir(path) as listing:
            return [self._describe(entry) for entry in listing]

    def _describe(self, entry: os.DirEntry[str]) -> FileStat:
        is_link = False
        try:
            is_link = entry.is_symlink()
            status = entry.stat()
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                return FileStat(entry.path, entry.name, False, is_link=is_link, problem=NOT_A_FILE)
            return _facts(entry.path, entry.name, status, is_link)
        except OSError as error:
            return FileStat(entry.path, entry.name, False, is_link=is_link, problem=error.strerror or str(error))

    def stat(self, path: str) -> FileStat:
        return _facts(path, os.path.basename(path), os.stat(path), os.path.islink(path))

    def open(self, path: str) -> BinaryIO:
        return open_regular(path)

    def opened_state(self, file: BinaryIO) -> FileState:
        return state_from(os.fstat(file.fileno()))

    def absolute(self, path: str) -> str:
        return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))

    def basename(self, path: str) -> str:
        return os.path.basename(path) or path


def _facts(path: str, name: str, status: os.stat_result, is_link: bool) -> FileStat:
    is_dir = stat.S_ISDIR(status.st_mode)
    # scandir gives no inode on Windows: use the resolved path; only identities of directories are compared
    identity: Hashable = (status.st_dev, status.st_ino)
    if is_dir and not status.st_ino:
        identity = os.path.realpath(path)
    size, mtime_ns, version = state_from(status)
    return FileStat(path, name, is_dir, size, mtime_ns, identity, is_link, version="" if is_dir else version)


def state_from(status: os.stat_result) -> FileState:
    """The state of a local file; without a version on Windows, which has no ctime."""
    version = f"{status.st_ino:x}-{status.st_ctime_ns:x}" if os.name == "posix" else ""
    return status.st_size, status.st_mtime_ns, version


def open_regular(path: str | os.PathLike[str], *, flags: int = 0, dir_fd: int | None = None) -> BinaryIO:
    """Opens the file at a path for reading. Raises OSError, also for anything but a regular file.

    Opening a pipe would block, and opening a device might have effects. `flags` are added to those of os.open, `dir_fd`
    is passed to it.
    """
    _check_regular(os.stat(path, dir_fd=dir_fd, follow_symlinks=not flags & _NO_FOLLOW))
    with ExitStack() as unless_returned:
        handle = os.open(path, os.O_RDONLY | _OPEN_FLAGS | flags, dir_fd=dir_fd)
        unless_returned.callback(os.close, handle)
        _check_regular(os.fstat(handle))  # it may have been replaced since
        unless_returned.pop_all()
        return os.fdopen(handle, "rb")


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def _check_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        raise OSError(errno.EINVAL, NOT_A_FILE)


LOCAL = LocalFileSystem()
"""Shared instance; it has no state."""
