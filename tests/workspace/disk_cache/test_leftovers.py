"""What a killed process left beside a baseline or a point goes with the next one; nothing of the user's ever does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.baselines.saving import save
from tests.drawn_runs import write_run
from tests.history.series import record_run

USERS = (".perfcompare-writing", ".perfcompare-writing.0123456789ABCDEF", ".perfcompare-writing.0123456789abcdef.txt",
         "perfcompare-writing.0123456789abcdef", ".main.0123456789abcdef", "notes")  # fmt: skip


def saved(run: Path, folder: Path) -> Path:
    return save(folder, run)


def recorded(run: Path, folder: Path) -> Path:
    return record_run(folder.parent, run, series=folder.name)


@pytest.mark.parametrize("written", [saved, recorded])
def test_only_our_old_names_go(tmp_path: Path, written: Callable[[Path, Path], Path]) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    old, young = (folder / f".perfcompare-writing.{number * 16}" for number in "0f")
    then = time.time() - 2 * 3600
    for name in (*USERS, old.name, young.name):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, None if name == young.name else (then, then))
    made = written(write_run(tmp_path / "run"), folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*USERS, young.name, made.name])
