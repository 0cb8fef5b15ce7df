"""Answers about files in any order; those of many ranks become one."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import tb_perfcompare.workspace.jobs.summary_collector as module
from tb_perfcompare.errors import InputError
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.jobs.summary_collector import SummaryCollector
from tb_perfcompare.workspace.workspace import Workspace
from tests.comparison.ranks.test_ranks import rank
from tests.drawn_runs import write_garbage, write_run


def test_the_order_of_answers_does_not_show() -> None:
    answers = [rank(0, 3), rank(1, 3), rank(2, 3)]
    seen = set()
    for order in itertools.permutations(range(3)):
        collector = SummaryCollector(many=True)
        for at in order:
            collector.take(at, answers[at])
        (one,), failed = collector.finish()
        assert failed == {}
        seen.add(packed(one))
    assert len(seen) == 1


def test_a_file_that_failed_is_named_and_the_others_count() -> None:
    collector = SummaryCollector(many=True)
    error = InputError("x", "no trace")
    collector.take(1, error)
    collector.take(2, rank(2, 3))
    collector.take(0, rank(0, 3))
    (one,), failed = collector.finish()
    assert failed == {1: error}
    assert [capture.worker for capture in one.captures] == ["worker0", "worker2"]


@pytest.mark.parametrize("few", [True, False])
def test_a_comparison_of_many_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: bool) -> None:
    if not few:
        monkeypatch.setattr(module, "MANY_RANKS", 3)
    for name, extra in (("a", 0), ("b", 200)):
        for number in range(4):
            write_run(tmp_path / name, worker=f"worker{number}", extra_us=extra)
    write_garbage(tmp_path / "a")
    workspace = Workspace(in_process_bytes=2**30)
    got = workspace.compare(
        ComparisonRequest(*(side_from_path(str(tmp_path / name), None, None) for name in ("a", "b")))
    )
    workspace.close()
    notes = {note.code.value for note in got.notes}
    assert ("ranks_pooled" in notes) is not few and "file_failed" in notes
    assert (got.headline.verdict.value, got.headline.n, got.headline.delta) == ("slower", (8, 8), 200.0)
    assert len(got.tables["ranks"].rows) == 4
