"""No text that a user can read has words to stumble over: messages, help, notes, names of columns, sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tb_perfcompare
from tb_perfcompare.comparison.causes.rules import RULES
from tests.test_architecture import tree_of

PACKAGE = Path(tb_perfcompare.__file__).parent
REPOSITORY = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "demo_logs/README.md", "tb_perfcompare/plugin/http_api.md")
MOST_SENTENCES, MOST_WORDS = 3, 50
AVOIDED = re.compile(
    r"\b(nobody|somebody|whoever|anew|told|what of|of which|as long as it|by (?:itself|themselves)"
    r"|stands? (?:in|beside|for|behind|alone|together|one for)|beside"
    r"|at one pace|set aside|tells? of|in the open|by turns)\b"
    r"|(?<!there )\b(?:is|are) no (?!longer)\w|\bcalled like\b|\(s\)",
    re.IGNORECASE,
)
NOT_PROSE = ("analysis/compat/", "comparison/strict/", "analysis/answers/")
"""Other programs' words, which are repeated to the letter."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """String constants with a blank, without docstrings, except those that are a command's help."""
    tree, statements = tree_of(path), set()
    if path.parent.name == "cli":
        yield 1, ast.get_docstring(tree) or ""
    for node in ast.walk(tree):  # what holds another before that
        if isinstance(node, ast.Expr):
            statements.add(id(node.value))
        if not isinstance(node, ast.Constant) or id(node) in statements:
            continue
        if isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
CONSTANT = re.compile(r"\b_?[A-Z][A-Z0-9_]{5,}\b")
OTHER_CAPITALS = {"EXTEND", "LAPACK", "OPTIONS", "PERFORMANCE", "PYTHONPATH", "UNION1"}


def test_constants_that_a_docstring_names_exist() -> None:
    sources = {path.relative_to(PACKAGE): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    known = {name for source in sources.values() for name in CONSTANT.findall(DOCSTRING.sub("", source))}
    found = [
        f"{path}: {name}"
        for path, source in sources.items()
        for text in DOCSTRING.findall(source)
        for name in CONSTANT.findall(text)
        if name not in known | OTHER_CAPITALS
    ]
    assert found == []


def test_texts_have_no_avoided_words() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(NOT_PROSE)
        for line, text in texts(path)
        if AVOIDED.search(text)
    ]
    assert found == []


def test_documents_have_no_avoided_words() -> None:
    pages = [*sorted((REPOSITORY / "docs").rglob("*.md")), *(REPOSITORY / name for name in DOCUMENTS)]
    found = [
        f"{page.relative_to(REPOSITORY)}: {match}"
        for page in pages
        for match in AVOIDED.findall(prose(page.read_text("utf-8")))
        if match != "as long as it"
    ]
    assert found == []


def prose(text: str) -> str:
    """A document without blocks and spans of code."""
    return re.sub(r"^```.*?^```|^    .*?$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def test_a_rule_says_when_it_applies_in_few_words() -> None:
    """Cells of the table of rules (docs/method/findings.md); exact thresholds are listed below it."""
    long = {
        rule.names[0]: rule.when
        for rule in RULES
        if len(re.findall(r"[.;](?= |$)", rule.when)) >= MOST_SENTENCES or len(rule.when.split()) > MOST_WORDS
    }
    assert long == {}


def test_the_law_sees_what_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text('"""A told docstring."""\nRAISE = f"{1} is no limit"\nHINT = "there is no view of that name"\n')
    assert [line for line, text in texts(path) if AVOIDED.search(text)] == [2]
