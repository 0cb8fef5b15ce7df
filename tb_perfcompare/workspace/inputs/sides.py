"""The files that make a side of a comparison, as values, and how they are opened: in the state that is meant, by the
rule about links they were found by. Listing runs needs no more of what is done with them."""

from __future__ import annotations

import hashlib
import re
from contextlib import AbstractContextManager
from dataclasses import field, replace

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.options import CompareOptions, ExperimentLook
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import Note
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.perf_data.file_names import read_along
from tb_perfcompare.sources.storage.file_systems import file_system
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState, FileSystem
from tb_perfcompare.sources.storage.one_state import one_state


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """Everything a comparison depends on. Equal questions have equal answers. Runs of one experiment are compared at
    the level that it leaves for a look at what is recorded, whoever asks. A side that is narrowed to a kind (a saved
    baseline may be) is compared with the same kind of the other."""

    baseline: Side
    candidate: Side
    options: CompareOptions = field(default_factory=CompareOptions)

    def __post_init__(self) -> None:
        for name, side in zip(("baseline", "candidate"), of_one_kind(*self.sides), strict=True):
            object.__setattr__(self, name, side)
        recorded = self.baseline.experiment
        if recorded is not None and recorded == self.candidate.experiment:
            alpha = min(self.options.alpha, recorded.look.level)
            object.__setattr__(self, "options", replace(self.options, alpha=alpha, look=recorded.look))

    @property
    def sides(self) -> tuple[Side, Side]:
        """Baseline and candidate."""
        return self.baseline, self.candidate

    def tag(self) -> str:
        """A text that changes whenever the answer may: the files' names, sizes and times, the options, the version."""
        return hashlib.sha256(repr((__version__, self)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


Steps = tuple[int, int]
"""First and last step number to keep, both included."""

_STEPS = re.compile(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", re.ASCII)


def parse_steps(text: str) -> Steps:
    """ "3-10" or "5". Raises SelectionError."""
    found = _STEPS.fullmatch(text)
    if found is None:
        raise SelectionError(f"{text!r} is not a range of steps", hint="give two numbers such as 3-10, or one")
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
class RecordedExperiment:
    """What an experiment's manifest says about a comparison of its runs; `directory` tells experiments apart."""

    directory: str
    look: ExperimentLook


@dataclass(frozen=True, slots=True)
class Side:
    """The captures that make one side of a comparison; `steps` narrows each to some step numbers, `launches` is a
    listing or export of the same program whose figures its kernels get, `counters` a file of samples taken meanwhile;
    `all_steps` keeps the steps that are usually left out (analysis/pooling/step_admission.py); `marker` says what
    delimits the steps of traces, "" for what is found (analysis/iterations/find.py), `kind` keeps those whose markers
    are called like this pattern; `notes` say what of the source was not read; `experiment` recorded it.
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
    experiment: RecordedExperiment | None = None

    @property
    def keeps_tail(self) -> bool:
        """Whether steps are wanted that the recording ended before: whoever names steps gets those."""
        return self.all_steps or self.steps is not None

    @property
    def everything(self) -> tuple[CaptureFile, ...]:
        """All files to read."""
        return (*self.files, *(file for file in (self.launches, self.counters) if file is not None))


def of_one_kind(baseline: Side, candidate: Side) -> tuple[Side, Side]:
    """The sides, one without a kind narrowed to that of the other."""
    kind = baseline.kind or candidate.kind
    return replace(baseline, kind=baseline.kind or kind), replace(candidate, kind=candidate.kind or kind)


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
