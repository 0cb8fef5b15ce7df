"""No text that a user can read has words to stumble over: messages, help, notes, names of columns, sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tb_perfcompare

PACKAGE = Path(tb_perfcompare.__file__).parent
AVOIDED = re.compile(
    r"\b(nobody|somebody|whoever|anew|told|what of|of which|as long as it|by (?:itself|themselves)"
    r"|stands? (?:in|beside|for|behind|alone|together|one for)|beside)\b"
    r"|(?<!there )\b(?:is|are) no (?!longer)\w|\bcalled like\b|\(s\)",
    re.IGNORECASE,
)
NOT_PROSE = ("analysis/compat/", "comparison/strict/", "analysis/answers/")
"""Other programs' words, which are repeated to the letter."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """String constants with a blank, without docstrings, except those that are a command's help."""
    tree = ast.parse(path.read_text("utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    if path.parent.name == "cli":
        yield 1, ast.get_docstring(tree) or ""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in statements else None
        if isinstance(text, str) and " " in text.strip():
            yield node.lineno, text


def test_texts_have_no_avoided_words() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(NOT_PROSE)
        for line, text in texts(path)
        if AVOIDED.search(text)
    ]
    assert found == []


def test_the_law_sees_what_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text('"""A told docstring."""\nRAISE = f"{1} is no limit"\nHINT = "there is no view of that name"\n')
    assert [line for line, text in texts(path) if AVOIDED.search(text)] == [2]
