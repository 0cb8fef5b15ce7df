"""More collectives: where they are called, and what to look at, by their kind."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.causes.evidence.known_settings import COLLECTIVES, collective_kind, look_at_collectives
from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare

ALL_REDUCE, BROADCAST = ("gloo:all_reduce", "c10d::allreduce_", 4_000), ("gloo:broadcast", "c10d::broadcast_", 3_000)
FORWARD = "DistributedDataParallel.forward"


def trained(
    *forward: tuple[str, str, int], backward: int = 4_000, ends: int = 1, pause: int = 0
) -> TraceBuilder:
    """Steps of a forward pass with these collectives in it, `pause` µs after each, and `ends` all-reduces of `backward`
    µs after it."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(8):
        start = at
        at += 10
        for name, operator, us in forward:
            trace.op(operator, at, at + 20)
            trace.annotation(name, at + 25, at + us)
            at += us + 5 + pause
        for operator in ("mm", "add", "tanh", "mul"):
            trace.op(f"aten::{operator}", at, at + 250 + number % 3)
            at += 255
        trace.annotation(FORWARD, start + 5, at)
        for _ in range(ends):
            trace.op(ALL_REDUCE[1], at + 5, at + 25, dims=[[[512]], []])
            trace.annotation(ALL_REDUCE[0], at + 30, at + 30 + backward)
            at += backward + 40
        trace.step(number, start, at)
        at += 10
    return trace


def collectives_of(one: TraceBuilder, two: TraceBuilder) -> Finding:
    (found,) = [found for found in compare(one, two).findings if "collectives" in found.sentence]
    return found


def test_the_new_collective_is_named() -> None:
    """Though the all-reduce, which both sides make once, changed by more."""
    plain, sent = trained(), trained(BROADCAST, backward=8_000)
    more, fewer = collectives_of(plain, sent), collectives_of(sent, plain)
    for found, calls in ((more, "1 → 2"), (fewer, "2 → 1")):
        assert f"collectives take {calls} calls" in found.sentence
        assert "mostly gloo:broadcast" in found.sentence
        assert found.look_at.startswith("buffers that DistributedDataParallel sends")
    assert more.delta_us == -(fewer.delta_us or 0.0)


def test_the_code_around_them_in_the_annotation_is_theirs() -> None:
    there = compare(trained(), trained(BROADCAST, pause=400)).findings
    assert [found.rule for found in there] == ["collective_slower"]
    assert there[0].sentence.startswith("More collectives: +3.41 ms exposed per step; ")


def test_the_annotation_that_contains_most_of_them_is_named() -> None:
    assert f"mostly gloo:broadcast in {FORWARD}; " in collectives_of(trained(), trained(BROADCAST)).sentence
    assert FORWARD not in collectives_of(trained(), trained(ends=5)).sentence


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("gloo:broadcast", "broadcast"), ("ncclDevKernel_Broadcast_RING_LL", "broadcast"),
        ("nccl:_all_gather_base", "gather"), ("hcom_allGather_", "gather"), ("gloo:gather", "gather"),
        ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "reducescatter"), ("HcclAllreduce", "allreduce"),
        ("nccl:all_reduce_barrier", "barrier"), ("nccl:send 0->1", "send"), ("ncclDevKernel_SendRecv", "send"),
        ("vllm::cross_device_reduce_1stage", "reduce"), ("nccl:all_to_all", "alltoall"), ("nccl:coalesced", ""),
    ],
)  # fmt: skip
def test_every_vendors_spelling_tells_the_kind(name: str, kind: str) -> None:
    assert collective_kind(name) == kind


def test_only_reduced_gradients_are_in_buckets() -> None:
    assert [kind for kind, advice in COLLECTIVES.items() if "bucket" in advice] == ["allreduce"]


def test_gathers_next_to_reduce_scatters_are_sharded_parameters() -> None:
    gather = "nccl:_all_gather_base"
    assert "reshard_after_forward" in look_at_collectives(gather, [gather, "nccl:_reduce_scatter_base"])
    assert look_at_collectives(gather, [gather, "nccl:all_reduce"]).startswith("metrics, losses and objects")
    assert look_at_collectives("nccl:coalesced", ["nccl:all_reduce"]) == ""


def in_buckets(count: int, *, hidden: bool) -> TraceBuilder:
    """Steps of ten kernels and of `count` all-reduces on a stream of their own: beside the kernels, or after them."""
    trace = TraceBuilder()
    for step in range(10):
        at = 2000 * step
        trace.step(step, at, at + 1990)
        for number in range(10):
            trace.op("aten::mm", at + 5 + 20 * number, at + 20 + 20 * number)
            begin = at + 20 + 100 * number
            trace.kernel("gemm", begin, begin + 99 + step % 2, launch=(at + 6 + 20 * number, at + 12 + 20 * number))
        for number in range(count):
            begin = at + (60 if hidden else 1025) + 410 // count * number
            call = at + 210 + 10 * number
            trace.kernel("ncclDevKernel_AllReduce", begin, begin + 400 // count, launch=(call, call + 6), stream=20)
    return trace


@pytest.mark.parametrize(("buckets", "says"), [(4, "take 1 → 4 calls, 400 µs per step"), (1, "take 400 µs per step")])
def test_hidden_collectives_are_counted_if_their_number_changed(buckets: int, says: str) -> None:
    exposed, hidden = in_buckets(1, hidden=False), in_buckets(buckets, hidden=True)
    now_hidden, now_exposed = collectives_of(exposed, hidden), collectives_of(hidden, exposed)
    assert (now_hidden.rule, now_exposed.rule) == ("overlap_gained", "overlap_lost")
    assert says in now_hidden.sentence
    assert now_hidden.change_us == -now_exposed.change_us
