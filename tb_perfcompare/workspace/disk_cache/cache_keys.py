"""What a kept answer depends on: the content of its inputs, the options, and this package's code."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tb_perfcompare.sources.storage.file_systems import is_address
from tb_perfcompare.sources.storage.filesystem import FileState, FileSystem
from tb_perfcompare.sources.storage.one_state import settled_state
from tb_perfcompare.workspace.inputs.sides import CaptureFile, files_of
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache

_LOOKED_AT = 64 * 2**10
_PLACES = 16
_digests: ByteCache[str] = ByteCache(2**20)
"""Of files in states whose name is another one after every change: a comparison asks for each file four times."""

_CODE = (".py", ".so", ".pyd")  # as written and as compiled
_NO_CODE = ("__pycache__", "static")


def described(value: Any, *, names: bool) -> Iterator[Any]:
    """The fields of a job or a question, its files by their content; with `names` also by everything that they are
    called. Raises OSError."""
    if isinstance(value, CaptureFile):
        yield from (value.name, value.rank, value.part)
        for path, state in value.states.items():
            yield from _content(path, state, files_of(value))
        yield tuple(beside.name for beside in value.beside)
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
    """(size, time, hash of places in it, a store's name for it) of a file in a state. Raises OSError if it is in
    another one by now."""
    with fs.open(path) as stored:
        if settled_state(fs, stored) != state:
            raise OSError(errno.ESTALE, "changed since it was asked about")
        size, mtime_ns, version = state
        if is_address(path) and version:
            return size, mtime_ns, "", version  # bytes cost requests
        digest = _digests.get((path, state)) if version else None
        if digest is None:
            digest = _digest(stored, (0, size - _LOOKED_AT) if is_address(path) else _places(size))
            _digests.put((path, state), digest)
    return size, mtime_ns, digest, ""


def _digest(stored: BinaryIO, places: Sequence[int]) -> str:
    digest = hashlib.sha256()
    for place in places:
        stored.seek(max(0, place))
        digest.update(stored.read(_LOOKED_AT))
    return digest.hexdigest()


def _places(size: int) -> list[int]:
    """Where a local file is looked at: its beginning, its end, and evenly between."""
    return sorted({*range(0, size, max(_LOOKED_AT, size // _PLACES)), max(0, size - _LOOKED_AT)})


@functools.cache
def code() -> str:
    """Stands for this package's code: another version, or an edited one, may read a file differently."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for name, size, mtime_ns in sorted(_code_below(str(root), "")):
        digest.update(f"{name} {size} {mtime_ns}\n".encode())
    return digest.hexdigest()


def _code_below(folder: str, name: str) -> Iterator[tuple[str, int, int]]:
    """(name below the package, size, time) of each of its files; every start of a command asks."""
    with os.scandir(folder) as found:
        entries = list(found)
    for entry in entries:
        if entry.name.endswith(_CODE):
            facts = entry.stat()
            yield f"{name}{entry.name}", facts.st_size, facts.st_mtime_ns
        elif "." not in entry.name and entry.name not in _NO_CODE and entry.is_dir():
            yield from _code_below(entry.path, f"{name}{entry.name}/")
