"""A server's front end records no device work: it is no rank of the engine beside it."""

from __future__ import annotations

from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.jobs.summary_collector import without_host_alone
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def engine(worker: str, rank: int | None = None) -> Summary:
    trace = TraceBuilder(rank=rank)
    trace.step(0, 0, 100)
    trace.op("aten::mm", 5, 20)
    trace.kernel("gemm", 30, 60, launch=(10, 12))
    return summary(trace, worker=worker)


def front_end(worker: str, rank: int | None = None) -> Summary:
    trace = TraceBuilder(rank=rank)
    trace.step(0, 0, 300)
    trace.op("aten::sort", 5, 90)
    return summary(trace, worker=worker)


def workers(*sides: Summary) -> list[str]:
    return [kept.captures[0].worker for kept in without_host_alone(sides)[0]]


def test_a_front_end_beside_an_engine_is_left_out_with_a_note() -> None:
    kept, (note,) = without_host_alone([front_end("host_1.async_llm"), engine("host_2")])
    assert [side.captures[0].worker for side in kept] == ["host_2"]
    assert (note.code, note.message) == (
        NoteCode.HOST_ALONE,
        "left out: it recorded no device work, other workers did; --worker host_1.async_llm compares it",
    )


def test_workers_of_hosts_alone_and_ranks_of_a_job_stay() -> None:
    assert workers(front_end("a"), front_end("b")) == ["a", "b"]
    assert workers(front_end("a", rank=0), engine("b", rank=1)) == ["a", "b"]
