"""Keys of cache entries: hashes of the input files' content, the options and this package's code."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tb_perfcompare._version import __version__
from tb_perfcompare.sources.storage.file_systems import is_address
from tb_perfcompare.sources.storage.filesystem import FileState, FileSystem
from tb_perfcompare.sources.storage.one_state import settled_state
from tb_perfcompare.workspace.inputs.sides import CaptureFile, files_of
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache

_SAMPLE_BYTES = 64 * 2**10
_SAMPLES = 16
_digests: ByteCache[str] = ByteCache(2**20)
"""By path and state, for file systems whose version text changes with every write: a comparison needs each digest four
times."""

_CODE = (".py", ".so", ".pyd")  # as written and as compiled
_NO_CODE = ("__pycache__", "static")


def entry_key(value: Any, *, names: bool) -> str:
    """Key of the entry about a job or a request; see `described`. Raises OSError."""
    return text_digest(repr([__version__, code_digest(), *described(value, names=names)]))[:40]


def text_digest(text: str) -> str:
    """SHA-256 of a text, which may contain lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def described(value: Any, *, names: bool) -> Iterator[Any]:
    """Yields the fields of a job or a request, with each file's content instead of its path; with `names` also the
    file's run, worker, span and shown name. Raises OSError."""
    if isinstance(value, CaptureFile):
        yield from (value.name, value.rank, value.part)
        for path, state in value.states.items():
            yield from _content(path, state, files_of(value))
        yield tuple(companions.name for companions in value.companions)
        if names:
            yield from (value.shown, value.source, value.run, value.worker, value.span)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield field.name
            yield from described(getattr(value, field.name), names=names)
    elif isinstance(value, tuple):
        yield len(value)
        for item in value:
            yield from described(item, names=names)
    else:
        yield value


def _content(path: str, state: FileState, fs: FileSystem) -> tuple[int, int, str, str]:
    """Returns (size, time, hash of samples of the content, version in a remote store) of a file in the given state; the
    last two are "" if unused. Raises OSError if the file has changed since."""
    with fs.open(path) as stored:
        if settled_state(fs, stored) != state:
            raise OSError(errno.ESTALE, "changed since it was asked about")
        size, mtime_ns, version = state
        if is_address(path) and version:
            return size, mtime_ns, "", version  # reading content would cost HTTP requests
        digest = _digests.get((path, state)) if version else None
        if digest is None:
            digest = _digest(stored, (0, size - _SAMPLE_BYTES) if is_address(path) else _places(size))
            _digests.put((path, state), digest)
    return size, mtime_ns, digest, ""


def _digest(stored: BinaryIO, offsets: Sequence[int]) -> str:
    digest = hashlib.sha256()
    for offset in offsets:
        stored.seek(max(0, offset))
        digest.update(stored.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def _places(size: int) -> list[int]:
    """Byte offsets at which a local file is sampled: its beginning, its end, and evenly between."""
    return sorted({*range(0, size, max(_SAMPLE_BYTES, size // _SAMPLES)), max(0, size - _SAMPLE_BYTES)})


@functools.cache
def code_digest() -> str:
    """Hash of this package's code (names, sizes and times), as changed code may read a file differently."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for name, size, mtime_ns in sorted(_code_below(str(root), "")):
        digest.update(f"{name} {size} {mtime_ns}\n".encode())
    return digest.hexdigest()


def _code_below(folder: str, name: str) -> Iterator[tuple[str, int, int]]:
    """Yields (name below the package, size, time) of each code file. Runs at every start of a command: must be fast."""
    with os.scandir(folder) as scanned:
        entries = list(scanned)
    for entry in entries:
        if entry.name.endswith(_CODE):
            facts = entry.stat()
            yield f"{name}{entry.name}", facts.st_size, facts.st_mtime_ns
        elif "." not in entry.name and entry.name not in _NO_CODE and entry.is_dir():
            yield from _code_below(entry.path, f"{name}{entry.name}/")
