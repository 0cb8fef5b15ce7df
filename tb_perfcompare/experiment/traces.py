"""What one process wrote, as one capture of its variant's run."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import zlib
from pathlib import Path

from tb_perfcompare.capture.recorder import FACTS_FILE
from tb_perfcompare.sources.recognition.format_sniffers import TRACE_FILE

_RANK = re.compile(r"(?:rank|worker)[-_]?(\d+)", re.IGNORECASE)
"""Other numbers in a worker's name may be a process id, which is another one in each round."""

_LAUNCHERS = re.compile(r"worker\d+")
"""Workers that the launcher names."""

_RANK_INSIDE = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*"rank"\s*:\s*(\d+)')
_HEAD_BYTES = 2**16

LOOKED_FOR = "*.pt.trace.json[.gz]"

_WHOLE = 0.5
"""Smallest size of a trace that is not a remainder, as a fraction of its worker's largest: programs with a profiler of
their own end in the middle of a cycle of its schedule."""

_NAMED = 5


def take_traces(written: str, run: str, number: int) -> list[str]:
    """Moves traces below `written` into the run's directory as capture `number`, one for each worker, the last whole
    one where a process wrote several: its captures share clocks and caches, so that they are one. Those of a profiler
    that the program itself started after the launcher's had ended replace the launcher's. Returns the new paths, []
    where there is no trace."""
    stamped: dict[str, list[tuple[int, Path]]] = {}
    for path in _files(written):
        matched = TRACE_FILE.fullmatch(path.name)
        if matched is not None:
            stamped.setdefault(matched["worker"], []).append((int(matched["stamp"] or 0), path))
    if (Path(written) / FACTS_FILE).exists():
        own = {worker: traces for worker, traces in stamped.items() if not _LAUNCHERS.fullmatch(worker)}
        stamped = own or stamped
    chosen = {worker: _last_whole(traces) for worker, traces in stamped.items()}
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
    """Names of files that are not named like traces."""
    return [path.name for path in _files(written)][:_NAMED]


def _files(written: str) -> list[Path]:
    return [path for path in sorted(Path(written).rglob("*")) if path.is_file() and path.name != FACTS_FILE]


def _rank(worker: str, path: Path) -> int | None:
    """As the worker's name says, else the trace itself, which does where ranks are joined in a process group."""
    matched = _RANK.search(worker)
    if matched is not None:
        return int(matched[1])
    try:
        with (gzip.open(path) if path.name.endswith(".gz") else path.open("rb")) as file:
            inside = _RANK_INSIDE.search(file.read(_HEAD_BYTES))
    except (OSError, EOFError, zlib.error):
        return None
    return None if inside is None else int(inside[1])


def _last_whole(traces: list[tuple[int, Path]]) -> Path:
    sizes = [path.stat().st_size for _, path in traces]
    whole = [trace for trace, size in zip(traces, sizes, strict=True) if size >= _WHOLE * max(sizes)]
    return max(whole)[1]


def program_facts(written: str) -> dict[str, object]:
    """What the launcher says of the program's process; {} where it wrote nothing."""
    try:
        found = json.loads((Path(written) / FACTS_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
