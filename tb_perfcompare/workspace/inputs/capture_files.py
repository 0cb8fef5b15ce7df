"""Opens the files of a side: in the expected state, under the same rule for symbolic links as when they were listed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

from tb_perfcompare.sources.perf_data.file_names import companion_files
from tb_perfcompare.sources.storage.file_systems import file_system
from tb_perfcompare.sources.storage.filesystem import FileSystem
from tb_perfcompare.sources.storage.one_state import one_state
from tb_perfcompare.workspace.inputs.sides import CaptureFile


def files_of(file: CaptureFile) -> FileSystem:
    """Returns a file system that opens the file and those read along with it, in whatever state they are."""
    return file_system(file.path, file.link_root)


def in_expected_state(file: CaptureFile) -> AbstractContextManager[FileSystem]:
    """Opens the file and those read along with it, for the `with` body. Raises InputChanged if one of them is not in
    its expected state or leaves it before the body ends."""
    return one_state(files_of(file), file.states)


def with_current_state(file: CaptureFile) -> CaptureFile:
    """Returns the file with its current state. A file that no longer exists keeps its old state, so that reading it
    reports the error."""
    fs = files_of(file)
    try:
        facts = fs.stat(file.path)
    except OSError:
        return file
    return replace(
        file, bytes=facts.bytes, mtime_ns=facts.mtime_ns, version=facts.version,
        companions=companion_files(file.path, fs),
    )  # fmt: skip
