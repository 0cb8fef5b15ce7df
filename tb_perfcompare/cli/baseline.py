"""Save runs as baselines: small files, fit to commit, that replace the traces in comparisons.

Use a baseline's name in place of a run: tb-perfcompare diff NAME RUN.
"""

from __future__ import annotations

import argparse
from typing import Any

from tb_perfcompare.cli.arguments import SELECTION, add_options
from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell, device_dict
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.formats import FORMATS
from tb_perfcompare.model.saved.baseline import SavedFacts
from tb_perfcompare.number_text import many
from tb_perfcompare.render.formats import render_table
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.workspace.baselines import Baselines

LIST_SCHEMA = "tb_perfcompare.baselines/1"

_COLUMNS = (
    columns.key("name", "Name", "name of the baseline"),
    columns.text("run", "Run", "name of the recorded run"),
    columns.text("format", "Format", "format of the recorded run"),
    columns.text("device", "Device", "device that did the work"),
    columns.text("steps", "Steps", "compared steps of the recorded ones"),
    columns.time("step_us", "Mean step", "mean step time"),
    columns.text("problems", "Problems", "problems with the baseline file"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True, help="what to do")
    save = actions.add_parser("save", help="save a run under a name", description="Save a run under a name.")
    save.add_argument("name", metavar="NAME", help="letters, digits, dots, dashes and underscores")
    save.add_argument("source", metavar="RUN", help=RUN)
    save.add_argument("--replace", action="store_true", help="overwrite a baseline of that name")
    add_options(save, *SELECTION, "all-steps", "launches", "counters", "step-window", "step-marker", "kind")
    listed = actions.add_parser("list", help="list the baselines", description="List the baselines.")
    shown = actions.add_parser("show", help="show how a baseline was made", description="Show how a baseline was made.")
    shown.add_argument("name", metavar="NAME", help="a saved baseline")
    removed = actions.add_parser("remove", help="remove baselines", description="Remove baselines.")
    removed.add_argument("names", metavar="NAME", nargs="+", help="a saved baseline")
    for action in (listed, shown):
        action.add_argument("--json", action="store_true", help="print JSON")
    for action in (save, listed, shown, removed):
        add_baselines(action)
        action.allow_abbrev = False
        action.set_defaults(usage=action.format_usage)


def run(arguments: argparse.Namespace, console: Console) -> int:
    baselines = Baselines(arguments.baselines)
    match arguments.action:
        case "save":
            console.answer(_saved(baselines, arguments, console).encode())
        case "list":
            console.answer(_listed(baselines, console, as_json=arguments.json))
        case "show":
            console.answer(_shown(baselines.facts(arguments.name), arguments))
        case _:
            for name in dict.fromkeys(arguments.names):
                baselines.remove(name)
                console.answer(f"removed {name}\n".encode())
    return 0


def _saved(baselines: Baselines, arguments: argparse.Namespace, console: Console) -> str:
    side = named_side(arguments, arguments.source)
    with new_workspace() as workspace:
        content = baselines.save(
            arguments.name, side, arguments.step_window, workspace, replacing=arguments.replace,
            report=console.progress,
        )  # fmt: skip
    console.warn_of_lost_data(content.whole.notes)
    facts = content.facts
    files = len(facts.captures)
    return f"saved {arguments.name}: {facts.run}, {many(files, 'file')}, {_steps(facts)}\n"


def _listed(baselines: Baselines, console: Console, *, as_json: bool) -> bytes:
    """Lists all baselines as text or JSON; unreadable ones with the reason."""
    entries: list[tuple[str, SavedFacts | InputError]] = []
    for name in baselines.names():
        try:
            entries.append((name, baselines.facts(name)))
        except InputError as error:
            entries.append((name, error))
    if as_json:
        rows = [{"name": name, **_facts_or_error(facts)} for name, facts in entries]
        return json_document({"schema": LIST_SCHEMA, "baselines": rows})
    none = () if entries else (f"none in {baselines.directory}; save one with: tb-perfcompare baseline save NAME RUN",)
    table = Table("baselines", "Saved baselines", _COLUMNS, tuple(_row(name, facts) for name, facts in entries), none)
    return render_table(table, "text", terminal=console.screen)


def _row(name: str, facts: SavedFacts | InputError) -> tuple[Cell, ...]:
    if isinstance(facts, InputError):
        return name, None, None, None, None, None, facts.reason
    failed = [
        f"{capture.file.path}: {capture.failed.reason}" for capture in facts.captures if capture.failed is not None
    ]
    device = facts.device.name or facts.device.word
    mean_us = None if facts.mean_ns is None else facts.mean_ns / 1000
    return name, facts.run, FORMATS[facts.format].title, device, _steps(facts), mean_us, "; ".join(failed)


def _facts_or_error(facts: SavedFacts | InputError) -> dict[str, Any]:
    if isinstance(facts, InputError):
        return {"error": {"code": facts.code, "message": facts.reason}}
    return _facts_dict(facts)


def _shown(facts: SavedFacts, arguments: argparse.Namespace) -> bytes:
    if arguments.json:
        return json_document({"name": arguments.name, **_facts_dict(facts)})
    lines = {
        "run": facts.run,
        "format": FORMATS[facts.format].title,
        "device": f"{facts.device.name or facts.device.word} ×{facts.device.count}",
        "steps": _steps(facts) + (f", narrowed to {facts.steps[0]}-{facts.steps[1]}" if facts.steps else ""),
        "step windows": facts.window,
        "launches": facts.launches,
        "counters": facts.counters,
        "saved by": f"tb_perfcompare {facts.version}",
    }
    text = "".join(f"  {name:<13} {value}\n" for name, value in lines.items() if value)
    files = "".join(
        f"  {capture.worker} span {capture.span}: {capture.file.path}, {capture.file.bytes:,} bytes"
        f"{f', sha256 {capture.file.sha256[:16]}…' if capture.file.sha256 else ''}"
        f"{f': not read: {capture.failed.reason}' if capture.failed is not None else ''}\n"
        for capture in facts.captures
    )
    return f"{arguments.name}\n{text}\n{files}".encode()


def _facts_dict(facts: SavedFacts) -> dict[str, Any]:
    return {
        "schema": facts.schema,
        "version": facts.version,
        "run": facts.run,
        "format": facts.format,
        "metric": facts.metric,
        "window": facts.window,
        "device": device_dict(facts.device),
        "steps": {
            "count": facts.count, "admitted": facts.admitted, "asked": list(facts.steps) if facts.steps else None,
            "all": facts.all_steps,
        },
        "mean_step_us": None if facts.mean_ns is None else facts.mean_ns / 1000,
        "launches": facts.launches or None,
        "counters": facts.counters or None,
        "files": [
            {
                "worker": capture.worker, "span": capture.span, "rank": capture.rank, "path": capture.file.path,
                "bytes": capture.file.bytes, "sha256": capture.file.sha256 or None,
                "error": None if capture.failed is None else capture.failed.reason,
            }
            for capture in facts.captures
        ],
    }  # fmt: skip


def _steps(facts: SavedFacts) -> str:
    return f"{facts.admitted:,} of {many(facts.count, 'step')}"
