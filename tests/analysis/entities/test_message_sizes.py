"""Message sizes and bus bytes of collectives, computed by hand from nccl-tests' PERFORMANCE.md."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.summary.collectives import BY_MESSAGE, Message, message, size_text
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


@pytest.mark.parametrize(
    ("called", "sent", "received", "expected"),
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
def test_message_sizes_and_bus_factors_follow_nccl_tests(
    called: str, sent: int, received: int, expected: tuple[str, int, int]
) -> None:
    found = message(f'"{called}"', '"Float"', sent, received, 8)
    assert found == Message(expected[0], 8, expected[1], found.bus_bytes) and found.bus_bytes == expected[2]


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
def test_missing_or_contradictory_arguments_give_no_message(
    called: str, element_type: str, sent: int, received: int, ranks: int
) -> None:
    assert message(called, element_type, sent, received, ranks) is None


def test_sizes_are_exact_texts() -> None:
    assert [size_text(size) for size in (64 << 20, 4100, 2 << 30, 3 << 10)] == ["64 MiB", "4,100 B", "2 GiB", "3 KiB"]


def trained(us: int, elements: int = 1_000_000, group: int = 8) -> TraceBuilder:
    """Steps with an all-reduce of 4 MB among 8 ranks that takes `us`."""
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


def test_bandwidths_are_compared() -> None:
    tables = compared(summary(trained(100)), summary(trained(400)))
    names = [f"{of}{figure}{end}" for figure in ("bus_bandwidth", "algorithm_bandwidth")
             for of, end in (("baseline_", ""), ("candidate_", ""), ("", "_delta"))]  # fmt: skip
    # 4 MB in 100 us are 40 GB/s, times 7 / 4
    expected = pytest.approx((70e9, 17.5e9, -52.5e9, 40e9, 10e9, -30e9))
    kernel, host = cells(tables["communication"], *names)
    assert kernel == expected and set(host) == {None}  # the host range ends before the transfer
    assert cells(tables[BY_MESSAGE], "name", "group_size", "message") == [("all_reduce", "8", "4,000,000 B")]
    assert cells(tables[BY_MESSAGE], *names) == [expected]
    assert cells(tables[BY_MESSAGE], "change") == [("slower",)]


def test_bandwidths_are_viewed_also_after_pooling_and_selecting_steps() -> None:
    single = summary(trained(100))
    assert inconsistency(single) == ""
    pooled = select_steps(pool([single, summary(trained(100), worker="worker1")]), (2, 5))
    for of in (single, pooled):
        table = view_tables(of)["communication"]
        assert cells(table, "message", "bus_bandwidth")[0] == pytest.approx((4e6, 70e9))


def test_without_a_group_of_ranks_the_reason_is_given() -> None:
    assert "group of several ranks" in summary(trained(100, group=1)).absent[BY_MESSAGE]
    tables = compared(summary(trained(100, group=1)), summary(trained(400, group=1)))
    assert BY_MESSAGE not in tables
    assert not [column.name for column in tables["communication"].columns if "bandwidth" in column.name]


def test_an_operator_with_two_kernels_has_no_message_size() -> None:
    """A copy around the collective is not a message of that size."""
    trace = TraceBuilder(rank=0, world_size=2)
    trace.step(1, 0, 300)
    arguments = {
        "Collective name": "allreduce", "In msg nelems": 4, "Out msg nelems": 4, "dtype": "Float", "Group size": 2,
    }  # fmt: skip
    owner = trace.op("record_param_comms", 10, 50, **arguments)
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 60, 100, launch=(12, 14), external_id=owner)
    assert BY_MESSAGE in summary(trace).groups
    trace.kernel("copy", 110, 120, launch=(20, 22), external_id=owner)
    assert BY_MESSAGE not in summary(trace).groups
