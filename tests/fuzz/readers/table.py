"""The results of a fuzzing run as a table in the documentation."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

BEGIN, END = "<!-- fuzz: begin -->", "<!-- fuzz: end -->"
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "internals" / "reliability.md"


@dataclass(frozen=True, slots=True)
class Row:
    """Results of a target; `edges`: branches reached, None if not counted."""

    name: str
    inputs: int
    read: int
    refused: int
    seconds: float
    slowest_s: float
    edges: int | None
    failures: Sequence[str]


def line(row: Row) -> str:
    """One line for a terminal."""
    edges = "" if row.edges is None else f", {row.edges:,} edges"
    return (
        f"{row.name}: {row.inputs:,} inputs in {row.seconds:.0f} s, {row.read:,} read, {row.refused:,} refused, "
        f"slowest {row.slowest_s:.2f} s{edges}, {len(row.failures)} found"
    )


def markdown(rows: Sequence[Row]) -> str:
    """The table with a line about the run."""
    from tests.fuzz.readers.corpus import TARGETS

    lines = ["| target | what is fed | inputs | of these read | slowest, s | laws broken |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for row in rows:
        cells = (
            f"`{row.name}`",
            TARGETS[row.name].description,
            f"{row.inputs:,}",
            f"{row.read:,}",
            f"{row.slowest_s:.2f}",
            str(len(row.failures)),
        )
        lines.append("| " + " | ".join(cells) + " |")
    total, seconds = sum(row.inputs for row in rows), sum(row.seconds for row in rows)
    how = "guided by coverage" if any(row.edges is not None for row in rows) else "drawn from a seed"
    lines.append("")
    lines.append(f"{total:,} inputs in {seconds / 60:.0f} minutes, {how}. Python {platform.python_version()}.")
    return "\n".join(lines)


def write(text: str, document: Path = DOCUMENT) -> None:
    """Write the table between its marks in the document."""
    whole = document.read_text("utf-8")
    before, _, rest = whole.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or END not in whole:
        raise ValueError(f"{document.name} has no {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")
