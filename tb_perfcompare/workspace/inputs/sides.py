"""The files that make a side of a comparison. Values only: listing runs needs no more of what is done with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import Note
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState

Steps = tuple[int, int]
"""First and last step number to keep, both included."""

_STEPS = re.compile(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", re.ASCII)


def parse_steps(text: str) -> Steps:
    """ "3-10" or "5". Raises SelectionError."""
    found = _STEPS.fullmatch(text)
    if found is None:
        raise SelectionError(f"{text!r} is no range of steps", hint="give two numbers such as 3-10, or one")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise SelectionError(f"the range of steps {text!r} ends before it starts", hint="give the smaller number first")
    return first, last


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """One file to read, and what is said about it.

    path    opens it; never shown
    shown   how messages name it: relative to the logdir, or as the user typed it
    name    relative to the source, for the files of a side
    bytes, mtime_ns  of the expected state; a changed file is another CaptureFile
    source  what the user calls the whole it belongs to: a run, or a path as typed
    part    which run of a file that holds several
    beside  files that are read along with it
    version, within  as of filesystem.FileStat
    """

    path: str
    shown: str
    name: str
    bytes: int
    mtime_ns: int
    run: str
    worker: str
    span: str
    rank: int | None
    source: str
    part: int = 1
    beside: tuple[FileStat, ...] = ()
    version: str = ""
    within: str = ""

    @property
    def states(self) -> dict[str, FileState]:
        """Path -> expected state, of this file and of those next to it."""
        return {self.path: (self.bytes, self.mtime_ns, self.version)} | {one.path: one.state for one in self.beside}


@dataclass(frozen=True, slots=True)
class Side:
    """The captures that make one side of a comparison; `steps` narrows each to some step numbers, `launches` is a
    listing or export of the same program whose figures its kernels get, `counters` a file of samples taken meanwhile;
    `all_steps` keeps the steps that are usually left out (analysis/pooling/step_admission.py); `marker` says what
    delimits the steps of traces, "" for what is found (analysis/iterations/find.py), `kind` keeps those whose markers
    are called like this pattern; `notes` say what of the source was
    not read.
    """

    source: str
    files: tuple[CaptureFile, ...]
    steps: Steps | None = None
    launches: CaptureFile | None = None
    counters: CaptureFile | None = None
    all_steps: bool = False
    marker: str = ""
    kind: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def keeps_tail(self) -> bool:
        """Whether steps are wanted that the recording ended before: whoever names steps gets those."""
        return self.all_steps or self.steps is not None

    @property
    def everything(self) -> tuple[CaptureFile, ...]:
        """All files to read."""
        return (*self.files, *(file for file in (self.launches, self.counters) if file is not None))
