"""Device work by the operators around its launch."""

from __future__ import annotations

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.summary.launch_sites import place_below
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarised, summary
from tests.build import TraceBuilder
from tests.strategies import permutations_of, traces
from tests.work_pictures import calls

CONVOLUTION = """
    aten::conv2d[8,3] > aten::cudnn_convolution[8,3] | conv 30; Memset 1
    2x aten::mm[4,4]                                 | gemm 10
                                                     | lost 4
"""


def drawn(of: Summary) -> list[str]:
    """`work below operator[shape] < operator: launches, us` in the order in which it ran."""
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


def test_work_is_below_the_operators_that_launched_it() -> None:
    assert drawn(summary(calls(CONVOLUTION))) == [
        "Kernel conv below aten::cudnn_convolution[[8, 3]] < aten::conv2d[[8, 3]]: 2, 60 us",
        "Memset Memset (Device) below aten::cudnn_convolution[[8, 3]] < aten::conv2d[[8, 3]]: 2, 2 us",
        "Kernel gemm below aten::mm[[4, 4]]: 4, 40 us",
        "Kernel lost below : 2, 8 us",
    ]


def test_operators_count_their_calls_and_the_time_of_everything_below() -> None:
    work = summary(calls(CONVOLUTION)).work
    assert work is not None
    times, counts = work.operators.totals()
    assert {key[0]: (count, ns / 1000) for key, count, ns in zip(
        work.operators.keys, counts.tolist(), times.tolist(), strict=True
    )} == {"aten::conv2d": (2, 62), "aten::cudnn_convolution": (2, 62), "aten::mm": (4, 40)}  # fmt: skip


def test_a_call_nested_alone_in_one_of_its_name_is_one_operator() -> None:
    got = drawn(summary(calls("aten::sum[4] > aten::sum[4] | reduce 5", steps=1)))
    assert got == ["Kernel reduce below aten::sum[[4]]: 1, 5 us"]


def test_the_same_work_in_another_place_is_another_path() -> None:
    got = drawn(summary(calls("a > aten::mul | mul 5\nb > aten::mul | mul 7", steps=1)))
    assert got == ["Kernel mul below aten::mul < a: 1, 5 us", "Kernel mul below aten::mul < b: 1, 7 us"]


def test_without_device_events_there_is_nothing() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mm", 0, 10)
    assert summary(trace).work is None


def test_captures_pool_and_one_without_device_work_adds_nothing() -> None:
    quiet = TraceBuilder()
    quiet.step(1, 0, 10)
    quiet.op("aten::mm", 0, 10)
    one = summary(calls(CONVOLUTION))
    both = pool([one, summary(quiet, span="2"), summary(calls(CONVOLUTION), span="3")])
    assert both.work is not None and one.work is not None
    assert both.work.work.keys == one.work.work.keys
    assert both.work.work.totals()[0].tolist() == (2 * one.work.work.totals()[0]).tolist()
    assert both.work.operators.totals()[1].tolist() == (2 * one.work.operators.totals()[1]).tolist()


def test_chosen_steps_keep_their_own_work() -> None:
    chosen = select_steps(summary(calls(CONVOLUTION, steps=4)), (1, 2))
    assert drawn(chosen) == drawn(summary(calls(CONVOLUTION, steps=2)))


@given(traces())
def test_all_device_time_of_the_steps_is_there_once(trace: TraceBuilder) -> None:
    of = summarised(trace)
    tables = [group for name, group in of.groups.items() if name in ("kernels", "memcpy")]
    whole = sum(int(table.measures_ns["total"].sum()) for table in tables)
    found = 0 if of.work is None else int(of.work.work.totals()[0].sum())
    assert found == whole
    assert (0 if of.work is None else int(of.work.work.totals()[1].sum())) == int(of.steps.launches.sum())


@given(traces())
def test_every_place_leads_up_to_the_top(trace: TraceBuilder) -> None:
    of = summarised(trace)
    assume(of.work is not None)
    assert of.work is not None
    known = {place_below(above, operator, shape) for operator, shape, above in of.work.operators.keys} | {""}
    assert {above for _, _, above in of.work.operators.keys} <= known
    assert {place for _, _, place in of.work.work.keys} <= known


@given(traces(), st.data())
def test_the_order_of_events_in_the_file_changes_nothing(trace: TraceBuilder, data: st.DataObject) -> None:
    one, two = summarised(trace), summarised(trace, order=data.draw(permutations_of(trace)))
    assert (one.work is None) == (two.work is None)
    if one.work is not None and two.work is not None:
        for x, y in ((one.work.work, two.work.work), (one.work.operators, two.work.operators)):
            assert json.dumps(x.keys) == json.dumps(y.keys)
            assert [t.tolist() for t in x.totals()] == [t.tolist() for t in y.totals()]
