"""Faults of a server are found in the kind of iterations that has them; another mix of requests is no fault."""

from __future__ import annotations

import pytest

from tests.planted.servers import FAULTS, ServerFault, server_pair
from tests.thorough import THOROUGH

ON = [
    (fault, eager)
    for number, fault in enumerate(FAULTS)
    for eager in ((False, True) if THOROUGH else (number % 2 == 1,))
]
"""Every fault with graphs alone or with eager iterations as well, by turns; thoroughly both."""


@pytest.mark.parametrize(("fault", "eager"), ON, ids=[f"{f.name}, graphs{' and eager' * e}" for f, e in ON])
def test_the_verdict_is_about_what_iterations_take(fault: ServerFault, eager: bool) -> None:
    found = server_pair(fault.name, 100 + eager, eager=eager)
    assert found.headline.verdict in fault.expected, found.headline.reason


def test_another_mix_is_named_with_what_it_changes() -> None:
    found = server_pair("fewer prefills: every 6th iteration, not every 3rd", 100)
    assert "by mix alone −" in found.headline.reason
    (check,) = [one for one in found.comparability if one.check == "iteration_mix"]
    assert check.status == "warn"


def test_slower_prefills_are_slower_in_their_rows_alone() -> None:
    table = server_pair("prefill attention +60 %", 101, eager=True).tables["iteration_kinds"]
    at = {column.name: place for place, column in enumerate(table.columns)}
    for row in table.rows:
        is_prefill = str(row[at["kind"]]).startswith("execute_context_1")
        slower = row[at["mean_delta_us"]] / row[at["baseline_mean_us"]] > 0.02
        assert slower is is_prefill
