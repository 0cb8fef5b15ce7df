"""What columns say of themselves, and what can be done with a table."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.column_meaning import meaning
from tb_perfcompare.comparison.result.table_catalogue import TABLES, table_facts
from tb_perfcompare.comparison.tables.group_shapes import SHAPES
from tb_perfcompare.comparison.tables.path_source import PATHED, RELATED


@pytest.mark.parametrize(
    ("name", "role", "says"),
    [
        ("baseline_us", "baseline", ("", "baseline", "value")),
        ("delta_us", "delta", ("", "", "delta")),
        ("candidate_device_self_us", "candidate", ("device_self", "candidate", "value")),
        ("device_self_delta_us", "delta", ("device_self", "", "delta")),
        ("device_self_shift_low_us", "plain", ("device_self", "", "shift_low")),
        ("baseline_calls", "plain", ("calls", "baseline", "value")),
        ("count_effect_us", "delta", ("", "", "count_effect")),
        ("change", "text", ("", "", "change")),
        ("device_self_q", "plain", ("device_self", "", "q")),
        ("abnormal", "candidate", ("", "candidate", "value")),
        ("beta_a", "baseline", ("beta", "baseline", "value")),
        ("u_beta", "plain", ("beta", "", "p")),
        ("step", "key", ("step", "", "value")),
    ],
)
def test_a_column_says_its_measure_its_side_and_its_figure(name: str, role: str, says: tuple[str, str, str]) -> None:
    assert meaning(name, role) == says


def test_every_table_of_entities_has_times_in_each_step() -> None:
    assert {name for name, facts in TABLES.items() if facts.per_step} == set(SHAPES)


def test_every_table_with_call_paths_or_related_rows_says_so() -> None:
    assert {name for name, facts in TABLES.items() if facts.callers} == set(PATHED) | set(RELATED)


def test_a_table_without_an_entry_comes_last_and_can_do_nothing() -> None:
    unknown = table_facts("corrections")
    assert unknown.order > max(facts.order for facts in TABLES.values())
    assert (unknown.per_step, unknown.callers, unknown.categories) == (False, False, ())
