"""Saves runs as baselines for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tb_perfcompare.workspace.baselines import Baselines
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace


def save(folder: Path, source: Path | str, name: str = "main", window: str = "device", **narrowed: Any) -> Path:
    """Saves a run below a folder; returns the file."""
    baselines = Baselines(str(folder))
    side = side_from_path(
        str(source), narrowed.pop("worker", None), narrowed.pop("span", None), narrowed.pop("steps", None), **narrowed
    )
    workspace = Workspace(in_process_bytes=SMALL_BYTES)
    try:
        baselines.save(name, side, window, workspace, replacing=True)
    finally:
        workspace.close()
    return Path(baselines.path(name))
