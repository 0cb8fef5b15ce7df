"""Device work by the operators around its launch."""

from __future__ import annotations

from hypothesis import assume, given

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.summary.launch_sites import place_below
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarized, summary
from tests.build import TraceBuilder
from tests.strategies import traces
from tests.work_pictures import calls

CONVOLUTION = """
    aten::conv2d[8,3] > aten::cudnn_convolution[8,3] | conv 30; Memset 1
    2x aten::mm[4,4]                                 | gemm 10
                                                     | lost 4
"""


def lines_of(of: Summary) -> list[str]:
    """`work below operator[shape] < operator: launches, us` in order of execution."""
    assert of.work is not None
    above = {place_below(key[2], key[0], key[1]): key for key in of.work.operators.keys}
    lines = []
    times, launches = of.work.work.totals()
    for (category, name, place), ns, count in zip(of.work.work.keys, times.tolist(), launches.tolist(), strict=True):
        chain = []
        while place:
            operator, shape, place = above[place]
            chain.append(operator + shape)
        lines.append(f"{category} {name} below {' < '.join(chain)}: {count}, {ns / 1000:g} us")
    return lines


def test_device_work_is_below_the_operators_that_launched_it() -> None:
    assert lines_of(summary(calls(CONVOLUTION))) == [
        "Kernel conv below aten::cudnn_convolution[[8, 3]] < aten::conv2d[[8, 3]]: 2, 60 us",
        "Memset Memset (Device) below aten::cudnn_convolution[[8, 3]] < aten::conv2d[[8, 3]]: 2, 2 us",
        "Kernel gemm below aten::mm[[4, 4]]: 4, 40 us",
        "Kernel lost below : 2, 8 us",
    ]


def test_operators_have_their_calls_and_the_time_of_all_work_below() -> None:
    work = summary(calls(CONVOLUTION)).work
    assert work is not None
    times, counts = work.operators.totals()
    assert {key[0]: (count, ns / 1000) for key, count, ns in zip(
        work.operators.keys, counts.tolist(), times.tolist(), strict=True
    )} == {"aten::conv2d": (2, 62), "aten::cudnn_convolution": (2, 62), "aten::mm": (4, 40)}  # fmt: skip


def test_a_single_nested_call_of_the_same_name_is_one_operator() -> None:
    found = lines_of(summary(calls("aten::sum[4] > aten::sum[4] | reduce 5", steps=1)))
    assert found == ["Kernel reduce below aten::sum[[4]]: 1, 5 us"]


def test_a_kernel_below_two_operators_has_two_paths() -> None:
    found = lines_of(summary(calls("a > aten::mul | mul 5\nb > aten::mul | mul 7", steps=1)))
    assert found == ["Kernel mul below aten::mul < a: 1, 5 us", "Kernel mul below aten::mul < b: 1, 7 us"]


def test_without_device_events_there_is_no_device_work() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mm", 0, 10)
    assert summary(trace).work is None


def test_captures_with_and_without_device_work_are_pooled() -> None:
    host_only = TraceBuilder()
    host_only.step(1, 0, 10)
    host_only.op("aten::mm", 0, 10)
    single = summary(calls(CONVOLUTION))
    pooled = pool([single, summary(host_only, span="2"), summary(calls(CONVOLUTION), span="3")])
    assert pooled.work is not None and single.work is not None
    assert pooled.work.work.keys == single.work.work.keys
    assert pooled.work.work.totals()[0].tolist() == (2 * single.work.work.totals()[0]).tolist()
    assert pooled.work.operators.totals()[1].tolist() == (2 * single.work.operators.totals()[1]).tolist()


def test_selected_steps_keep_their_work() -> None:
    chosen = select_steps(summary(calls(CONVOLUTION, steps=4)), (1, 2))
    assert lines_of(chosen) == lines_of(summary(calls(CONVOLUTION, steps=2)))


@given(traces())
def test_device_work_sums_to_the_kernel_and_copy_tables(trace: TraceBuilder) -> None:
    of = summarized(trace)
    tables = [group for name, group in of.groups.items() if name in ("kernels", "memcpy")]
    whole = sum(int(table.measures_ns["total"].sum()) for table in tables)
    found = 0 if of.work is None else int(of.work.work.totals()[0].sum())
    assert found == whole
    assert (0 if of.work is None else int(of.work.work.totals()[1].sum())) == int(of.steps.launches.sum())


@given(traces())
def test_every_place_is_below_a_known_operator(trace: TraceBuilder) -> None:
    of = summarized(trace)
    assume(of.work is not None)
    assert of.work is not None
    known = {place_below(above, operator, shape) for operator, shape, above in of.work.operators.keys} | {""}
    assert {above for _, _, above in of.work.operators.keys} <= known
    assert {place for _, _, place in of.work.work.keys} <= known
