"""Operators called with other strides or concrete inputs on inputs of the same shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tb_perfcompare.analysis.entities.call_arguments import MOST_SIGNATURES
from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.leading_cause import with_largest_entry
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.work.call_arguments import other_arguments
from tb_perfcompare.model.names.argument_names import ARGUMENT_NAMES, argument_names
from tb_perfcompare.model.summary.groups import CALL_ARGUMENTS
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

CONVOLUTION = ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"]
DILATED = ["", "", "", "[1, 1]", "[3, 3]", "[3, 3]", "1"]
SHAPES = "[[32, 32], [], []]"
STRIDES = [[32, 1], [], []]

SMALL = [[8, 8], [], []]

Call = tuple[str, float, Sequence[object], Sequence[object]]
Calls = Callable[[int], Sequence[Call]]


def program(calls: Calls, *, device: bool = False, kernel: str = "scan") -> Summary:
    """Eight steps of (operator, µs, concrete inputs, strides), and of twelve operators that never change. Strides of
    `SMALL` are of smaller inputs."""
    trace = TraceBuilder(vendor="cuda" if device else "cpu")
    for step in range(8):
        start = at = 10_000 * step
        of_step = [*calls(step), *((f"aten::op{call}", 90, [""], [[32, 1]]) for call in range(12))]
        for name, us, values, strides in of_step:
            arguments = {"Concrete Inputs": values, "Input Strides": strides}
            dims = SMALL if strides is SMALL else [[32, 32], [], []]
            trace.op(name, at, at + (20 if device else us), dims=dims, **arguments)
            if device and name == "aten::cumsum":
                trace.kernel(kernel, at + 30, at + 30 + us + step / 10, launch=(at + 2, at + 10))
            at += us + 40
        trace.step(step + 1, start, at + step % 3)
    return summary(trace)


def always(name: str, us: int, values: Sequence[object], strides: Sequence[object] = STRIDES) -> Calls:
    return lambda step: [(name, us, values, strides)] * 4


def cumsum(us: int, dim: int, strides: Sequence[object] = STRIDES) -> Calls:
    return always("aten::cumsum", us, ["", str(dim), ""], strides)


def clauses(before: Calls, after: Calls) -> list[str]:
    return [changed.clause for changed in other_arguments(program(before), program(after)).values()]


def compared(before: Calls, after: Calls, *, device: bool = False) -> Comparison:
    a, b = (program(calls, device=device) for calls in (before, after))
    return compare_summaries(a, b, CompareOptions(resamples=200))


def test_calls_are_counted_by_arguments() -> None:
    table = program(cumsum(500, 1)).groups[CALL_ARGUMENTS]
    rows = {key: row for row, key in enumerate(table.keys)}
    row = rows["aten::cumsum", SHAPES, str(STRIDES), "['', '1', '']"]
    assert table.calls[row].tolist() == [4] * 8
    assert table.measures_ns["total"][row].tolist() == [4 * 500_000] * 8


@pytest.mark.parametrize(
    ("before", "after", "clause"),
    [
        (cumsum(500, 1), cumsum(500, 0), "with other arguments (dim: 1 → 0)"),
        (cumsum(500, 1), cumsum(500, 1, [[1, 32], [], []]), "with other strides (input 1: [32, 1] → [1, 32])"),
        (always("aten::conv2d", 500, CONVOLUTION), always("aten::conv2d", 500, DILATED),
         "with other arguments (padding, dilation: [1, 1] → [3, 3])"),
        (always("mine::op", 500, ["", "2."]), always("mine::op", 500, ["", "2.5"]),
         "with other arguments (argument 2: 2 → 2.5)"),
        (always("mine::op", 500, ["", "6"]), always("mine::op", 500, ["", ""]),
         "with other arguments (argument 2: 6 → none)"),
    ],
)  # fmt: skip
def test_what_differs_is_named(before: Calls, after: Calls, clause: str) -> None:
    assert clauses(before, after) == [clause]
    assert clauses(after, before) != [clause] and clauses(before, before) == []


@pytest.mark.parametrize(
    "after",
    [
        lambda step: [("mine::op", 500, ["", str(100 + step)], STRIDES)] * 4,  # an index, which is data
        always("mine::op", 500, ["", "2", ""]),  # another version of PyTorch
        always("mine::op", 500, "{[]:1}"),  # no list
        always("mine::op", 500, "-" * 100_000 + "1"),
    ],
    ids=["data", "longer", "no list", "too deep"],
)
def test_arguments_that_tell_nothing(after: Calls) -> None:
    assert clauses(always("mine::op", 500, ["", "2"]), after) == []


def test_one_call_of_four_has_other_arguments() -> None:
    def one_dilated(step: int) -> list[tuple[str, int, list[str], list[object]]]:
        return [("aten::conv2d", 500, values, STRIDES) for values in (*[CONVOLUTION] * 3, DILATED)]

    assert len(clauses(always("aten::conv2d", 500, CONVOLUTION), one_dilated)) == 1


@pytest.mark.parametrize(("signatures", "listed"), [(MOST_SIGNATURES, True), (MOST_SIGNATURES + 1, False)])
def test_an_operator_with_many_sets_of_arguments_is_left_out(signatures: int, listed: bool) -> None:
    drawn = program(lambda step: [("mine::op", 500, ["", str(call)], STRIDES) for call in range(signatures)])
    assert any(key[0] == "mine::op" for key in drawn.groups[CALL_ARGUMENTS].keys) == listed


@pytest.mark.parametrize(("us", "listed"), [(10, True), (0.4, False)])
def test_an_operator_without_time_is_left_out(us: float, listed: bool) -> None:
    """Below a ten-thousandth of the time of all operators."""
    drawn = program(lambda step: [("mine::long", 4000, [""], STRIDES), ("mine::op", us, ["", "1"], STRIDES)])
    assert any(key[0] == "mine::op" for key in drawn.groups[CALL_ARGUMENTS].keys) == listed


def test_they_say_nothing_about_the_machine_and_are_the_cause() -> None:
    found = compared(cumsum(500, 1), cumsum(900, 0))
    (refused,) = (row for row in found.tables["common_work"].rows if row[3] == "not used: other arguments")
    assert refused[1] == "aten::cumsum"
    (finding,) = found.findings
    assert "per call), with other arguments (dim: 1 → 0)" in finding.sentence
    assert finding.look_at == "the arguments of this call in both runs"
    (check,) = (check for check in found.comparability if check.check == "input_arguments")
    assert check.status == "warn"
    assert check.detail == (
        "aten::cumsum on [[32, 32]] is called with other arguments (dim: 1 → 0); 76.9 % of the operators' time"
    )


def test_the_check_names_the_same_operator_in_either_order() -> None:
    """One takes most of the baseline's time, the other most of the candidate's."""
    def calls(one: int, two: int, dim: int) -> Calls:
        values = ["", str(dim), ""]
        return lambda step: [("aten::cumsum", one, values, STRIDES), ("aten::cumprod", two, values, STRIDES)]

    pair = calls(3000, 400, 1), calls(300, 2000, 0)
    checks = [
        check.detail for sides in (pair, pair[::-1]) for check in compared(*sides).comparability
        if check.check == "input_arguments"
    ]  # fmt: skip
    assert [detail.partition(" on ")[0] for detail in checks] == ["aten::cumsum"] * 2


def test_other_arguments_that_take_no_time_are_not_reported() -> None:
    found = compared(cumsum(10, 1), cumsum(10, 0))
    assert not [check for check in found.comparability if check.check == "input_arguments"]


def test_a_slower_operator_is_not_explained_by_arguments_of_calls_that_take_as_long() -> None:
    def calls(us: int, scalar: str) -> Calls:
        return lambda step: [("mine::op", us, ["", "1"], STRIDES), ("mine::op", 100, ["", scalar], SMALL)]

    before, after = calls(900, "1"), calls(4000, "2")
    assert clauses(before, after) == ["with other arguments (argument 2: 1 → 2)"]
    assert [finding.subject for finding in compared(before, after).findings] == ["mine::op"]
    assert "arguments" not in compared(before, after).findings[0].sentence


def test_the_kernel_of_an_operator_with_other_arguments() -> None:
    found = compared(cumsum(500, 1), cumsum(900, 0), device=True)
    (finding,) = (finding for finding in found.findings if finding.rule == "kernel_slower")
    assert "; with other arguments (dim: 1 → 0); other kernels" in finding.sentence
    assert finding.look_at == "the arguments of this call in both runs"
    assert not [row for row in found.tables["common_work"].rows if row[3] == "not used: other arguments"]


def test_the_largest_entry_of_the_ledger_has_them_too() -> None:
    a, b = program(cumsum(500, 1)), program(cumsum(900, 0))
    found = compare_summaries(a, b, CompareOptions(resamples=200))
    context = RuleContext(a, b, found.ledger, found.headline, CompareOptions())
    (finding,) = with_largest_entry((), context, DetectedCauses())
    assert finding.sentence.endswith("(500 → 900 µs per call), with other arguments (dim: 1 → 0).")
    assert finding.look_at == "the arguments of this call in both runs"


def test_other_strides_are_a_matter_of_layout() -> None:
    (finding,) = compared(cumsum(500, 1), cumsum(900, 1, [[1, 32], [], []])).findings
    assert "with other strides (input 1: [32, 1] → [1, 32])" in finding.sentence
    assert finding.look_at == "the memory layout of its inputs in both runs: contiguous, transposed, channels_last"


def test_new_operators_of_a_setting_that_arguments_tell() -> None:
    """Batch norm in training mode, and dropout with it."""
    def network(training: bool) -> Calls:
        norm = ["", "", "", "", "", str(training), "0.1", "1e-05"]
        return lambda step: [
            ("aten::native_batch_norm", 100, norm, STRIDES), *[("aten::bernoulli_", 500, [""], STRIDES)] * 4 * training
        ]  # fmt: skip

    finding = compared(network(False), network(True)).findings[0]
    assert finding.rule == "operators_changed"
    assert finding.look_at == (
        "model.train() and model.eval() (aten::native_batch_norm: training False → True)"
    )


def test_a_copy_that_blocks() -> None:
    """The host waits for the copy. An earlier operator has other arguments, too."""
    def training(non_blocking: bool) -> Summary:
        trace = TraceBuilder()
        for step in range(8):
            at = 10_000 * step
            values = ["", "", str(non_blocking)]
            trace.op("aten::copy_", at, at + (30 if non_blocking else 1530), dims=SMALL, **{"Concrete Inputs": values})
            trace.memcpy(at + 12, at + 1500, kind="HtoD (Pageable -> Device)", launch=(at + 2, at + 10))
            if not non_blocking:
                trace.call("cudaStreamSynchronize", at + 12, at + 1510)
            begin = at + 40 if non_blocking else at + 1540
            norm = ["", "", "", "", "", str(non_blocking), "0.1", "1e-05", "True"]
            trace.op("aten::batch_norm", begin, begin + 30, dims=SMALL, **{"Concrete Inputs": norm})
            trace.kernel("norm", begin + 1500, begin + 1600, launch=(begin + 2, begin + 10))
            for call in range(12):
                trace.op(f"aten::op{call}", begin + 100 * call + 40, begin + 100 * call + 120, dims=SMALL)
            trace.step(step + 1, at, begin + 1300 + step % 3)
        return summary(trace)

    finding = compare_summaries(training(True), training(False), CompareOptions(resamples=200)).findings[0]
    assert finding.rule == "synchronization"
    assert finding.look_at == (
        "non_blocking=True and pinned memory of copies to the device (aten::copy_: non_blocking True → False)"
    )


def test_an_operator_that_calls_others_with_other_arguments() -> None:
    """cdist without the matrix product."""
    def distances(mode: int) -> Summary:
        trace, inner = TraceBuilder(vendor="cpu"), ("aten::_euclidean_dist", "aten::_cdist_forward")[mode - 1]
        us = (500, 900)[mode - 1]
        for step in range(8):
            at = 10_000 * step
            values = ["", "", "2.", str(mode)]
            trace.op("aten::cdist", at, at + us + 20, dims=[[64, 8], [32, 8], [], []], **{"Concrete Inputs": values})
            trace.op(inner, at + 10, at + us + 10, dims=[[64, 8], [32, 8]])
            for call in range(12):
                trace.op(f"aten::op{call}", at + 1000 + 100 * call, at + 1090 + 100 * call, dims=SMALL)
            trace.step(step + 1, at, at + 2300 + us + step % 3)
        return summary(trace)

    (finding,) = compare_summaries(distances(1), distances(2), CompareOptions(resamples=200)).findings[:1]
    assert finding.sentence.startswith("Operator replaced in aten::cdist, with other arguments (compute_mode: 1 → 2): ")
    assert finding.look_at == "the arguments of this call in both runs"


def test_a_layer_with_other_arguments_gives_the_next_other_inputs() -> None:
    def network(stride: int) -> Summary:
        trace, size = TraceBuilder(vendor="cpu"), 64 // stride
        for step in range(8):
            at = 30_000 * step
            values = ["", "", "", f"[{stride}, {stride}]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
            conv = [[8, 3, 64, 64], [16, 3, 3, 3], [16], *[[]] * 6]
            trace.op("aten::convolution", at, at + 400, dims=conv, **{"Concrete Inputs": values})
            begin = at + 410
            for call in range(12):
                us = 1000 // stride**2
                trace.op(f"aten::op{call}", begin, begin + us, dims=[[8, 16, size, size]], **{"Concrete Inputs": [""]})
                begin += us + 10
            trace.step(step + 1, at, begin + step % 3)
        return summary(trace)

    (finding,) = compare_summaries(network(2), network(1), CompareOptions(resamples=200)).findings[:1]
    assert finding.rule == "workload_changed"
    why = "aten::convolution is called with other arguments (stride: [2, 2] → [1, 1]) on the same inputs"
    assert finding.sentence.endswith(f"; {why}.")
    assert finding.look_at == "the arguments of this call in both runs"


def test_another_kernel_for_other_arguments() -> None:
    a, b = program(cumsum(500, 1), device=True), program(cumsum(900, 0), device=True, kernel="scan_outer")
    (finding,) = compare_summaries(a, b, CompareOptions(resamples=200)).findings
    assert finding.rule == "kernel_replaced"
    assert "; aten::cumsum, with other arguments (dim: 1 → 0), launches scan_outer " in finding.sentence
    assert finding.look_at == "the arguments of this call in both runs"


def test_names_of_arguments() -> None:
    assert argument_names("aten::copy_", 3)[2] == "non_blocking"
    assert argument_names("aten::copy_", 2)[1] == "argument 2"
    assert argument_names("aten::_flash_attention_forward", 10)[8] == "is_causal"  # later versions have 17
    assert argument_names("mine::op", 1) == ["argument 1"]


@pytest.mark.parametrize(
    ("operator", "names_it"), [("aten::softmax", True), ("aten::_to_copy", False)], ids=["computes", "copies"]
)
def test_a_dtype_argument_is_why_types_changed(operator: str, names_it: bool) -> None:
    """A copy's data type follows from the operator that comes next, and dropout has nothing to do with types."""

    def attention(kind: str, number: str) -> Summary:
        values = {
            "aten::mm": ["", ""],
            "aten::dropout": ["", "0.1", str(bool(number))],
            operator: [number if name == "dtype" else "" for name in ARGUMENT_NAMES[operator]],
        }
        trace = TraceBuilder(vendor="cpu")
        for step in range(8):
            at = 10_000 * step
            for name, us in {"aten::mm": 500, "aten::dropout": 200, operator: 900 if number else 300}.items():
                types = [kind if name == "aten::mm" else "float"]
                trace.op(name, at, at + us, dims=[[32, 32]], **{"Concrete Inputs": values[name], "Input type": types})
                at += us + 10
            trace.step(step, 10_000 * step, at)
        return summary(trace)

    pair = attention("float", ""), attention("double", "7")
    for sides, change in ((pair, "none → float64"), (pair[::-1], "float64 → none")):
        result = compare_summaries(*sides, CompareOptions(resamples=200))
        found = next(finding for finding in result.findings if finding.rule == "data_type_changed")
        assert (found.look_at == f"dtype arguments of operators (aten::softmax: dtype {change})") == names_it
        assert ("model.double()" in found.look_at) != names_it
