"""Records variants in turns, each recording a process of its own, into a log directory that TensorBoard opens."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from tb_perfcompare.capture.options import OUT_VARIABLE
from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.experiment.command import Command
from tb_perfcompare.experiment.environment import environment, gpus, load
from tb_perfcompare.experiment.manifest import (
    FILE,
    Manifest,
    RecordingFacts,
    VariantFacts,
    read_manifest,
    write_manifest,
)
from tb_perfcompare.experiment.process import Ended, run_process
from tb_perfcompare.experiment.revision import git_state, worktree
from tb_perfcompare.experiment.traces import LOOKED_FOR, program_facts, take_traces

USUAL_ROUNDS = 10

_WRITING = ".recording"
_LOGS = "output"


@dataclass(frozen=True, slots=True)
class Variant:
    """A command under a name, which is that of its run; `revision`: a commit to run it at, "" for the working tree."""

    name: str
    command: Command
    revision: str = ""


class CommandFailed(PerfCompareError):
    """A command ended with another status than zero; `tail`: the last lines it printed."""

    code = "command"

    def __init__(self, variant: str, number: int, ended: Ended, log: str) -> None:
        how = f"ended by signal {-ended.status}" if ended.status < 0 else f"failed with exit status {ended.status}"
        super().__init__(f"{variant} {how} in round {number}", hint=f"its output is in {log}")
        self.tail = ended.tail


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants, the first one the baseline, and the manifest of what was done so far."""

    out: str
    variants: tuple[Variant, ...]
    directories: Mapping[str, str]
    capture: Sequence[str]
    manifest: Manifest

    def run_directory(self, name: str) -> str:
        """Where the captures of a variant are."""
        return os.path.join(self.out, name)

    def record(self, number: int, name: str, tick: Callable[[float], None]) -> RecordingFacts:
        """Runs the command of a variant once. Raises CommandFailed, and PerfCompareError where it wrote no trace."""
        variant = next(one for one in self.variants if one.name == name)
        written, logs = os.path.join(self.out, _WRITING), os.path.join(self.out, _LOGS)
        shutil.rmtree(written, ignore_errors=True)
        os.makedirs(written)
        os.makedirs(logs, exist_ok=True)
        log = os.path.join(logs, f"{name}.{number}.log")
        before, began = load(), datetime.now(timezone.utc).isoformat(timespec="seconds")
        variables = {**dict(variant.command.variables), OUT_VARIABLE: os.path.abspath(written)}
        try:
            words = variant.command.launched(self.capture)
            ended = run_process(words, self.directories[name], variables, log, tick)
            if ended.status:
                raise CommandFailed(name, number, ended, log)
            files = take_traces(written, self.run_directory(name), number)
            if not files:
                raise _no_trace(variant, number, written, log)
            facts = RecordingFacts(
                number, name, began, round(ended.seconds, 3),
                tuple(os.path.relpath(path, self.out).replace(os.sep, "/") for path in files), before,
                tuple(gpus()), program_facts(written),
            )  # fmt: skip
        finally:
            shutil.rmtree(written, ignore_errors=True)
        self.manifest.recordings.append(facts)
        self.save()
        return facts

    def save(self) -> None:
        """Writes the manifest."""
        write_manifest(self.out, self.manifest)


@contextmanager
def experiment(
    out: str, variants: Sequence[Variant], capture: Sequence[str], *, seed: int | None, most_rounds: int | None,
    alpha: float, resume: bool,
) -> Iterator[Experiment]:  # fmt: skip
    """A new experiment, or one that goes on. Worktrees are removed at the end. Raises PerfCompareError."""
    known = read_manifest(out)
    if known is None and resume:
        raise InputError(out, f"has no {FILE} to go on from", hint="leave out --resume")
    if known is not None and not resume:
        raise InputError(out, "holds an experiment already", hint="go on with --resume, or choose another --out")
    with ExitStack() as stack:
        here = os.getcwd()
        directories = {
            one.name: stack.enter_context(worktree(here, one.revision)) if one.revision else here for one in variants
        }
        facts = tuple(
            VariantFacts(one.name, one.command.text, one.revision, git_state(directories[one.name])) for one in variants
        )
        if known is None:
            try:
                os.makedirs(out, exist_ok=True)
            except OSError as error:
                raise InputError(out, f"cannot be made: {error.strerror}", hint="choose another --out") from error
            drawn = time.time_ns() % 2**31 if seed is None else seed
            known = Manifest(facts, drawn, most_rounds or USUAL_ROUNDS, alpha, environment())
            write_manifest(out, known)
        else:
            _check_same(known, facts, out, seed, most_rounds)
        yield Experiment(out, tuple(variants), directories, capture, known)


def _check_same(
    known: Manifest, facts: Sequence[VariantFacts], out: str, seed: int | None, most_rounds: int | None
) -> None:
    for one, other in zip(known.variants, facts, strict=False):
        if one != other:
            changed = "code" if (one.name, one.command) == (other.name, other.command) else "command"
            raise InputError(
                out, f"was recorded with another {changed} of {one.name}", hint="choose another --out"
            )
    if len(known.variants) != len(facts):
        raise InputError(out, f"was recorded with {len(known.variants)} commands", hint="choose another --out")
    if most_rounds not in (None, known.most_rounds) or seed not in (None, known.seed):
        raise InputError(
            out, f"was planned for {known.most_rounds} rounds and seed {known.seed}",
            hint="a plan that changes on the way makes more false alarms: choose another --out",
        )  # fmt: skip


def _no_trace(variant: Variant, number: int, written: str, log: str) -> PerfCompareError:
    if variant.command.is_launched:
        hint = f"the program took too few steps, or uses no torch; its output is in {log}"
    else:
        hint = (
            f"no Python script is seen in its command, so it has to write to ${OUT_VARIABLE} itself, "
            "or call python -m tb_perfcompare.capture SCRIPT"
        )
    return PerfCompareError(
        f"{variant.name} wrote no trace in round {number}: looked for {LOOKED_FOR} in {written}", hint=hint
    )
