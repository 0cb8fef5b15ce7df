"""Temporary files that a process never moved into place, because it was killed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Callable

_OLD_S = 3600.0
"""Nobody has written to it for so long: what another process is writing now is younger."""

_BESIDE = re.compile(r"\.perfcompare-writing\.[0-9a-f]{16}")


def path_beside(folder: str) -> str:
    """Where to write a file first that is then moved to its place in the folder; a new name each time. What killed
    processes left there under such names is removed."""
    remove_leftovers(folder, lambda name: _BESIDE.fullmatch(name) is not None)
    return os.path.join(folder, f".perfcompare-writing.{secrets.token_hex(8)}")


def remove_leftovers(folder: str | os.PathLike[str], is_ours: Callable[[str], bool]) -> None:
    """Removes the old files of our names, as far as that is allowed."""
    oldest = time.time() - _OLD_S
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                if is_ours(entry.name) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)
