"""A saved baseline: the summary of a run, to compare against without its files."""

from __future__ import annotations

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.summary.summary import DeviceFacts, Summary
from tb_perfcompare.quick_dataclass import dataclass

SCHEMA = "tb_perfcompare.baseline/1"
"""Schema of a baseline's metadata; its number changes with the layout of the file."""


@dataclass(frozen=True, slots=True)
class SavedFailure:
    """Why a file of the run could not be read when the baseline was saved; `code` is the error's code."""

    code: str
    reason: str
    place: str
    hint: str


@dataclass(frozen=True, slots=True)
class SavedCapture:
    """One file of the run. `failed` is None if it could be read."""

    worker: str
    span: str
    rank: int | None
    file: FileFacts
    failed: SavedFailure | None = None


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """Metadata of a baseline, readable without the summary itself.

    version    version of the tool that saved it
    structure  identifies the classes of the summary; a summary with another value cannot be read
    run        name of the run
    format     key of model/formats.py
    metric     what its steps measure (model/summary/summary.py)
    window     rule for step windows used in its summary
    steps      first and last number of the selected steps, None for all
    all_steps  whether incomplete and warm-up steps count
    kind       pattern of the selected kind of iterations, "" for all
    launches   name of its listing or export, "" for none
    counters   name of its file of counters, "" for none
    device     the device of all captures
    count, admitted  steps recorded, steps compared
    mean_ns    mean of the compared steps, None if the run has no times
    captures   its files in order
    """

    version: str
    structure: str
    run: str
    format: str
    metric: str
    window: str
    steps: tuple[int, int] | None
    all_steps: bool
    kind: str
    launches: str
    counters: str
    device: DeviceFacts
    count: int
    admitted: int
    mean_ns: float | None
    captures: tuple[SavedCapture, ...]
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True, eq=False)
class SavedSummary:
    """The saved summary of one capture: a recording that needs no analysis."""

    facts: SavedFacts
    summary: Summary
