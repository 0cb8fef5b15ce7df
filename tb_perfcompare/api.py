"""The Python API: the functions that `import tb_perfcompare` offers. Documented in docs/guide/python.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath

from tb_perfcompare.comparison.result.comparison import Comparison, View
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.run_views import check_view, run_views
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

Path = str | PathLike[str]
Source = Path | Side
"""A run's directory, a single file, `FILE#2`, a saved baseline, or a Side built by `side`."""


def compare(
    baseline: Source,
    candidate: Source,
    *,
    options: CompareOptions | None = None,
    worker: str | None = None,
    span: str | None = None,
    steps: tuple[int, int] | None = None,
    all_steps: bool = False,
    step_marker: str = "",
    kind: str = "",
    report: Reporter = silent,
) -> Comparison:
    """Compares two runs; every difference is candidate minus baseline.

    options              error level, threshold, step windows, ...; the defaults are those of the command line
    worker, span, steps  restrict both sides, except sides built by `side`, which have their own selection
    all_steps            likewise; include steps that are otherwise left out as incomplete or as warm-up
    step_marker          likewise; what delimits the steps of traces, as --step-marker on the command line
    kind                 likewise; only the iterations of this kind, as --kind
    report               called with the progress; any exception that it raises ends the work
    Raises PerfCompareError: InputError for unreadable files, SelectionError for a worker, span or step that does not
    exist, NotComparable for sides without a common metric.
    """
    sides = [_side(source, worker, span, steps, all_steps, step_marker, kind) for source in (baseline, candidate)]
    with _workspace() as workspace:
        return workspace.compare(ComparisonRequest(sides[0], sides[1], options or CompareOptions()), report)


def view(
    run: Source,
    table: str = "overview",
    *,
    step_window: str = "device",
    worker: str | None = None,
    span: str | None = None,
    steps: tuple[int, int] | None = None,
    all_steps: bool = False,
    step_marker: str = "",
    kind: str = "",
    report: Reporter = silent,
) -> View:
    """Returns one table of one run: `overview`, `steps`, `operators`, `kernels`, ... as in `tb-perfcompare view`.

    `step_window` is "device" or "marker"; the other arguments are those of `compare`.
    Raises PerfCompareError: InputError for unreadable files, SelectionError for a table, worker, span or step that the
    run does not have; the message says why.
    """
    check_view(table)
    CompareOptions(window=step_window)  # raises for an unknown window
    with _workspace() as workspace:
        summary = workspace.load(_side(run, worker, span, steps, all_steps, step_marker, kind), step_window, report)
    return run_views(summary).view(table)


def side(
    path: Path,
    *,
    worker: str | None = None,
    span: str | None = None,
    steps: tuple[int, int] | None = None,
    all_steps: bool = False,
    step_marker: str = "",
    kind: str = "",
    launches: Path | None = None,
    counters: Path | None = None,
) -> Side:
    """Selects a run for `compare` or `view`, with its own restrictions or additional files.

    worker, span, steps  only these; steps are the first and the last number, both included
    all_steps            include steps that are otherwise left out as incomplete or as warm-up
    step_marker          what delimits its steps, as --step-marker on the command line
    kind                 only the iterations of this kind, as --kind
    launches             a kernel listing or an ncu --csv export of the same program; its utilization is added to the
                         run's kernels
    counters             a *_counters_data.csv sampled during the recording
    Raises InputError when nothing at the path can be read, SelectionError for unknown workers and spans.
    """
    extra = [None if file is None else fspath(file) for file in (launches, counters)]
    selected = side_from_path(fspath(path), worker, span, steps, launches=extra[0], counters=extra[1])
    return replace(selected, all_steps=selected.all_steps or all_steps, marker=step_marker, kind=kind or selected.kind)


def open_logdir(logdir: Path | Sequence[Root]) -> Workspace:
    """Opens the runs below a log directory (or several named ones) to list, load and compare. Close it when done."""
    roots = [Root(fspath(logdir))] if isinstance(logdir, str | PathLike) else list(logdir)
    return Workspace(roots, in_process_bytes=SMALL_BYTES, cache=user_cache())


def _side(
    source: Source, worker: str | None, span: str | None, steps: tuple[int, int] | None, all_steps: bool, marker: str,
    kind: str,
) -> Side:
    """Builds a Side from a path and these restrictions; a Side that the caller built is returned unchanged."""
    if isinstance(source, Side):
        return source
    return side(source, worker=worker, span=span, steps=steps, all_steps=all_steps, step_marker=marker, kind=kind)


@contextmanager
def _workspace() -> Iterator[Workspace]:
    """Opens a workspace whose worker processes end with the call."""
    workspace = Workspace(in_process_bytes=SMALL_BYTES, cache=user_cache())
    try:
        yield workspace
    finally:
        workspace.close()
