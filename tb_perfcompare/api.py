"""The Python API: what `import tb_perfcompare` offers as functions. Documented in docs/guide/python.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath

from tb_perfcompare.comparison.result.comparison import Comparison, View
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side
from tb_perfcompare.workspace.listing.index import Root, side_from_path
from tb_perfcompare.workspace.queries.run_views import check_view, run_views
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

Path = str | PathLike[str]
Source = Path | Side
"""A run's directory, one file, `FILE#2`, a saved baseline, or what `side` made of one of these."""


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

    options              error level, margin, step windows, ...; the defaults are those of the command line
    worker, span, steps  narrow both sides, but not what `side` made: that is narrowed by itself
    all_steps            likewise; also the steps that are left out as incomplete or as warm-up
    step_marker          likewise; what delimits the steps of traces, as --step-marker of the command line
    report               called with the progress; whatever it raises ends the work
    Raises PerfCompareError: InputError for what cannot be read, SelectionError for a worker, span or step there is
    not, NotComparable for sides without a common measure.
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
    """One table of one run by itself: `overview`, `steps`, `operators`, `kernels`, ... as `tb-perfcompare view` has
    them. The other arguments are those of `compare`; `step_window` is "device" or "marker".

    Raises PerfCompareError: InputError for what cannot be read, SelectionError for a table, worker, span or step that
    the run does not have, saying why.
    """
    check_view(table)
    CompareOptions(window=step_window)  # raises for a window there is not
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
    """A run for `compare` or `view`, narrowed by itself or with files beside it.

    worker, span, steps  only these; steps are the first and the last number, both included
    all_steps            also the steps that are left out as incomplete or as warm-up
    step_marker          what delimits its steps, as --step-marker of the command line
    kind                 only the iterations of this kind, as --kind
    launches             a kernel listing or an ncu --csv export of the same program, whose utilisation its kernels get
    counters             a *_counters_data.csv with samples that were taken while it was recorded
    Raises InputError when nothing can be read there, SelectionError for unknown workers and spans.
    """
    beside = [None if file is None else fspath(file) for file in (launches, counters)]
    found = side_from_path(fspath(path), worker, span, steps, launches=beside[0], counters=beside[1])
    return replace(found, all_steps=found.all_steps or all_steps, marker=step_marker, kind=kind or found.kind)


def open_logdir(logdir: Path | Sequence[Root]) -> Workspace:
    """The runs below a log directory (or several named ones), to list, load and compare. Close it when done."""
    roots = [Root(fspath(logdir))] if isinstance(logdir, str | PathLike) else list(logdir)
    return Workspace(roots, in_process_bytes=SMALL_BYTES, cache=user_cache())


def _side(
    source: Source, worker: str | None, span: str | None, steps: tuple[int, int] | None, all_steps: bool, marker: str,
    kind: str,
) -> Side:
    """What was narrowed by itself stays as it is."""
    if isinstance(source, Side):
        return source
    return side(source, worker=worker, span=span, steps=steps, all_steps=all_steps, step_marker=marker, kind=kind)


@contextmanager
def _workspace() -> Iterator[Workspace]:
    """One whose processes end with the call."""
    workspace = Workspace(in_process_bytes=SMALL_BYTES, cache=user_cache())
    try:
        yield workspace
    finally:
        workspace.close()
