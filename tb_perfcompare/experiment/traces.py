"""Turns the traces of one process into one capture of its variant's run."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import zlib
from pathlib import Path

from tb_perfcompare.capture.recorder import FACTS_FILE
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.sources.recognition.format_sniffers import TRACE_FILE

_RANK = regex(r"(?:rank|worker)[-_]?(\d+)", re.IGNORECASE)
"""The rank in a worker's name; other numbers may be a process id, which differs in each round."""

_LAUNCHER_WORKER = regex(r"worker\d+")
"""Worker names that the launcher assigns."""

_RANK_INSIDE = regex(rb'"distributedInfo"\s*:\s*\{[^{}]*"rank"\s*:\s*(\d+)')
_HEAD_BYTES = 2**16

LOOKED_FOR = "*.pt.trace.json[.gz]"

_COMPLETE = 0.5
"""Smallest size of a complete trace, as a fraction of its worker's largest.

A program with its own profiler ends in the middle of a cycle of its schedule.
"""

_MAX_NAMED = 5


def move_traces(written: str, run: str, number: int) -> list[str]:
    """Moves traces below `written` into the run's directory as capture `number`, one per worker.

    If a process wrote several, takes the last complete one: they share clocks and caches, so they count as one. Traces
    of a profiler that the program started itself, after the launcher's had ended, replace the launcher's. Returns the
    new paths, empty without a trace.
    """
    stamped: dict[str, list[tuple[int, Path]]] = {}
    for path in _files(written):
        matched = TRACE_FILE.fullmatch(path.name)
        if matched is not None:
            stamped.setdefault(matched["worker"], []).append((int(matched["stamp"] or 0), path))
    if (Path(written) / FACTS_FILE).exists():
        own = {worker: traces for worker, traces in stamped.items() if not _LAUNCHER_WORKER.fullmatch(worker)}
        stamped = own or stamped
    chosen = {worker: _last_complete(traces) for worker, traces in stamped.items()}
    os.makedirs(run, exist_ok=True)
    stated = {worker: _rank(worker, path) for worker, path in chosen.items()}
    unclear = None in stated.values() or len(set(stated.values())) < len(chosen)
    ranks = {worker: number for number, worker in enumerate(sorted(chosen))} if unclear else stated
    moved = []
    for worker, path in sorted(chosen.items()):
        end = ".json.gz" if path.name.endswith(".gz") else ".json"
        target = os.path.join(run, f"worker{ranks[worker]}.{number}.pt.trace{end}")
        shutil.move(path, target)
        moved.append(target)
    return moved


def other_files(written: str) -> list[str]:
    """Returns names of files that are not named like traces."""
    return [path.name for path in _files(written)][:_MAX_NAMED]


def _files(written: str) -> list[Path]:
    return [path for path in sorted(Path(written).rglob("*")) if path.is_file() and path.name != FACTS_FILE]


def _rank(worker: str, path: Path) -> int | None:
    """Rank from the worker's name; without one, from the trace, which records it for process groups."""
    matched = _RANK.search(worker)
    if matched is not None:
        return int(matched[1])
    try:
        with (gzip.open(path) if path.name.endswith(".gz") else path.open("rb")) as file:
            inside = _RANK_INSIDE.search(file.read(_HEAD_BYTES))
    except (OSError, EOFError, zlib.error):
        return None
    return None if inside is None else int(inside[1])


def _last_complete(traces: list[tuple[int, Path]]) -> Path:
    sizes = [path.stat().st_size for _, path in traces]
    complete = [trace for trace, size in zip(traces, sizes, strict=True) if size >= _COMPLETE * max(sizes)]
    return max(complete)[1]


def program_facts(written: str) -> dict[str, object]:
    """Returns the facts that the launcher wrote about the program's process; {} if it wrote none."""
    try:
        facts = json.loads((Path(written) / FACTS_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
