"""Files that belong together in perf_data, by their names."""

from __future__ import annotations

from tb_perfcompare.sources.storage.filesystem import LOCAL, FileStat, FileSystem

PERF_DATA = "_perf_data.csv"
COUNTERS = "_counters_data.csv"
"""Ends of the file names."""


def read_along(path: str, fs: FileSystem = LOCAL) -> tuple[FileStat, ...]:
    """The files that `read_cycles` reads along with a table; () for other files."""
    for beside in names_beside(path):
        try:
            return (fs.stat(beside),)
        except OSError:
            continue
    return ()


def names_beside(path: str) -> tuple[str, ...]:
    """Where the counters file of a table may be; only the end of the name differs."""
    bare = path.removesuffix(".gz")
    if not bare.endswith(PERF_DATA):
        return ()
    beside = bare.removesuffix(PERF_DATA) + COUNTERS
    return (beside, f"{beside}.gz")
