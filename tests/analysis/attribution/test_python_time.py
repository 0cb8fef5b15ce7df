"""Python functions: whose thread owns the time between operators, and functions with those that they call."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.names.python_frames import is_of_program
from tb_perfcompare.model.summary.groups import PYTHON_OPERATORS, PYTHON_TIME
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.passes_tools import FORMS, form
from tests.analysis.summaries import owners_us, summary
from tests.build import MAIN, TraceBuilder

SLEEP, ACQUIRE = "<built-in function sleep>", "<built-in method acquire of _thread.lock object>"
WRITER, RUN = MAIN + 5, "writer.py(9): run"


def step() -> TraceBuilder:
    """One step of 100 µs with an operator from 0 to 10."""
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 0, 10)
    return trace


@pytest.mark.parametrize("compiled", FORMS)
def test_functions_of_another_thread_own_nothing_while_the_main_thread_runs_one(compiled: bool) -> None:
    trace = step()
    trace.python(SLEEP, 20, 70, number=1)
    trace.python(RUN, 5, 90, number=2, thread=WRITER)
    trace.python(ACQUIRE, 30, 80, number=3, thread=WRITER)
    with form(compiled):
        assert owners_us(summary(trace)) == {
            "aten::mm": 10, SLEEP: 50, RUN: 20, ACQUIRE: 10, "(nothing recorded)": 10,
        }  # fmt: skip


def test_without_functions_on_the_main_thread_others_own_as_any() -> None:
    trace = step()
    trace.python(RUN, 20, 70, number=2, thread=WRITER)
    assert owners_us(summary(trace))[RUN] == 50


def test_functions_of_the_backward_pass_own_like_those_of_the_main_thread() -> None:
    """The main thread waits for it."""
    trace = step()
    trace.python("<built-in method run_backward>", 15, 90, number=1)
    trace.op("autograd::engine::evaluate_function: MyBackward", 20, 25, thread=WRITER)
    trace.python("mine.py(3): backward", 30, 60, number=2, thread=WRITER)
    assert owners_us(summary(trace))["mine.py(3): backward"] == 30


def times(drawn: Summary) -> dict[str, tuple[list[int], list[float]]]:
    """Python function -> calls and µs in each step."""
    table = drawn.groups[PYTHON_TIME]
    return {
        key[0]: (table.calls[row].tolist(), (table.measures_ns["total"][row] / 1000).tolist())
        for row, key in enumerate(table.keys)
    }


def test_a_function_has_the_time_of_those_that_it_calls_but_not_of_operators() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(2):
        at = 200 * number
        trace.step(number, at, at + 150)
        trace.python("train.py(1): step", at + 5, at + 140, number=10 * number)
        trace.op("aten::mm", at + 10, at + 50)
        trace.python("train.py(9): log", at + 60, at + 120, number=10 * number + 1, parent=10 * number)
        trace.python(SLEEP, at + 70, at + 100, number=10 * number + 2, parent=10 * number + 1)
    assert times(summary(trace)) == {
        "train.py(1): step": ([1, 1], [95, 95]), "train.py(9): log": ([1, 1], [60, 60]), SLEEP: ([1, 1], [30, 30]),
    }  # fmt: skip


def test_a_function_has_the_operator_calls_of_those_that_it_calls() -> None:
    """Of two calls in two steps one makes an operator that calls another."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(2):
        at = 200 * number
        trace.step(number, at, at + 150)
        trace.python("train.py(1): step", at + 5, at + 140, number=10 * number)
        trace.op("aten::mm", at + 10, at + 50)
        trace.python("train.py(9): log", at + 60, at + 120, number=10 * number + 1, parent=10 * number)
        if number:
            trace.op("aten::linear", at + 65, at + 90)
            trace.op("aten::addmm", at + 70, at + 80)
    table = summary(trace).groups[PYTHON_TIME]
    each = {key[0]: count for key, count in zip(table.keys, table.facts[PYTHON_OPERATORS].tolist(), strict=True)}
    assert each == {"train.py(1): step": 2, "train.py(9): log": 1}


def test_a_function_that_calls_itself_counts_once() -> None:
    trace = step()
    for depth in range(3):
        trace.python("tree.py(1): visit", 20 + depth, 80 - depth, number=depth, parent=depth - 1 if depth else None)
    assert times(summary(trace)) == {"tree.py(1): visit": ([1], [60])}


def test_a_function_inside_itself_counts_once_whatever_is_in_between() -> None:
    """Nested modules: _call_impl calls forward, which calls _call_impl."""
    trace = step()
    for depth, name in enumerate(("module.py(1): _call_impl", "net.py(5): forward") * 2):
        trace.python(name, 20 + depth, 80 - depth, number=depth, parent=depth - 1 if depth else None)
    assert times(summary(trace)) == {"module.py(1): _call_impl": ([1], [60]), "net.py(5): forward": ([1], [58])}


def test_functions_of_a_thread_that_runs_operators_own_like_those_of_the_main_thread() -> None:
    """A replica of the model, for which the main thread waits."""
    trace = step()
    trace.python(ACQUIRE, 15, 90, number=1)
    trace.op("aten::relu", 20, 25, thread=WRITER)
    trace.python("net.py(5): forward", 30, 60, number=2, thread=WRITER)
    assert owners_us(summary(trace))["net.py(5): forward"] == 30


def test_functions_below_a_hundredth_of_the_time_are_left_out() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 2000)
    trace.op("aten::mm", 0, 10)
    trace.python("train.py(1): step", 20, 1920, number=1)
    trace.python("train.py(2): short", 30, 40, number=2, parent=1)
    trace.python("train.py(3): long", 50, 80, number=3, parent=1)
    assert times(summary(trace)).keys() == {"train.py(1): step", "train.py(3): long"}


def test_a_recording_without_functions_has_no_such_table() -> None:
    assert PYTHON_TIME not in summary(step()).groups


def keys_of(trace: TraceBuilder) -> dict[tuple[str, ...], float]:
    """(function, caller, range) -> µs."""
    table = summary(trace).groups[PYTHON_TIME]
    return dict(zip(table.keys, (table.measures_ns["total"].sum(axis=1) / 1000).tolist(), strict=True))


def fetching(*, annotated: bool) -> TraceBuilder:
    """A step of 100 µs, 60 of them in `fetch`, which sleeps for 40 and calls an operator for 10. PyTorch's function
    that opens the range is open when the range starts."""
    trace = step()
    trace.python("train.py(1): step", 12, 98, number=1)
    if annotated:
        trace.python("torch/profiler.py(9): __enter__", 14, 18, number=2, parent=1)
        trace.annotation("fetching", 16, 90)
    trace.python("train.py(9): fetch", 20, 80, number=3, parent=1)
    trace.python(SLEEP, 25, 65, number=4, parent=3)
    trace.op("aten::add", 66, 76)
    return trace


def test_functions_have_the_range_around_them_and_who_of_the_program_calls_them() -> None:
    found = keys_of(fetching(annotated=True))
    assert found[SLEEP, "train.py(9): fetch", "fetching"] == 40
    assert found["train.py(9): fetch", "train.py(1): step", "fetching"] == 50, "without the operator in it"
    assert found["train.py(1): step", "", ""] == (16 - 12) + (98 - 90), "what the range does not own"


def test_without_ranges_functions_own_their_time() -> None:
    assert keys_of(fetching(annotated=False)) == {
        ("train.py(1): step", "", ""): 76, ("train.py(9): fetch", "train.py(1): step", ""): 50,
        (SLEEP, "train.py(9): fetch", ""): 40,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "of_program"),
    [
        ("train.py(12): step", True), ("models/net.py(3): forward", True), ("/home/me/train.py(12): step", True),
        ("torch/nn/modules/module.py(1799): inner", False), ("threading.py(323): wait", False),
        ("logging/__init__.py(1500): debug", False), ("/usr/lib/python3.11/queue.py(1): get", False),
        ("/venv/lib/python3.11/site-packages/numpy/core.py(1): sum", False), (SLEEP, False),
        ("<frozen os>(674): __getitem__", False), ("transformers/trainer.py(9): train", False),
    ],
)  # fmt: skip
def test_functions_of_the_program_are_in_its_own_files(name: str, of_program: bool) -> None:
    assert is_of_program(name) == of_program
