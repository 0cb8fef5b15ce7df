"""Write chosen steps as a trace of their own, for a trace viewer such as Perfetto.

With a CANDIDATE, the trace has steps of both runs: both begin at 0, and process names begin with "baseline" and
"candidate".
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from tb_perfcompare.cli.arguments import add_options, add_output, as_argument
from tb_perfcompare.cli.output import Console, check_writable
from tb_perfcompare.cli.sources import new_workspace, option_value
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import parse_steps
from tb_perfcompare.workspace.jobs.step_jobs import ExcerptSide
from tb_perfcompare.workspace.queries.step_choice import TYPICAL, WORST, StepChoice
from tb_perfcompare.workspace.queries.step_views import ChosenSide, chosen_step, excerpt, steps_of
from tb_perfcompare.workspace.workspace import Workspace

_COMPRESSED = ".gz"
_MAX_NAMED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="RUN", help="directory of a run, or one trace file")
    parser.add_argument(
        "candidate", metavar="CANDIDATE", nargs="?", help="a second run, whose steps go into the same trace"
    )
    parser.add_argument(
        "--steps", metavar="3-5", type=_steps, default=TYPICAL,
        help=f"{TYPICAL} (the default): the step whose time is nearest to the median; {WORST}: the longest; or the "
        "steps with these numbers, both ends included",
    )  # fmt: skip
    parser.add_argument("--worker", metavar="NAME", help="only this worker")
    parser.add_argument("--span", metavar="LABEL", help="only this span")
    parser.add_argument("--candidate-steps", metavar="3-5", type=_steps, help="--steps for the candidate only")
    parser.add_argument("--candidate-worker", metavar="NAME", help="--worker for the candidate only")
    parser.add_argument("--candidate-span", metavar="LABEL", help="--span for the candidate only")
    add_options(parser, "all-steps", "step-window", "step-marker")
    add_output(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    check_writable(arguments.output)
    sources = (("baseline", arguments.source), ("candidate", arguments.candidate))
    compress = bool(arguments.output) and arguments.output.endswith(_COMPRESSED)
    with new_workspace() as workspace:
        sides = tuple(
            _excerpt_side(workspace, side, source, arguments, console.progress)
            for side, source in sources
            if source is not None
        )
        data = excerpt(workspace, sides, compress, console.progress)
    console.write_result(data, arguments.output)
    return 0


def _excerpt_side(
    workspace: Workspace, label: str, source: str, arguments: argparse.Namespace, report: Reporter
) -> ExcerptSide:
    """Finds the requested steps and their file; for a range, the first file that has any of them. Raises
    SelectionError."""
    window = arguments.step_window
    worker, span, steps = (option_value(arguments, name, label) for name in ("worker", "span", "steps"))
    side = side_from_path(source, worker, span)
    side = replace(side, all_steps=arguments.all_steps, marker=arguments.step_marker)
    if steps in (TYPICAL, WORST):
        facts, file = chosen_step(workspace, ChosenSide(side, StepChoice(steps)), window, report)
        return ExcerptSide(file, window, facts.label, facts.label, label, side.marker)
    # steps given by number are always included
    listing = steps_of(workspace, replace(side, all_steps=True), window, report)
    if listing.absent:
        raise SelectionError(f"{source} has no events", hint=listing.absent)
    first, last = parse_steps(steps)
    inside = [
        step for step in listing.steps
        if step.drawable and (number := step.label.partition(" ")[0]).isdecimal() and first <= int(number) <= last
    ]  # fmt: skip
    if not inside:
        labels = ", ".join(list(dict.fromkeys(step.label for step in listing.steps))[:_MAX_NAMED])
        missing = f"step {first}" if first == last else f"step between {first} and {last}"
        raise SelectionError(f"{source} has no {missing}", hint=f"there are: {labels}")
    begin = inside[0]
    end = [step for step in inside if (step.worker, step.span) == (begin.worker, begin.span)][-1]
    file = next(file for file in side.files if (file.worker, file.span) == (begin.worker, begin.span))
    return ExcerptSide(file, window, begin.label, end.label, label, side.marker)


@as_argument
def _steps(text: str) -> str:
    """Checks a --steps argument: TYPICAL, WORST or a range."""
    if text not in (TYPICAL, WORST):
        try:
            parse_steps(text)
        except SelectionError as error:
            raise SelectionError(error.message, hint=f"{error.hint}, or {TYPICAL} or {WORST}") from error
    return text
