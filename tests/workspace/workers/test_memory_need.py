"""Memory while files are read: tasks wait, begin anew or are refused before all of them take more than they may."""

from __future__ import annotations

import gzip
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError, OutOfMemory
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.saved.columnar import packed
from tb_perfcompare.workspace.inputs.sides import CaptureFile
from tb_perfcompare.workspace.jobs.summary_jobs import summarize_file
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.loading import Summarizer
from tb_perfcompare.workspace.sharing.single_flight import Flight
from tb_perfcompare.workspace.workers import reading_size
from tb_perfcompare.workspace.workers.limits import MEMORY
from tb_perfcompare.workspace.workers.memory_need import PROCESS_BYTES, Need, most_for_one, too_many
from tb_perfcompare.workspace.workers.reading_size import reading_bytes
from tb_perfcompare.workspace.workers.worker import WorkerDied
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool
from tb_perfcompare.workspace.workspace import Workspace
from tests.drawn_runs import drawn_trace
from tests.workspace import tasks
from tests.workspace.waiting import becomes_true

MB = 2**20
EVENT = b'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1000,"dur":0},\n'
COUNT = 350_000
RUNS = 4
SLACK = 30 * MB
"""A task is stopped by what it said last, some blocks of text before."""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the system tells what processes hold, and ends them")


def write_dense(logs: Path, count: int = COUNT, runs: int = RUNS) -> None:
    """Writes traces of 190 KB that inflate to 27 MB, in four gzip members. The first compresses little, and the last is
    short: only reading a trace shows how much memory it needs."""
    whole = drawn_trace().write(logs / "run0" / "worker0.1700000000000.pt.trace.json").read_bytes()
    before, events, after = whole.partition(b'"traceEvents": [')
    assert events, before[:200]
    sparse = os.urandom(60_000).hex().encode()
    parts = (b'{"more": "' + sparse + b'",' + before.lstrip()[1:] + events, EVENT * count, after)
    stored = b"".join(gzip.compress(part, 9) for part in (*parts, b" " * 100_000))
    (logs / "run0" / "worker0.1700000000000.pt.trace.json").unlink()
    for run in range(runs):
        (logs / f"run{run}").mkdir(exist_ok=True)
        (logs / f"run{run}" / "worker0.1700000000000.pt.trace.json.gz").write_bytes(stored)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("dense")
    write_dense(logs)
    return logs


def files_of(workspace: Workspace, runs: int = RUNS) -> list[CaptureFile]:
    return [file for number in range(runs) for file in workspace.side(Selection(f"run{number}")).files]


def surveyed(
    logs: Path, memory_bytes: int | None, *, workers: int = RUNS, summarize: Summarizer = summarize_file
) -> tuple[list[Summary | InputError], int]:
    """What became of all files at once, and the most memory that the processes held together."""
    pool = WorkerPool(workers, memory_bytes)
    workspace = Workspace([Root(str(logs))], pool=pool, summarize=summarize)
    found: list[Summary | InputError] = []
    asking = threading.Thread(target=lambda: found.extend(workspace.survey(files_of(workspace, workers))))
    asking.start()
    most = 0
    while asking.is_alive():
        most = max(most, sum(map(resident_bytes, pool.process_ids)))
        time.sleep(0.01)
    workspace.close()
    return found, most


def resident_bytes(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


@on_linux
def test_four_at_once_never_take_more_together_and_their_answers_are_the_same(dense: Path) -> None:
    """Their ends look sparse, so that all begin at once; those that came last begin anew."""
    budget = 4 * PROCESS_BYTES + 40 * MB
    with_room, freely = surveyed(dense, 16_000 * MB)
    within, most = surveyed(dense, budget, summarize=tasks.logged_summary)
    begun = (dense / "calls.log").read_text().splitlines()
    (dense / "calls.log").unlink()
    assert len(begun) > len(within) == RUNS
    assert [packed(summary) for summary in within] == [packed(summary) for summary in with_room]
    assert most <= budget + SLACK < freely


@on_linux
def test_a_file_that_alone_takes_more_is_refused_by_name(tmp_path: Path) -> None:
    write_dense(tmp_path, 750_000, runs=2)
    found, most = surveyed(tmp_path, 130 * MB, workers=2)
    assert most < 2 * 130 * MB
    for error in found:
        assert isinstance(error, InputError)
        assert "MB of memory, but only 130 MB are allowed" in str(error)
        assert f"{MEMORY}=" in error.hint
        assert error.path.endswith(".pt.trace.json.gz")


@on_linux
def test_the_system_ends_what_nobody_saw_coming() -> None:
    """A request for memory between two reports; the pool goes on with another process."""
    pool = WorkerPool(1, memory_bytes=100 * MB)
    with pytest.raises(OutOfMemory, match="gave no more memory"):
        pool.run(tasks.hold, (1_000 * MB,), Flight("a"), 1)
    assert pool.run(tasks.hold, (10 * MB,), Flight("b"), 1) == 10 * MB
    pool.close()


@on_linux
@pytest.mark.parametrize("room_mb", [60, 100, 140])
def test_a_process_without_room_for_its_modules_is_an_error(room_mb: int) -> None:
    """They are imported for its first task. OpenBLAS ends the process, where it is the one that gets none."""
    import resource

    pool = WorkerPool(1)
    pool.prepare(1, ())
    (process,) = pool.process_ids
    assert becomes_true(lambda: resident_bytes(process) > 10 * MB)
    resource.prlimit(process, resource.RLIMIT_AS, (room_mb * MB, room_mb * MB))
    with pytest.raises((OutOfMemory, WorkerDied)):
        pool.run(summarize_file, (), Flight("a"))
    pool.close()


@on_linux
def test_a_process_gives_back_what_its_task_has_freed() -> None:
    pytest.importorskip("tb_perfcompare.sources.native._scanner")
    pool = WorkerPool(1)
    pool.run(tasks.free_most, (200 * MB,), Flight("a"))
    (process,) = pool.process_ids
    assert resident_bytes(process) < 100 * MB
    pool.close()


def test_a_process_that_holds_much_is_not_kept() -> None:
    pool = WorkerPool(1)
    first = pool.run(tasks.process_id, (), Flight("a"))
    assert pool.process_ids == [first]
    pool.run(tasks.keep, (300 * MB,), Flight("b"))
    assert pool.process_ids == []
    pool.close()


@pytest.fixture
def few_events_are_many(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(reading_size, "_MAX_INLINE_BYTES", 20 * MB)
    yield


@pytest.mark.usefixtures("few_events_are_many")
def test_a_small_file_that_becomes_large_is_not_read_by_the_process_that_is_asked(dense: Path) -> None:
    workspace = Workspace([Root(str(dense))], workers=1, in_process_bytes=6 * MB)
    (file, *_) = files_of(workspace)
    assert reading_bytes(file) - PROCESS_BYTES < 20 * MB, "it looks small"
    (found,) = workspace.survey([file])
    assert isinstance(found, Summary)
    assert len(workspace.process_ids) == 1
    workspace.close()


def seen(need: Need, done: int, events: int, held: int = 0, path: str = "a") -> float:
    need.update(Progress("reading", path, done, 100, events), held)
    return (need.bytes_ - PROCESS_BYTES) / 200


def test_what_a_task_needs_grows_with_its_events_and_never_shrinks() -> None:
    need = Need(0, PROCESS_BYTES + 200 * 1000)
    assert seen(need, 10, 50) == 1000
    assert seen(need, 20, 400) == 2000
    assert seen(need, 90, 450) == 2000
    assert seen(need, 1, 1000, path="b") == 500 + 16_000, "a hundredth tells little: 16 times as many at most"
    assert seen(need, 100, 1000, held=10 * MB, path="b") == 16_500
    need.update(Progress("summarising"), 500 * MB)
    assert need.bytes_ == need.held == 500 * MB


def test_what_expects_nothing_never_needs_any() -> None:
    need = Need(0, 0)
    assert not need.update(Progress("comparing", events=10**9), 500 * MB)
    assert need.bytes_ == 0


def test_the_last_that_came_make_room_and_the_first_stays() -> None:
    needs = [Need(number, size) for number, size in ((3, 40), (1, 70), (7, 0), (2, 30))]
    numbers = {budget: [need.number for need in too_many(needs, budget)] for budget in (140, 139, 99, 1)}
    assert numbers == {140: [], 139: [3], 99: [3, 2], 1: [3, 2]}


def test_one_process_may_always_hold_what_it_is_itself() -> None:
    assert (most_for_one(1), most_for_one(500 * MB)) == (2 * PROCESS_BYTES, 500 * MB)
