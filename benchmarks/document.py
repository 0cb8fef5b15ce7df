"""Updates pages that have results between markers: of benchmarks/results.md, each benchmark and the goals of all."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.figures import VERDICT_HEAD, Section, table
from benchmarks.rounds import REPOSITORY

RESULTS = REPOSITORY / "benchmarks" / "results.md"
GOALS = "goals"
_SECTION = re.compile(r"^<!-- (\w+): begin -->$", re.MULTILINE)


def markers(name: str) -> tuple[str, str]:
    """Returns the lines before and after a benchmark's results."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def write(section: Section, machine: str, results: Path = RESULTS) -> None:
    """Replaces this benchmark's results, and its rows in the table of goals."""
    replace(results, section.name, section.markdown(machine))
    replace(results, GOALS, goals(results.read_text(encoding="utf-8"), section))


def goals(text: str, section: Section) -> str:
    """Returns the page's table of goals with new rows for this benchmark, in the order of the results."""
    begin, end = markers(GOALS)
    present = text.split(begin, 1)[1].split(end, 1)[0].strip().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in present]
    link = f"[{section.name}](#{section.name.lower()})"
    rows = [row for row in rows if row[0] != link] + [[link, *verdict.row()] for verdict in section.verdicts]
    order = _SECTION.findall(text)
    rows.sort(key=lambda row: order.index(row[0].split("]")[0].strip("[")))
    return table(("benchmark", *VERDICT_HEAD), rows)


def replace(document: Path, name: str, body: str) -> None:
    """Replaces what is between the page's markers of that name."""
    begin, end = markers(name)
    text = document.read_text(encoding="utf-8")
    if begin not in text or end not in text:
        raise SystemExit(f"{document} has no markers of {name}")
    before, rest = text.split(begin, 1)
    document.write_text(f"{before}{begin}\n{body}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
