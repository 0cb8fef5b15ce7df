"""Recordings of two versions of PyTorch: what only one of them writes is no difference of the programs."""

from __future__ import annotations

from typing import Any

from tb_perfcompare.comparison.result.headline import Verdict
from tests.build import ABSOLUTE_BASE_NS, TraceBuilder
from tests.comparison.compare import check_of, compare, finding_of, judge, rules_of, sequence

Inputs = tuple[list[Any], list[str]]
"""Shapes and types."""

OLD_ZEROS: Inputs = ([[], [], []], ["", "", "Scalar"])
NEW_ZEROS: Inputs = ([[], [], []], ["ScalarList", "Scalar", ""])
OLD_CAT: Inputs = ([[], []], ["TensorList", "Scalar"])
NEW_CAT: Inputs = ([[[16, 32], [16, 32]], []], ["TensorList", "Scalar"])
OLD_LSTM: Inputs = ([[8, 32], [], []], ["float", "TensorList", "Scalar"])
NEW_LSTM: Inputs = ([[8, 32], [[4, 32], [32]], []], ["float", "TensorList", "Scalar"])


def program(zeros: Inputs, cat: Inputs, lstm: Inputs, *, us: int = 100, **properties: Any) -> TraceBuilder:
    """Eight steps of three kinds of operators; all but the LSTM take 20 µs."""
    trace = TraceBuilder(vendor="cpu", base_ns=0 if properties else ABSOLUTE_BASE_NS)
    trace.properties |= properties
    at = 0
    for step in range(8):
        start = at
        calls = [("aten::zeros", zeros, 20), ("aten::cat", cat, 20), ("aten::lstm", lstm, us + step % 2)] * 6
        for name, (dims, types), took in calls:
            typed: dict[str, Any] = {"Input type": types}
            trace.op(name, at, at + took, dims=dims, **typed)
            at += took + 2
        trace.step(step, start, at)
    return trace


def old(us: int = 100) -> TraceBuilder:
    return program(OLD_ZEROS, OLD_CAT, OLD_LSTM, us=us)


def new(us: int = 100) -> TraceBuilder:
    return program(NEW_ZEROS, NEW_CAT, NEW_LSTM, us=us, record_shapes=1, trace_id="A", host_name="b")


def oldest(us: int) -> TraceBuilder:
    return program((OLD_ZEROS[0], []), (OLD_CAT[0], []), (OLD_LSTM[0], []), us=us)


def test_sizes_and_types_that_one_version_does_not_record_are_no_change() -> None:
    for found, rule in ((compare(old(), new(150)), "operator_slower"), (compare(new(150), old()), "operator_faster")):
        assert rules_of(found) == [rule]
        assert check_of(found, "input_types").status == "ok"


def test_types_that_one_version_does_not_record_are_no_change() -> None:
    """PyTorch 1.8 writes an empty list for every call."""
    untyped, typed = oldest(100), old(150)
    for found, rule in ((compare(untyped, typed), "operator_slower"), (compare(typed, untyped), "operator_faster")):
        assert rules_of(found) == [rule]
        assert not [check for check in found.comparability if check.check == "input_types"]


def test_the_profiler_of_1_8_may_have_made_its_side_slower() -> None:
    """It takes about 100 µs for each recorded operator."""
    for found in (compare(oldest(300), old()), compare(old(), oldest(300))):
        assert found.headline.verdict is Verdict.INCONCLUSIVE
        assert "recorded with PyTorch 1.8, which can make its steps up to 1,900 % longer" in found.headline.sentence
    assert judge(oldest(100), old(300)).headline.verdict is Verdict.SLOWER
    assert judge(oldest(100), oldest(300)).headline.verdict is Verdict.SLOWER


def test_a_list_in_a_list_of_types_is_no_tensor() -> None:
    nested: Inputs = (NEW_CAT[0], [["float", "float"], "Scalar"])
    assert judge(new(), program(NEW_ZEROS, nested, NEW_LSTM, trace_id="A")).headline.verdict is not Verdict.WITHHELD


def test_lists_that_both_record_are_compared() -> None:
    longer = ([[8, 32], [[4, 32], [64]], []], NEW_LSTM[1])
    found = compare(new(), program(NEW_ZEROS, NEW_CAT, longer, us=150))
    assert rules_of(found) == ["workload_changed"]


def test_long_lists_beside_short_ones_are_compared() -> None:
    """Sizes of long lists are not recorded. All operators are slower, and so are their fastest calls."""

    def stacking(scale: float) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(8):
            start = at = 10_000.0 * step
            for name, dims in [("aten::stack", OLD_CAT[0]), ("aten::stack", NEW_CAT[0]), ("aten::mm", [[8, 8]])] * 8:
                trace.op(name, at, at + 100 * scale + step % 2, dims=dims)
                at += 120 * scale
            trace.step(step, start, at)
        return trace

    assert rules_of(compare(stacking(1), stacking(1.5)))[:1] == ["operator_slower"]


def test_another_version_is_named_and_looked_at_first() -> None:
    found = compare(old(), new(150))
    check = check_of(found, "versions")
    assert (check.status, check.detail) == (
        "warn",
        "different versions of PyTorch: baseTimeNanoseconds, host_name, trace_id only in the candidate's traces; "
        "operators of the same name may run different code",
    )
    assert finding_of(found, "operator_slower").look_at.startswith("the versions of PyTorch; ")
    assert "version" not in finding_of(compare(old(), old(150)), "operator_slower").look_at


def test_options_that_an_old_trace_does_not_name_show_in_its_events() -> None:
    assert check_of(judge(old(), new()), "profiler_flags").status == "ok"
    for counting in (new(), old()):
        counting.properties["with_flops"] = 1
        named = compare(new(), counting), compare(old(), counting)
        assert ["with_flops" in check_of(one, "profiler_flags").detail for one in named] == [True, False]
    shapeless = sequence([[("aten::zeros", 20), ("aten::cat", 20), ("aten::lstm", 100)] * 6] * 8, gap=2, vendor="cpu")
    shapeless.base_ns = ABSOLUTE_BASE_NS
    assert "record_shapes false → true" in check_of(judge(shapeless, old()), "profiler_flags").detail
    remembering, stacked = old(), old()
    remembering.memory(5, 512)
    assert "profile_memory true → false" in check_of(judge(remembering, new()), "profiler_flags").detail
    for event in stacked.events:
        if event.args is not None:
            event.args["Call stack"] = "train.py(4): step;train.py(9): <module>" if "aten" in event.name else ""
    assert "with_stack true → false" in check_of(judge(stacked, new()), "profiler_flags").detail
