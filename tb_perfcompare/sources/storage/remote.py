"""Remote files by address, `s3://bucket/run` or `https://host/run`, through fsspec.

fsspec is optional and imported only when an address is opened; it selects the package for the store (s3fs, gcsfs)
itself. Documented in docs/inputs/remote.md.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from datetime import datetime, timezone
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

from tb_perfcompare.errors import InputError
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.addresses import STORES, WEB, without_secrets
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState
from tb_perfcompare.sources.storage.remote_file import Opener, RemoteFile, as_os_errors

_FILE = re.compile(r"\.(?:json|jsonl|ndjson|gz|txt|log|lst|csv|baseline|perfcompare)$")
_AT_ONCE = 16
_VERSIONS = ("ETag", "etag", "md5Hash", "Content-MD5", "generation")
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created", "Last-Modified")


@dataclass(frozen=True, slots=True)
class RemoteFileSystem:
    """One kind of store. Its methods raise OSError if the store refuses, InputError if a package is missing."""

    scheme: str

    def entries(self, path: str) -> list[FileStat]:
        with as_os_errors(path):
            store = self._store(path)
            listed = store.ls(self._inside(store, path.rstrip("/") + "/" if self.scheme in WEB else path), detail=True)
        entries: list[FileStat] = []
        unknown: list[str] = []
        for info in listed:
            below = self._address(path, str(info["name"]))
            name = below.removeprefix(path.rstrip("/") + "/").rstrip("/")
            if not name or any(mark in name for mark in "/?#"):
                continue  # the directory itself, or a web page's link that sorts it differently or leads elsewhere
            if info.get("type") == "directory" or self.scheme not in WEB:
                entries.append(_facts(below.rstrip("/"), self.basename(below), info))
            else:
                unknown.append(below)  # a web listing has only names
        return entries + self._stat_all(unknown)

    def _stat_all(self, paths: list[str]) -> list[FileStat]:
        """Describes several paths in parallel: each takes a request to the server."""
        from concurrent.futures import ThreadPoolExecutor  # not needed for local files

        if not paths:
            return []
        with ThreadPoolExecutor(min(_AT_ONCE, len(paths))) as threads:
            return list(threads.map(self._stat_or_problem, paths))

    def _stat_or_problem(self, path: str) -> FileStat:
        try:
            return self.stat(path)
        except OSError as error:
            return FileStat(path, self.basename(path), False, problem=error.strerror or str(error))

    def stat(self, path: str) -> FileStat:
        with as_os_errors(path):
            store = self._store(path)
            inside = self._inside(store, path)
            if self.scheme not in WEB:
                return _facts(path, self.basename(path), store.info(inside))
            info = store.info(inside)
            # an HTML page is a listing, unless its name is that of a file
            page = str(info.get("mimetype", "")) == "text/html" and not _FILE.search(self.basename(path))
            return _facts(path, self.basename(path), {**info, "type": "directory" if page else "file"})

    def open(self, path: str) -> BinaryIO:
        with as_os_errors(path):
            store = self._store(path)
            opener = self._opener(store, self._inside(store, path))
            return cast(BinaryIO, RemoteFile(path, opener, self.stat(path).state))

    def opened_state(self, file: BinaryIO) -> FileState:
        return cast(RemoteFile, file).state

    def absolute(self, path: str) -> str:
        return path.rstrip("/")

    def basename(self, path: str) -> str:
        parts = urlsplit(path)
        last = parts.path.rstrip("/").rpartition("/")[2]
        return unquote(last) if self.scheme in WEB else last or parts.netloc

    def _store(self, path: str) -> Any:
        """fsspec's file system for the address."""
        fresh = {} if self.scheme in ("hdfs", "memory") else {"use_listings_cache": False}
        try:
            fsspec = importlib.import_module("fsspec.core")
            return fsspec.url_to_fs(path, **fresh)[0]
        except ImportError as error:
            package = STORES[self.scheme]
            more = f" {package}" if package not in ("", "aiohttp") else ""
            raise InputError(
                without_secrets(path), f"{self.scheme}:// needs a package that is not installed: {error.name or error}",
                hint=f"pip install 'tb_perfcompare[remote]'{more}",
            ) from error  # fmt: skip

    def _inside(self, store: Any, path: str) -> str:
        """The path in the store's own form."""
        return path if self.scheme in WEB else str(store._strip_protocol(path))

    def _address(self, beside: str, name: str) -> str:
        """The address of the entry `name` in a listing of `beside`."""
        if self.scheme in WEB:
            return name
        host = f"{urlsplit(beside).netloc}/" if self.scheme == "hdfs" else ""
        return f"{self.scheme}://{host}{name.lstrip('/')}"

    def _opener(self, store: Any, inside: str) -> Opener:
        def opened(ahead: int) -> Any:
            if not ahead:
                return store.open(inside, "rb", block_size=0)
            return store.open(inside, "rb", block_size=ahead, cache_type="readahead")

        return opened


def _facts(path: str, name: str, info: dict[str, Any]) -> FileStat:
    is_dir = info.get("type") == "directory"
    version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
    size, time_ns = int(info.get("size") or 0), _time_ns(info)
    identity = hashlib.sha256(path.rstrip("/").encode("utf-8", "backslashreplace")).digest()
    return FileStat(path, name, is_dir, size, time_ns, identity, version=version)


def _time_ns(info: dict[str, Any]) -> int:
    """Time of the file's last change, under any store's name for it; 0 if unknown."""
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    for key in _TIMES:
        time = info.get(key)
        try:
            if isinstance(time, str):
                written = time.replace("Z", "+00:00")
                time = parsedate_to_datetime(time) if "," in time else datetime.fromisoformat(written)
            if isinstance(time, datetime):
                return round((time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp() * 1e6) * 1000
            if isinstance(time, (int, float)):
                return round(time * 1e6) * 1000
        except (ValueError, OverflowError):
            continue
    return 0
