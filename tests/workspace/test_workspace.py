"""Names in, comparisons out: each file read once, failures beside what loaded, work that stops when asked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.served import is_running
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.tables.row_query import RowQuery
from tb_perfcompare.errors import Cancelled, InputError, SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.plugin.http.responses import tag_of
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, compare_sides, summarize_file
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.table_pages import pair_rows
from tb_perfcompare.workspace.sharing.byte_cache import PROVISIONAL_S
from tb_perfcompare.workspace.sharing.single_flight import SingleFlight
from tb_perfcompare.workspace.workspace import _COMPARISONS, Workspace
from tests.drawn_runs import write_garbage, write_pair, write_run
from tests.workspace import tasks
from tests.workspace.waiting import SOON_S, becomes_true

pytestmark = pytest.mark.usefixtures("kept_workers")

IN_PROCESS = 2**30
Open = Callable[..., Workspace]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[Workspace] = []

    def open_workspace(**options: Any) -> Workspace:
        made.append(Workspace([Root(str(tmp_path / "logs"))], workers=2, **options))
        return made[-1]

    yield open_workspace
    for workspace in made:
        workspace.close()


def comparison_request(
    workspace: Workspace, baseline: str = "normal", candidate: str = "abnormal", **options: Any
) -> ComparisonRequest:
    sides = [workspace.side(Selection(name)) for name in (baseline, candidate)]
    return ComparisonRequest(sides[0], sides[1], CompareOptions(**options))


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "logs" / "calls.log").read_text().split()


def test_a_comparison_in_workers_equals_one_in_this_process(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    apart, here = opened(), opened(in_process_bytes=IN_PROCESS)
    found = apart.compare(comparison_request(apart))
    assert found.headline.verdict is Verdict.SLOWER
    assert found.headline.delta == pytest.approx(500)
    assert found == here.compare(comparison_request(here))
    assert len(apart.process_ids) in (1, 2)
    assert here.process_ids == []


def test_a_command_compares_by_itself_what_workers_have_read(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    processes: list[int] = []

    def compare_noting(*arguments: Any) -> Comparison:
        processes.append(os.getpid())
        return compare_sides(*arguments)

    command = opened(in_process_bytes=1, compare=compare_noting)
    assert command.compare(comparison_request(command)).headline.verdict is Verdict.SLOWER
    assert processes == [os.getpid()]
    assert len(command.process_ids) in (1, 2)


def test_each_file_is_read_once_and_again_only_when_it_changes(tmp_path: Path, opened: Open) -> None:
    normal, _ = write_pair(tmp_path / "logs")
    workspace = opened(in_process_bytes=IN_PROCESS, summarize=tasks.logged_summary)
    workspace.compare(comparison_request(workspace))
    workspace.compare(comparison_request(workspace))
    workspace.compare(comparison_request(workspace, "abnormal", "normal"))
    assert len(calls(tmp_path)) == 2
    write_run(normal, steps=9)
    changed = workspace.compare(comparison_request(workspace))
    assert changed.baseline.steps_admitted == 9
    assert len(calls(tmp_path)) == 3


def test_the_tag_changes_with_the_files_and_the_options_only(tmp_path: Path, opened: Open) -> None:
    normal, _ = write_pair(tmp_path / "logs")
    workspace = opened()
    tags = {tag_of(comparison_request(workspace)), tag_of(comparison_request(workspace))}
    assert len(tags) == 1
    tags.add(tag_of(comparison_request(workspace, margin=0.02)))
    tags.add(tag_of(comparison_request(workspace, "abnormal", "normal")))
    os.utime(next(normal.iterdir()), ns=(1, 1))
    tags.add(tag_of(comparison_request(workspace)))
    assert len(tags) == 4


def test_spans_are_pooled_and_steps_are_narrowed(tmp_path: Path, opened: Open) -> None:
    write_run(tmp_path / "logs" / "run", spans=2)
    workspace = opened(in_process_bytes=IN_PROCESS)
    assert len(workspace.load(workspace.side(Selection("run"))).steps) == 16
    narrowed = workspace.load(workspace.side(Selection("run"), (3, 4)))
    assert narrowed.steps.label == ("3", "4", "3", "4")
    assert len(narrowed.dropped) == 12
    with pytest.raises(SelectionError, match="there are: 1, 2"):
        workspace.load(workspace.side(Selection("run"), (90, 99)))


def test_a_file_that_fails_is_a_note_and_the_others_count(tmp_path: Path, opened: Open) -> None:
    normal, _ = write_pair(tmp_path / "logs")
    write_garbage(normal)
    workspace = opened()
    found = workspace.compare(comparison_request(workspace))
    (note,) = [note for note in found.notes if note.code is NoteCode.FILE_FAILED]
    assert "broken.1700000000009.pt.trace.json" in note.where
    assert "not JSON" in note.message
    assert found.baseline.captures == 1


def test_a_side_without_any_readable_file_is_an_error_that_names_one(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    write_garbage(tmp_path / "logs" / "bad")
    workspace = opened()
    with pytest.raises(InputError, match=r"^bad/broken\.1700000000009\.pt\.trace\.json: byte \d+: not JSON"):
        workspace.compare(comparison_request(workspace, candidate="bad"))
    write_garbage(tmp_path / "logs" / "bad", "second")
    workspace.listing(rescan=True)
    with pytest.raises(InputError, match="none of its 2 files can be read"):
        workspace.compare(comparison_request(workspace, candidate="bad"))


def test_errors_do_not_tell_where_the_files_lie(tmp_path: Path, opened: Open) -> None:
    write_garbage(tmp_path / "logs" / "bad")
    workspace = opened()
    side = workspace.side(Selection("bad"))
    gone = replace(side, files=tuple(replace(file, path=f"{file.path}.gone") for file in side.files))
    for asked in (side, gone):
        with pytest.raises(InputError) as caught:
            workspace.load(asked)
        assert str(tmp_path) not in str(caught.value)


def test_a_killed_worker_is_an_error_about_its_file_and_the_rest_goes_on(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    write_run(tmp_path / "logs" / "deadly")
    workspace = opened(summarize=tasks.deadly_summary)
    with pytest.raises(InputError, match=r"^deadly/worker0.*signal 9"):
        workspace.compare(comparison_request(workspace, candidate="deadly"))
    assert workspace.compare(comparison_request(workspace)).headline.verdict is Verdict.SLOWER


def test_an_answer_that_lacks_a_file_is_not_the_answer_for_ever(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader of one file was killed: the next question a moment later reads it."""
    write_pair(tmp_path / "logs")
    write_run(tmp_path / "logs" / "normal", worker="w1")
    workspace = opened(summarize=tasks.once_deadly_summary)
    asked = comparison_request(workspace)
    first = workspace.compare(asked)
    assert [note.code for note in first.notes].count(NoteCode.FILE_FAILED) == 1
    assert workspace.compare(asked) is first
    rows = [pair_rows(workspace, asked, "steps", RowQuery()) for _ in range(2)]
    assert all(found.provisional for found in rows)
    soon_s = time.monotonic() + PROVISIONAL_S
    monkeypatch.setattr("tb_perfcompare.workspace.sharing.byte_cache.time.monotonic", lambda: soon_s)
    second = workspace.compare(asked)
    assert NoteCode.FILE_FAILED not in [note.code for note in second.notes]
    assert (first.baseline.captures, second.baseline.captures) == (1, 2)
    found = pair_rows(workspace, asked, "steps", RowQuery())
    assert (len(found.table.rows), found.provisional) == (24, False)


def test_another_choice_of_rows_needs_no_comparison(tmp_path: Path, opened: Open) -> None:
    """Which may be too large to be kept."""
    write_pair(tmp_path / "logs")
    workspace = opened()
    workspace._flights[_COMPARISONS] = SingleFlight(0)
    asked = comparison_request(workspace)
    every = pair_rows(workspace, asked, "steps", RowQuery())
    last = pair_rows(workspace, asked, "steps", RowQuery(sort=(("step", True),)))
    assert last.table is every.table
    assert (every.chosen.rows[0], last.chosen.rows[0]) == (0, 7)  # equal ones keep their order, A first
    assert pair_rows(workspace, asked, "operators", RowQuery()).table is not every.table


def test_a_file_that_holds_nothing_is_read_once(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    normal, _ = write_pair(tmp_path / "logs")
    write_garbage(normal)
    workspace = opened(in_process_bytes=IN_PROCESS)
    asked = comparison_request(workspace)
    first = workspace.compare(asked)
    monkeypatch.setattr("tb_perfcompare.workspace.sharing.byte_cache.time.monotonic", lambda: float("inf"))
    assert workspace.compare(asked) is first


def test_many_files_are_begun_in_turn(tmp_path: Path, opened: Open) -> None:
    """A question about 12 files has two of them under way at a time, and no thread for each of the others."""
    for worker in range(12):
        write_run(tmp_path / "logs" / "run", worker=f"w{worker}")
    workspace = opened()
    most: list[int] = []

    def count(_progress: Progress, /) -> None:
        most.append(sum(thread.name == "tb_perfcompare work" for thread in threading.enumerate()))

    before = threading.active_count()
    assert len(workspace.load(workspace.side(Selection("run")), report=count).captures) == 12
    assert 0 < max(most) <= 2
    assert threading.active_count() <= before + 2


def test_files_that_are_read_here_come_one_after_the_other(tmp_path: Path, opened: Open) -> None:
    for worker in range(6):
        write_run(tmp_path / "logs" / "run", worker=f"w{worker}")
    under_way: list[SummaryJob] = []
    most: list[int] = []

    def counted(job: SummaryJob, report: Reporter) -> Summary:
        under_way.append(job)
        most.append(len(under_way))
        time.sleep(0.01)
        under_way.remove(job)
        return summarize_file(job, report)

    workspace = opened(in_process_bytes=IN_PROCESS, summarize=counted)
    workspace.load(workspace.side(Selection("run")))
    assert most == [1] * 6


def test_progress_of_every_file_arrives_under_its_shown_name(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    workspace = opened()
    seen: list[Progress] = []
    workspace.compare(comparison_request(workspace), seen.append)
    assert {"normal", "abnormal", ""} <= {progress.path.partition("/")[0] for progress in seen}
    assert {progress.phase for progress in seen if progress.path} <= {"reading", "summarising"}
    assert all(progress.done_bytes <= progress.total_bytes for progress in seen)


def test_cancelling_stops_the_processes_long_before_they_are_done(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    workspace = opened(summarize=tasks.slow_summary)
    marks = [tmp_path / "logs" / f"{name}.pid" for name in ("normal", "abnormal")]

    def stop_when_started(_progress: Progress, /) -> None:
        if all(mark.exists() and mark.read_text() for mark in marks):
            raise Cancelled

    with pytest.raises(Cancelled):
        workspace.compare(comparison_request(workspace), stop_when_started)
    processes = [int(mark.read_text()) for mark in marks]
    assert becomes_true(lambda: not any(is_running(process) for process in processes))


def test_two_at_once_with_one_question_share_the_work_and_one_may_leave(tmp_path: Path, opened: Open) -> None:
    write_pair(tmp_path / "logs")
    workspace = opened(summarize=tasks.logged_summary)
    asked = comparison_request(workspace)
    answers: list[Comparison] = []
    threads = [threading.Thread(target=lambda: answers.append(workspace.compare(asked))) for _ in range(3)]
    with workspace.ask(asked):
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join(SOON_S)
    assert len(answers) == 3
    assert len({id(answer) for answer in answers}) == 1
    assert len(calls(tmp_path)) == 2


def test_a_survey_answers_for_each_file(tmp_path: Path, opened: Open) -> None:
    run = write_run(tmp_path / "logs" / "run")
    write_garbage(run)
    workspace = opened(in_process_bytes=IN_PROCESS)
    kinds = [type(answer) for answer in workspace.survey(workspace.side(Selection("run")).files)]
    assert sorted(kind.__name__ for kind in kinds) == ["CorruptInput", Summary.__name__]
