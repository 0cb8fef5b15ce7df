"""Chooses the file system of a path: the local one, or a remote store's by its address."""

from __future__ import annotations

from tb_perfcompare.sources.storage.addresses import is_address, scheme_of, without_secrets
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.storage.inside_only import InsideOnly

__all__ = ["file_system", "is_address", "without_secrets"]


def file_system(path: str, link_root: str = "") -> FileSystem:
    """The file system that opens `path`.

    `link_root` is a directory that links must not lead out of, "" for none; stores have no links. Raises InputError for
    an unsupported scheme.
    """
    scheme = scheme_of(path)
    if scheme:
        from tb_perfcompare.sources.storage.remote import RemoteFileSystem

        return RemoteFileSystem(scheme)
    return InsideOnly(link_root) if link_root else LOCAL
