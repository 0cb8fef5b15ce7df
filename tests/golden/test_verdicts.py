"""Headlines of real pairs: verdict, reasons, certainty."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Certainty, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tests.cycles.test_shared_tables import comparison_of as servers
from tests.golden.test_shared_pairs import LOADERS, LOADERS_AGAIN, NORMAL, NORMAL_AGAIN, assert_sums, side
from tests.shared_data import needs_shared

pytestmark = needs_shared


@lru_cache(maxsize=2)
def all_spans() -> Comparison:
    """Both spans of the runs with 0 and 4 loader workers."""
    baseline = pool([side(NORMAL), side(NORMAL_AGAIN, span="2")])
    candidate = pool([side(LOADERS), side(LOADERS_AGAIN, span="2")])
    return compare_summaries(baseline, candidate, CompareOptions())


def certainty(found: Comparison) -> Certainty:
    assert found.headline.certainty is not None
    return found.headline.certainty


def test_two_spans_per_run_are_inconclusive_as_spans_of_one_run_vary() -> None:
    """By steps alone the candidate is faster, but spans of one run differ almost as much."""
    headline = all_spans().headline
    assert headline.verdict is Verdict.INCONCLUSIVE
    assert headline.reason.startswith("typical step −19.8 % (95 % CI −28.9 to −2.87 %)")
    assert "but captures of one run vary by 14.3 %; 95 % CI over captures −42.2 to +13.9 %" in headline.reason
    assert headline.scope.startswith("2 and 2 captures; those of one run vary by 14.3 %")
    known = certainty(all_spans())
    assert (known.captures, known.captures_needed, round(known.noise_floor or 0, 3)) == ((2, 2), 4, 0.143)
    assert all_spans().findings[0].rule == "data_loader"
    assert headline.n == (12, 12)
    assert_sums(all_spans())


def test_the_two_groups_of_candidate_steps_are_reported() -> None:
    (note,) = [note for note in all_spans().notes if note.code is NoteCode.TWO_GROUPS]
    assert (note.where, note.message) == (
        "candidate",
        "two groups of steps: 8 around 123 ms and 4 around 176 ms",
    )


def test_two_spans_of_one_run_have_no_changed_rows() -> None:
    found = compare_summaries(side(NORMAL), side(NORMAL_AGAIN, span="2"), CompareOptions())
    assert found.headline.scope == "one capture per side: these two captures differ, not necessarily the configurations"
    assert certainty(found).captures_needed is None
    for name in ("operators", "kernels"):
        table = found.tables[name]
        change = table.places["change"]
        assert {row[change] for row in table.rows} <= {"unchanged", "cannot tell"}


def test_one_slow_cycle_does_not_make_a_server_slower() -> None:
    found = servers("SGLang/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    known = certainty(found)
    assert known.tail_driven and "a few long cycles move the mean" in found.headline.reason
    assert found.headline.reason.endswith(": candidate cycle 10")
    assert known.mean_low is not None and known.mean_high is not None
    assert known.mean_low < 0 < 0.078 < known.mean_high
    assert (known.effect, known.steps_needed is not None) == ("small", True)


def test_drift_does_not_make_a_server_slower() -> None:
    found = servers("vLLM/gpu_instability")
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert certainty(found).autocorrelation == pytest.approx(0.9, abs=0.005)
    (drift,) = [note for note in found.notes if note.code is NoteCode.DRIFT]
    assert (drift.where, "cycles are 5.22 % shorter from cycle 12 on" in drift.message) == ("candidate", True)


def test_different_work_gets_no_verdict() -> None:
    found = servers("SGLang/cpu_frequency_reduction")
    assert found.headline.verdict is Verdict.WITHHELD
    assert found.headline.sensitivity == ""
