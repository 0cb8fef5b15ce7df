"""The Python API: what `import tb_perfcompare` offers as functions."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

from tb_perfcompare.compare.comparison import Comparison
from tb_perfcompare.compare.options import CompareOptions
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.workspace.index import Root, side_from_path
from tb_perfcompare.workspace.jobs import Side
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Question, Workspace

Source = str | PathLike[str] | Side


def compare_runs(
    baseline: Source,
    candidate: Source,
    *,
    options: CompareOptions | None = None,
    worker: str | None = None,
    span: str | None = None,
    steps: tuple[int, int] | None = None,
    report: Reporter = silent,
) -> Comparison:
    """Compares two run directories or trace files.

    worker, span, steps  narrow both sides; for one side only, give `side_from_path(path, worker, span, steps)` instead
                         of a path
    Raises PerfCompareError (InputError, SelectionError, ...) and whatever `report` raises.
    """
    sides = [
        source if isinstance(source, Side) else side_from_path(fspath(source), worker, span, steps)
        for source in (baseline, candidate)
    ]
    workspace = Workspace(in_process_bytes=SMALL_BYTES)
    try:
        return workspace.compare(Question(sides[0], sides[1], options or CompareOptions()), report)
    finally:
        workspace.close()


def open_logdir(logdir: str | PathLike[str] | Sequence[Root]) -> Workspace:
    """The runs below a log directory (or several named ones), to list, load and compare. Close it when done."""
    roots = [Root(fspath(logdir))] if isinstance(logdir, str | PathLike) else list(logdir)
    return Workspace(roots, in_process_bytes=SMALL_BYTES)
