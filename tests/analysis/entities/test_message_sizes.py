"""Message sizes of collectives, and their bytes on the links: hand-worked from nccl-tests' PERFORMANCE.md."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.collective_messages import Message, message, size_text
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


@pytest.mark.parametrize(
    ("called", "sent", "received", "want"),
    [
        ("allreduce", 1000, 1000, ("all_reduce", 4000, 7000)),  # 2 (8 - 1) / 8
        ("_allgather_base", 1000, 8000, ("all_gather", 32_000, 28_000)),  # (8 - 1) / 8 of what each rank ends with
        ("_reduce_scatter_base", 8000, 1000, ("reduce_scatter", 32_000, 28_000)),
        ("all_to_all", 8000, 8000, ("all_to_all", 32_000, 28_000)),
        ("broadcast", 1000, 1000, ("broadcast", 4000, 4000)),
        ("_reduce_oop", 1000, 1000, ("reduce", 4000, 4000)),
        ("gather", 1000, 8000, ("gather", 32_000, 28_000)),
        ("send", 1000, 1000, ("send", 4000, 4000)),
    ],
)
def test_sizes_and_factors_are_those_of_nccl_tests(
    called: str, sent: int, received: int, want: tuple[str, int, int]
) -> None:
    got = message(f'"{called}"', '"Float"', sent, received, 8)
    assert got == Message(want[0], 8, want[1], got.bus_bytes) and got.bus_bytes == want[2]


@pytest.mark.parametrize(
    ("called", "element_type", "sent", "received", "ranks"),
    [
        ("allreduce", "Float", 1000, 1000, -1),
        ("allreduce", "Float", 1000, 1000, 1),
        ("allreduce", "Float", -1, 1000, 8),
        ("allreduce", "", 1000, 1000, 8),
        ("allreduce", "Quaternion", 1000, 1000, 8),
        ("_allgather_base", "Float", 1000, 1000, 8),
        ("_reduce_scatter_base", "Float", 1000, 8000, 8),
        ("all_to_allv", "Float", 1000, 1000, 8),
        ("allreduce", "Float", 2**60, 2**60, 8),
        ("barrier", "Float", 1000, 1000, 8),
        ("", "Float", 1000, 1000, 8),
    ],
)
def test_what_is_missing_or_contradicts_itself_has_no_message(
    called: str, element_type: str, sent: int, received: int, ranks: int
) -> None:
    assert message(called, element_type, sent, received, ranks) is None


def test_sizes_are_written_exactly() -> None:
    assert [size_text(size) for size in (64 << 20, 4100, 2 << 30, 3 << 10)] == ["64 MiB", "4,100 B", "2 GiB", "3 KiB"]


def trained(us: int, elements: int = 1_000_000, group: int = 8) -> TraceBuilder:
    """Steps with one all-reduce of 4 MB among 8 ranks that takes so long."""
    trace = TraceBuilder(rank=0, world_size=8)
    for number in range(1, 9):
        start = 2000 * number
        trace.step(number, start, start + 1900)
        trace.kernel("gemm", start + 10, start + 100, launch=(start + 1, start + 5))
        at = start + 200 + number % 3
        trace.collective("all_reduce", (start + 110, start + 120), (at, at + us), elements=elements, group=group)
    return trace


def cells(table: Table, *names: str) -> list[tuple[object, ...]]:
    places = [[column.name for column in table.columns].index(name) for name in names]
    return [tuple(row[at] for at in places) for row in table.rows]


def compared(a: Summary, b: Summary) -> dict[str, Table]:
    return dict(compare_summaries(a, b, CompareOptions()).tables)


def test_bandwidths_of_both_sides_and_their_difference() -> None:
    tables = compared(summary(trained(100)), summary(trained(400)))
    names = [f"{of}{figure}{end}" for figure in ("bus_bandwidth", "algorithm_bandwidth")
             for of, end in (("baseline_", ""), ("candidate_", ""), ("", "_delta"))]  # fmt: skip
    # 4 MB in 100 us are 40 GB/s, times 7 / 4
    want = pytest.approx((70e9, 17.5e9, -52.5e9, 40e9, 10e9, -30e9))
    kernel, host = cells(tables["communication"], *names)
    assert kernel == want and set(host) == {None}  # the range on the host ends before the transfer does
    assert cells(tables[BY_MESSAGE], "name", "group_size", "message") == [("all_reduce", "8", "4,000,000 B")]
    assert cells(tables[BY_MESSAGE], *names) == [want]
    assert cells(tables[BY_MESSAGE], "change") == [("slower",)]


def test_of_one_run_too_and_after_pooling_and_choosing_steps() -> None:
    one = summary(trained(100))
    assert inconsistency(one) == ""
    both = select_steps(pool([one, summary(trained(100), worker="worker1")]), (2, 5))
    for of in (one, both):
        table = view_tables(of)["communication"]
        assert cells(table, "message", "bus_bandwidth")[0] == pytest.approx((4e6, 70e9))


def test_without_a_group_there_is_no_bandwidth_but_the_reason() -> None:
    assert "group of several ranks" in summary(trained(100, group=1)).absent[BY_MESSAGE]
    tables = compared(summary(trained(100, group=1)), summary(trained(400, group=1)))
    assert BY_MESSAGE not in tables
    assert not [column.name for column in tables["communication"].columns if "bandwidth" in column.name]


def test_an_operator_that_launches_two_kernels_gives_its_size_to_neither() -> None:
    """A copy around the collective is no message of that size."""
    trace = TraceBuilder(rank=0, world_size=2)
    trace.step(1, 0, 300)
    said = {"Collective name": "allreduce", "In msg nelems": 4, "Out msg nelems": 4, "dtype": "Float", "Group size": 2}
    owner = trace.op("record_param_comms", 10, 50, **said)
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 60, 100, launch=(12, 14), external_id=owner)
    assert BY_MESSAGE in summary(trace).groups
    trace.kernel("copy", 110, 120, launch=(20, 22), external_id=owner)
    assert BY_MESSAGE not in summary(trace).groups
