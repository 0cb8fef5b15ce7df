"""The examples of docs/guide/python.md do what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = REPOSITORY / "docs" / "guide" / "python.md"
_HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_examples_print_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=_HOW)
    assert found.attempted > 20
    assert found.failed == 0


def test_every_public_name_is_on_the_page() -> None:
    import tb_perfcompare

    text = PAGE.read_text("utf-8")
    for name in tb_perfcompare.__all__:
        assert f"`{name}" in text or name == "__version__", name
