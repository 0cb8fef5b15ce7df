"""The workspace a command works in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tb_perfcompare.errors import InputError
from tb_perfcompare.workspace.disk_cache.summary_cache import user_cache
from tb_perfcompare.workspace.listing.index import Listing, Root
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace


@contextmanager
def new_workspace(logdirs: Sequence[str] = (), scheduler: str | None = None) -> Iterator[Workspace]:
    """A workspace whose processes end with the command; `scheduler` is the address of a cluster that reads."""
    roots = [Root(path) for path in logdirs]
    workspace = Workspace(roots, in_process_bytes=SMALL_BYTES, cache=user_cache(), scheduler=scheduler)
    try:
        yield workspace
    finally:
        workspace.close()


def strict_listing(workspace: Workspace, logdir: str) -> Listing:
    """The listing; a log directory that cannot be listed at all is an error here."""
    listing = workspace.listing()
    if not listing.runs:
        for note in listing.problems:
            if note.where == logdir:
                raise InputError(logdir, note.message)
    return listing
