"""A directory whose links must not lead out of it.

Anyone who may write below a log directory can put a link there to any file of the user who runs the server. Files are
therefore checked by their open handle: a path may lead to another file between a check and opening it.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from dataclasses import replace
from typing import BinaryIO

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.filesystem import FileStat, LocalFileSystem, open_regular

LINKS = "TB_PERFCOMPARE_LINKS"
"""Environment variable: `follow` (default) or `inside`."""

FOLLOW, INSIDE = "follow", "inside"
REFUSED = f"a link that leads out of the log directory, which {LINKS}={INSIDE} forbids"

_DIRECTORY = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def is_inside(path: str, root: str) -> bool:
    """Whether the path, with all links resolved, is the directory or below it."""
    return _below(os.path.realpath(path), os.path.realpath(root))


def _below(real: str, real_root: str) -> bool:
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


@dataclass(frozen=True, slots=True)
class InsideOnly(LocalFileSystem):
    """The local files below `root`.

    Links that lead out of it are listed with a problem; describing or opening them raises OSError.
    """

    root: str

    def entries(self, path: str) -> list[FileStat]:
        self._check(path)
        return [self._checked_entry(entry) for entry in LocalFileSystem.entries(self, path)]

    def stat(self, path: str) -> FileStat:
        self._check(path)
        return replace(LocalFileSystem.stat(self, path), within=self.root)

    def open(self, path: str) -> BinaryIO:
        if os.open in os.supports_dir_fd and _NO_FOLLOW:
            return self._open_by_steps(path)
        with ExitStack() as unless_returned:
            file = unless_returned.enter_context(open_regular(path))
            real = os.path.realpath(path)
            is_this = os.path.samestat(os.fstat(file.fileno()), os.stat(real))
            if not (is_this and _below(real, os.path.realpath(self.root))):
                raise OSError(errno.EPERM, REFUSED)
            unless_returned.pop_all()
        return file

    def _open_by_steps(self, path: str) -> BinaryIO:
        """Opens a file from the root down, one directory at a time and without links, so that none can be swapped."""
        real, root = os.path.realpath(path), os.path.realpath(self.root)
        if not _below(real, root):
            raise OSError(errno.EPERM, REFUSED)
        *parents, name = os.path.relpath(real, root).split(os.sep)
        directory = os.open(root, os.O_RDONLY | _DIRECTORY)
        try:
            for parent in parents:
                inner = os.open(parent, os.O_RDONLY | _DIRECTORY | _NO_FOLLOW, dir_fd=directory)
                os.close(directory)
                directory = inner
            return open_regular(name, flags=_NO_FOLLOW, dir_fd=directory)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise OSError(errno.EPERM, REFUSED) from error
            raise
        finally:
            os.close(directory)

    def _check(self, path: str) -> None:
        if not is_inside(path, self.root):
            raise OSError(errno.EPERM, REFUSED)

    def _checked_entry(self, entry: FileStat) -> FileStat:
        if not entry.is_link or is_inside(entry.path, self.root):
            return replace(entry, within=self.root)
        return FileStat(entry.path, entry.name, False, is_link=True, problem=REFUSED)
