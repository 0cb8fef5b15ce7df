"""The Python API: what `import tb_perfcompare` offers as functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath

from tb_perfcompare.comparison.comparison import Comparison
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.workspace.index import Root, launches_from_path, side_from_path
from tb_perfcompare.workspace.jobs import Side
from tb_perfcompare.workspace.summary_cache import user_cache
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
    all_steps: bool = False,
    baseline_launches: str | PathLike[str] | None = None,
    candidate_launches: str | PathLike[str] | None = None,
    report: Reporter = silent,
) -> Comparison:
    """Compares two run directories or trace files.

    worker, span, steps  narrow both sides; for one side only, give `side_from_path(path, worker, span, steps)` instead
                         of a path
    all_steps            also the steps that are left out as incomplete or as warm-up
    baseline_launches, candidate_launches  a kernel listing or an ncu --csv export of the same program, whose
                         utilisation the side's kernels get
    Raises PerfCompareError (InputError, SelectionError, ...) and whatever `report` raises.
    """
    sides = []
    for source, launches in ((baseline, baseline_launches), (candidate, candidate_launches)):
        side = source if isinstance(source, Side) else side_from_path(fspath(source), worker, span, steps)
        side = replace(side, all_steps=side.all_steps or all_steps)
        sides.append(side if launches is None else replace(side, launches=launches_from_path(fspath(launches))))
    workspace = Workspace(in_process_bytes=SMALL_BYTES, cache=user_cache())
    try:
        return workspace.compare(Question(sides[0], sides[1], options or CompareOptions()), report)
    finally:
        workspace.close()


def open_logdir(logdir: str | PathLike[str] | Sequence[Root]) -> Workspace:
    """The runs below a log directory (or several named ones), to list, load and compare. Close it when done."""
    roots = [Root(fspath(logdir))] if isinstance(logdir, str | PathLike) else list(logdir)
    return Workspace(roots, in_process_bytes=SMALL_BYTES, cache=user_cache())
