"""The directories that TensorBoard was started with, and a cheap check whether they contain any trace."""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.recognition.format_sniffers import POINT_NAME, POSSIBLE_NAME, looks_known
from tb_perfcompare.sources.storage.addresses import STORES, without_secrets
from tb_perfcompare.sources.storage.filesystem import open_regular

_URI = regex(r"[a-zA-Z][0-9a-zA-Z.+-]*://.*", re.DOTALL)
_NAMED_RUN = regex(rf".*\.pt\.trace\.json(?:\.gz)?|{POINT_NAME.pattern}", re.DOTALL)

_HEAD_BYTES = 4096
_PATIENCE_S = 0.5
"""How long a page load waits for a search."""
_WITHOUT_REST_S = 0.05
_REST = 4
"""After a search that took longer than _PATIENCE_S, the next one starts at the earliest after this many times its
duration."""
_KEPT_S = 5.0


@dataclass(frozen=True, slots=True)
class LogdirRoot:
    """One directory. `name` is put in front of the names of its runs ("": nothing); `given` is how the user wrote the
    directory."""

    path: str
    name: str
    given: str

    @property
    def is_remote(self) -> bool:
        """Whether it is a remote store, such as a bucket, not a local directory."""
        return _URI.fullmatch(self.path) is not None

    @property
    def is_opened(self) -> bool:
        """Whether it can be read: a local directory, or a kind of remote store that the readers support."""
        return not self.is_remote or self.path.partition("://")[0].lower() in STORES


def logdir_roots(logdir: str | None, logdir_spec: str | None) -> tuple[LogdirRoot, ...]:
    """Parses `--logdir DIR`, or `--logdir_spec [name:]dir,...` by TensorBoard's rules: an address with `://` and an
    absolute path have no name in front."""
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


def _root(path: str, name: str, given: str) -> LogdirRoot:
    local = path if _URI.fullmatch(path) else os.path.abspath(os.path.expanduser(path))
    return LogdirRoot(local, name, given.replace(path, without_secrets(path)))


class TraceProbe:
    """Checks whether the directories contain any file that this plugin can read.

    TensorBoard asks at every page load, one plugin after the other, so each call waits only briefly. The search
    continues in a thread through all directories: first for file names that are conclusive, then in files that have to
    be opened. It sleeps half of the time, and after a slow search without success the next one is delayed.

    kept_s           seconds before a search without success is repeated, at least
    scandir, opened  functions that list a directory and open a file, for tests
    """

    def __init__(
        self, roots: tuple[LogdirRoot, ...], *, kept_s: float = _KEPT_S,
        scandir: Callable[[str], AbstractContextManager[Iterator[os.DirEntry[str]]]] = os.scandir,
        opened: Callable[[str], BinaryIO] = open_regular,
    ) -> None:  # fmt: skip
        self._roots = tuple(root.path for root in roots if not root.is_remote)
        # remote stores are too slow to search at every page load: the tab is active if one is given
        self._found = any(root.is_remote and root.is_opened for root in roots)
        self._kept_s = kept_s
        self._scandir = scandir
        self._opened = opened
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._ended.set()
        self._begun_s = 0.0
        self._until_s = -math.inf

    def found(self) -> bool:
        """Whether a trace was found; stays True even if that trace is deleted later."""
        if self._found:
            return True
        with self._lock:
            if self._ended.is_set() and time.monotonic() >= self._until_s:
                self._begun_s = time.monotonic()
                threading.Thread(target=self._search, name="tb_perfcompare probe", daemon=True).start()
                self._ended.clear()
        self._ended.wait(max(0.0, self._begun_s + _PATIENCE_S - time.monotonic()))
        return self._found

    def _search(self) -> None:
        try:
            self._found = self._holds_a_run()
        finally:
            with self._lock:  # found() may still be starting this thread, and clears _ended after that
                now_s = time.monotonic()
                took_s = now_s - self._begun_s
                self._until_s = now_s + max(self._kept_s, _REST * took_s if took_s > _PATIENCE_S else 0.0)
                self._ended.set()

    def _holds_a_run(self) -> bool:
        candidates = False
        for entry in _half_of_the_time(self._entries()):
            if _NAMED_RUN.fullmatch(entry.name):
                return True
            candidates = candidates or _is_candidate(entry)
        return candidates and any(
            _is_candidate(entry) and self._begins_like_a_run(entry.path) for entry in _half_of_the_time(self._entries())
        )

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        """Yields all entries below the directories; skips directories already visited (links) or unreadable."""
        pending, visited = deque(self._roots), set()
        while pending:
            path = pending.popleft()
            try:
                facts = os.stat(path)
                identity = (facts.st_dev, facts.st_ino)
                if facts.st_ino and identity in visited:
                    continue
                visited.add(identity)
                with self._scandir(path) as listed:
                    for entry in listed:
                        yield entry
                        if _is_directory(entry):
                            pending.append(entry.path)
            except OSError:
                continue

    def _begins_like_a_run(self, path: str) -> bool:
        try:
            with self._opened(path) as file:
                return looks_known(file.read(_HEAD_BYTES))
        except OSError:
            return False


def _half_of_the_time(entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """Yields the entries but sleeps half of the time, to leave the GIL and the disk to the server's other threads."""
    rested_s = time.monotonic()
    for entry in entries:
        yield entry
        if time.monotonic() - rested_s > _WITHOUT_REST_S:
            time.sleep(_WITHOUT_REST_S)
            rested_s = time.monotonic()


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a symbolic link to itself
        return False


def _is_candidate(entry: os.DirEntry[str]) -> bool:
    """Whether the file's beginning has to be read to know its format."""
    try:
        return POSSIBLE_NAME.fullmatch(entry.name) is not None and entry.is_file()
    except OSError:
        return False
