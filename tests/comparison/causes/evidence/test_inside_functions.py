"""Python code between operators is named by the function that contains most of its change."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.causes.evidence.general_rules import grown_function
from tb_perfcompare.comparison.result.finding import Finding
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of

HISTOGRAM, WRITER = "writer.py(40): add_histogram", "writer.py(90): run"
FETCH = "loader.py(9): fetch"


def logging(histograms: int, us: int = 200, *, sleep: int = 0, line: int = 40) -> TraceBuilder:
    """Eight steps of an operator, and histograms of the weights of `us` µs, which are many short functions."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = start = 10_000 * number
        trace.python("train.py(5): step", start, start + 9_000, number=1000 * number)
        trace.op("aten::mm", at, at + 1000 + number % 3)
        at += 1010
        for call in range(histograms):
            name = HISTOGRAM.replace("40", str(line))
            trace.python(name, at, at + us, number=1000 * number + 10 * call + 1, parent=1000 * number)
            for part in range(5):
                begin, place = at + part * us // 6, 1000 * number + 10 * call + 2 + part
                trace.python(f"numpy.py({part}): part{part}", begin + 1, begin + us // 6, number=place)
            at += us + 5
        if sleep:
            trace.python("<built-in function sleep>", at, at + sleep, number=1000 * number + 900, parent=1000 * number)
            at += sleep
        trace.python(WRITER, start + 100, at - 100, number=1000 * number + 999, thread=5)
        trace.step(number, start, at)
    return trace


def sentence(before: TraceBuilder, after: TraceBuilder) -> str:
    (finding,) = (found for found in compare(before, after).findings if found.rule == "unrecorded_time")
    return finding.sentence


def test_many_short_functions_are_inside_the_one_that_calls_them() -> None:
    text = sentence(logging(1), logging(9))
    assert text.startswith("Python code outside operators: +1.64 ms per step (")
    assert f"; inside {HISTOGRAM} (1 → 9 calls per step); " in text


def test_a_function_that_only_one_side_calls_is_certain_and_tells_all() -> None:
    """Calls are counted, and the many short functions inside it are none of the reader's."""
    for sides in ((logging(0), logging(8)), (logging(8), logging(0))):
        (finding,) = compare(*sides).findings
        assert finding.sentence.rpartition("; ")[2] in (
            f"inside {HISTOGRAM} (0 → 8 calls per step).", f"inside {HISTOGRAM} (8 → 0 calls per step).",
        )  # fmt: skip
        assert finding.confidence == "certain: calls are counted"


def varying(function: str, us: int = 1000, *, every: int = 1) -> TraceBuilder:
    """Four steps of any length, each (each second, ...) with a call of the function in the time without operators."""
    trace, start = TraceBuilder(vendor="cpu"), 0
    for number, rest in enumerate((300, 9_000, 2_000, 15_000)):
        called = us if number % every == 0 else 0
        end = start + 1_000 + called + rest
        trace.python("train.py(5): step", start, end, number=10 * number)
        trace.op("aten::mm", start, start + 1000)
        if function and called:
            trace.python(function, start + 1_010, start + 1_010 + us, number=10 * number + 1, parent=10 * number)
        trace.step(number, start, end)
        start = end
    return trace


@pytest.mark.parametrize(("before", "after", "is_reported"), [
    ("", "subprocess.py(500): run", True),
    ("monitor.py(3): old", "monitor.py(9): new", False),
    ("", "nn.Module: Linear_7", False),
    ("", "", False),
])  # fmt: skip
def test_a_new_function_needs_no_significant_time_unless_one_is_gone(
    before: str, after: str, *, is_reported: bool
) -> None:
    one, two = varying(before, 1_000 if before else 0), varying(after, 2_000 if after else 0)
    for sides in ((one, two), (two, one)):
        found = [finding for finding in compare(*sides).findings if finding.rule == "unrecorded_time"]
        assert bool(found) is is_reported
        assert all(after in finding.sentence and finding.confidence.startswith("certain") for finding in found)


def test_a_new_function_that_few_steps_call_needs_significant_time() -> None:
    rules = [
        {finding.rule for finding in compare(varying("", 0), varying("save.py(1): save", 4_000, every=every)).findings}
        for every in (1, 4)
    ]
    assert ["unrecorded_time" in found for found in rules] == [True, False]


def test_a_function_called_as_often_has_no_calls_in_the_sentence() -> None:
    assert f"; inside {HISTOGRAM}; " in sentence(logging(4), logging(4, 600))


def test_a_function_that_is_named_is_not_repeated() -> None:
    """Of the step and of what it calls, the innermost one that makes most of the change."""
    text = sentence(logging(1), logging(1, sleep=2000))
    assert "<built-in function sleep> is new" in text
    assert "inside" not in text


def test_a_function_that_makes_half_of_the_change_is_not_named() -> None:
    assert f"inside {HISTOGRAM}" not in sentence(logging(1), logging(5, sleep=700))


def test_the_other_direction() -> None:
    assert f"; inside {HISTOGRAM} (9 → 1 calls per step); " in sentence(logging(9), logging(1))


@pytest.mark.parametrize(("calls", "is_said"), [(1200, True), (300, False)])
def test_recording_many_calls_takes_time_too(calls: int, is_said: bool) -> None:
    def program(calls: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(8):
            at = 10_000 * number
            trace.python("train.py(5): step", at, at + 9_000, number=0)
            trace.op("aten::mm", at, at + 1000 + number % 3)
            for call in range(calls):
                trace.python("train.py(9): visit", at + 1010 + 4 * call, at + 1013 + 4 * call, number=1, parent=0)
            trace.step(number, at, at + 1100 + 4 * calls)
        return trace

    for pair, word in (((10, calls), "more"), ((calls, 10), "fewer")):
        found = compare(*map(program, pair))
        (finding,) = (one for one in found.findings if one.rule == "unrecorded_time")
        assert (f"; {calls - 10:,} {word} calls are recorded, which takes time, too" in finding.sentence) == is_said
        assert finding.look_at == ("record again without with_stack=True for their real time" if is_said else "")


WAIT = "<built-in function sleep>"


def fetched(
    wait: int, *, annotated: bool = True, stacks: bool = True, waits: float = 1, line: int = 9
) -> TraceBuilder:  # fmt: skip
    """Eight steps of operators and of a range that takes `wait` µs longer, in which a function of the program waits."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = 10_000 * number
        for place, name in enumerate(("mm", "add", "tanh", "mul")):
            trace.op(f"aten::{name}", at + 250 * place, at + 250 * place + 240 + number % 3)
        if stacks:
            trace.python("train.py(5): step", at, at + 1_390 + wait, number=10 * number)
            trace.python(f"train.py({line}): fetch", at + 1_010, at + 1_100 + wait, number=10 * number + 1)
            trace.python(WAIT, at + 1_050, at + 1_060 + wait * waits, number=10 * number + 2)
        if annotated:
            trace.annotation("fetching", at + 1_005, at + 1_110 + wait)
        trace.step(number, at, at + 1_400 + wait)
    return trace


def of_range(before: TraceBuilder, after: TraceBuilder) -> Finding:
    return next(found for found in compare(before, after).findings if found.subject == "fetching")


def test_the_function_that_makes_a_range_longer_is_named_with_its_caller() -> None:
    slower, faster = of_range(fetched(10), fetched(900)), of_range(fetched(900), fetched(10))
    for found in (slower, faster):
        assert f"; inside {WAIT}, called in train.py(9): fetch." in found.sentence
        assert found.look_at == "these functions and the code that calls them"


def test_of_functions_that_make_less_the_caller_is_named() -> None:
    found = of_range(fetched(10, waits=0.5), fetched(900, waits=0.5))
    assert "; inside train.py(9): fetch." in found.sentence


def test_functions_are_asked_for_only_if_they_were_not_recorded() -> None:
    found = of_range(fetched(10, stacks=False), fetched(900, stacks=False))
    assert found.look_at.endswith("; with_stack=True names its functions")


def test_functions_of_one_side_alone_are_not_compared() -> None:
    before, after = (summary(fetched(wait, stacks=stacks)) for wait, stacks in ((10, False), (900, True)))
    assert grown_function(after, after, 890, "fetching") is None
    assert grown_function(before, after, 890, "fetching") is None


def test_the_caller_of_a_function_outside_of_ranges_is_named() -> None:
    text = sentence(fetched(10, annotated=False), fetched(900, annotated=False))
    assert f"{WAIT} +890 µs (1 call per step); called in train.py(9): fetch" in text


def test_a_function_too_short_to_be_listed_is_not_absent() -> None:
    """PYTHON_TIME lists functions of at least 1 % of the time between operators."""
    found = grown_function(summary(varying(FETCH, 20)), summary(varying(FETCH, 5_000)), 4_980)
    assert found is not None and found.clause == f"inside {FETCH}" and found.calls == (1, 1)


@pytest.mark.parametrize(("waits", "named"), [(1, f"{WAIT}, called in train.py(9/12): fetch"),
                                              (0.5, "train.py(9/12): fetch")])  # fmt: skip
def test_a_function_whose_line_moved_is_not_new(waits: float, named: str) -> None:
    """As in two versions of a library; also one in a range, which owns its time, and one that calls another."""
    text = of_range(fetched(10, waits=waits), fetched(900, waits=waits, line=12)).sentence
    assert f"; inside {named}." in text
    text = sentence(logging(1), logging(9, line=45))
    assert "; inside writer.py(40/45): add_histogram (1 → 9 calls per step); " in text


NMS, SAVE = "torchvision/ops/boxes.py(57): batched_nms", "torch/serialization.py(944): save"


def postprocessing(boxes: int, function: str = NMS, *, each: int = 25, saves: int = 0) -> TraceBuilder:
    """Eight steps of a model's operators, and of others in a library's function, if any, for boxes that it found, one
    each 25 µs; and of a function without operators that takes `saves` µs, if any."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = 10_000 * number
        more = 2 * boxes * each
        end = at + 1_400 + more + saves
        trace.python("train.py(5): step", at, end, number=10 * number)
        for place, name in enumerate(("mm", "add", "tanh", "mul")):
            trace.op(f"aten::{name}", at + 250 * place, at + 250 * place + 240 + number % 3)
        if boxes and function:
            trace.python(function, at + 1_010, at + 1_100 + more, number=10 * number + 1, parent=10 * number)
        for box in range(2 * boxes):
            trace.op("aten::sort", at + 1_020 + each * box, at + 1_040 + each * box)
        if saves:
            trace.python(SAVE, end - saves, end, number=10 * number + 2, parent=10 * number)
        trace.step(number, at, end)
    return trace


def test_new_operators_are_inside_the_function_that_calls_them() -> None:
    for sides, calls in (((0, 9), "0 → 1"), ((9, 0), "1 → 0")):
        finding = compare(*map(postprocessing, sides)).findings[0]
        assert finding.rule == "operators_changed"
        assert finding.sentence.endswith(f"; inside {NMS} ({calls} calls per step), called in train.py(5): step.")


def test_the_python_code_around_new_operators_is_theirs() -> None:
    """18 operators of 20 µs, one each 50 µs."""
    for a, b, sign in ((0, 9, "+"), (9, 0, "−")):
        (finding,) = compare(postprocessing(a, each=50), postprocessing(b, each=50)).findings
        assert f": {sign}900 µs per step, {sign}540 µs of it Python code around the calls; " in finding.sentence


@pytest.mark.parametrize(("us", "is_told"), [(5_000, True), (100, False)])
def test_a_new_function_without_operators_is_not_theirs(us: int, *, is_told: bool) -> None:
    """Unless the Python code around the operators is most of what new functions take."""
    for a, b in ((0, 9), (9, 0)):
        after, before = postprocessing(b, each=50, saves=us * (b > 0)), postprocessing(a, each=50, saves=us * (a > 0))
        told = [one.sentence for one in compare(before, after).findings if one.rule == "unrecorded_time"]
        assert any(SAVE in text for text in told) is is_told


def test_python_code_elsewhere_is_not_theirs() -> None:
    """As in a function that both sides call as often."""
    found = compare(postprocessing(1), postprocessing(9))
    assert rules_of(found) == ["more_calls"]


@pytest.mark.parametrize("are_inside", [True, False])
def test_the_python_code_of_new_functions_around_new_operators_is_theirs(*, are_inside: bool) -> None:
    """Ten norms, each in its own function of 60 µs that the step calls; not if the operators run after it."""

    def logged(norms: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(8):
            at = start = 10_000 * number
            end = at + 1_700 + 90 * norms
            trace.python("train.py(5): step", at, end, number=100 * number)
            for place in range(60):
                trace.op("aten::mm", at, at + 22 + (number + place) % 3)
                at += 26
            for norm in range(norms):
                name = f"torch/functional.py({norm}): norm{norm}"
                trace.python(name, at, at + 60, number=100 * number + norm + 1, parent=100 * number)
                begin = at + (20 if are_inside else 62)
                trace.op("aten::norm", begin, begin + 20)
                at += 90
            trace.step(number, start, end)
        return trace

    for a, b, sign in ((0, 10, "+"), (10, 0, "−")):
        first = compare(logged(a), logged(b)).findings[0].sentence
        assert (f", {sign}400 µs of it Python code around the calls; " in first) == are_inside


def test_a_function_that_calls_nearly_all_operators_is_no_place() -> None:
    assert "; inside " not in compare(postprocessing(0, ""), postprocessing(9, "")).findings[0].sentence


HOOK, HELPER = "debug.py(7): watch", "trainer.py(9): compute_loss"


def watched(hook: str, *, layers: int = 6) -> TraceBuilder:
    """Eight steps of nested layers. After each layer a hook, if any, calls four operators."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at, calls = 20_000 * number, 1000 * number
        trace.python("train.py(5): step", at, at + 9_350, number=calls)
        for layer in range(layers):
            begin, end = at + 100 * (layer + 1), at + 8_900 - 400 * layer
            trace.python(f"model.py({layer}): forward", begin, end, number=calls + layer + 1, parent=calls + layer)
            trace.op("aten::mm", begin + 10, begin + 80)
            if hook:
                trace.python(hook, end + 10, end + 395, number=calls + 100 + layer, parent=calls + layer)
                for place in range(4):
                    trace.op("aten::std", end + 20 + 80 * place, end + 90 + 80 * place)
        trace.op("aten::add", at + 9_400, at + 9_500)
        trace.step(number, at, at + 9_600)
    return trace


def test_a_hook_is_named_and_not_the_layers_that_call_most_of_it() -> None:
    for sides, calls in ((("", HOOK), "0 → 6"), ((HOOK, ""), "6 → 0")):
        sentence = compare(*map(watched, sides)).findings[0].sentence
        assert sentence.endswith(f"; inside {HOOK} ({calls} calls per step).")


def refactored(helper: str, us: int) -> TraceBuilder:
    """Eight steps of operators, in a helper function if it is named, with `us` µs of Python code between them."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = 10_000 * number
        trace.python("train.py(5): step", at, at + 5_000, number=10 * number)
        if helper:
            trace.python(helper, at + 10, at + 4_990, number=10 * number + 1, parent=10 * number)
        begin = at + 20
        for _ in range(10):
            trace.op("aten::mm", begin, begin + 300)
            begin += 300 + us // 10
        trace.step(number, at, at + 5_000 + us + number % 3)
    return trace


@pytest.mark.parametrize("sides", [("", HELPER), (HELPER, "")])
def test_a_function_that_takes_code_over_is_no_new_work(sides: tuple[str, str]) -> None:
    """Its operators are called as often without it."""
    one, two = sides
    assert not compare(refactored(one, 200), refactored(two, 200)).findings
    (finding,) = compare(refactored(one, 200), refactored(two, 900)).findings
    assert f"inside {HELPER}" not in finding.sentence and not finding.confidence.startswith("certain")
