"""The one seam between the readers and whatever stores the files.

Discovery and reading go through a FileSystem and never call `os` themselves, so remote stores can be added beside
LocalFileSystem. Paths are texts; only the FileSystem that made a path may take it apart.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class FileStat:
    """One directory entry, links followed.

    identity  equal for two paths exactly when they lead to the same file or directory
    is_link   the name itself is a link; its target is described
    problem   why the entry cannot be used (a link to nothing, no permission), "" when it can
    version   what a store calls this state of the file (an ETag), "" where it has no name
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


class FileSystem(Protocol):
    """Listing, facts and bytes. Every method raises OSError when the store refuses."""

    def entries(self, path: str) -> Sequence[FileStat]:
        """What the directory holds, in any order."""
        ...

    def stat(self, path: str) -> FileStat:
        """Facts about one path."""
        ...

    def open(self, path: str) -> BinaryIO:
        """The stored bytes, to be closed by the caller."""
        ...

    def absolute(self, path: str) -> str:
        """The path from the root of the store, without trailing separator."""
        ...

    def basename(self, path: str) -> str:
        """Last part of an absolute path."""
        ...


class LocalFileSystem:
    """The file system of this machine."""

    def entries(self, path: str) -> list[FileStat]:
        with os.scandir(path) as found:
            return [self._describe(entry) for entry in found]

    def _describe(self, entry: os.DirEntry[str]) -> FileStat:
        is_link = False
        try:
            is_link = entry.is_symlink()
            found = entry.stat()
            if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                problem = "not a file: a pipe, a socket or a device"  # reading it might never end
                return FileStat(entry.path, entry.name, False, is_link=is_link, problem=problem)
            return _facts(entry.path, entry.name, found, is_link)
        except OSError as error:
            return FileStat(entry.path, entry.name, False, is_link=is_link, problem=error.strerror or str(error))

    def stat(self, path: str) -> FileStat:
        return _facts(path, os.path.basename(path), os.stat(path), os.path.islink(path))

    def open(self, path: str) -> BinaryIO:
        return open(path, "rb")

    def absolute(self, path: str) -> str:
        return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))

    def basename(self, path: str) -> str:
        return os.path.basename(path) or path


def _facts(path: str, name: str, found: os.stat_result, is_link: bool) -> FileStat:
    is_dir = stat.S_ISDIR(found.st_mode)
    # scandir gives no inode on Windows; the resolved path serves there, and only directories are ever compared
    identity: Hashable = (found.st_dev, found.st_ino)
    if is_dir and not found.st_ino:
        identity = os.path.realpath(path)
    return FileStat(path, name, is_dir, found.st_size, found.st_mtime_ns, identity, is_link)


LOCAL = LocalFileSystem()
"""Shared instance; it has no state."""
