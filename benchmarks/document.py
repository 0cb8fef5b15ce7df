"""docs/internals/benchmarks.md: each benchmark's results between its own markers, the goals of all of them first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.figures import VERDICT_HEAD, table
from benchmarks.rounds import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "internals" / "benchmarks.md"
GOALS = "goals"


def markers(name: str) -> tuple[str, str]:
    """Lines before and behind what a benchmark wrote."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def write(sections: Mapping[str, str], document: Path = DOCUMENT) -> None:
    """Replaces what lies between the markers of these benchmarks, and gathers the goals anew."""
    text = document.read_text(encoding="utf-8")
    for name, body in sections.items():
        text = _replaced(text, name, body)
    text = _replaced(text, GOALS, goals(text))
    document.write_text(text, encoding="utf-8")


def goals(text: str) -> str:
    """The tables of goals of all benchmarks, as one."""
    rows = [[f"[{name}](#{name.lower()})", *cells] for name, cells in _verdicts(text)]
    return table(("benchmark", *VERDICT_HEAD), rows)


def _verdicts(text: str) -> Iterator[tuple[str, list[str]]]:
    name, inside = "", False
    head = table(VERDICT_HEAD, []).splitlines()[0]
    for line in text.splitlines():
        if line.startswith("<!-- ") and line.endswith(": begin -->"):
            name = line[5 : -len(": begin -->")]
        if name == GOALS:
            continue
        if line == head:
            inside = True
        elif inside and not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            yield name, [cell.strip() for cell in line.strip("| ").split(" | ")]


def _replaced(text: str, name: str, body: str) -> str:
    begin, end = markers(name)
    if begin not in text or end not in text:
        raise SystemExit(f"docs/internals/benchmarks.md has no markers of {name}")
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{body}\n{end}{after}"
