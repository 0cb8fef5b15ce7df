"""What a user may write where a run is asked for: a path, or the name of a saved baseline."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tb_perfcompare.workspace.baselines import USUAL_PLACE, Baselines
from tb_perfcompare.workspace.inputs.sides import Side, Steps
from tb_perfcompare.workspace.listing.index import side_from_path

RUN = "directory of a run, one file, or the name of a saved baseline"
"""Help of an argument that names a run."""


def add_baselines(parser: argparse.ArgumentParser) -> None:
    """--baselines."""
    parser.add_argument(
        "--baselines", metavar="DIR", default=USUAL_PLACE,
        help=f"where saved baselines are looked for by name (default: {USUAL_PLACE})",
    )  # fmt: skip


def named_side(
    given: str, baselines: str, *, worker: str | None, span: str | None, steps: Steps | None, all_steps: bool,
    launches: str | None = None, counters: str | None = None, marker: str = "",
    kind: str = "",
) -> Side:  # fmt: skip
    """The side a user means; it is called what they wrote, wherever the baselines lie. Raises InputError and
    SelectionError."""
    path = Baselines(baselines).located(given)
    side = side_from_path(path, worker, span, steps, launches=launches, counters=counters)
    if path != given:
        side = replace(side, source=given, files=tuple(replace(file, source=given) for file in side.files))
    return replace(side, all_steps=side.all_steps or all_steps, marker=marker or side.marker, kind=kind)
