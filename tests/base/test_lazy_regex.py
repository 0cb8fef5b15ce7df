"""Patterns of lazy_regex beside those of `re`: the same, but compiled at first use."""

from __future__ import annotations

import gc
import re
from importlib import import_module

import pytest

from tb_perfcompare.lazy_regex import regex
from tests.test_rooms import MODULES

WITH_OTHER_PACKAGES = {"analysis/compat/original"}


def test_it_is_compiled_when_it_is_first_used() -> None:
    wrong = regex("(")
    assert wrong.pattern == "("
    with pytest.raises(re.error):
        wrong.search("")


def test_it_matches_as_a_pattern_of_re_does() -> None:
    lazy, plain = regex(r"(?P<word>\w)\w*", re.ASCII), re.compile(r"(?P<word>\w)\w*", re.ASCII)
    for text in ("", "über alles", "word word"):
        assert lazy.findall(text) == plain.findall(text)
        assert lazy.sub("-", text, count=1) == plain.sub("-", text, count=1)
        assert str(lazy.match(text, 1)) == str(plain.match(text, 1))
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (plain.pattern, plain.flags, plain.groupindex)


def test_every_pattern_of_the_package_compiles() -> None:
    for module in MODULES.keys() - WITH_OTHER_PACKAGES:
        import_module(f"tb_perfcompare.{module.replace('/', '.')}")
    patterns = [found for found in gc.get_objects() if type(found) is type(regex(""))]
    assert patterns
    for pattern in patterns:
        assert pattern.flags >= 0, pattern.pattern
