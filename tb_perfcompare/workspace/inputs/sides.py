"""The files of each side of a comparison, as plain values, and how they are opened: in the requested state, by the rule
about links they were found by. Listing runs imports nothing that reads or compares."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import field, replace

from tb_perfcompare.comparison.result.options import SIDES, CompareOptions, ExperimentLook
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.note import Note
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.perf_data.file_names import companion_files
from tb_perfcompare.sources.storage.file_systems import file_system
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState, FileSystem
from tb_perfcompare.sources.storage.one_state import one_state


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """Everything a comparison depends on: equal requests have equal results. If both sides are runs of the same
    experiment, alpha is at most the level that its sequential design leaves for a look at the recorded rounds. If one
    side is narrowed to a kind of steps (a saved baseline may be), so is the other."""

    baseline: Side
    candidate: Side
    options: CompareOptions = field(default_factory=CompareOptions)

    def __post_init__(self) -> None:
        for name, side in zip(SIDES, of_one_kind(*self.sides), strict=True):
            object.__setattr__(self, name, side)
        recorded = self.baseline.experiment
        if recorded is not None and recorded == self.candidate.experiment:
            alpha = min(self.options.alpha, recorded.look.level)
            object.__setattr__(self, "options", replace(self.options, alpha=alpha, look=recorded.look))

    @property
    def sides(self) -> tuple[Side, Side]:
        """Baseline and candidate."""
        return self.baseline, self.candidate


Steps = tuple[int, int]
"""First and last step number to keep, both included."""

_STEPS = regex(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", re.ASCII)


def parse_steps(text: str) -> Steps:
    """Parses a range such as "3-10", or one step number. Raises SelectionError."""
    match = _STEPS.fullmatch(text)
    if match is None:
        raise SelectionError(f"{text!r} is not a range of steps", hint="give two numbers such as 3-10, or one")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise SelectionError(f"the range of steps {text!r} ends before it starts", hint="give the smaller number first")
    return first, last


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """One file to read, in an expected state, and its place in a run.

    path        to open the file with; never shown
    shown       the file's name in messages: relative to the logdir, or as the user typed it
    name        the file's name relative to its source
    bytes, mtime_ns  expected size and modification time; a changed file is another CaptureFile
    source      the run's name, or the path as the user typed it
    part        number of the run, for a file that holds several
    companions  files that are read along with it
    version, link_root  as in filesystem.FileStat
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
    companions: tuple[FileStat, ...] = ()
    version: str = ""
    link_root: str = ""

    @property
    def states(self) -> dict[str, FileState]:
        """Path -> expected state, for this file and for those read along with it."""
        own = {self.path: (self.bytes, self.mtime_ns, self.version)}
        return own | {companion.path: companion.state for companion in self.companions}


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """The significance level and design that an experiment's manifest sets for comparing its runs; `directory`
    identifies the experiment."""

    directory: str
    look: ExperimentLook


@dataclass(frozen=True, slots=True)
class Side:
    """The captures of one side of a comparison, and how to read them.

    steps       keep only these step numbers; None: all
    launches    a kernel listing or ncu export of the same program, whose figures are attached to the side's kernels
    counters    a file of counter samples taken during the recording
    all_steps   keep the steps that are usually left out (analysis/pooling/step_admission.py)
    marker      what delimits the steps of traces; "": the default (analysis/iterations/find.py)
    kind        keep only the steps whose marker's name matches this pattern; "": all
    notes       parts of the source that were not read
    experiment  the experiment that recorded it, if any
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
        """Whether to keep a last step that the recording cut short: yes if steps are named explicitly or all are
        kept."""
        return self.all_steps or self.steps is not None

    @property
    def all_files(self) -> tuple[CaptureFile, ...]:
        """All files to read: captures, launches and counters."""
        return (*self.files, *(file for file in (self.launches, self.counters) if file is not None))


def of_one_kind(baseline: Side, candidate: Side) -> tuple[Side, Side]:
    """Returns the sides; one without a kind is narrowed to the kind of the other."""
    kind = baseline.kind or candidate.kind
    return replace(baseline, kind=baseline.kind or kind), replace(candidate, kind=candidate.kind or kind)


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
