"""Show one run: its overview, steps, operators, kernels and more.

With --compat, prints what torch-tb-profiler itself answers about one worker and one span.
"""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.arguments import SELECTION, add_options, add_output
from tb_perfcompare.cli.output import Console, check_writable
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result.options import WINDOWS
from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.render.formats import render_view
from tb_perfcompare.workspace.baselines import Baselines
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import Side
from tb_perfcompare.workspace.jobs.compat_jobs import CompatRequest
from tb_perfcompare.workspace.queries.run_views import check_view, run_views

_COMPAT_ONLY = ("group_by", "param")
_PARAMETERS = ("op_name", "input_shape", "start_ts", "end_ts", "memory_metric", "time_metric")
_NOT_COMPAT = ("steps", "csv", "top", "launches", "counters", "step_marker", "kind", "peaks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help=RUN)
    parser.add_argument("--view", metavar="NAME", default="overview", help=f"one of {', '.join(VIEWS)}")
    add_baselines(parser)
    add_options(
        parser, *SELECTION, "all-steps", "launches", "counters", "step-window", "step-marker", "kind", "peak"
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--csv", action="store_true", help="print CSV")
    add_options(parser, "top", of="all")
    add_output(parser)
    compat = parser.add_argument_group("torch-tb-profiler's own answers")
    compat.add_argument("--compat", action="store_true", help="print the JSON of the HTTP route that --view names")
    compat.add_argument(
        "--group-by", metavar="KEY",
        help="Operation or OperationAndInputShape for operation routes, Kernel or KernelNameAndOpName for kernel/table",
    )  # fmt: skip
    compat.add_argument(
        "--param", metavar="NAME=VALUE", action="append", type=_parameter,
        help=f"another argument of the route: {', '.join(_PARAMETERS)}; repeatable",
    )  # fmt: skip


def run(arguments: argparse.Namespace, console: Console) -> int:
    check_writable(arguments.output)
    data = _compat(arguments, console) if arguments.compat else _corrected(arguments, console)
    console.write_result(data, arguments.output)
    return 0


def _corrected(arguments: argparse.Namespace, console: Console) -> bytes:
    _refuse(arguments, _COMPAT_ONLY, "needs --compat")
    check_view(arguments.view)
    side = named_side(arguments, arguments.source)
    with new_workspace() as workspace:
        summary = workspace.load(side, arguments.step_window, console.progress)
    view = run_views(summary, arguments.peaks).view(arguments.view)
    if arguments.csv:
        console.warn_of_lost_data(view.notes)
    form = "json" if arguments.json else "csv" if arguments.csv else "text"
    return render_view(view, form, top=arguments.top, terminal=None if arguments.output else console.screen)


def _compat(arguments: argparse.Namespace, console: Console) -> bytes:
    _refuse(arguments, _NOT_COMPAT, "does not go with --compat")
    if arguments.step_window != WINDOWS[0]:
        raise PerfCompareError("--step-window marker does not go with --compat", hint="leave it out")
    path = Baselines(arguments.baselines).located(arguments.source)
    everything = side_from_path(path, None, None)
    side = side_from_path(path, arguments.worker, arguments.span)
    if len(side.files) != 1:
        raise SelectionError("--compat needs one worker and one span", hint=f"choose from: {_choices(side)}")
    workers = len({file.worker for file in everything.files})
    parameters = tuple(dict(arguments.param or ()).items())
    question = CompatRequest(side.files[0], arguments.view, arguments.group_by, workers, parameters)
    with new_workspace() as workspace:
        answer = workspace.profiler_answer(question, console.progress)
    console.warn_of_lost_data(answer.notes)
    return answer.json + b"\n"


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or name not in _PARAMETERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE; names: {', '.join(_PARAMETERS)}")
    return name, value


def _choices(side: Side) -> str:
    return "; ".join(f"--worker {file.worker} --span {file.span}" for file in side.files)


def _refuse(arguments: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(arguments, name):
            raise PerfCompareError(f"--{name.replace('_', '-')} {why}", hint="see tb-perfcompare view --help")
