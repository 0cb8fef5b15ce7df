"""Saved baselines by name: files in one directory, small enough to commit, used without the original traces.

Documented in docs/guide/gate.md; sources/saved/baseline_file.py defines the file format.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import InputError, SelectionError, choices
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.saved.baseline import SavedCapture, SavedFacts, SavedFailure
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.recognition.format_sniffers import BASELINE_ENDING
from tb_perfcompare.workspace.disk_cache.disk_store import temporary_path, write_and_move
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side
from tb_perfcompare.workspace.jobs.summary_jobs import (
    LoadedSide,
    failure_note,
    pooled,
    read_counter_file,
    read_launches,
)

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Workspace

DEFAULT_DIRECTORY = os.path.join(".perfcompare", "baselines")
"""Below the current directory, so that baselines can be committed with the code."""

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Baselines:
    """The saved baselines in one directory, which need not exist."""

    directory: str = DEFAULT_DIRECTORY

    def path(self, name: str) -> str:
        """Path of the baseline with that name, whether it exists or not. Raises SelectionError for an invalid name."""
        if not _NAME.fullmatch(name) or name.endswith(BASELINE_ENDING):
            raise SelectionError(
                f"{name!r} is not a valid name for a baseline",
                hint="use up to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit",
            )
        return os.path.join(self.directory, name + BASELINE_ENDING)

    def names(self) -> list[str]:
        """Names of all baselines, sorted. Raises InputError if the directory exists and cannot be listed."""
        try:
            entries = os.listdir(self.directory)
        except FileNotFoundError:
            return []
        except OSError as error:
            hint = "give the directory of the baselines with --baselines"
            raise InputError(self.directory, f"cannot be listed: {error.strerror or error}", hint=hint) from error
        names = [entry.removesuffix(BASELINE_ENDING) for entry in entries if entry.endswith(BASELINE_ENDING)]
        return sorted(name for name in names if _NAME.fullmatch(name))

    def facts(self, name: str) -> SavedFacts:
        """Reads the facts of a baseline. Raises SelectionError if there is none of that name, InputError if it cannot
        be read."""
        from tb_perfcompare.sources.saved.baseline_file import read_facts

        return read_facts(self._existing_path(name))

    def remove(self, name: str) -> None:
        """Deletes a baseline. Raises SelectionError if there is none of that name, InputError if it cannot be
        removed."""
        path = self._existing_path(name)
        try:
            os.unlink(path)
        except OSError as error:
            raise InputError(path, f"cannot be removed: {error.strerror or error}") from error

    def located(self, given: str) -> str:
        """Returns the path that a user's argument means: a path unchanged, or the path of the baseline of that name.

        Raises SelectionError if the name is both a run and a baseline, or neither."""
        if not _NAME.fullmatch(given):
            return given
        path = os.path.join(self.directory, given + BASELINE_ENDING)
        if not os.path.exists(path):
            if os.path.exists(given):
                return given
            raise self._unknown(given, "run and no baseline")
        if os.path.exists(given):
            hint = f"give ./{given} for the run, or {path} for the baseline"
            raise SelectionError(f"{given!r} is a run here and a saved baseline", hint=hint)
        return path

    def save(
        self, name: str, side: Side, window: str, workspace: Workspace, *, replacing: bool, report: Reporter = silent
    ) -> SavedContent:
        """Saves the side under the name and returns the saved content; files that cannot be read are recorded as
        failures.

        Raises SelectionError if the name is in use, unless `replacing`, InputError if the file cannot be written, and
        what reading the side raises."""
        from tb_perfcompare.sources.saved.baseline_file import write_baseline

        path = self.path(name)
        if not replacing and os.path.exists(path):
            raise SelectionError(f"there is a baseline called {name!r}", hint="choose another name, or add --replace")
        content = saved_content(side, window, workspace, report)
        try:
            os.makedirs(self.directory, exist_ok=True)
            write_and_move(
                temporary_path(self.directory),
                lambda out: write_baseline(out, content.facts, content.summaries, content.launches),
                lambda written: os.replace(written, path),
            )
        except OSError as error:
            hint = "choose another directory with --baselines"
            raise InputError(path, f"cannot be written: {error.strerror or error}", hint=hint) from error
        return content

    def _existing_path(self, name: str) -> str:
        path = self.path(name)
        if not os.path.exists(path):
            raise self._unknown(name, "baseline")
        return path

    def _unknown(self, name: str, what: str) -> SelectionError:
        names = self.names()
        hint = f"check the name; no baseline is saved in {self.directory}"
        if names:
            hint = f"{choices(name, names)} (in {self.directory})"
        return SelectionError(f"there is no {what} called {name!r}", hint=hint)


@dataclass(frozen=True, slots=True, eq=False)
class SavedContent:
    """What a baseline holds. `summaries` has one entry for each of `facts.captures`, None if it could not be read.
    `whole`, their pooled summary narrowed to the side's steps and kind, is not written to the file."""

    facts: SavedFacts
    summaries: tuple[Summary | None, ...]
    launches: LaunchRecording | None
    whole: Summary


def saved_content(side: Side, window: str, workspace: Workspace, report: Reporter = silent) -> SavedContent:
    """Reads a side and returns what a baseline of it holds; paths are left out. Raises what reading raises."""
    from tb_perfcompare.analysis.counters.counter_file import with_counter_file
    from tb_perfcompare.sources.saved.baseline_file import structure

    results = workspace.survey(side.files, window, report, tail=side.keeps_tail, marker=side.marker)
    read = [summary for summary in results if isinstance(summary, Summary)]
    failed = [(file, error) for file, error in zip(side.files, results, strict=True) if isinstance(error, InputError)]
    if not read:
        raise failed[0][1]
    if side.counters is not None:
        counters = read_counter_file(side.counters, report)
        read = list(with_counter_file(read, replace(counters, source=side.counters.name)))
    launches = None if side.launches is None else read_launches(side.launches, report)
    notes = tuple(failure_note(file, error) for file, error in failed)
    pooled_side = pooled(LoadedSide(side, tuple(read), notes, launches))
    to_save = [_with_fixed_steps(summary) for summary in read]
    # the side's notes are about none of its captures: the first one carries them
    to_save[0] = replace(to_save[0], notes=(*to_save[0].notes, *side.notes))
    in_order = iter(to_save)
    summaries = [None if isinstance(result, InputError) else next(in_order) for result in results]
    facts = SavedFacts(
        version=__version__,
        structure=structure(),
        run=side.files[0].run,
        format=pooled_side.format,
        metric=pooled_side.metric,
        window=window,
        steps=side.steps,
        all_steps=side.all_steps,
        kind=side.kind,
        launches="" if side.launches is None else side.launches.name,
        counters="" if side.counters is None else side.counters.name,
        device=pooled_side.device,
        count=len(pooled_side.steps) + len(pooled_side.dropped),
        admitted=len(pooled_side.steps),
        mean_ns=float(pooled_side.steps.total_ns.mean()) if pooled_side.is_timed else None,
        captures=tuple(_capture(file, summary) for file, summary in zip(side.files, results, strict=True)),
    )
    return SavedContent(facts, tuple(summaries), launches, pooled_side)


def _with_fixed_steps(summary: Summary) -> Summary:
    """Prepares a summary for saving: without its source, and marked as having steps that cannot be cut again."""
    iterations = summary.iterations
    return replace(summary, source="", iterations=None if iterations is None else replace(iterations, fixed=True))


def _capture(file: CaptureFile, result: Summary | InputError) -> SavedCapture:
    if isinstance(result, Summary):
        return SavedCapture(file.worker, file.span, file.rank, result.captures[0].file)
    failure = SavedFailure(result.code, result.reason, result.place, result.hint)
    return SavedCapture(file.worker, file.span, file.rank, FileFacts(file.name, file.bytes), failure)
