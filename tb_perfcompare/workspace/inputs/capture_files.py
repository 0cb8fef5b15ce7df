"""How the files of a side are opened: in the state that is meant, by the rule about links they were found by."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

from tb_perfcompare.sources.perf_data.file_names import read_along
from tb_perfcompare.sources.storage.file_systems import file_system
from tb_perfcompare.sources.storage.filesystem import FileSystem
from tb_perfcompare.sources.storage.one_state import one_state
from tb_perfcompare.workspace.inputs.sides import CaptureFile


def files_of(file: CaptureFile) -> FileSystem:
    """Opens the file and those next to it, in whatever state they are."""
    return file_system(file.path, file.within)


def as_meant(file: CaptureFile) -> AbstractContextManager[FileSystem]:
    """Opens the file and those next to it for the length of a reading. Raises InputChanged for one that is not, or does
    not stay, in the expected state."""
    return one_state(files_of(file), file.states)


def as_on_disk(file: CaptureFile) -> CaptureFile:
    """The file in its state of now; one that has gone keeps the old state, and reading it will say so."""
    fs = files_of(file)
    try:
        facts = fs.stat(file.path)
    except OSError:
        return file
    return replace(
        file, bytes=facts.bytes, mtime_ns=facts.mtime_ns, version=facts.version, beside=read_along(file.path, fs)
    )
