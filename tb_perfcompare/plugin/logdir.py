"""Which directories TensorBoard was started with, and a cheap answer to "is there any trace?"."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from dataclasses import dataclass

from tb_perfcompare.sources.addresses import STORES, without_secrets
from tb_perfcompare.sources.beginnings import POINT_NAME, POSSIBLE_NAME, looks_known

_URI = re.compile(r"[a-zA-Z][0-9a-zA-Z.+-]*://.*", re.DOTALL)
_NAMED_RUN = re.compile(rf".*\.pt\.trace\.json(?:\.gz)?|{POINT_NAME.pattern}", re.DOTALL)

_ENTRIES_PER_LOOK = 2000
_ENTRIES_PER_FILE = 20  # opening a file costs as much as listing some entries
_HEAD_BYTES = 4096
_SECONDS_PER_LOOK = 0.1
_KEPT_S = 5.0


@dataclass(frozen=True, slots=True)
class LogdirRoot:
    """One directory; `name` goes in front of its runs ("" for none), `given` is how the user wrote it."""

    path: str
    name: str
    given: str

    @property
    def is_remote(self) -> bool:
        """A bucket or another store that cannot be listed as a local directory."""
        return _URI.fullmatch(self.path) is not None

    @property
    def is_opened(self) -> bool:
        """A store that the readers know, or a local directory."""
        return not self.is_remote or self.path.partition("://")[0].lower() in STORES


def logdir_roots(logdir: str | None, logdir_spec: str | None) -> tuple[LogdirRoot, ...]:
    """`--logdir DIR`, or `--logdir_spec [name:]dir,...` by TensorBoard's rules: an address with `://` or an absolute
    path has no name in front."""
    if logdir:
        return (_root(logdir, "", logdir),)
    roots = []
    for part in (logdir_spec or "").split(","):
        name, path = "", part
        if ":" in part and not part.startswith("/") and not _URI.fullmatch(part) and not os.path.splitdrive(part)[0]:
            name, _, path = part.partition(":")
        if path:
            roots.append(_root(path, name, part))
    return tuple(roots)


def _begins_like_a_run(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return looks_known(file.read(_HEAD_BYTES))
    except OSError:
        return False


def _root(path: str, name: str, given: str) -> LogdirRoot:
    local = path if _URI.fullmatch(path) else os.path.abspath(os.path.expanduser(path))
    return LogdirRoot(local, name, given.replace(path, without_secrets(path)))


class TraceProbe:
    """Whether any trace, listing or file of saved answers lies below the directories.

    TensorBoard asks at every page load, one plugin after the other, so
    each look is short: a look that runs out of its budget is continued by the next one."""

    def __init__(self, roots: tuple[LogdirRoot, ...]) -> None:
        self._roots = tuple(root.path for root in roots if not root.is_remote)
        # a store is too slow to be asked at every page load: whoever names one wants to see what is there
        self._found = any(root.is_remote and root.is_opened for root in roots)
        self._lock = threading.Lock()
        self._until_s = 0.0
        self._pending: deque[str] = deque()
        self._visited: set[tuple[int, int]] = set()

    def found(self) -> bool:
        """True from the first trace found on, whatever happens to it later."""
        if self._found or not self._lock.acquire(blocking=False):
            return self._found  # somebody else is looking right now
        try:
            if time.monotonic() >= self._until_s:
                self._found = self._look()
                self._until_s = time.monotonic() + _KEPT_S
            return self._found
        finally:
            self._lock.release()

    def _look(self) -> bool:
        if not self._pending:
            self._pending.extend(self._roots)
            self._visited.clear()
        entries, end_s = 0, time.monotonic() + _SECONDS_PER_LOOK
        while self._pending and entries < _ENTRIES_PER_LOOK and time.monotonic() < end_s:
            seen = self._look_into(self._pending.popleft())
            if seen is None:
                return True
            entries += seen
        return False

    def _look_into(self, path: str) -> int | None:
        """Entries in the directory, or None when a trace is among them. What cannot be read holds no trace."""
        entries = 0
        try:
            facts = os.stat(path)
            identity = (facts.st_dev, facts.st_ino)
            if facts.st_ino and identity in self._visited:
                return 0
            self._visited.add(identity)
            with os.scandir(path) as found:
                for entry in found:
                    entries += 1
                    if _NAMED_RUN.fullmatch(entry.name):
                        return None
                    if POSSIBLE_NAME.fullmatch(entry.name) and entry.is_file():
                        entries += _ENTRIES_PER_FILE
                        if _begins_like_a_run(entry.path):
                            return None
                    if entry.is_dir():
                        self._pending.append(entry.path)
        except OSError:
            return entries
        return entries
