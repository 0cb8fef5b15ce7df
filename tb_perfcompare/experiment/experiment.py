"""Records variants alternately, each recording in a process of its own, into a log directory that TensorBoard opens."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone

from tb_perfcompare.capture.options import OUT_VARIABLE
from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.experiment.command import Command
from tb_perfcompare.experiment.environment import environment, gpus, load
from tb_perfcompare.experiment.revision import git_state, worktree
from tb_perfcompare.experiment.stopping import planned_levels
from tb_perfcompare.experiment.traces import LOOKED_FOR, move_traces, other_files, program_facts
from tb_perfcompare.number_text import many
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.saved.manifest import (
    FILE,
    Manifest,
    RecordingFacts,
    VariantFacts,
    read_manifest,
    write_manifest,
)

DEFAULT_ROUNDS = 10

_WRITING = ".recording"
_LOGS = "output"


@dataclass(frozen=True, slots=True)
class Variant:
    """A named command; the name is that of its run. `revision`: a commit to run it at, "" for the working tree."""

    name: str
    command: Command
    revision: str = ""


class RecordingFailed(PerfCompareError):
    """A command ended with a non-zero status, or wrote no trace; `tail`: the last lines it printed."""

    code = "command"

    def __init__(self, what: str, hint: str, tail: tuple[str, ...]) -> None:
        super().__init__(what, hint=hint)
        self.tail = tail


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants, the first one being the baseline, and the manifest of the recordings so far."""

    out: str
    variants: tuple[Variant, ...]
    directories: Mapping[str, str]
    capture: Sequence[str]
    manifest: Manifest

    def run_directory(self, name: str) -> str:
        """Returns the directory of a variant's captures."""
        return os.path.join(self.out, name)

    def record(self, number: int, name: str, tick: Callable[[float], None]) -> RecordingFacts:
        """Runs a variant's command once. Raises RecordingFailed, or PerfCompareError if it cannot start."""
        variant = next(each for each in self.variants if each.name == name)
        written, logs = os.path.join(self.out, _WRITING), os.path.join(self.out, _LOGS)
        shutil.rmtree(written, ignore_errors=True)
        os.makedirs(written)
        os.makedirs(logs, exist_ok=True)
        log = os.path.join(logs, f"{name}.{number}.log")
        before, began = load(), datetime.now(timezone.utc).isoformat(timespec="seconds")
        variables = {**dict(variant.command.variables), OUT_VARIABLE: os.path.abspath(written)}
        try:
            words = variant.command.launched(self.capture)
            status, seconds = _run_process(words, self.directories[name], variables, log, tick)
            if status:
                how = f"ended by signal {-status}" if status < 0 else f"failed with exit status {status}"
                raise RecordingFailed(f"{name} {how} in round {number}", f"its output is in {log}", tail(log))
            files = move_traces(written, self.run_directory(name), number)
            if not files:
                raise _no_trace(variant, number, written, log)
            facts = RecordingFacts(
                number, name, began, round(seconds, 3),
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
def open_experiment(
    out: str, variants: Sequence[Variant], capture: Sequence[str], *, seed: int | None, most_rounds: int | None,
    alpha: float, resume: bool,
) -> Iterator[Experiment]:  # fmt: skip
    """Opens a new or resumed experiment; worktrees are removed at the end. Raises PerfCompareError."""
    manifest = read_manifest(out)
    if manifest is not None and not manifest.recordings and not resume:
        manifest = None  # its first command failed
    if manifest is None:
        _check_new(out, variants)
    if manifest is None and resume:
        raise InputError(out, f"has no {FILE} to continue from", hint="leave out --resume")
    if manifest is not None and not resume:
        raise InputError(out, "holds an experiment already", hint="continue with --resume, or choose another --out")
    with ExitStack() as stack:
        here = os.getcwd()
        directories = {
            variant.name: stack.enter_context(worktree(here, variant.revision)) if variant.revision else here
            for variant in variants
        }
        facts = tuple(
            VariantFacts(variant.name, variant.command.text, variant.revision, git_state(directories[variant.name]))
            for variant in variants
        )
        if manifest is None:
            try:
                os.makedirs(out, exist_ok=True)
            except OSError as error:
                raise InputError(out, f"cannot be made: {error.strerror}", hint="choose another --out") from error
            drawn = time.time_ns() % 2**31 if seed is None else seed
            levels = planned_levels(most_rounds or DEFAULT_ROUNDS, alpha, len(variants) - 1)
            manifest = Manifest(facts, tuple(capture), drawn, alpha, levels, environment())
            write_manifest(out, manifest)
        else:
            _check_same(manifest, facts, out, capture, seed, most_rounds)
        yield Experiment(out, tuple(variants), directories, capture, manifest)


def _check_new(out: str, variants: Sequence[Variant]) -> None:
    """Raises InputError if there are recordings already: they would count as captures of this experiment."""
    for variant in variants:
        run = os.path.join(out, variant.name)
        if os.path.lexists(run) and not (os.path.isdir(run) and not os.listdir(run)):
            raise InputError(run, "is there already and not from an experiment", hint="choose another --out")


def _check_same(
    manifest: Manifest, facts: Sequence[VariantFacts], out: str, capture: Sequence[str], seed: int | None,
    most_rounds: int | None,
) -> None:  # fmt: skip
    for before, now in zip(manifest.variants, facts, strict=False):
        if before != now:
            changed = "code" if (before.name, before.command) == (now.name, now.command) else "command"
            raise InputError(
                out, f"was recorded with a different {changed} of {before.name}", hint="choose another --out"
            )
    if len(manifest.variants) != len(facts):
        raise InputError(out, f"was recorded with {len(manifest.variants)} commands", hint="choose another --out")
    if manifest.capture != tuple(capture):
        raise InputError(out, f"was recorded with {' '.join(manifest.capture)}", hint="give the same options")
    if most_rounds not in (None, manifest.most_rounds) or seed not in (None, manifest.seed):
        raise InputError(
            out, f"was planned for {many(manifest.most_rounds, 'round')} and seed {manifest.seed}",
            hint="changing the plan midway raises false alarms: choose another --out",
        )  # fmt: skip


def _no_trace(variant: Variant, number: int, written: str, log: str) -> RecordingFailed:
    if variant.command.is_launched:
        hint = f"too few steps, no torch, or it trains in processes that it starts itself; its output is in {log}"
    else:
        hint = (
            f"its command runs no Python script, so it must write to ${OUT_VARIABLE} itself, "
            "or call python -m tb_perfcompare.capture SCRIPT"
        )
    others = other_files(written)
    instead = f", which has {', '.join(others)}" if others else ""
    what = f"{variant.name} wrote no trace in round {number}: looked for {LOOKED_FOR} in {written}{instead}"
    return RecordingFailed(what, hint, tail(log))


def round_orders(names: Sequence[str], rounds: int, seed: int) -> list[tuple[str, ...]]:
    """Returns the order of each round.

    Every second round is reversed (A B, B A), so that a machine that becomes steadily slower affects all variants
    equally; the order is drawn anew every two rounds.
    """
    chance = random.Random(seed)
    orders: list[tuple[str, ...]] = []
    for number in range(rounds):
        if number % 2:
            orders.append(orders[-1][::-1])
        else:
            orders.append(tuple(chance.sample(list(names), len(names))))
    return orders


_POLL_S = 0.05
_PATIENCE_S = 5.0
_TAIL_LINES = 20
_TAIL_BYTES = 20_000


def _run_process(
    words: Sequence[str], directory: str, variables: Mapping[str, str], log: str, tick: Callable[[float], None]
) -> tuple[int, float]:
    """Runs a command in a process group of its own and returns its exit status and its seconds; stdout and stderr go to
    the file `log`, and `tick` is called with the elapsed seconds. A keyboard interrupt reaches only this process, which
    ends the group and re-raises it."""
    begin = time.monotonic()
    with open(log, "wb") as output:
        try:
            process = subprocess.Popen(
                words, cwd=directory, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise PerfCompareError(
                f"{words[0]} cannot be started: {error.strerror}", hint="check its name and PATH"
            ) from error
        try:
            while process.poll() is None:
                time.sleep(_POLL_S)
                tick(time.monotonic() - begin)
        finally:
            if process.poll() is None:
                _end(process)
    return process.returncode, time.monotonic() - begin


def tail(log: str) -> tuple[str, ...]:
    """Returns the last lines of a file."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return tuple(lines[-_TAIL_LINES:])


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, None):
        _signal(process, number)
        try:
            process.wait(_PATIENCE_S)
            return
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            _signal(process, None)
            raise


def _signal(process: subprocess.Popen[bytes], number: int | None) -> None:
    """Signals the whole group if the system has groups; None means kill."""
    if not hasattr(os, "killpg"):
        process.terminate() if number is not None else process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL if number is None else number)
    except ProcessLookupError:
        return
