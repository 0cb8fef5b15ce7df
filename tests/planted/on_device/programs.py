"""The programs that are recorded on an accelerator, and the pairs of them; neither torch nor the product is needed."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Program:
    """One training or decoding loop. The defaults are what the networks' own base programs change.

    network       "transformer" (tokens), "convolutional" (images) or "decoder" (one token a step, kept keys)
    size          tokens of a sequence, pixels of an image's side, or kept keys
    amp, tf32     bfloat16 autocast; TF32 for what stays in single precision
    channels_last layout of images and convolutions
    by_hand       parts written out: "attention", "norm"
    optimizer     "fused", "foreach" or "loop"
    graph         the step is captured once and replayed; static: inputs are copied to where a graph would find them
    micro         pieces a batch is cut into, one after the other
    checks        `.item()` of a test for finite values after every block
    decompressed  times each of the loader's batches is decompressed
    competing     matrix products that another stream computes during every step
    limited       the allocator gets little more than the largest step needs; lengths of steps vary
    recomputed    activations are computed again in the backward pass
    slow_step     recorded step that writes a checkpoint; -1: none
    python        floating-point operations of plain Python per step
    host, device  what else uses the machine: CPU processes; a process on the same device
    marks         `profiler.step()` is called
    """

    network: str
    batch: int
    size: int
    depth: int
    amp: bool = True
    tf32: bool = True
    channels_last: bool = True
    by_hand: frozenset[str] = frozenset()
    optimizer: str = "fused"
    compiled: bool = False
    graph: bool = False
    static: bool = False
    micro: int = 1
    checks: bool = False
    pinned: bool = True
    floats: bool = False
    decompressed: int = 0
    competing: int = 0
    varied: bool = False
    limited: bool = False
    recomputed: bool = False
    deterministic: bool = False
    slow_step: int = -1
    python: int = 0
    host: bool = False
    device: bool = False
    marks: bool = True
    record_shapes: bool = True
    with_stack: bool = False
    profile_memory: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs and what has to be found: globs of which one matches rule, subject or sentence of the first finding
    (none: there is none), and the direction of
    the program: "slower", "none" or "any"."""

    name: str
    healthy: Program
    faulty: Program
    asked: str = ""
    direction: str = "slower"


TRANSFORMER = Program("transformer", batch=16, size=1024, depth=4)
CONVOLUTIONAL = Program("convolutional", batch=128, size=224, depth=2)
SMALL_TRANSFORMER = replace(TRANSFORMER, batch=2, size=128)
"""Bound by launches, as is the next one."""
SMALL_CONVOLUTIONAL = replace(CONVOLUTIONAL, batch=4, size=96)
DECODER = Program("decoder", batch=8, size=512, depth=8, marks=False)


def _pair(name: str, asked: str, base: Program, direction: str = "slower", **changed: object) -> Pair:
    return Pair(name, base, replace(base, **changed), asked, direction)  # type: ignore[arg-type]


PRECISE = replace(TRANSFORMER, amp=False, batch=8)
PRECISE_IMAGES = replace(CONVOLUTIONAL, amp=False, batch=64)
GRAPHED = replace(SMALL_TRANSFORMER, static=True, graph=True)

PAIRS: tuple[Pair, ...] = (
    _pair("transformer, TF32 off", "tensor_cores_lost", PRECISE, tf32=False),
    _pair("convolutional, TF32 off", "tensor_cores_lost", PRECISE_IMAGES, tf32=False),
    _pair("transformer, AMP off", "data_type_changed", TRANSFORMER, amp=False),
    _pair("convolutional, AMP off", "data_type_changed", CONVOLUTIONAL, amp=False),
    _pair("convolutional, channels_last lost", "layout_copies fusion_lost kernel_replaced", CONVOLUTIONAL,
          channels_last=False),
    _pair("transformer, attention by hand", "operator_replaced operators_changed", TRANSFORMER,
          by_hand=frozenset({"attention"})),
    _pair("transformer, optimizer in a loop", "operator_replaced operators_changed fusion_lost", TRANSFORMER,
          optimizer="loop"),
    _pair("small convolutional, optimizer in a loop", "operator_replaced operators_changed fusion_lost",
          SMALL_CONVOLUTIONAL, optimizer="loop"),
    _pair("small transformer, graph off", "graph_lost", GRAPHED, graph=False),
    _pair("decoder, graph off", "graph_lost", replace(DECODER, graph=True), graph=False),
    _pair("transformer, item in the loop", "synchronisation", TRANSFORMER, "any", checks=True),
    _pair("small convolutional, item in the loop", "synchronisation", SMALL_CONVOLUTIONAL, checks=True),
    _pair("convolutional, pageable copies", "*ageable* *copies*",
          replace(CONVOLUTIONAL, floats=True, batch=64), pinned=False),
    _pair("transformer, small batches", "more_calls", TRANSFORMER, micro=4),
    _pair("convolutional, small batches", "more_calls", CONVOLUTIONAL, micro=4),
    _pair("transformer, slow loader", "data_loader", TRANSFORMER, decompressed=80),
    _pair("convolutional, slow loader", "data_loader", CONVOLUTIONAL, decompressed=80),
    _pair("transformer, another stream", "operators_changed *mm* kernel_slower device_pace", TRANSFORMER, competing=12),
    _pair("convolutional, another stream", "operators_changed *mm* kernel_slower device_pace", CONVOLUTIONAL,
          competing=12),
    _pair("transformer, memory nearly full", "memory_pressure",
          replace(TRANSFORMER, varied=True, profile_memory=True), limited=True),
    _pair("convolutional, memory nearly full", "memory_pressure",
          replace(CONVOLUTIONAL, varied=True, profile_memory=True), limited=True),
    _pair("small transformer, stacks recorded", "profiler_overhead", SMALL_TRANSFORMER, with_stack=True),
    _pair("transformer, longer sequences", "workload_changed", TRANSFORMER, size=1536),
    _pair("convolutional, larger images", "workload_changed", CONVOLUTIONAL, size=256),
    _pair("transformer, larger batch, no shapes", "workload_changed", replace(TRANSFORMER, record_shapes=False),
          batch=24),
    _pair("transformer, twice the layers", "more_calls", TRANSFORMER, depth=8),
    _pair("convolutional, twice the layers", "more_calls", CONVOLUTIONAL, depth=4),
    _pair("transformer, one slow step", "slow_steps", TRANSFORMER, "any", slow_step=4),
    _pair("convolutional, one slow step", "slow_steps", CONVOLUTIONAL, "any", slow_step=4),
    _pair("transformer, recomputed activations", "more_calls operators_changed", TRANSFORMER, recomputed=True),
    _pair("transformer, norm by hand", "operator_replaced operators_changed", TRANSFORMER,
          by_hand=frozenset({"norm"})),
    _pair("small transformer, busy CPU", "host_interrupted host_pace", SMALL_TRANSFORMER, "none", host=True),
    _pair("small convolutional, busy CPU", "host_interrupted host_pace", SMALL_CONVOLUTIONAL, "none", host=True),
    _pair("transformer, another process on the device", "device_interrupted", TRANSFORMER, "none", device=True),
    _pair("convolutional, another process on the device", "device_interrupted", CONVOLUTIONAL, "none", device=True),
    _pair("transformer, Python behind the device", "", TRANSFORMER, "none", python=60_000),
    _pair("small transformer, Python in the loop", "unrecorded_time", SMALL_TRANSFORMER, python=200_000),
    _pair("transformer, TF32 off, no marks", "tensor_cores_lost", replace(PRECISE, marks=False), tf32=False),
    _pair("decoder, longer context", "workload_changed", DECODER, "any", size=4096),
    _pair("decoder, item in the loop", "synchronisation", DECODER, checks=True),
    _pair("decoder, attention by hand", "operator_replaced operators_changed", DECODER, "any",
          by_hand=frozenset({"attention"})),
    _pair("equal transformer 1", "", TRANSFORMER, "none"),
    _pair("equal transformer 2", "", replace(TRANSFORMER, varied=True), "none"),
    _pair("equal convolutional 1", "", CONVOLUTIONAL, "none"),
    _pair("equal small transformer", "", SMALL_TRANSFORMER, "none"),
    _pair("equal small convolutional", "", SMALL_CONVOLUTIONAL, "none"),
    _pair("equal decoder", "", DECODER, "none"),
    _pair("convolutional, deterministic", "kernel_replaced fusion_lost tensor_cores_lost", CONVOLUTIONAL, "any",
          deterministic=True),
    _pair("transformer, compile off", "compilation_lost", replace(TRANSFORMER, compiled=True), compiled=False),
)  # fmt: skip
BY_NAME = {pair.name: pair for pair in PAIRS}
