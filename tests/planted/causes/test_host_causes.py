"""Causes in programs without a device, drawn: what genuine recordings of torch on a CPU showed once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.planted.sides import causes, compared, summary

STEPS = 14


@dataclass(frozen=True, slots=True)
class Call:
    """An operator that is called `times` times in a row."""

    name: str
    us: float
    times: int = 4
    shape: tuple[int, ...] = (32, 64)
    dtype: str = "float"


PROGRAM = (
    Call("aten::mm", 400.0), Call("aten::add", 60.0), Call("aten::gelu", 150.0), Call("aten::native_layer_norm", 90.0),
    Call("aten::copy_", 30.0, 2), Call("aten::sum", 50.0), Call("AddmmBackward0", 80.0, 2),
)  # fmt: skip
Step = Callable[[int], Iterable[Call]]


def drawn(
    step: Step | Iterable[Call] = PROGRAM, *, seed: int = 1, gap_us: float = 40.0, stall_us: float = 0.0,
    gap: str = "", python: bool = False, marked: bool = True, shapes: bool = True, **flags: int,
) -> TraceBuilder:  # fmt: skip
    """A CPU training: every step calls its operators and ends in a gap. Every 9th call is interrupted for `stall_us`;
    `gap` names the Python function that fills the gap, beside others where `python` functions are recorded."""
    trace = TraceBuilder(vendor="cpu")
    trace.properties.update(flags)
    vary = random.Random(seed)
    now_us, count = 0.0, 0
    program = step if callable(step) else lambda _: step
    for number in range(STEPS):
        start = now_us
        for call in program(number):
            for _ in range(call.times):
                count += 1
                end = now_us + call.us * vary.uniform(0.99, 1.03) + (stall_us if count % 9 == 0 else 0.0)
                inputs = {"dims": [list(call.shape)], "Input type": [call.dtype]} if shapes else {}
                trace.op(call.name, now_us, end, **inputs)
                now_us = end + 1.0
        end = now_us + gap_us * vary.uniform(0.99, 1.03)
        if python:
            trace.python("torch/nn/module.py(1): forward", now_us, now_us + 20.0, number=2 * count)
        if gap:
            trace.python(gap, now_us + 20.0, end, number=2 * count + 1)
        now_us = end
        if marked:
            trace.step(number, start, now_us)
        now_us += 1.0
    return trace


def compared_traces(a: TraceBuilder, b: TraceBuilder) -> Comparison:
    return compared(summary(a), summary(b))


def first(a: TraceBuilder, b: TraceBuilder) -> Finding:
    return compared_traces(a, b).findings[0]


def changed(name: str, **what: object) -> tuple[Call, ...]:
    """The program with one operator otherwise."""
    return tuple(replace(call, **what) if call.name == name else call for call in PROGRAM)


def longer(factor: float) -> tuple[Call, ...]:
    return tuple(replace(call, us=call.us * factor) for call in PROGRAM)


def test_equal_programs_have_no_findings() -> None:
    assert compared_traces(drawn(), drawn(seed=2)).findings == ()


def test_a_gap_is_no_slow_host() -> None:
    finding = first(drawn(), drawn(longer(1.04), seed=2, gap_us=3000.0))
    assert finding.rule == "unrecorded_time"


def test_a_slow_host_explains_all_that_follows_its_pace() -> None:
    finding = first(drawn(), drawn(longer(1.4), seed=2, gap_us=56.0))
    assert finding.rule == "host_pace"
    assert finding.share is not None and finding.share > 0.99


def test_one_operator_that_does_most_is_no_slow_host() -> None:
    heavy = changed("aten::mm", us=4000.0)
    slower = changed("aten::mm", us=6000.0)
    finding = first(drawn(heavy), drawn(slower, seed=2))
    assert (finding.rule, finding.subject) == ("operator_slower", "aten::mm")


def test_interruptions_are_told_from_slow_work() -> None:
    finding = first(drawn(), drawn(seed=2, stall_us=900.0))
    assert finding.rule == "host_interrupted"
    back = first(drawn(seed=2, stall_us=900.0), drawn())
    assert back.rule == "host_interrupted" and "no longer takes the CPU" in back.sentence


def test_fewer_calls_are_told_though_a_busy_machine_makes_them_longer() -> None:
    calls = [(*PROGRAM, Call("aten::cos", 90.0, count)) for count in (8, 4)]
    found = compared_traces(drawn(calls[0]), drawn(calls[1], seed=2, stall_us=1800.0))
    assert causes(found) == ["host_interrupted", "operators_changed"]
    assert found.findings[1].sentence == "Fewer calls per step: aten::cos 8 → 4."


def test_threads_that_wait_for_a_core_lengthen_long_and_short_calls_alike() -> None:
    """Two threads on one free core: every call of several threads ends a time slice late, a matrix product two."""
    vary = random.Random(7)

    def late(_: int) -> Iterable[Call]:
        slices = [3500.0 * vary.uniform(0.8, 1.2) * (2 if call.name == "aten::mm" else 1) for call in PROGRAM]
        return [replace(call, us=call.us + us) for call, us in zip(PROGRAM, slices, strict=True)]

    finding, back = first(drawn(), drawn(late, seed=2)), first(drawn(late, seed=2), drawn())
    assert (finding.rule, back.rule) == ("waiting_threads", "waiting_threads")
    assert finding.sentence.startswith("Operators wait for their threads: +")
    assert back.sentence.startswith("Operators no longer wait for their threads: −")
    assert finding.share is not None and finding.share > 0.95


def test_calls_that_are_longer_in_proportion_do_not_wait_for_threads() -> None:
    assert "waiting_threads" not in causes(compared_traces(drawn(), drawn(longer(20.0), seed=2)))


def test_a_long_slice_in_one_operator_of_a_step_is_no_wait_for_threads() -> None:
    """Another process takes 50 ms from one operator a step, from each in turn."""

    def interrupted(number: int) -> Iterable[Call]:
        return [replace(call, us=call.us + 12_500.0 * (number % len(PROGRAM) == at)) for at, call in enumerate(PROGRAM)]

    assert "waiting_threads" not in causes(compared_traces(drawn(), drawn(interrupted, seed=2)))


def test_one_long_slice_in_one_operator_is_contention_all_the_same() -> None:
    def interrupted(number: int) -> Iterable[Call]:
        return (*PROGRAM, Call("aten::mm", 30_000.0 if number == 5 else 400.0, 1))

    healthy = drawn((*PROGRAM, Call("aten::mm", 400.0, 1)))
    found = compared_traces(healthy, drawn(interrupted, seed=2, stall_us=900.0))
    assert causes(found) == ["host_interrupted", "slow_steps"]


def test_an_operator_whose_fastest_call_stays_is_not_called_slower() -> None:
    """One call of the operator is interrupted in every step; all others take what they took."""

    def stalled(_: int) -> Iterable[Call]:
        return [*PROGRAM, Call("aten::mm", 2400.0, 1)]

    def usual(_: int) -> Iterable[Call]:
        return [*PROGRAM, Call("aten::mm", 400.0, 1)]

    finding = first(drawn(usual), drawn(stalled, seed=2))
    assert (finding.rule, finding.subject) == ("host_time", "aten::mm")


COPIES = Call("aten::copy_", 90.0, 12, (64, 32))


def test_copies_between_layouts() -> None:
    finding = first(drawn(), drawn((*PROGRAM, COPIES), seed=2))
    assert (finding.rule, finding.subject, finding.category) == ("layout_copies", "aten::copy_", "CPU Exec")
    assert "2 → 14 times" in finding.sentence


def test_copies_are_found_in_a_program_that_became_no_slower() -> None:
    faster = tuple(replace(call, us=500.0) if call.name == "aten::mm" else call for call in (*PROGRAM, COPIES))
    (told,) = (one for one in compared_traces(drawn(changed("aten::mm", us=800.0)), drawn(faster, seed=2)).findings
               if one.rule == "layout_copies")  # fmt: skip
    assert told.delta_us is not None and 12 * 80 < told.delta_us < 12 * 100


def test_slower_copies_are_no_more_copies() -> None:
    finding = first(drawn(), drawn(changed("aten::copy_", us=300.0), seed=2))
    assert finding.rule == "operator_slower"


def test_autocast_is_another_data_type_in_spite_of_its_casts() -> None:
    def half(call: Call) -> Call:
        return replace(call, us=call.us * 0.5, dtype="c10::BFloat16") if call.name == "aten::mm" else call

    cast = (*map(half, PROGRAM), Call("aten::_to_copy", 5.0, 6), Call("aten::copy_", 5.0, 6))
    both = (*PROGRAM, Call("aten::_to_copy", 5.0, 2))
    cast_finding = first(drawn(both), drawn(cast, seed=2))
    assert (cast_finding.rule, cast_finding.subject) == ("data_type_changed", "aten::mm")
    assert "float → BFloat16" in cast_finding.sentence


def lengths(seed: int, mean: int) -> Step:
    """Every batch has another length."""
    draw = random.Random(seed)
    drawn_lengths = [round(mean * draw.uniform(0.8, 1.2)) for _ in range(STEPS)]

    def step(number: int) -> Iterable[Call]:
        length = drawn_lengths[number]
        return [replace(call, us=call.us * length / 100, shape=(length, 64)) for call in PROGRAM]

    return step


def test_lengths_that_vary_are_no_other_work() -> None:
    comparison = compared_traces(drawn(lengths(8, 100)), drawn(lengths(6, 100), seed=2))
    assert "workload_changed" not in [finding.rule for finding in comparison.findings]


def test_lengths_that_grew_are_other_work() -> None:
    finding = first(drawn(lengths(1, 100)), drawn(lengths(2, 150), seed=2))
    assert finding.rule == "workload_changed"
    assert "vary between steps" in finding.sentence


def test_recording_more_is_the_likelier_cause_than_a_slow_host() -> None:
    finding = first(drawn(record_shapes=1), drawn(longer(1.2), seed=2, gap_us=300.0, record_shapes=1, with_stack=1))
    assert finding.rule == "profiler_overhead"
    assert "with_stack false → true" in finding.sentence


def test_recording_less_does_not_explain_more_time() -> None:
    finding = first(drawn(record_shapes=1, with_stack=1), drawn(longer(1.4), seed=2, record_shapes=1))
    assert finding.rule == "host_pace"


def test_options_of_one_side_are_a_caveat_though_the_other_does_not_name_them() -> None:
    checks = compared_traces(drawn(record_shapes=1), drawn(record_shapes=1, with_stack=1)).comparability
    (check,) = [check for check in checks if check.check == "profiler_flags"]
    assert check.status == "warn" and "with_stack false → true" in check.detail


def test_inputs_that_one_side_did_not_record_are_no_other_work() -> None:
    a, b = drawn(), drawn(changed("aten::copy_", us=90.0), seed=2, shapes=False)
    for one in (compared_traces(a, b), compared_traces(b, a)):
        assert not {"operators_by_shape", "operators_by_type"} & set(one.tables)
        assert "operators_by_shape" in {note.where for note in one.notes}
        assert all("calls" not in finding.confidence for finding in one.findings)


def test_python_functions_name_what_runs_between_operators() -> None:
    a = drawn(python=True, with_stack=1)
    b = drawn(python=True, seed=2, gap="json/encoder.py(205): iterencode", gap_us=3000.0, with_stack=1)
    finding = first(a, b)
    assert (finding.rule, finding.subject) == ("unrecorded_time", "json/encoder.py(205): iterencode")
    assert finding.sentence.startswith("Python code outside operators: +")


def test_python_functions_of_one_side_name_nothing() -> None:
    finding = first(drawn(), drawn(python=True, seed=2, gap="json/encoder.py(205): iterencode", gap_us=3000.0))
    assert finding.subject == "(profiler overhead)"


def test_a_recording_without_steps_has_no_cause() -> None:
    assert causes(compared_traces(drawn(), drawn(marked=False, seed=2))) == []


def test_slow_steps_of_several_recordings_are_told_apart() -> None:
    def span(label: str, slow: bool) -> Summary:
        def step(number: int) -> Iterable[Call]:
            return (*PROGRAM, Call("aten::save", 20_000.0, 1)) if slow and number == 5 else PROGRAM

        one = summary(drawn(step, seed=int(label)))
        file = replace(one.captures[0].file, sha256=f"{label}{slow}")
        return replace(one, captures=(replace(one.captures[0], span=label, file=file),))

    sides = [pool([span("1", slow), span("2", slow)]) for slow in (False, True)]
    finding = compared(*sides).findings[0]
    assert finding.rule == "slow_steps"
    assert finding.subject == "step 5 in span 1, step 5 in span 2"


def test_few_calls_of_other_inputs_are_other_work_where_they_take_the_time() -> None:
    """A larger vocabulary: of a hundred calls only those of the last layer are larger."""
    layers = tuple(replace(call, times=12) for call in PROGRAM)

    def with_head(words: int) -> list[Call]:
        return [*layers, Call("aten::mm", 6.0 * words, 3, (64, words)), Call("aten::sum", 1.0 * words, 1, (64, words))]

    first = compared_traces(drawn(with_head(1000)), drawn(with_head(4000))).findings[0]
    assert first.rule == "workload_changed"
    assert "[[64, 1000]] → [[64, 4000]] (elements ×4.00)" in first.sentence
    # the same in the first layer, which is quick, is not
    small = [replace(layers[0], shape=(32, 96)), *layers[1:], *with_head(1000)[-2:]]
    findings = compared_traces(drawn(with_head(1000)), drawn(small)).findings
    assert all("Workload changed" not in finding.sentence for finding in findings)


def test_page_faults_are_no_contention() -> None:
    """Some calls that write a large output wait for new pages; products, most of the time, do not."""
    products = [Call("aten::mm", 900.0, shape=(32, width)) for width in (64, 128, 256)]
    large = [Call(f"aten::{name}", 100.0, shape=(512, 512)) for name in ("div", "_log_softmax", "fill_", "copy_")]

    def faulting(step: int) -> list[Call]:
        return [*products, *(replace(call, us=100.0 if step < 2 else 700.0) for call in large)]

    findings = compared_traces(drawn([*products, *large]), drawn(faulting)).findings
    assert [finding.rule for finding in findings] == ["host_time"]
    assert "host_interrupted" in causes(compared_traces(drawn(), drawn(stall_us=900.0)))  # time slices fall on all
