"""Worker processes of workspaces that a test has closed, kept for later tests: to start one takes a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tb_perfcompare.workspace.workers import worker_pool
from tb_perfcompare.workspace.workers.worker import Worker
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool

MOST = 3
"""Few, since many environments contain the folder of a single test: no other test can reuse their workers."""

Spare = list[tuple[dict[str, str], Worker]]
"""Each with the environment in which it was started, the latest last."""


@contextmanager
def kept_workers(spare: Spare) -> Iterator[None]:
    """Within it, pools take idle processes of pools that were closed, if their environment is the same."""
    end = WorkerPool.close

    def close(pool: WorkerPool) -> None:
        with pool._changed:
            for worker in [worker for worker in pool._idle if worker.reusable]:
                pool._idle.remove(worker)
                pool._started_workers.discard(worker)
                worker.unused = True  # by the next pool
                spare.append((_environment(), worker))
        end(pool)
        end_all(spare, MOST)

    def start() -> Worker:
        for number, (environment, _) in enumerate(spare):
            if environment == _environment():
                return spare.pop(number)[1]
        return Worker()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerPool, "close", close)
        patch.setattr(worker_pool, "Worker", start)
        yield


def end_all(spare: Spare, but: int = 0) -> None:
    """Ends the processes of all workers but some, the longest kept first."""
    while len(spare) > but:
        _, worker = spare.pop(0)
        worker.kill()
        worker.clean_up()


def _environment() -> dict[str, str]:
    """Without the name of the test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
