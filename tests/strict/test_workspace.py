"""The strict report as shared work: computed once, in a worker process, and cancelled when no request waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb_perfcompare.errors import Cancelled
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.plugin.http.responses import tag_of
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_pair
from tests.strict.tables import ABNORMAL, NORMAL, row, write
from tests.workspace.waiting import SOON_S


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """All work in worker processes, like a server."""
    made = Workspace(workers=1)
    yield made
    made.close()


@pytest.fixture
def local() -> Iterator[Workspace]:
    """Small work in this process."""
    made = Workspace(in_process_bytes=2**30)
    yield made
    made.close()


def strict_request(normal: Path = NORMAL, abnormal: Path = ABNORMAL, **options: str) -> StrictRequest:
    sides = [side_from_path(str(path), None, None) for path in (normal, abnormal)]
    return StrictRequest(sides[0], sides[1], **options)


def answer(workspace: Workspace, request: StrictRequest, report: Reporter = silent) -> bytes:
    return wait_for(workspace.ask_strict(request), report).result()


def test_a_worker_process_makes_the_report(workspace: Workspace) -> None:
    found = answer(workspace, strict_request(form="md"))
    assert len(workspace.process_ids) == 1
    assert found == tb_perfcompare("strict", NORMAL, ABNORMAL, "--pid", "10").out.encode()


def test_traces_are_read_once_for_all_forms(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    read = list[str]()

    def counted(job: SummaryJob, report: Reporter) -> Summary:
        read.append(job.file.run)
        return summarize_file(job, report)

    local = Workspace(in_process_bytes=1 << 30, summarize=counted)
    for form in ("json", "md", "csv"):
        answer(local, strict_request(normal, abnormal, form=form))
    local.close()
    assert sorted(read) == ["abnormal", "normal"]


def test_the_same_request_is_computed_once(local: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[StrictRequest]()

    def computed(strict_request: StrictRequest, report: Reporter) -> bytes:
        asked.append(strict_request)
        return b"answer"

    monkeypatch.setattr("tb_perfcompare.workspace.jobs.strict_jobs.strict_of_tables", computed)
    assert answer(local, strict_request()) == answer(local, strict_request()) == b"answer"
    assert len(asked) == 1
    answer(local, strict_request(form="csv"))
    assert len(asked) == 2


def test_a_changed_file_is_another_request(tmp_path: Path) -> None:
    table = write(tmp_path / "a_perf_data.csv", [row()])
    before = strict_request(table, table)
    assert tag_of(strict_request(table, table)) == tag_of(before)
    write(table, [row(), row(cycle=2)])
    assert tag_of(strict_request(table, table)) != tag_of(before)
    assert {tag_of(before)} & {tag_of(strict_request(table, table, form=form)) for form in ("md", "csv")} == set()


def test_work_without_a_waiting_request_is_cancelled(local: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def endless(strict_request: StrictRequest, report: Reporter) -> bytes:
        try:
            while True:
                report(Progress("comparing"))
        except Cancelled:
            ended.set()
            raise

    class Gone(Exception):
        """The browser closed the connection."""

    def leave(progress: Progress, /) -> None:
        raise Gone

    monkeypatch.setattr("tb_perfcompare.workspace.jobs.strict_jobs.strict_of_tables", endless)
    with pytest.raises(Gone):
        answer(local, strict_request(), leave)
    assert ended.wait(SOON_S)
