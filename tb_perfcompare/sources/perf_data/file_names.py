"""Names of the files that belong to one perf_data recording."""

from __future__ import annotations

from tb_perfcompare.sources.storage.filesystem import LOCAL, FileStat, FileSystem

PERF_DATA = "_perf_data.csv"
COUNTERS = "_counters_data.csv"
"""Suffixes of the file names."""


def read_along(path: str, fs: FileSystem = LOCAL) -> tuple[FileStat, ...]:
    """The files that `read_cycles` reads in addition to a table; () for other files."""
    for counters in names_beside(path):
        try:
            return (fs.stat(counters),)
        except OSError:
            continue
    return ()


def names_beside(path: str) -> tuple[str, ...]:
    """Possible paths of a table's counters file, which differ only in the suffix."""
    bare = path.removesuffix(".gz")
    if not bare.endswith(PERF_DATA):
        return ()
    counters = bare.removesuffix(PERF_DATA) + COUNTERS
    return (counters, f"{counters}.gz")
