"""The prefix filter that selects operator names before patterns of iterations are matched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.iterations.annotations import KNOWN, WRAPPERS, _likely, _matches
from tb_perfcompare.model.names.kinds import without_numbers
from tb_perfcompare.model.strings import StringTable

NUMBERS = st.sampled_from(["7", "0x1f", "12.5", "deadbeef12", ""])


@st.composite
def names(draw: st.DrawFn) -> str:
    """Names that fill the wildcards of a pattern with numbers and text, or nearly do."""
    parts = draw(st.sampled_from((*KNOWN, *WRAPPERS))).split("*")
    name = parts[0] + "".join(draw(NUMBERS) + draw(st.text(max_size=3)) + part for part in parts[1:])
    return draw(st.sampled_from([name, name.upper(), name.lower(), name[1:], "x" + name]))


@given(st.one_of(names(), st.text(max_size=20)))
def test_the_filter_keeps_every_name_that_matches_a_pattern(name: str) -> None:
    for known in (KNOWN, WRAPPERS):
        if any(_matches(pattern, without_numbers(name)) for pattern in known):
            assert _likely(StringTable([name]), known) == [0]


@pytest.mark.parametrize("name", ["aten::mm", "aten::step 3", "Optimizer.step#Adam.step", "autograd::engine"])
def test_the_filter_drops_other_operators(name: str) -> None:
    assert not _likely(StringTable([name]), (*KNOWN, *WRAPPERS))
