"""Programs recorded on an accelerator, and their pairs. Needs neither torch nor the product."""

from __future__ import annotations

from dataclasses import dataclass, replace

VOCABULARY, CLASSES = 16384, 1000


@dataclass(frozen=True, slots=True)
class Program:
    """A training or decoding loop.

    network       "transformer" (tokens), "convolutional" (images), "decoder" (a token per step, cached keys), or one of
                  networks.py
    size          tokens of a sequence, pixels of an image's side, or cached keys
    amp, tf32     bfloat16 autocast; TF32 for single precision
    channels_last layout of images and convolutions
    by_hand       composed of elementary operators: "attention", "norm"
    optimizer     "fused", "foreach" or "loop"
    graph         the step is captured once and replayed; static: inputs are copied to fixed addresses
    micro         micro batches of a batch
    checks        `.item()` of a test for finite values after every block
    decompressed  times the loader decompresses each batch
    competing     matrix products on another stream during every step
    limited       the allocator gets little more than the largest step needs; step lengths vary
    recomputed    activation checkpointing
    slow_step     recorded step that writes a checkpoint; -1: none
    python        floating-point operations of plain Python per step
    host, device  competing CPU processes; a competing process on the device
    parts         variations in networks.py and in the loop
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
    parts: frozenset[str] = frozenset()
    marks: bool = True
    record_shapes: bool = True
    with_stack: bool = False
    profile_memory: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs and the expected comparison.

    expected   patterns; a word of the first finding's rule, subject or sentence matches one; "": no finding
    direction  expected change: "slower", "none" or "any"
    """

    name: str
    healthy: Program
    faulty: Program
    expected: str = ""
    direction: str = "slower"


TRANSFORMER = Program("transformer", batch=16, size=1024, depth=4)
CONVOLUTIONAL = Program("convolutional", batch=128, size=224, depth=2)
SMALL_TRANSFORMER = replace(TRANSFORMER, batch=2, size=128)
"""Launch-bound, like SMALL_CONVOLUTIONAL."""
SMALL_CONVOLUTIONAL = replace(CONVOLUTIONAL, batch=4, size=96)
DECODER = Program("decoder", batch=8, size=512, depth=8, marks=False)


def pair_of(name: str, expected: str, base: Program, direction: str = "slower", **changed: object) -> Pair:
    return Pair(name, base, replace(base, **changed), expected, direction)


PRECISE = replace(TRANSFORMER, amp=False, batch=8)
PRECISE_IMAGES = replace(CONVOLUTIONAL, amp=False, batch=64)
GRAPHED = replace(SMALL_TRANSFORMER, static=True, graph=True)

PAIRS: tuple[Pair, ...] = (
    pair_of("transformer, TF32 off", "tensor_cores_lost", PRECISE, tf32=False),
    pair_of("convolutional, TF32 off", "tensor_cores_lost", PRECISE_IMAGES, tf32=False),
    pair_of("transformer, AMP off", "data_type_changed", TRANSFORMER, amp=False),
    pair_of("convolutional, AMP off", "data_type_changed", CONVOLUTIONAL, amp=False),
    pair_of("convolutional, channels_last lost", "layout_copies fusion_lost kernel_replaced", CONVOLUTIONAL,
            channels_last=False),
    pair_of("transformer, attention by hand", "operator_replaced operators_changed", TRANSFORMER,
            by_hand=frozenset({"attention"})),
    pair_of("transformer, optimizer in a loop", "operator_replaced operators_changed fusion_lost", TRANSFORMER,
            optimizer="loop"),
    pair_of("small convolutional, optimizer in a loop", "operator_replaced operators_changed fusion_lost",
            SMALL_CONVOLUTIONAL, optimizer="loop"),
    pair_of("small transformer, graph off", "graph_lost", GRAPHED, graph=False),
    pair_of("decoder, graph off", "graph_lost", replace(DECODER, graph=True), graph=False),
    pair_of("transformer, item in the loop", "synchronization", TRANSFORMER, "any", checks=True),
    pair_of("small convolutional, item in the loop", "operators_changed synchronization", SMALL_CONVOLUTIONAL,
            checks=True),
    pair_of("convolutional, pageable copies", "pageable_copies",
            replace(CONVOLUTIONAL, floats=True, batch=64), pinned=False),
    pair_of("transformer, small batches", "more_calls", TRANSFORMER, micro=4),
    pair_of("convolutional, small batches", "more_calls", CONVOLUTIONAL, micro=4),
    pair_of("transformer, slow loader", "data_loader", TRANSFORMER, decompressed=80),
    pair_of("convolutional, slow loader", "data_loader", CONVOLUTIONAL, decompressed=80),
    pair_of("transformer, another stream", "operators_changed *mm* kernel_slower device_pace", TRANSFORMER,
            competing=12),
    pair_of("convolutional, another stream", "operators_changed *mm* kernel_slower device_pace", CONVOLUTIONAL,
            competing=12),
    pair_of("transformer, memory nearly full", "memory_pressure",
            replace(TRANSFORMER, varied=True, profile_memory=True), limited=True),
    pair_of("convolutional, memory nearly full", "memory_pressure",
            replace(CONVOLUTIONAL, varied=True, profile_memory=True), limited=True),
    pair_of("small transformer, stacks recorded", "profiler_overhead", SMALL_TRANSFORMER, with_stack=True),
    pair_of("transformer, longer sequences", "workload_changed", TRANSFORMER, size=1536),
    pair_of("convolutional, larger images", "workload_changed", CONVOLUTIONAL, size=256),
    pair_of("transformer, larger batch, no shapes", "workload_changed", replace(TRANSFORMER, record_shapes=False),
            batch=24),
    pair_of("transformer, twice the layers", "more_calls", TRANSFORMER, depth=8),
    pair_of("convolutional, twice the layers", "more_calls", CONVOLUTIONAL, depth=4),
    pair_of("transformer, one slow step", "slow_steps", TRANSFORMER, "any", slow_step=4),
    pair_of("convolutional, one slow step", "slow_steps", CONVOLUTIONAL, "any", slow_step=4),
    pair_of("transformer, recomputed activations", "more_calls operators_changed", TRANSFORMER, recomputed=True),
    pair_of("transformer, norm by hand", "operator_replaced operators_changed", TRANSFORMER,
            by_hand=frozenset({"norm"})),
    pair_of("small transformer, busy CPU", "host_interrupted host_pace", SMALL_TRANSFORMER, "none", host=True),
    pair_of("small convolutional, busy CPU", "host_interrupted host_pace", SMALL_CONVOLUTIONAL, "none", host=True),
    pair_of("transformer, another process on the device", "device_interrupted", TRANSFORMER, "none", device=True),
    pair_of("convolutional, another process on the device", "device_interrupted", CONVOLUTIONAL, "none", device=True),
    pair_of("transformer, Python behind the device", "", TRANSFORMER, "none", python=60_000),
    pair_of("small transformer, Python in the loop", "unrecorded_time", SMALL_TRANSFORMER, python=200_000),
    pair_of("transformer, TF32 off, no marks", "tensor_cores_lost", replace(PRECISE, marks=False), tf32=False),
    pair_of("decoder, longer context", "workload_changed", DECODER, "any", size=4096),
    pair_of("decoder, item in the loop", "operators_changed synchronization", DECODER, checks=True),
    pair_of("decoder, attention by hand", "operator_replaced operators_changed", DECODER, "any",
            by_hand=frozenset({"attention"})),
    pair_of("equal transformer 1", "", TRANSFORMER, "none"),
    pair_of("equal transformer 2", "", replace(TRANSFORMER, varied=True), "none"),
    pair_of("equal convolutional 1", "", CONVOLUTIONAL, "none"),
    pair_of("equal small transformer", "", SMALL_TRANSFORMER, "none"),
    pair_of("equal small convolutional", "", SMALL_CONVOLUTIONAL, "none"),
)  # fmt: skip
