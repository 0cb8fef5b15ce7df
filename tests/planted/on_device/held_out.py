"""Held-out pairs, written and recorded after the rules had been fixed with those of programs.py."""

from __future__ import annotations

from dataclasses import replace

from tests.planted.on_device.programs import CONVOLUTIONAL, DECODER, TRANSFORMER, Pair, Program, pair_of

RECURRENT = Program("recurrent", batch=64, size=128, depth=2)
SMALL_RECURRENT = replace(RECURRENT, batch=8, size=32)
RECOMMENDER = Program("recommender", batch=8192, size=26, depth=1, amp=False)
HOURGLASS = Program("hourglass", batch=32, size=192, depth=4)
SMALL_HOURGLASS = replace(HOURGLASS, batch=2, size=64)
VISION = Program("vision", batch=64, size=224, depth=8, channels_last=False, parts=frozenset({"inference"}))
SMALL_VISION = replace(VISION, batch=2)


def _with(program: Program, *parts: str) -> frozenset[str]:
    return program.parts | frozenset(parts)


PAIRS: tuple[Pair, ...] = (
    pair_of("recurrent, cells in a loop", "operator_replaced operators_changed", SMALL_RECURRENT,
            parts=_with(RECURRENT, "cells")),
    pair_of("recurrent, wider", "workload_changed", RECURRENT, parts=_with(RECURRENT, "wide")),
    pair_of("recurrent, longer", "workload_changed", RECURRENT, size=192),
    pair_of("recurrent, dropout", "operators_changed *dropout* kernel_replaced", RECURRENT, "any",
            parts=_with(RECURRENT, "dropout")),
    pair_of("recurrent, results to the host", "synchronization more_copies", RECURRENT,
            parts=_with(RECURRENT, "to host")),
    pair_of("recommender, sparse gradients", "operator_replaced operators_changed kernel_replaced fusion_lost",
            replace(RECOMMENDER, parts=frozenset({"sgd"})), "any", parts=frozenset({"sgd", "sparse"})),
    pair_of("recommender, twice the tables", "more_calls", RECOMMENDER, parts=_with(RECOMMENDER, "tables")),
    pair_of("recommender, larger batch", "workload_changed", RECOMMENDER, "any", batch=16384),
    pair_of("recommender, slow loader", "data_loader", RECOMMENDER, decompressed=60),
    pair_of("hourglass, float16 with a scaler", "data_type_changed operators_changed", HOURGLASS, "any",
            parts=_with(HOURGLASS, "scaler")),
    pair_of("hourglass, SiLU by hand", "operator_replaced operators_changed", HOURGLASS,
            parts=_with(HOURGLASS, "silu")),
    pair_of("hourglass, kernel 5", "workload_changed", HOURGLASS, parts=_with(HOURGLASS, "kernel 5")),
    pair_of("hourglass, odd channels", "alignment_lost", HOURGLASS,
            "any", parts=_with(HOURGLASS, "odd")),
    pair_of("hourglass, bilinear", "operators_changed operator_replaced", HOURGLASS, "any",
            parts=_with(HOURGLASS, "bilinear")),
    pair_of("hourglass, deterministic", "kernel_replaced fusion_lost tensor_cores_lost operators_changed", HOURGLASS,
            "any", deterministic=True),
    pair_of("hourglass, AMP off, no marks", "data_type_changed", replace(HOURGLASS, marks=False), amp=False),
    pair_of("hourglass, clipped gradients", "operators_changed more_calls", SMALL_HOURGLASS,
            parts=_with(HOURGLASS, "clip")),
    pair_of("vision, synchronized layers", "synchronization", SMALL_VISION, "any", parts=_with(VISION, "synchronize")),
    pair_of("vision, autograd left on", "autograd_recorded", SMALL_VISION, "any",
            parts=frozenset({"inference", "autograd"})),
    pair_of("vision, single precision", "data_type_changed", VISION, "any", amp=False),
    pair_of("vision, results to the host", "synchronization more_copies", VISION, "any",
            parts=_with(VISION, "to host")),
    pair_of("vision, larger batch, no shapes", "workload_changed", replace(VISION, record_shapes=False), batch=96),
    pair_of("vision, pageable", "pageable_copies", replace(VISION, floats=True), "any", pinned=False),
    pair_of("vision, busy CPU", "host_interrupted host_pace", SMALL_VISION, "none", host=True),
    pair_of("recurrent, another process on the device", "device_interrupted device_pace", RECURRENT, "none",
            device=True),
    pair_of("hourglass, another process on the device", "device_interrupted device_pace", HOURGLASS, "none",
            device=True),
    pair_of("transformer, memory nearly full 2", "memory_pressure allocator_calls",
            replace(TRANSFORMER, varied=True, profile_memory=True), "any", limited=True),
    pair_of("equal recurrent", "", RECURRENT, "none"),
    pair_of("equal recommender", "", RECOMMENDER, "none"),
    pair_of("equal hourglass", "", HOURGLASS, "none"),
    pair_of("equal vision", "", SMALL_VISION, "none"),
    pair_of("equal decoder", "", DECODER, "none"),
    pair_of("transformer, compile off", "compilation_lost", replace(TRANSFORMER, compiled=True), compiled=False),
    pair_of("convolutional, deterministic", "kernel_replaced fusion_lost tensor_cores_lost", CONVOLUTIONAL, "any",
            deterministic=True),
)  # fmt: skip
