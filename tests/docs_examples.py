"""Examples in documents are run: blocks of ```console with `$ tb-perfcompare ...` lines and what they print.

A block is run from the top of the repository. A line `…` stands for the rest of the output, a line that ends with `…`
for a longer one; `$ echo $?` prints the exit status of the command before it. `python -m tests.docs_examples` writes
what the commands print now into the documents.

Tables of rules in docs/method/findings.md, from `<!-- rules: STEPS -->` to `<!-- end of rules -->`, are made from the
rules (tb_perfcompare/comparison/causes/rules.py) by the same command, which also counts the lines of the rooms for
docs/internals/architecture.md.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tb_perfcompare.cli.main import main
from tb_perfcompare.comparison.causes.evidence.rule import Recorded, Rule
from tb_perfcompare.comparison.causes.rules import RULES

REPOSITORY = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/guide/cli.md", "docs/guide/gate.md")
RULES_PAGE = REPOSITORY / "docs" / "method" / "findings.md"
ROOMS_PAGE = REPOSITORY / "docs" / "internals" / "architecture.md"
CUT = "…"

_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_PROGRAM = "tb-perfcompare"
_ROOM = re.compile(r"^(\| `([\w/]+)/` \|.*\| )([\d,]+)(?= \|$)", re.MULTILINE)
_RULES = re.compile(r"(?<=^<!-- rules: )(\w+) -->\n(?:\|.*\n)*(?=<!-- end of rules -->$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """A command as typed and the lines shown below it."""

    command: str
    shown: tuple[str, ...]


def blocks(text: str) -> list[str]:
    """The example blocks of a document."""
    return _BLOCK.findall(text)


def examples(block: str) -> Iterator[Example]:
    """The commands of a block."""
    command, shown = "", list[str]()
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield Example(command, tuple(shown))
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command:
        yield Example(command, tuple(shown))


def run_block(block: str) -> str:
    """The block with what its commands print now, cut where it was cut."""
    lines, status = list[str](), 0
    for example in examples(block):
        lines.append(f"$ {example.command}")
        if example.command == "echo $?":
            lines.append(str(status))
            continue
        status, printed = _run(example.command)
        lines += _cut(printed, example.shown)
    return "\n".join(lines) + "\n"


def _cut(printed: list[str], shown: tuple[str, ...]) -> list[str]:
    """What was printed, cut where the document cuts it."""
    last = shown[-1] if shown else ""
    if last == CUT:
        return [*printed[: max(1, len(shown) - 1)], CUT]
    if last.endswith(CUT) and printed:
        return [*printed[: len(shown) - 1], printed[len(shown) - 1][: len(last) - 1] + CUT]
    return printed


def _run(command: str) -> tuple[int, list[str]]:
    words = shlex.split(command)
    assert words[0] == _PROGRAM, command
    out = io.StringIO()
    before = os.getcwd()
    os.chdir(REPOSITORY)
    try:
        status = main(words[1:], out, out)
    finally:
        os.chdir(before)
    return status, [line.rstrip() for line in out.getvalue().splitlines()]


def with_rules(text: str) -> str:
    """The page with its tables of rules as they are now."""
    return _RULES.sub(lambda found: f"{found[1]} -->\n{_table(Recorded[found[1]])}\n", text)


def _table(recorded: Recorded) -> str:
    rules = [rule for rule in RULES if rule.recorded is recorded]
    heads: tuple[str, ...] = ("rule", "what happened", "reported when")
    rows: list[tuple[str, ...]] = [(_names(rule), rule.meaning, rule.when) for rule in rules]
    if recorded is Recorded.TIMES:
        heads, rows = ("rule", "what is left of"), [row[:2] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *rows))


def _names(rule: Rule) -> str:
    return ", ".join(f"`{name}`" for name in rule.names)


def rooms(text: str) -> dict[str, int]:
    """Room -> its lines as a page shows them."""
    return {room[2]: int(room[3].replace(",", "")) for room in _ROOM.finditer(text)}


def room_lines(name: str) -> int:
    """Lines of a room as they are: of Python and C without subfolders, of the page with them."""
    package, page = REPOSITORY / "tb_perfcompare", REPOSITORY / "frontend" / "src"
    if (folder := REPOSITORY / name if name == "tb_perfcompare" else package / name).is_dir():
        files = [path for path in folder.iterdir() if path.suffix in (".py", ".c", ".h")]
    else:
        paths = page.iterdir() if name == "frontend/src" else (page / name).rglob("*")
        files = [path for path in paths if path.suffix in (".ts", ".tsx", ".css") and ".test." not in path.name]
    return sum(path.read_text("utf-8").count("\n") for path in files)


def with_room_lines(text: str) -> str:
    """The page with the lines of its rooms as they are now, to the hundred."""
    return _ROOM.sub(lambda room: f"{room[1]}{max(100, round(room_lines(room[2]), -2)):,}", text)


def refresh() -> None:
    """Rewrites the documents."""
    for name in DOCUMENTS:
        path = REPOSITORY / name
        text = path.read_text("utf-8")
        path.write_text(_BLOCK.sub(lambda found: run_block(found.group()), text), "utf-8")
    RULES_PAGE.write_text(with_rules(RULES_PAGE.read_text("utf-8")), "utf-8")
    ROOMS_PAGE.write_text(with_room_lines(ROOMS_PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    refresh()
