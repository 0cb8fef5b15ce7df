"""The gate's options, and the output of its outcomes. docs/guide/gate.md has the rules, gate/ decides."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.cli.arguments import as_argument
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.gate.limits import parse_budget, parse_limit
from tb_perfcompare.gate.outcome import Outcome, Status, Unsure, exit_status
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison
    from tb_perfcompare.workspace.workspace import Workspace

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Environment variable: the file that GitHub shows as the summary of a job's step."""

MAX_FINDINGS = 10_000
"""More findings than any comparison has."""


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Adds --fail-if-slower, --fail-on-machine, --budget, --fail-on, --cannot-tell, --junit, --github-summary."""
    gate = parser.add_argument_group("the gate: exit 1 if a limit is exceeded, 3 if the runs cannot tell")
    gate.add_argument(
        "--fail-if-slower", metavar="3%", type=as_argument(parse_limit),
        help="fail if the step takes longer by more than this percentage or time (1.5ms)",
    )  # fmt: skip
    gate.add_argument(
        "--fail-on-machine", action="store_true",
        help="also fail if only the machine is slower (default: cannot tell)",
    )  # fmt: skip
    gate.add_argument(
        "--budget", metavar="CATEGORY=+5%", type=as_argument(parse_budget), action="append", default=[],
        help="fail if a category takes longer by more than this percentage of its own time, or this time per step; "
        "repeatable",
    )  # fmt: skip
    gate.add_argument(
        "--fail-on", metavar="RULE", type=as_argument(_rule), action="append", default=[],
        help="fail if this rule, such as late_rank, finds a cause; repeatable",
    )  # fmt: skip
    gate.add_argument(
        "--cannot-tell", choices=[unsure.value for unsure in Unsure], default=Unsure.REPORT.value,
        help="how a gate that cannot tell counts: report (exit 3, the default), fail or pass",
    )  # fmt: skip
    gate.add_argument("--junit", metavar="FILE", help="write the gates as JUnit XML")
    gate.add_argument(
        "--github-summary", metavar="FILE", nargs="?", const="",
        help=f"append gates and report as Markdown to FILE (default: ${SUMMARY_VARIABLE})",
    )  # fmt: skip


def has_gate(arguments: argparse.Namespace) -> bool:
    return bool(arguments.fail_if_slower is not None or arguments.budget or arguments.fail_on)


def check_gate(arguments: argparse.Namespace) -> None:
    """Raises PerfCompareError, before a long computation, for gate options that do nothing or files that cannot be
    written."""
    if not has_gate(arguments):
        for option, given in (
            ("--junit", arguments.junit), ("--cannot-tell", arguments.cannot_tell != Unsure.REPORT.value),
            ("--fail-on-machine", arguments.fail_on_machine),
        ):  # fmt: skip
            if given:
                hint = "add --fail-if-slower, --budget or --fail-on"
                raise PerfCompareError(f"{option} needs a gate", hint=hint)
    check_writable(arguments.junit)
    if arguments.github_summary is not None:
        check_writable(_summary_file(arguments))


def run_gate(
    comparison: Comparison,
    question: ComparisonRequest,
    workspace: Workspace,
    arguments: argparse.Namespace,
    console: Console,
) -> int:
    """Decides all gates, reports them on standard error, writes the requested files; returns the exit status."""
    unsure = Unsure(arguments.cannot_tell)
    outcomes = _outcomes(comparison, question, workspace, arguments, console.progress)
    if arguments.junit:
        from tb_perfcompare.gate.reports import junit

        write_file(arguments.junit, junit(comparison, outcomes, unsure))
    if arguments.github_summary is not None:
        from tb_perfcompare.gate.reports import job_summary

        # append: other steps of the job may have written to it
        write_file(_summary_file(arguments), job_summary(comparison, outcomes, unsure), add=True)
    for outcome in outcomes:
        console.warn(_line(outcome, unsure))
    return exit_status(outcomes, unsure)


def _outcomes(
    comparison: Comparison,
    question: ComparisonRequest,
    workspace: Workspace,
    arguments: argparse.Namespace,
    report: Reporter,
) -> list[Outcome]:
    if not has_gate(arguments):
        return []
    from tb_perfcompare.gate.gates import category_time, no_cause, step_time

    outcomes: list[Outcome] = []
    machine = bool(arguments.fail_on_machine)
    if arguments.fail_if_slower is not None:
        outcomes.append(step_time(comparison.headline, arguments.fail_if_slower, fail_on_machine=machine))
    outcomes += [
        category_time(comparison, category, limit, fail_on_machine=machine) for category, limit in arguments.budget
    ]
    if arguments.fail_on:
        with_all_findings = comparison
        if len(comparison.findings) >= question.options.top_findings:  # smaller findings may have been left out
            options = replace(question.options, top_findings=MAX_FINDINGS)
            with_all_findings = workspace.compare(replace(question, options=options), report)
        outcomes += [no_cause(with_all_findings, rule) for rule in dict.fromkeys(arguments.fail_on)]
    return outcomes


def _line(outcome: Outcome, unsure: Unsure) -> str:
    if outcome.status is not Status.CANNOT_TELL:
        return f"gate: {outcome.status.value}: {outcome.sentence}"
    counts = {Unsure.FAIL: " (counts as failed)", Unsure.PASS: " (counts as passed)"}.get(unsure, "")
    return f"gate: {outcome.sentence}{counts}"


def _rule(name: str) -> str:
    from tb_perfcompare.gate.gates import checked_rule

    return checked_rule(name)


def _summary_file(arguments: argparse.Namespace) -> str:
    path = arguments.github_summary or os.environ.get(SUMMARY_VARIABLE, "")
    if not path:
        raise PerfCompareError(
            f"--github-summary has no file, and {SUMMARY_VARIABLE} is not set", hint="give it a file to add to"
        )
    return str(path)
