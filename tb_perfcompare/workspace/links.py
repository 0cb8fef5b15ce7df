"""Symbolic links below a log directory: followed, or only where they stay below it.

Nobody makes a link by asking the server something; whoever may write below the log directory can. Where those are not
the ones who started the server, LINKS=inside keeps them from showing other files of its user.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.filesystem import FileStat, LocalFileSystem

LINKS = "TB_PERFCOMPARE_LINKS"
"""Environment variable: `follow` (default) or `inside`."""

FOLLOW, INSIDE = "follow", "inside"
REFUSED = f"a link that leads out of the log directory, which {LINKS}={INSIDE} forbids"


def links_stay_inside(environment: Mapping[str, str] = os.environ) -> bool:
    """What LINKS says. Raises PerfCompareError for another word."""
    given = environment.get(LINKS, "") or FOLLOW
    if given not in (FOLLOW, INSIDE):
        raise PerfCompareError(f"{LINKS} is {given[:80]!r}", hint=f"it must be {FOLLOW} or {INSIDE}")
    return given == INSIDE


def is_inside(path: str, root: str) -> bool:
    """Whether the path, all links resolved, is the directory or below it."""
    real, below = os.path.realpath(path), os.path.realpath(root)
    return real == below or real.startswith(below.rstrip(os.sep) + os.sep)


class InsideOnly(LocalFileSystem):
    """A directory in which links that lead out of it cannot be used; `refused` are those that were met."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.refused: list[str] = []

    def entries(self, path: str) -> list[FileStat]:
        """Of a directory below the root."""
        return [self._checked(entry) for entry in super().entries(path)]

    def _checked(self, entry: FileStat) -> FileStat:
        if not entry.is_link or is_inside(entry.path, self._root):
            return entry
        self.refused.append(os.path.relpath(entry.path, self._root))
        return FileStat(entry.path, entry.name, False, is_link=True, problem=REFUSED)
