"""Creates the workspace of a command and finds the runs that its arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.workspace.inputs.sides import Side, Steps
from tb_perfcompare.workspace.listing.index import Index, Listing, Root, side_from_path

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Workspace

RUN = "directory of a run, one file, or the name of a saved baseline"
"""Help text of an argument that names a run."""


def add_baselines(parser: argparse.ArgumentParser) -> None:
    """Adds --baselines."""
    from tb_perfcompare.workspace.baselines import USUAL_PLACE

    parser.add_argument(
        "--baselines", metavar="DIR", default=USUAL_PLACE,
        help=f"where saved baselines are looked up by name (default: {USUAL_PLACE})",
    )  # fmt: skip


def named_side(
    given: str, baselines: str, *, worker: str | None, span: str | None, steps: Steps | None, all_steps: bool,
    launches: str | None = None, counters: str | None = None, marker: str = "",
    kind: str = "",
) -> Side:  # fmt: skip
    """Returns the side that a user's argument means. Its source is named as the user wrote it, also for a saved
    baseline. Raises InputError and SelectionError."""
    from tb_perfcompare.workspace.baselines import Baselines

    path = Baselines(baselines).located(given)
    side = side_from_path(path, worker, span, steps, launches=launches, counters=counters)
    if path != given:
        side = replace(side, source=given, files=tuple(replace(file, source=given) for file in side.files))
    return replace(side, all_steps=side.all_steps or all_steps, marker=marker or side.marker, kind=kind or side.kind)


@contextmanager
def new_workspace(logdirs: Sequence[str] = (), scheduler: str | None = None) -> Iterator[Workspace]:
    """Yields a workspace that is closed after the `with` body; `scheduler` is the address of a Dask cluster to read
    files on."""
    from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
    from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

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
