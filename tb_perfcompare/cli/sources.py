"""Creates the workspace of a command and finds the runs that its arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tb_perfcompare.errors import InputError
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import Side
from tb_perfcompare.workspace.listing.index import Index, Listing, Root

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Workspace

RUN = "directory of a run, one file, or the name of a saved baseline"
"""Help text of an argument that names a run."""


def add_baselines(parser: argparse.ArgumentParser) -> None:
    from tb_perfcompare.workspace.baselines import DEFAULT_DIRECTORY

    parser.add_argument(
        "--baselines", metavar="DIR", default=DEFAULT_DIRECTORY,
        help=f"directory of saved baselines (default: {DEFAULT_DIRECTORY})",
    )  # fmt: skip


def option_value(arguments: argparse.Namespace, name: str, side: str = "") -> Any:
    """Returns the value of an option: the side's own takes precedence over the one for both sides; None if the command
    has neither."""
    own = getattr(arguments, f"{side}_{name}", None)
    return getattr(arguments, name, None) if own is None else own


def named_side(arguments: argparse.Namespace, run: str, side: str = "") -> Side:
    """Returns the side that a user means by `run` and the options. Its source is named as the user wrote it, also for a
    saved baseline. Raises InputError and SelectionError."""
    from tb_perfcompare.workspace.baselines import Baselines

    worker, span, steps, launches, counters = (
        option_value(arguments, name, side) for name in ("worker", "span", "steps", "launches", "counters")
    )
    path = Baselines(arguments.baselines).located(run)
    found = side_from_path(path, worker, span, steps, launches=launches, counters=counters)
    if path != run:
        found = replace(found, source=run, files=tuple(replace(file, source=run) for file in found.files))
    return replace(
        found, all_steps=found.all_steps or arguments.all_steps, marker=arguments.step_marker or found.marker,
        kind=arguments.kind or found.kind,
    )  # fmt: skip


@contextmanager
def new_workspace(logdirs: Sequence[str] = (), scheduler: str | None = None) -> Iterator[Workspace]:
    """Yields a workspace that is closed after the `with` body; `scheduler` is the address of a Dask cluster to read
    files on."""
    from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
    from tb_perfcompare.workspace.workers.limits import use_one_heap
    from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

    use_one_heap()
    roots = [Root(path) for path in logdirs]
    workspace = Workspace(roots, in_process_bytes=SMALL_BYTES, cache=user_cache(), scheduler=scheduler)
    try:
        yield workspace
    finally:
        workspace.close()


def strict_listing(lister: Workspace | Index, logdir: str) -> Listing:
    """Returns the listing. Raises InputError if the log directory itself cannot be listed."""
    listing = lister.listing()
    if not listing.runs:
        for note in listing.problems:
            if note.where == logdir:
                raise InputError(logdir, note.message)
    return listing
