"""Run two commands alternately under the profiler until the verdict is settled.

Each recording is a fresh process. A Python script needs no change: it runs under torch.profiler, and each optimizer
step ends a step. Exit status: that of the gate, 2 if a command fails, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tb_perfcompare.capture.options import add_capture, capture_words
from tb_perfcompare.cli.arguments import add_options, add_output, positive
from tb_perfcompare.cli.gate import add_gate, check_gate, has_gate, run_gate
from tb_perfcompare.cli.output import Console, check_writable
from tb_perfcompare.cli.sources import new_workspace
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.experiment.command import parse_command
from tb_perfcompare.experiment.config import read_config
from tb_perfcompare.experiment.experiment import Experiment, RecordingFailed, Variant, open_experiment, round_orders
from tb_perfcompare.experiment.looks import Looks
from tb_perfcompare.render.formats import FORMATS
from tb_perfcompare.workspace.queries.candidates import MAX_CANDIDATES
from tb_perfcompare.workspace.workspace import Workspace

_FAILED = 2
_INTERRUPTED = 130
_BAR = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--a", metavar="COMMAND", help="the baseline's command, such as 'python train.py'")
    parser.add_argument(
        "--b", metavar="COMMAND", help="the candidate's command (default with --b-git: the same as --a)"
    )
    parser.add_argument(
        "--b-git", metavar="REV", default="", help="run the candidate at this commit, in a temporary git worktree"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="a TOML file with a baseline and one or more candidates, instead of --a and --b",
    )
    parser.add_argument("--out", metavar="DIR", help="log directory to write, for TensorBoard")
    parser.add_argument("--resume", action="store_true", help="continue the experiment in --out")
    parser.add_argument("--most-rounds", metavar="N", type=positive, help="stop after N rounds (default: 10)")
    parser.add_argument(
        "--most-minutes", metavar="N", type=_minutes, help="start no round that would end after N minutes"
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, help="seed of the order (default: random, saved in manifest.json)"
    )
    add_capture(parser.add_argument_group("the recording"))
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="format of the report (default: text)")
    add_output(parser)
    add_options(parser, "top", of="20")
    add_gate(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    with _termination_as_interrupt():
        return _run(arguments, console)


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Turns SIGTERM into KeyboardInterrupt during the `with` body, so that a cancelled job also ends the commands,
    which run in process groups of their own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: argparse.Namespace, console: Console) -> int:
    variants = _variants(arguments)
    check_writable(arguments.output)
    check_gate(arguments)
    if arguments.junit and len(variants) > 2:
        raise PerfCompareError("--junit is for one candidate", hint="leave it out")
    options = CompareOptions()
    with open_experiment(
        arguments.out, variants, capture_words(arguments), seed=arguments.seed, most_rounds=arguments.most_rounds,
        alpha=options.alpha, resume=arguments.resume,
    ) as experiment, new_workspace() as workspace:  # fmt: skip
        looks = Looks(experiment, options, workspace, console.warn, console.progress)
        stopped = _record_rounds(experiment, looks, console, arguments.most_minutes)
        rounds = experiment.manifest.rounds()
        if stopped == _INTERRUPTED:
            console.warn(f"interrupted after {many(rounds, 'complete round')}; continue with --resume")
        if not rounds:
            return stopped
        data = looks.report(arguments.format, arguments.top, None if arguments.output else console.screen)
        console.write_result(data, arguments.output)
        return stopped or _gate(looks, workspace, arguments, console)


def _record_rounds(experiment: Experiment, looks: Looks, console: Console, most_minutes: float | None) -> int:
    """Records rounds until the experiment is finished, and reports on them; returns 0, or the exit status after a
    failure."""
    try:
        _rounds(experiment, looks, console, None if most_minutes is None else time.monotonic() + 60 * most_minutes)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except RecordingFailed as error:
        console.quote(error.tail)
        console.warn(f"tb-perfcompare ab: {error}")
        return _FAILED
    return 0


def _rounds(experiment: Experiment, looks: Looks, console: Console, end_s: float | None) -> None:
    manifest = experiment.manifest
    names = [variant.name for variant in experiment.variants]
    if manifest.rounds() and looks.settled():
        return
    for number, order in enumerate(round_orders(names, manifest.most_rounds, manifest.seed), start=1):
        missing = [name for name in order if not manifest.is_recorded(number, name)]
        if not missing:
            continue
        usual = sum(manifest.usual_seconds(name) or 0.0 for name in missing)
        if end_s is not None and usual > 0 and time.monotonic() + usual > end_s:
            console.warn(f"stopped after {many(number - 1, 'round')}: another would exceed --most-minutes")
            return
        for name in missing:
            _record(experiment, looks, console, number, name)
        if looks.settled():
            return


def _record(experiment: Experiment, looks: Looks, console: Console, number: int, name: str) -> None:
    manifest = experiment.manifest
    usual = manifest.usual_seconds(name)

    def tick(seconds: float) -> None:
        console.draw(f"round {number} of {manifest.most_rounds}  {name}  {_progress(seconds, usual)}")

    facts = experiment.record(number, name, tick)
    console.warn(f"round {number}  {name}  {looks.of_recording(number, name)}, {facts.seconds:.0f} s")


def _gate(looks: Looks, workspace: Workspace, arguments: argparse.Namespace, console: Console) -> int:
    """Runs the gate for each candidate; returns the worst exit status: 1 before 3 before 0."""
    statuses = []
    several = len(looks.candidates) > 1 and has_gate(arguments)
    for name in looks.candidates:
        if several:
            console.warn(f"{name}:")
        request = looks.request(name)
        comparison = workspace.compare(request, console.progress)
        statuses.append(run_gate(comparison, request, workspace, arguments, console))
    return next((status for status in (1, 3) if status in statuses), 0)


def _progress(seconds: float, usual: float | None) -> str:
    if usual is None:
        return f"{seconds:.0f} s"
    done = min(_BAR, int(_BAR * seconds / max(usual, 1e-9)))
    return f"{'█' * done}{'░' * (_BAR - done)} {seconds:.0f} of about {usual:.0f} s"


def _variants(arguments: argparse.Namespace) -> tuple[Variant, ...]:
    if arguments.config:
        if arguments.a or arguments.b or arguments.b_git:
            raise PerfCompareError("--config has the commands already", hint="leave out --a, --b and --b-git")
        variants, settings = read_config(arguments.config)
        for name, value in settings.items():
            if getattr(arguments, name) is None:  # options of the command line take precedence
                setattr(arguments, name, value)
    else:
        if not arguments.a or not (arguments.b or arguments.b_git):
            raise PerfCompareError("two commands are needed", hint="give --a and --b, or --a and --b-git, or --config")
        variants = (
            Variant("baseline", parse_command(arguments.a)),
            Variant("candidate", parse_command(arguments.b or arguments.a), arguments.b_git),
        )
    if not arguments.out:
        raise PerfCompareError("--out is missing", hint="give a log directory to write")
    if len(variants) - 1 > MAX_CANDIDATES:
        hint = f"at most {MAX_CANDIDATES} are compared at a time"
        raise SelectionError(f"{len(variants) - 1} candidates", hint=hint)
    return variants


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of minutes")
    return minutes
