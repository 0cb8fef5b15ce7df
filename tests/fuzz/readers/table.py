"""The results of a fuzzing run in the documentation."""

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
    """All targets in one paragraph; targets that broke a law are named."""
    broken = [f"`{row.name}` ({len(row.failures)})" for row in rows if row.failures]
    total, read = sum(row.inputs for row in rows), sum(row.read for row in rows)
    how = "guided by coverage" if any(row.edges is not None for row in rows) else "drawn from a seed"
    return (
        f"{total:,} inputs for {len(rows)} targets, {how}: {read:,} were read, the slowest took "
        f"{max(row.slowest_s for row in rows):.2f} s, laws broken: {', '.join(broken) or 'none'}. "
        f"Python {platform.python_version()}."
    )


def write(text: str, document: Path = DOCUMENT) -> None:
    """Write the results between their marks in the document."""
    whole = document.read_text("utf-8")
    before, _, rest = whole.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or END not in whole:
        raise ValueError(f"{document.name} has no {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")
