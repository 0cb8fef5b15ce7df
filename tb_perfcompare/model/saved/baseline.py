"""A saved baseline: what was summarised of a run, to be compared against without its files."""

from __future__ import annotations

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.summary.summary import DeviceFacts, Summary
from tb_perfcompare.quick_dataclass import dataclass

SCHEMA = "tb_perfcompare.baseline/1"
"""Of a baseline's first member; another number means another layout of the file."""


@dataclass(frozen=True, slots=True)
class SavedFailure:
    """Why a file of the run could not be read when it was saved; `code` is that of the error."""

    code: str
    reason: str
    place: str
    hint: str


@dataclass(frozen=True, slots=True)
class SavedCapture:
    """One file of the run. `failed` is None for those that could be read."""

    worker: str
    span: str
    rank: int | None
    file: FileFacts
    failed: SavedFailure | None = None


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """What a baseline says about itself, so that it can be listed without reading the rest.

    version    of the tool that saved it
    structure  stands for the classes that the rest is made of: others cannot be read
    run        what the run was called
    format     key of model/formats.py
    metric     what a step of it is (model/summary/summary.py)
    window     rule for step windows it was summarised with
    steps      first and last number it is narrowed to, None for all
    all_steps  whether incomplete and warm-up steps count
    kind       pattern of the kind of iterations it is narrowed to, "" for all
    launches   name of the listing or export that came with it, "" for none
    counters   name of the file of counters that came with it, "" for none
    device     the device of all captures
    count, admitted  steps that were seen, steps that are compared
    mean_ns    mean of those, None where the run has no times
    captures   its files, in their order
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
    """The summary of one capture, as it was saved: a Recording that needs no analysis."""

    facts: SavedFacts
    summary: Summary
