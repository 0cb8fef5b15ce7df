"""Both sides with the names under which their rows are joined."""

from __future__ import annotations

from tb_perfcompare.comparison.alignment.alike_names import join_alike_names
from tb_perfcompare.comparison.alignment.equivalent_names import join_equivalent_names
from tb_perfcompare.comparison.alignment.truncated_names import join_truncated_names
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.summary import Summary


def with_same_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """The two sides, and what was joined."""
    baseline, candidate, cut = join_truncated_names(baseline, candidate)
    baseline, candidate, alike = join_alike_names(baseline, candidate)
    baseline, candidate, equal = join_equivalent_names(baseline, candidate)
    return baseline, candidate, (*cut, *alike, *equal)
