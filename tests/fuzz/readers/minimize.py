"""Minimizes an input that breaks the law at the same place."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.fuzz.readers.driver import Tally, try_one
from tests.fuzz.readers.law import Target


def command(target: Target, path: Path) -> int:
    """Write the minimized input to FILE.min; 2 if the file breaks no law."""
    data = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        wanted = broken(target, data, Path(folder))
        if not wanted:
            print(f"{path} breaks no law")
            return 2
        smaller = minimized(target, data, wanted, Path(folder))
    out = path.with_name(f"{path.name}.min")
    out.write_bytes(smaller)
    print(f"{wanted}\n{out}: {len(smaller)} of {len(data)} bytes")
    return 0


def broken(target: Target, data: bytes, folder: Path) -> str:
    """The failure of an input, "" for none."""
    tally = Tally(target.name)
    try_one(target, data, folder, tally)
    return next(iter(tally.failures), "")


def minimized(target: Target, data: bytes, wanted: str, folder: Path) -> bytes:
    """Remove ever shorter parts until none can be removed."""
    size = max(1, len(data) // 2)
    while True:
        at, before = 0, len(data)
        while at < len(data):
            fewer = data[:at] + data[at + size :]
            if broken(target, fewer, folder) == wanted:
                data = fewer
            else:
                at += size
        if size == 1 and len(data) == before:
            return data
        size = max(1, size // 2)
