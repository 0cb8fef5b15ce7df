"""Records points for tests."""

from __future__ import annotations

from pathlib import Path

from tb_perfcompare.workspace.baselines import SavedContent, saved_content
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.record_point import record
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

DAY_S = 86_400
FIRST_S = 1_769_832_000


def content_of(run: Path | str) -> SavedContent:
    """The saved content of a run."""
    workspace = Workspace(in_process_bytes=SMALL_BYTES)
    try:
        return saved_content(side_from_path(str(run), None, None), "device", workspace)
    finally:
        workspace.close()


def record_run(
    logdir: Path,
    run: Path | str | SavedContent,
    *,
    day: int = 0,
    label: str = "r",
    series: str = "nightly",
    replacing: bool = False,
) -> Path:
    """Records a point of that day, of a run or of its content; returns its file."""
    content = run if isinstance(run, SavedContent) else content_of(run)
    path, _ = record(
        content, str(logdir), series, at_s=FIRST_S + day * DAY_S, label=label, replacing=replacing
    )  # fmt: skip
    return Path(path)
