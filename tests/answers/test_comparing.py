"""Saved answers against saved answers, partial ones, and traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.answers.summarize_answers import summarize_answers
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.answers import AnswersRecording, SavedStep
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOT_SPLIT
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.sources.answers.reader import read_answers
from tests.analysis.summaries import summary as trace_summary
from tests.answers.saved import kernels, operators, overview, write
from tests.comparison.compare import check_of, compare, finding_of, rows_of
from tests.drawn_runs import drawn_trace

JITTER = (0, 3, 1, 4, 2, 0, 3, 1)


def summarized(recording: AnswersRecording) -> Summary:
    return summarize_answers(recording, Origin("a", "a", "answers", "default"))


def summary(path: Path, *answers: Any) -> Summary:
    return summarized(read_answers(str(write(path, *answers))))


def compared(a: Summary, b: Summary) -> Comparison:
    got = compare(a, b)
    assert wire.encode(got.to_dict()), "it encodes as JSON"
    return got


def column(table: Table, name: str) -> dict[Any, Any]:
    return {key: row[name] for key, row in rows_of(table).items()}


def assert_sums_close(got: Comparison) -> None:
    heads = [row for row in got.ledger.rows if len(row.path) == 1]
    assert sum(row.delta for row in heads) == got.ledger.delta
    for head in heads:
        assert sum(row.delta for row in below(got, head.path[0])) == head.delta
        assert (head.count_effect, head.rate_effect) == (0, head.delta)


def below(got: Comparison, category: str) -> list[LedgerRow]:
    return [row for row in got.ledger.rows if len(row.path) == 2 and row.path[0] == category]


times = st.lists(
    st.lists(st.integers(0, 10**9), min_size=8, max_size=8).filter(any), min_size=1, max_size=6
)  # eight parts of some steps


def drawn(steps: list[list[int]]) -> Summary:
    saved = tuple(SavedStep(str(n), tuple(parts), None) for n, parts in enumerate(steps, start=1))
    return summarized(AnswersRecording(FileFacts("a", 1), {}, saved, None, None, None, None, {}, (), (), (), ()))


@given(times, times)
def test_the_ledger_of_any_two_overviews_closes(a: list[list[int]], b: list[list[int]]) -> None:
    got = compared(drawn(a), drawn(b))
    assert_sums_close(got)
    assert got.ledger.delta == sum(map(sum, b)) * got.ledger.denominator // len(b) - sum(
        map(sum, a)
    ) * got.ledger.denominator // len(a)


def test_one_step_per_side_is_certain_in_size_only(tmp_path: Path) -> None:
    one = summary(tmp_path / "a.jsonl", overview({"Runtime": 900, "Kernel": 100}, labels=["0"]))
    two = summary(tmp_path / "b.jsonl", overview({"Runtime": 100, "Kernel": 100}, labels=["0"]))
    got = compared(one, two)
    assert (got.headline.delta, got.headline.p, got.headline.verdict) == (-800.0, None, Verdict.INCONCLUSIVE)
    assert "the size is certain" in got.headline.reason
    assert finding_of(got, "runtime_time").confidence == "size certain, repeatability unknown (only one step on a side)"


def test_several_steps_are_samples(tmp_path: Path) -> None:
    one = summary(tmp_path / "a.jsonl", overview(*({"CPU Exec": 1000 + n} for n in JITTER)))
    two = summary(tmp_path / "b.jsonl", overview(*({"CPU Exec": 1500 + n} for n in JITTER)))
    got = compared(one, two)
    assert (got.headline.verdict, got.headline.n) == (Verdict.SLOWER, (8, 8))
    assert set(got.tables) >= {"categories", "steps", "environment"}


def test_runtime_names_the_operator_whose_host_time_moved_with_it(tmp_path: Path) -> None:
    def side(name: str, runtime: int, item: int, empty: int) -> Summary:
        rows = [{"name": "aten::item", "calls": 2, "host": item}, {"name": "aten::empty", "calls": 9, "host": empty}]
        return summary(tmp_path / name, overview({"Runtime": runtime, "Kernel": 50}), operators(*rows))

    got = compared(side("a", 9000, 8900, 300), side("b", 1000, 900, 10))
    sentence = finding_of(got, "runtime_time").sentence
    assert "largest change of an operator: aten::item (host time 8.90 ms → 900 µs)" in sentence
    assert NOT_SPLIT not in sentence
    # an operator that accounts for less than three quarters of the change says too little
    got = compared(side("a", 9000, 5000, 300), side("b", 1000, 900, 10))
    assert "aten::item" not in finding_of(got, "runtime_time").sentence


def test_answers_compare_with_a_trace_in_categories_operators_and_kernels(tmp_path: Path) -> None:
    trace = trace_summary(drawn_trace())
    step = dict(zip(CATEGORY_LABELS, (trace.owned.by_category().sum(axis=1) / 8000).tolist(), strict=True))
    answers = (
        overview(*[step | {"DataLoader": step["DataLoader"] + 500}] * 8),
        operators({"name": "aten::mm", "calls": 8, "host": 2400, "self": 2240, "device": 2400}),
        kernels(("gemm_128x128", "No", 8, 2480, 310, 310, 310)),
    )
    got = compared(trace, summary(tmp_path / "a.jsonl", *answers))
    assert_sums_close(got)
    assert got.headline.delta == pytest.approx(500)
    assert got.findings[0].rule == "data_loader"
    assert [row.path[1] for row in below(got, "DataLoader")] == [NOT_SPLIT]
    assert column(got.tables["kernels"], "delta_us") == {"gemm_128x128": 10.0}
    assert "exposed_delta_us" not in [shown.name for shown in got.tables["kernels"].columns]
    operator = {shown.name for shown in got.tables["operators"].columns}
    assert {"host_total_delta_us", "device_self_delta_us"} <= operator
    assert "host_api_delta_us" not in operator
    assert not [note for table in got.tables.values() for note in table.notes if "Corrected" in note]


def test_two_kernel_tables_compare_without_a_verdict(tmp_path: Path) -> None:
    one = summary(tmp_path / "a.jsonl", kernels(("gemm", "No", 2, 40, 20, 25, 15), ("old", "No", 1, 5, 5, 5, 5)))
    two = summary(tmp_path / "b.jsonl", kernels(("gemm", "No", 2, 60, 30, 35, 25)))
    got = compared(one, two)
    assert (got.headline.verdict, got.headline.baseline, got.headline.delta) == (Verdict.INCONCLUSIVE, None, None)
    assert "has no step to compare" in got.headline.reason
    assert (got.ledger.rows, got.findings) == ((), ())
    assert not {"steps", "categories"} & set(got.tables)
    assert column(got.tables["kernels"], "delta_us") == {"gemm": 20.0, "old": -5.0}
    assert column(got.tables["kernels"], "status") == {"gemm": "both", "old": "removed"}
    assert any(note.where == "steps" and note.code is NoteCode.TABLE_ABSENT for note in got.notes)
    assert "overview" not in view_tables(one)


def test_two_runs_of_one_file_are_different_captures(tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.jsonl", overview({"Kernel": 9}), overview({"Kernel": 8})))
    runs = [summarized(read_answers(path, part=part)) for part in (1, 2)]
    assert check_of(compared(*runs), "same_capture").status == "ok"
    assert check_of(compared(runs[0], runs[0]), "same_capture").status == "warn"


def test_a_step_table_without_launches_has_empty_cells(tmp_path: Path) -> None:
    steps = view_tables(summary(tmp_path / "a.jsonl", overview({"Kernel": 9}), operators()))["steps"]
    assert [row["launches"] for row in rows_of(steps).values()] == [None]


@pytest.mark.parametrize("without", [0, 1])
def test_a_side_without_an_overview_is_said_to_lack_it(tmp_path: Path, without: int) -> None:
    answers = [overview({"Kernel": 9}, {"Kernel": 9}), kernels(("gemm", "No", 2, 40, 20, 25, 15))]
    sides = [summary(tmp_path / f"{n}.jsonl", *answers[n == without :]) for n in (0, 1)]
    got = compared(*sides)
    assert got.headline.verdict is Verdict.WITHHELD
    name = ("baseline", "candidate")[without]
    assert got.headline.reason.startswith(f"{name}: no overview was saved: step times are not known")
