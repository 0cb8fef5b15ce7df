"""Drawn loops: training steps, servers, decode loops and scripts that run once."""

from __future__ import annotations

from collections.abc import Sequence

from tests.build import MAIN, TraceBuilder

STEP_US = 1_000


def training(
    steps: int = 6, *, marks: bool = False, loader: bool = True, optimizer: bool = True, accumulated: int = 1
) -> TraceBuilder:
    """A step of 1 ms: batch, forward, backward on another thread, optimizer; the last 20 us are idle.

    `accumulated`: number of batches per optimizer step.
    """
    trace = TraceBuilder(vendor="cpu")
    for number in range(steps):
        at = number * STEP_US
        if marks:
            trace.step(number, at, at + 990)
        if loader:
            trace.loader(at + 5, at + 100)
        trace.op("aten::to", at + 110, at + 150)
        for layer in range(4):
            trace.op("aten::linear", at + 200 + 60 * layer, at + 230 + 60 * layer)
            trace.op("aten::relu", at + 235 + 60 * layer, at + 250 + 60 * layer)
        trace.op("aten::mse_loss", at + 450, at + 490)
        for layer in range(4):
            trace.op("AddmmBackward0", at + 500 + 60 * layer, at + 550 + 60 * layer, thread=MAIN + 1)
        if (number + 1) % accumulated:
            continue
        if optimizer:
            trace.annotation("Optimizer.step#SGD.step", at + 800, at + 980)
        trace.op("aten::_foreach_add_", at + 820, at + 950)
    return trace


def server(texts: Sequence[str], *, us: dict[str, int] | None = None, thread: int = MAIN) -> TraceBuilder:
    """An iteration for each marker text, by default 500 us of work in 600 us."""
    trace = TraceBuilder(vendor="cpu")
    at = 0
    for text in texts:
        length = (us or {}).get(text, 500)
        trace.annotation(text, at, at + length, thread=thread)
        for part, name in enumerate(("aten::embedding", "aten::linear", "aten::argmax")):
            trace.op(name, at + 10 + part * length // 4, at + 10 + (part + 1) * length // 4 - 5, thread=thread)
        at += length + 100
    return trace


def model_once(layers: int = 12) -> TraceBuilder:
    """One pass through a transformer: its layers repeat, the script does not."""
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::embedding", 0, 20)
    trace.op("aten::arange", 25, 40)
    for layer in range(layers):
        at = 100 + 100 * layer
        for part, name in enumerate(("layer_norm", "linear", "attention", "add", "gelu")):
            trace.op(f"aten::{name}", at + part * 20, at + part * 20 + 18)
    end = 100 + 100 * layers
    trace.op("aten::linear", end, end + 20)
    trace.op("aten::argmax", end + 30, end + 50)
    return trace
