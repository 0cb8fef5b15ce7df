"""A run whose loading takes a minute and next to no disk: one trace under many workers' names."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from benchmarks.wide_traces import Wide, write_pair

FILES = 300
"""On each side; two processes read about ten a second."""


def write_slow_pair(logdir: Path, files: int = FILES, like: Path | None = None) -> dict[str, str]:
    """normal/ and abnormal/ with `files` workers each; the parameters that ask for the pair. `like` another one, its
    traces need not be drawn again."""
    if like is not None:
        shutil.copytree(like, logdir, ignore=lambda _, names: {one for one in names if re.match(r"worker[^0]", one)})
    for path in sorted(logdir.glob("*/worker0.*")) or write_pair(logdir, Wide(steps=10)):
        for worker in range(1, files):
            os.link(path, path.with_name(f"worker{worker}.{path.name.partition('.')[2]}"))
    return {"baseline": "normal", "candidate": "abnormal"}
