"""What a kept answer depends on: the content of its inputs, the options, and this package's code."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tb_perfcompare.sources.places import file_system, is_address
from tb_perfcompare.workspace.sides import CaptureFile

_LOOKED_AT = 64 * 2**10
_CODE = (".py", ".so", ".pyd")  # as written and as compiled


def described(value: Any, *, names: bool) -> Iterator[Any]:
    """The fields of a job or a question, its files by their content; with `names` also by everything that they are
    called. Raises OSError."""
    if isinstance(value, CaptureFile):
        yield from (value.name, value.rank, value.part, value.beside, *_content(value))
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


def _content(file: CaptureFile) -> tuple[int, int, str, str]:
    """(size, time, hash of the first and last bytes, a store's name for it) of what is stored now. Never waits for what
    is no file."""
    if is_address(file.path):
        return _remote_content(file)
    with open(file.path, "rb", opener=at_once) as stored:
        facts = os.fstat(stored.fileno())
        digest = hashlib.sha256(stored.read(_LOOKED_AT))
        stored.seek(max(0, facts.st_size - _LOOKED_AT))
        digest.update(stored.read(_LOOKED_AT))
    return facts.st_size, facts.st_mtime_ns, digest.hexdigest(), ""


def _remote_content(file: CaptureFile) -> tuple[int, int, str, str]:
    """Bytes only where the store has no name for the state of a file: they cost two requests."""
    fs = file_system(file.path)
    facts = fs.stat(file.path)
    if facts.version:
        return facts.bytes, facts.mtime_ns, "", facts.version
    with fs.open(file.path) as stored:
        digest = hashlib.sha256(stored.read(_LOOKED_AT))
        stored.seek(max(0, facts.bytes - _LOOKED_AT))
        digest.update(stored.read(_LOOKED_AT))
    return facts.bytes, facts.mtime_ns, digest.hexdigest(), ""


def at_once(path: str, flags: int) -> int:
    """For open(): what is no file is refused, not waited for."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "no file")
    return handle


@functools.cache
def code() -> str:
    """Stands for this package's code: another version, or an edited one, may read a file differently."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.suffix in _CODE):
        facts = path.stat()
        digest.update(f"{path.relative_to(root)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()
