"""Random small traces that torch.profiler could have written, as filled TraceBuilders.

All times are whole microseconds below about a millisecond, so that every spelling can write them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.build import ABSOLUTE_BASE_NS, MAIN, TraceBuilder
from tests.events import Spelling

OPERATORS = ("aten::mm", "aten::add_", "aten::conv2d", "aten::copy_", "Optimizer.step#SGD.step")
KERNELS = ("sgemm_128x64_nn", "void at::native::add<float>(int)", "volta_fp16_s884gemm", "elementwise")
SHAPES: tuple[list[Any] | None, ...] = (None, [[2, 3], [3, 4]], [[8]], [])
THREADS = (MAIN, MAIN + 1)
STREAMS = (7, 20)


@st.composite
def step_edges(draw: st.DrawFn, max_steps: int = 4) -> list[tuple[int, int]]:
    """Spans of consecutive steps with gaps between some of them; may be empty."""
    edges: list[tuple[int, int]] = []
    at = draw(st.integers(0, 30))
    for _ in range(draw(st.integers(0, max_steps))):
        at += draw(st.sampled_from((0, 0, 7)))
        length = draw(st.integers(20, 250))
        edges.append((at, at + length))
        at += length
    return edges


def spans(end: int, max_length: int) -> st.SearchStrategy[tuple[int, int]]:
    """(start, end) with start in [0, end]; zero-length ones are as likely as short ones."""
    return st.tuples(st.integers(0, end), st.integers(0, max_length) | st.just(0)).map(lambda s: (s[0], s[0] + s[1]))


@st.composite
def nested_operators(draw: st.DrawFn, trace: TraceBuilder, thread: int, start: int, end: int, depth: int = 3) -> None:
    """Adds operators that nest properly within [start, end] of one thread, some of them zero-length."""
    at = start
    for _ in range(draw(st.integers(0, 3))):
        if at >= end:
            return
        begin = draw(st.integers(at, end))
        stop = draw(st.integers(begin, end))
        trace.op(draw(st.sampled_from(OPERATORS)), begin, stop, thread=thread, dims=draw(st.sampled_from(SHAPES)))
        if depth > 1 and stop - begin > 2:
            draw(nested_operators(trace, thread, begin, stop, depth - 1))
        at = stop + 1


@st.composite
def device_work(draw: st.DrawFn, trace: TraceBuilder, end: int) -> None:
    """Adds kernels, copies and sets on overlapping streams: late ones, zero-length ones, some never launched."""
    for _ in range(draw(st.integers(0, 8))):
        begin, stop = draw(spans(end, 120))
        launch = None
        if draw(st.integers(0, 3)):
            launched = max(0, begin - draw(st.integers(0, 60)))
            launch = (launched, launched + draw(st.integers(0, 4)))
        where: dict[str, Any] = {"launch": launch, "stream": draw(st.sampled_from(STREAMS))}
        where["thread"] = draw(st.sampled_from(THREADS))
        kind = draw(st.sampled_from(("kernel", "kernel", "kernel", "memcpy", "memset")))
        if kind == "kernel":
            trace.kernel(draw(st.sampled_from(KERNELS)), begin, stop, **where)
        else:
            getattr(trace, kind)(begin, stop, **where)


@st.composite
def traces(
    draw: st.DrawFn,
    *,
    vendors: tuple[str, ...] = ("cuda", "rocm", "mlu", "mtia", "xpu", "musa", "gcu", "cpu"),
    max_steps: int = 4,
) -> TraceBuilder:
    """A trace: steps, loaders, operators nested on two threads, device work across steps, a collective, memory."""
    vendor = draw(st.sampled_from(vendors))
    spelling: Spelling = "modern"
    if vendor in ("cuda", "cpu") and draw(st.booleans()):
        spelling = "2021"
    trace = TraceBuilder(
        spelling=spelling,
        vendor=vendor,
        base_ns=ABSOLUTE_BASE_NS if spelling == "2021" else draw(st.sampled_from((0, ABSOLUTE_BASE_NS))),
        ids=draw(st.sampled_from(("operator", "operator", "correlation"))),
        rank=draw(st.sampled_from((None, 0))),
    )
    edges = draw(step_edges(max_steps))
    end = max((stop for _, stop in edges), default=100)
    first = draw(st.integers(0, 20))
    twins = draw(st.booleans()) and vendor != "cpu" and spelling == "modern"
    for number, (start, stop) in enumerate(edges, start=first):
        trace.step(number, start, stop, twin=(start + 5, stop + 15) if twins else None)
        loaded = start + draw(st.integers(0, min(40, stop - start)))
        if loaded > start:
            trace.loader(start, loaded)
        draw(nested_operators(trace, MAIN, loaded, stop))
    draw(nested_operators(trace, MAIN + 1, 0, end + 40))
    if vendor != "cpu":
        draw(device_work(trace, end + 60))
        if draw(st.booleans()):
            host, device = draw(spans(end, 10)), draw(spans(end, 60))
            trace.collective(draw(st.sampled_from(("all_reduce", "broadcast"))), host, device, thread=MAIN + 2)
    for at in draw(st.lists(st.integers(0, end), max_size=3)):
        trace.memory(at, draw(st.integers(-4096, 4096)))
    if all(event.dur_ns is None for event in trace.events):
        trace.op(OPERATORS[0], 0, draw(st.integers(1, 50)))
    return trace


def permutations_of(trace: TraceBuilder) -> st.SearchStrategy[list[int]]:
    """Orders of the events for TraceBuilder.encode and .write."""
    return st.permutations(range(len(trace.events))).map(list)
