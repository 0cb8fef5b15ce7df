"""Worker processes of workspaces that a test has closed, kept for the next test: to start one takes a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tb_perfcompare.workspace.workers import worker_pool
from tb_perfcompare.workspace.workers.worker import Worker
from tb_perfcompare.workspace.workers.worker_pool import WorkerPool


@contextmanager
def kept_workers() -> Iterator[None]:
    """Within it, pools take idle processes of pools that were closed, if their environment is the same."""
    spare: list[tuple[dict[str, str], Worker]] = []
    end = WorkerPool.close

    def close(pool: WorkerPool) -> None:
        with pool._changed:
            for worker in [worker for worker in pool._idle if worker.reusable]:
                pool._idle.remove(worker)
                pool._started_workers.discard(worker)
                worker.unused = True  # by the next pool
                spare.append((_environment(), worker))
        end(pool)

    def start() -> Worker:
        for number, (environment, _) in enumerate(spare):
            if environment == _environment():
                return spare.pop(number)[1]
        return Worker()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerPool, "close", close)
        patch.setattr(worker_pool, "Worker", start)
        yield
    for _, worker in spare:
        worker.kill()
        worker.clean_up()


def _environment() -> dict[str, str]:
    """Without the name of the test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
