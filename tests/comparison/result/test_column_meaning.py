"""Measure, side and figure of a column, and facts about a table."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.table_catalogue import meaning, table_facts


@pytest.mark.parametrize(
    ("name", "role", "kind", "says"),
    [
        ("baseline_us", "baseline", "time_us", ("", "baseline", "value")),
        ("delta_us", "delta", "time_us", ("", "", "delta")),
        ("candidate_device_self_us", "candidate", "time_us", ("device_self", "candidate", "value")),
        ("device_self_delta_us", "delta", "time_us", ("device_self", "", "delta")),
        ("device_self_shift_low_us", "plain", "time_us", ("device_self", "", "shift_low")),
        ("baseline_calls", "plain", "count", ("calls", "baseline", "value")),
        ("count_effect_us", "delta", "time_us", ("", "", "count_effect")),
        ("change", "text", "text", ("", "", "change")),
        ("device_self_q", "plain", "number", ("device_self", "", "q")),
        ("abnormal", "candidate", "number", ("", "candidate", "value")),
        ("beta_a", "baseline", "number", ("beta", "baseline", "value")),
        ("u_beta", "plain", "number", ("beta", "", "p")),
        ("step", "key", "text", ("step", "", "value")),
        ("share", "percent", "fraction", ("", "", "share")),
        ("change", "percent", "fraction", ("", "", "ratio")),
        ("baseline_share", "plain", "fraction", ("share", "baseline", "value")),
        ("mean_delta_us", "delta", "time_us", ("mean", "", "delta")),
    ],
)
def test_meaning_of_a_column(name: str, role: str, kind: str, says: tuple[str, str, str]) -> None:
    assert meaning(name, role, kind) == says


def test_a_table_outside_the_catalogue_has_default_facts() -> None:
    assert table_facts("corrections") == {"per_step": False, "callers": False, "adds_up": True, "categories": []}
