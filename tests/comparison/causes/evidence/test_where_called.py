"""Where calls were added: in steps that make more and more of them, in an annotation, by modules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from tb_perfcompare.comparison.causes.evidence.places.growing import KEPT
from tests.build import MAIN, TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence

FORWARD = [("aten::addmm", 30)] * 4
BACKWARD = [("AddmmBackward0", 15), ("aten::mm", 20), ("aten::t", 10), ("aten::mul", 15)]


def backward(passes: Iterable[int]) -> TraceBuilder:
    """Steps of a forward pass and of so many backward passes."""
    return sequence(([*FORWARD, *(BACKWARD * times)] for times in passes), gap=5, vendor="cpu")


def test_calls_that_grow_from_step_to_step_are_no_number_of_layers() -> None:
    once, kept = backward([1] * 9), backward(range(4, 13))
    (found,) = [finding for finding in compare(once, kept).findings if finding.rule == "more_calls"]
    assert found.sentence.endswith(
        "; calls grow from step to step, e.g. aten::mm 4 → 12 in the candidate, 1 in the baseline; "
        "1 more in each step; 4 of 5 operators run more often."
    )
    assert found.look_at == KEPT
    less = finding_of(compare(kept, once), "fewer_calls")
    assert "e.g. aten::mm 4 → 12 in the baseline, 1 in the candidate; " in less.sentence and less.look_at == KEPT


def test_growth_of_both_sides_is_told_of_both() -> None:
    found = finding_of(compare(backward(range(1, 10)), backward(range(20, 29))), "more_calls")
    assert "e.g. aten::mm 20 → 28 in the candidate, 1 → 9 in the baseline; 1 more" in found.sentence


def test_other_numbers_in_each_step_are_no_growth() -> None:
    tokens = [*range(4, 12)] * 2
    for passes in ([7, 9, 6, 8, 9, 5, 8, 7, 9], [6, 7, 8] * 3, [5] * 4 + [12] * 5, range(4, 8), tokens):
        found = compare(backward([1] * len(passes)), backward(passes)).findings
        assert found and not any("grow" in finding.sentence or finding.look_at == KEPT for finding in found)


def test_uneven_growth_has_no_number_for_each_step() -> None:
    found = finding_of(compare(backward([1] * 8), backward([4, 5, 8, 9, 13, 14, 20, 22])), "more_calls")
    assert "e.g. aten::mm 4 → 22 in the candidate, 1 in the baseline; 4 of 5 operators" in found.sentence


def test_a_list_that_grows_is_told_of_its_own_operators() -> None:
    def stacked(elements: Iterable[int]) -> TraceBuilder:
        calls = [("aten::mm", 20)] * 10 + [("aten::stack", 20)]
        return sequence(([*calls, *[("aten::unsqueeze", 5)] * number] for number in elements), gap=5, vendor="cpu")

    found = compare(stacked([1] * 8), stacked(range(3, 11))).findings[0]
    assert "aten::unsqueeze 3 → 10 in the candidate, 1 in the baseline; 1 more in each step" in found.sentence
    assert found.look_at == KEPT


def test_a_cache_whose_size_grows_makes_no_more_calls() -> None:
    def generated(join: str) -> TraceBuilder:
        return sequence(
            ([("aten::mm", 20), (join, 20 + 10 * step, [[8, step + 1, 16], [8, 1, 16]])] * 4 for step in range(8)),
            gap=5, vendor="cpu",
        )  # fmt: skip

    found = compare(generated("aten::copy_"), generated("aten::cat")).findings
    assert found and not any("grow" in finding.sentence for finding in found)


def ranges(calls: int, *, around: Sequence[str] = ("postprocess",), gap: float = 2.0) -> TraceBuilder:
    """Eight steps of four operators, and of others in nested annotations."""
    trace = TraceBuilder(vendor="cpu")
    at = 0.0
    for step in range(8):
        start = at
        for _ in range(4):
            trace.op("aten::conv2d", at, at + 200 + step % 3)
            at += 210
        inside = at
        for _ in range(calls):
            for name in ("aten::slice", "aten::sub", "aten::prod", "aten::lt"):
                trace.op(name, at, at + 5)
                at += 5 + gap
        for level, name in enumerate(around):
            trace.annotation(name, inside - len(around) + level, at + len(around) - level)
        at += 10
        trace.step(step, start, at)
        at += 20
    return trace


def test_the_innermost_annotation_around_the_calls_is_named_and_its_own_time_is_between_them() -> None:
    before, after = (ranges(calls, around=("predict", "postprocess")) for calls in (2, 100))
    more = finding_of(compare(before, after), "more_calls")
    assert more.sentence.startswith(
        "More calls, mostly in postprocess: +2.64 ms per step, +683 µs of it untraced host time between the calls; "
    )
    less = finding_of(compare(after, before), "fewer_calls")
    assert less.sentence.startswith("Fewer calls, mostly in postprocess: −2.64 ms per step, −683 µs of it untraced")


def test_new_operators_in_an_annotation() -> None:
    found = compare(ranges(0), ranges(40)).findings
    assert [finding.rule for finding in found] == ["operators_changed"]
    assert found[0].sentence.startswith(
        "New operators, mostly in postprocess: +1.12 ms per step, +320 µs of it untraced host time around the calls; "
    )


UPDATE = "Optimizer.step#SGD.step"


def updating(*places: str, start: int = 0) -> TraceBuilder:
    """Eight steps of a layer and of an update, with an average of the weights before or after it from step `start` on.
    """
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = 2_000 * step
        trace.step(step, at, at + 700 + 110 * len(places))
        trace.op("aten::addmm", at + 1, at + 200 + step % 3)
        trace.annotation(UPDATE, at + 320, at + 420)
        trace.op("aten::add_", at + 330, at + 410)
        for place in places if step >= start else ():
            begin = at + {"before": 210, "after": 430}[place]
            trace.op("aten::lerp", begin, begin + 100)
    return trace


@pytest.mark.parametrize(("places", "start", "where"), [
    (["after"], 0, f", all after {UPDATE}"),
    (["before"], 0, ""),
    (["before", "after"], 0, ""),
    (["after"], 2, ""),  # the order of the first step is known
])  # fmt: skip
def test_new_operators_after_the_update(places: list[str], start: int, where: str) -> None:
    one, two = updating(), updating(*places, start=start)
    for sides, title in (((one, two), "New operator"), ((two, one), "Operator gone")):
        assert finding_of(compare(*sides), "operators_changed").sentence.startswith(f"{title}{where}: ")


def closing(*, closure: bool, longer: int = 0) -> TraceBuilder:
    """Eight steps of twelve operators with 40 µs of Python after each, in the optimizer's step or before it. The step
    may take longer."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = 2_000 * step
        trace.step(step, at, at + 1_600 + longer)
        for call in range(12):
            begin = at + 10 + 120 * call
            trace.op(f"aten::op{call}", begin, begin + 80 + step % 3)
        trace.annotation(UPDATE, at + (5 if closure else 1_500), at + 1_590 + longer)
        trace.op("aten::add_", at + 1_510, at + 1_580)
    return trace


def test_code_that_moved_into_a_range_did_not_make_it_slower() -> None:
    one, two, longer = closing(closure=False), closing(closure=True), closing(closure=True, longer=200)
    assert compare(one, two).findings == ()
    for sides, way, sign in (((one, longer), "into", "+"), ((longer, one), "out of", "−")):
        (finding,) = compare(*sides).findings
        assert finding.sentence.startswith(f"Code moved {way} {UPDATE}, 12 operator calls: {sign}200 µs per step; its")


def test_code_of_an_annotation_around_replaced_operators_is_theirs() -> None:
    """A batch is padded by a loop over its samples."""

    def collated(*calls: str) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0.0
        for step in range(8):
            start, inside = at, at + 300
            trace.op("aten::conv2d", at, inside - 5 - step % 3)
            at = inside + 4
            for name in calls:
                trace.op(name, at, at + 5)
                at += 9
            trace.annotation("collate", inside, at)
            trace.step(step, start, at + 5)
            at += 20
        return trace

    (only,) = compare(collated("aten::pad_sequence"), collated(*["aten::select", "aten::copy_"] * 20)).findings
    assert only.sentence == (
        "Operator replaced, mostly in collate: +351 µs per step, +156 µs of it untraced host time around the calls, 39 "
        "more operator calls; 1 aten::pad_sequence → 20 aten::copy_, 20 aten::select."
    )


def test_ranges_of_libraries_and_of_whole_steps_are_no_place() -> None:
    for name in ("Optimizer.step#Adam.step", "DataParallel.forward", "torch::autograd::Graph"):
        found = finding_of(compare(ranges(2, around=(name,)), ranges(100, around=(name,))), "more_calls")
        assert "mostly in" not in found.sentence and "between the calls" in found.sentence

    def stepped(calls: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(8):
            at = step * 9_000
            trace.step(step, at, at + 20 + 7 * calls)
            trace.annotation("train_step", at + 1, at + 19 + 7 * calls)
            for place in range(calls):
                trace.op(f"aten::op{place % 4}", at + 5 + 7 * place, at + 10 + 7 * place)
        return trace

    assert "mostly in" not in finding_of(compare(stepped(40), stepped(400)), "more_calls").sentence


def test_calls_beside_an_annotation_are_not_in_it() -> None:
    def beside(calls: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(8):
            at = step * 9_000
            trace.step(step, at, at + 1_000 + 10 * calls)
            trace.annotation("backbone", at + 1, at + 400 + calls)
            for place in range(calls):
                trace.op(f"aten::op{place % 4}", at + 900 + 10 * place, at + 906 + 10 * place)
        return trace

    assert "mostly in" not in finding_of(compare(beside(40), beside(400)), "more_calls").sentence


def test_a_range_of_another_thread_contains_no_calls_of_the_step() -> None:
    """It waits for the step, and so becomes longer with it."""

    def prefetched(calls: int, *, thread: int) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0
        for step in range(8):
            end = at + 1_000 + 10 * calls + step % 3
            trace.step(step, at, end)
            trace.annotation("prefetch", at + 5, end - 900, thread=thread)
            for place in range(calls):
                trace.op(f"aten::op{place % 4}", at + 50 + 10 * place, at + 56 + 10 * place)
            at = end + 50
        return trace

    for thread, named in ((MAIN, True), (MAIN + 1, False)):
        found = finding_of(compare(*(prefetched(calls, thread=thread) for calls in (20, 400))), "more_calls")
        assert ("mostly in prefetch" in found.sentence) == named


def layers(*, aux: bool) -> TraceBuilder:
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = step * 4_000
        trace.step(step, at, at + 1_900 + step % 3 if aux else at + 1_100 + step % 3)
        names = ["Conv2d_0", "ReLU_0", "Conv2d_1", "ReLU_1"]
        names += ["Conv2d_2", "ReLU_2", "Conv2d_3"] if aux else []
        blocks = {"Sequential_0": (0, 4), "Head_0": (4, 7)} if aux else {"Sequential_0": (0, 4)}
        for place, (block, (first, last)) in enumerate(blocks.items()):
            trace.python(
                f"nn.Module: {block}", at + 250 * first + 5, at + 250 * last, number=100 * step + place, module=place
            )
        for place, name in enumerate(names):
            begin = at + 250 * place + 10
            number = 100 * step + 10 + place
            trace.python(f"nn.Module: {name}", begin, begin + 230, number=number, module=10 + place)
            operator = "aten::conv2d" if name.startswith("Conv") else "aten::relu"
            trace.op(operator, begin + 5, begin + 205)
    return trace


def test_modules_of_one_side_are_named_by_class() -> None:
    more = finding_of(compare(layers(aux=False), layers(aux=True)), "more_calls")
    assert more.sentence.endswith("; nn.Modules that only the candidate calls: Head, 2 Conv2d, ReLU.")
    less = finding_of(compare(layers(aux=True), layers(aux=False)), "fewer_calls")
    assert less.sentence.endswith("; nn.Modules that only the baseline calls: Head, 2 Conv2d, ReLU.")


def classified(calls: int) -> TraceBuilder:
    """A model of one layer that is called so often in each of eight steps."""
    trace, start = TraceBuilder(vendor="cpu"), 0
    for step in range(8):
        end = start + 250 * calls + 50 + step % 3
        trace.step(step, start, end)
        for call in range(calls):
            at, number = start + 250 * call + 10, 100 * step + 2 * call
            trace.python("nn.Module: Sequential_0", at, at + 230, number=number, module=1)
            trace.python("nn.Module: Linear_0", at + 5, at + 225, number=number + 1, parent=number, module=2)
            trace.op("aten::addmm", at + 10, at + 200)
        start = end + 20
    return trace


def test_a_model_that_is_called_more_often_is_named() -> None:
    """One sample at a time, or a second forward pass."""
    more = finding_of(compare(classified(1), classified(16)), "more_calls")
    assert more.sentence.endswith("; nn.Module Sequential_0 1 → 16 calls per step.")
    less = finding_of(compare(classified(16), classified(1)), "fewer_calls")
    assert less.sentence.endswith("; nn.Module Sequential_0 16 → 1 calls per step.")
