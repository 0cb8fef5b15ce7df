"""Pairs of programs of transformers, timm, torchvision, Lightning, PyG, torchdiffeq and GPyTorch.

Chosen and recorded after the rules had been fixed with programs.py and held_out.py. Most do not call `profiler.step()`.
"""

from __future__ import annotations

from dataclasses import replace

from tests.planted.on_device.programs import Pair, Program, pair_of

LLAMA = Program("llama", batch=4, size=512, depth=6, marks=False)
SMALL_LLAMA = replace(LLAMA, batch=1, size=64)
GENERATION = Program("generation", batch=4, size=128, depth=6, marks=False)
MIXTURE = Program("mixture", batch=4, size=256, depth=3, marks=False)
MAMBA = Program("mamba", batch=4, size=24, depth=2, marks=False)
T5 = Program("t5", batch=8, size=256, depth=4)
CONVNEXT = Program("timm convnext_tiny", batch=32, size=224, depth=1, marks=False)
EFFICIENT = Program("timm efficientnet_b0", batch=48, size=224, depth=1)
SWIN = Program("timm swin_tiny_patch4_window7_224", batch=32, size=224, depth=1, channels_last=False, marks=False)
DETECTOR = Program("detector", batch=2, size=384, depth=1, marks=False)
SEGMENTER = Program("segmenter", batch=8, size=256, depth=1, marks=False)
LIGHTNING = Program("lightning", batch=64, size=128, depth=1)
GRAPH_NETWORK = Program("graph network", batch=20_000, size=256, depth=3, amp=False, marks=False)
EQUATION = Program("equation", batch=512, size=64, depth=3, amp=False, marks=False)
PROCESS = Program("process", batch=1500, size=8, depth=1, amp=False, tf32=False, marks=False)


def _with(program: Program, *parts: str) -> frozenset[str]:
    return program.parts | frozenset(parts)


PAIRS: tuple[Pair, ...] = (
    pair_of("llama, eager attention", "operator_replaced operators_changed", LLAMA, parts=_with(LLAMA, "eager")),
    pair_of("llama, gradient checkpointing", "more_calls operators_changed", LLAMA, recomputed=True),
    pair_of("llama, optimizer in a loop", "operator_replaced operators_changed fusion_lost more_calls", LLAMA,
            optimizer="loop"),
    pair_of("llama, losses logged every micro batch", "synchronization", replace(SMALL_LLAMA, micro=4, batch=4), "any",
            parts=_with(LLAMA, "logged")),
    pair_of("llama, twice the sequence", "workload_changed", LLAMA, "any", size=1024),
    pair_of("generation, no cache", "workload_changed operators_changed", GENERATION, "any",
            parts=_with(GENERATION, "no cache")),
    pair_of("generation, beams", "workload_changed operators_changed operator_replaced", GENERATION, "any",
            parts=_with(GENERATION, "beams")),
    pair_of("generation, results checked on the host", "synchronization aten::item", GENERATION, "any",
            parts=_with(GENERATION, "checked")),
    pair_of("generation, eager attention", "operator_replaced operators_changed more_calls", GENERATION, "any",
            parts=_with(GENERATION, "eager")),
    pair_of("mixture, four experts a token", "workload_changed more_calls", MIXTURE, "any",
            parts=_with(MIXTURE, "four")),
    pair_of("mamba, longer", "more_calls workload_changed", MAMBA, size=36),
    pair_of("t5, single precision", "data_type_changed", T5, "any", amp=False),
    pair_of("convnext, single precision", "data_type_changed operators_changed", CONVNEXT, "any", amp=False),
    pair_of("convnext, averaged weights", "more_calls operators_changed", CONVNEXT, parts=_with(CONVNEXT, "ema")),
    pair_of("efficientnet, channels_last lost", "layout_copies kernel_replaced fusion_lost operators_changed",
            EFFICIENT, "any", channels_last=False),
    pair_of("efficientnet, slow loader", "data_loader", EFFICIENT, decompressed=80),
    pair_of("swin, attention by hand", "operator_replaced operators_changed", SWIN, "any",
            parts=_with(SWIN, "eager")),
    pair_of("swin, one slow step", "slow_steps", replace(SWIN, marks=True), "any", slow_step=6),
    pair_of("detector, larger images", "workload_changed", DETECTOR, "any", size=640),
    pair_of("segmenter, auxiliary head", "more_calls operators_changed", SEGMENTER, parts=_with(SEGMENTER, "aux")),
    pair_of("lightning, losses logged to the host", "synchronization", replace(LIGHTNING, batch=8), "any",
            parts=_with(LIGHTNING, "logged")),
    pair_of("lightning, small batches", "more_calls *", LIGHTNING, "any", micro=4),
    pair_of("graph network, nothing cached", "synchronization more_calls operators_changed", GRAPH_NETWORK,
            parts=_with(GRAPH_NETWORK, "uncached")),
    pair_of("graph network, attention", "operators_changed operator_replaced", GRAPH_NETWORK,
            parts=_with(GRAPH_NETWORK, "attention")),
    pair_of("equation, closer", "more_calls", EQUATION, "any", parts=_with(EQUATION, "closer")),
    pair_of("process, double precision", "data_type_changed", PROCESS, "any", parts=_with(PROCESS, "double")),
    pair_of("equal llama", "", LLAMA, "none"),
    pair_of("equal small llama", "", SMALL_LLAMA, "none"),
    pair_of("equal generation", "", GENERATION, "none"),
    pair_of("equal mixture", "", MIXTURE, "none"),
    pair_of("equal detector", "", DETECTOR, "none"),
    pair_of("equal lightning", "", LIGHTNING, "none"),
    pair_of("equal graph network", "", GRAPH_NETWORK, "none"),
    pair_of("equal equation", "", EQUATION, "none"),
    pair_of("equal process", "", PROCESS, "none"),
)  # fmt: skip
