"""Reading on a Dask cluster: the same summaries, progress, cancelling, and what goes wrong in words."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tb_perfcompare.workspace.workers.cluster as module
from tb_perfcompare.errors import Cancelled, CorruptInput, PerfCompareError
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.sharing.single_flight import Flight
from tb_perfcompare.workspace.workers.cluster import ClusterPool, TaskLost, run_task
from tb_perfcompare.workspace.workspace import Workspace
from tests.cli import invoke
from tests.drawn_runs import write_garbage, write_run
from tests.workspace import tasks

if find_spec("distributed") is None:
    pytest.skip("distributed is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of one process on this machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dask
        from distributed import LocalCluster

        # workers find the tests' tasks as this process does
        environment = {"PYTHONPATH": str(Path(__file__).parents[3])}
        with (
            dask.config.set({"distributed.nanny.environ": environment}),
            LocalCluster(
                n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
            ) as cluster,
        ):  # fmt: skip
            yield cluster.scheduler_address


@pytest.fixture
def pool(scheduler: str) -> Iterator[ClusterPool]:
    opened = ClusterPool(scheduler)
    yield opened
    opened.close()


def ranks(folder: Path) -> Path:
    for rank in range(4):
        write_run(folder, worker=f"worker{rank}", extra_us=10 * rank)
    return folder


def test_summaries_are_those_of_this_machine_to_the_byte(scheduler: str, tmp_path: Path) -> None:
    side = side_from_path(str(ranks(tmp_path / "run")), None, None)
    answers = []
    for options in ({"scheduler": scheduler}, {"in_process_bytes": 2**30}):
        workspace = Workspace(**options)
        answers.append([packed(summary) for summary in workspace.survey(side.files)])
        workspace.close()
    assert answers[0] == answers[1] and len(answers[0]) == 4


def test_the_command_line_gives_the_same_report(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PERFCOMPARE_CACHE", "off")
    write_garbage(ranks(tmp_path / "a"))
    sides = (tmp_path / "a", ranks(tmp_path / "b"))
    here = invoke.tb_perfcompare("diff", *sides, "--format", "json")
    there = invoke.tb_perfcompare("diff", *sides, "--format", "json", "--scheduler", scheduler)
    assert here.status == there.status == 0
    assert there.out == here.out
    assert "file_failed" in there.out


def test_progress_comes_back(pool: ClusterPool, tmp_path: Path) -> None:
    flight: Flight[int] = Flight("add")
    assert pool.run(tasks.add, (2, 3), flight) == 5
    deadline_s = time.monotonic() + 30
    while not (progress := flight.progress_since(0)[1]) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert progress == [Progress("reading", "numbers")]


def test_errors_come_back_as_they_were(pool: ClusterPool) -> None:
    with pytest.raises(CorruptInput) as raised:
        pool.run(tasks.fail, ("x.json",), Flight("fail"))
    assert (raised.value.place, raised.value.hint) == ("byte 7", "record it again")


def test_a_bug_on_a_worker_is_a_lost_task(pool: ClusterPool) -> None:
    with pytest.raises(TaskLost, match="ZeroDivisionError: a bug"):
        pool.run(tasks.crash, (), Flight("crash"))


def test_a_cancelled_task_ends_and_its_worker_takes_the_next(pool: ClusterPool) -> None:
    flight: Flight[str] = Flight("report")
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            pool.run(tasks.report_for_ever, (), flight)
        except Cancelled as error:
            raised.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]  # one runs, one waits
    for thread in threads:
        thread.start()
    deadline_s = time.monotonic() + 30
    while not flight.progress_since(0)[1] and time.monotonic() < deadline_s:
        time.sleep(0.02)
    flight.cancel()
    for thread in threads:
        thread.join(30)
    assert len(raised) == 2
    assert pool.run(tasks.add, (1, 1), Flight("after")) == 2  # the worker would be busy for ever


def test_another_version_on_a_worker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PerfCompareError, match="install the same version"):
        run_task(tasks.add, (1, 2), ("topic", "task", "0.0.0"))


def test_nobody_at_the_address_is_said_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_CONNECT_S", 1)
    run = write_run(tmp_path / "run")
    got = invoke.tb_perfcompare("diff", run, run, "--scheduler", "tcp://127.0.0.1:9")
    assert got.status == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in got.err and got.err.count("\n") == 1


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(PerfCompareError, match=r"pip install 'tb_perfcompare\[cluster\]'"):
        ClusterPool("tcp://x").size  # noqa: B018


def test_nothing_is_loaded_or_asked_before_the_first_task() -> None:
    made: Any = ClusterPool("tcp://127.0.0.1:9")
    made.close()
    assert made._client is None
