"""Pairs normal tables with abnormal ones.

Two given files are a pair. In directories, tables are matched by their folder below `normal_perf_data` and
`abnormal_perf_data` and by their name, `<job>[_prefill|_decode|_layer]_perf_data.csv`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.model.phases import ABNORMAL, MAX_CHOICES, NORMAL, partners_of, phase_of
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.perf_data.file_names import PERF_DATA


@dataclass(frozen=True, slots=True)
class TablePair:
    """Two tables to compare. `case` is their title, with parts separated by "/"; `phase` is "_decode" or similar."""

    normal: str
    abnormal: str
    case: str
    phase: str


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """The pairs ordered by path, and the tables of either side without a partner."""

    pairs: tuple[TablePair, ...]
    unpaired: tuple[str, ...]


def find_pairs(normal: str, abnormal: str) -> FoundPairs:
    """Pairs the tables of two files or directories. Raises InputError without tables, SelectionError without pairs."""
    ours, theirs = _tables(normal, NORMAL, ABNORMAL), _tables(abnormal, ABNORMAL, NORMAL)
    if len(ours) == 1 and len(theirs) == 1:
        path, partner = ours[0], theirs[0]
        return FoundPairs((TablePair(str(path), str(partner), _case(normal, path), _phase(path)),), ())
    partners = _partners_of(normal, ours, abnormal, theirs)
    pairs = [TablePair(str(path), str(partners[path]), _case(normal, path), _phase(path)) for path in partners]
    if not pairs:
        raise SelectionError(
            f"no table below {normal} pairs with one below {abnormal}: {_names(ours)} against {_names(theirs)}",
            hint="give the two files themselves",
        )
    paired = {pair.normal for pair in pairs} | {pair.abnormal for pair in pairs}
    return FoundPairs(tuple(pairs), tuple(str(path) for path in (*ours, *theirs) if str(path) not in paired))


def _partners_of(normal: str, ours: list[Path], abnormal: str, theirs: list[Path]) -> dict[Path, Path]:
    """Normal table -> its partner, ordered by path. Each table has at most one partner; equal names are preferred."""
    places = {_place(abnormal, ABNORMAL, path): path for path in reversed(theirs)}
    pairs: dict[Path, Path] = {}
    for choice in range(MAX_CHOICES):
        for path in ours:
            folder, name = _place(normal, NORMAL, path)
            choices = list(_partners(name))
            partner = places.get((folder, choices[choice])) if choice < len(choices) else None
            if partner is not None and path not in pairs and partner not in pairs.values():
                pairs[path] = partner
    return dict(sorted(pairs.items()))


def _tables(given: str, own: str, other: str) -> list[Path]:
    """The tables at a path, sorted; in a tree that contains both sides, only those of `own`."""
    root = Path(given)
    if not os.path.exists(given):
        raise InputError(given, "does not exist", hint=f"give a *{PERF_DATA} file or a directory with one")
    if not os.path.isdir(given):
        return [root]
    tables = sorted(path for path in _walk(root) if _plain(path.name).endswith(PERF_DATA))
    if not tables:
        raise InputError(given, f"holds no *{PERF_DATA} file", hint="give a file, or a directory with one")
    marked = [path for path in tables if own in path.relative_to(root).parts[:-1]]
    if not marked and all(other in path.relative_to(root).parts[:-1] for path in tables):
        raise InputError(given, f"holds only tables below {other}", hint=f"give a directory with {own}")
    return marked or tables


def holds_perf_data(folder: str) -> bool:
    """Whether a directory contains a table at any depth."""
    return any(_plain(path.name).endswith(PERF_DATA) for path in _walk(Path(folder)))


def _plain(name: str) -> str:
    """A file name without the suffix of compression."""
    return name.removesuffix(".gz")


def _walk(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield from (Path(folder) / name for name in names)


def _place(given: str, side: str, path: Path) -> tuple[tuple[str, ...], str]:
    """(folders between the given directory and the file, except the side's own; file name)."""
    root = Path(given)
    if path == root:
        return (), _plain(path.name)
    return tuple(part for part in path.relative_to(root).parts[:-1] if part != side), _plain(path.name)


def _partners(name: str) -> Iterator[str]:
    """Names of partner files on the other side, best first."""
    yield from (f"{stem}{PERF_DATA}" for stem in partners_of(name.removesuffix(PERF_DATA)))


def _phase(path: Path) -> str:
    return phase_of(path.name.removesuffix(PERF_DATA))


def _case(given: str, path: Path) -> str:
    """The folder of the case relative to the given path; the table's bare name if that is empty."""
    folder = path.absolute().parent
    parts = folder.parts
    if NORMAL in parts:
        folder = Path(*parts[: parts.index(NORMAL)])
    above = Path(given).absolute().parent
    relative = folder.relative_to(above).parts if folder.is_relative_to(above) else ()
    return "/".join(relative) or folder.name or _plain(path.name).removesuffix(PERF_DATA)


def _names(paths: list[Path]) -> str:
    shown = ", ".join(sorted({path.name for path in paths})[:4])
    return shown if len(paths) <= 4 else f"{shown}, …"
