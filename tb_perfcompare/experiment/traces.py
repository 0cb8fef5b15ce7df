"""What one process wrote, as one capture of its variant's run."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from tb_perfcompare.capture.recorder import FACTS_FILE
from tb_perfcompare.sources.recognition.format_sniffers import TRACE_FILE

_RANK = re.compile(r"(?:rank|worker)[-_]?(\d+)", re.IGNORECASE)
"""Other numbers in a worker's name may be a process id, which is another one in each round."""

LOOKED_FOR = "*.pt.trace.json[.gz]"


def take_traces(written: str, run: str, number: int) -> list[str]:
    """Moves traces below `written` into the run's directory as capture `number`, one for each worker, the last where a
    process wrote several: its captures share clocks and caches, so that they are one. Returns the new paths, [] where
    there is no trace."""
    latest: dict[str, tuple[int, Path]] = {}
    for path in sorted(Path(written).rglob("*")):
        matched = TRACE_FILE.fullmatch(path.name)
        if matched is None or not path.is_file():
            continue
        stamp = int(matched["stamp"] or 0)
        if stamp >= latest.get(matched["worker"], (0, path))[0]:
            latest[matched["worker"]] = stamp, path
    os.makedirs(run, exist_ok=True)
    stated = {worker: int(matched[1]) for worker in latest if (matched := _RANK.search(worker))}
    ranks = stated if len(set(stated.values())) == len(latest) else {w: at for at, w in enumerate(sorted(latest))}
    moved = []
    for worker, (_, path) in sorted(latest.items()):
        end = ".json.gz" if path.name.endswith(".gz") else ".json"
        target = os.path.join(run, f"worker{ranks[worker]}.{number}.pt.trace{end}")
        shutil.move(path, target)
        moved.append(target)
    return moved


def program_facts(written: str) -> dict[str, object]:
    """What the launcher says of the program's process; {} where nobody wrote it."""
    try:
        found = json.loads((Path(written) / FACTS_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
