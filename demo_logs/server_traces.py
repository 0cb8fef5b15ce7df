"""Traces of a language model server with continuous batching, generated: decode iterations replay a captured graph,
prefills launch their operators one by one, long prompts in chunks. There is no profiler.step(): as in vLLM, an
annotation names the batch of each iteration.

Fault: the attention kernel of decode iterations takes SLOWER_ATTENTION times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from timeline import COMPUTE, Kernel, Rank

LAYERS = 4
ITERATIONS = 48
SLOWER_ATTENTION = 1.6
CHUNK = 512
SCHEDULE_NS = 140_000
SAMPLE_NS = 60_000

GEMM = Kernel("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64", 96_000, (64, 8, 1), (128, 1, 1), 31, 168)
SMALL_GEMM = Kernel(
    "void gemv2T_kernel_val<int, int, __nv_bfloat16, float>(int, float)", 21_000, (512, 1, 1), (128, 1, 1), 62
)
PREFILL_ATTENTION = Kernel(
    "flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>", 74_000, (16, 16, 1), (128, 1, 1), 25, 210
)
DECODE_ATTENTION = Kernel(
    "paged_attention_v2_kernel<bf16, bf16, 128, 16, 128>", 26_000, (16, 32, 4), (128, 1, 1), 44, 96
)
NORM = Kernel(
    "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, float, int)", 7_000, (512, 1, 1), (1024, 1, 1), 98
)
SAMPLE = Kernel(
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, ArgMaxOps<float>>>(int)", 9_000, (64, 1, 1),
    (512, 1, 1), 71,
)  # fmt: skip
REQUESTS = (8, 8, 12, 16)
"""Sequences that decode at the same time, by turns."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What one side runs, and what it is asked for.

    prefill_every  iterations from one prefill to the next
    requests       sequences that decode at the same time, by turns
    eager_from     so many sequences are decoded without a graph, operator by operator
    """

    decode_attention: Kernel = DECODE_ATTENTION
    prefill_attention: Kernel = PREFILL_ATTENTION
    prefill_every: int = 3
    requests: tuple[int, ...] = REQUESTS
    eager_from: int = 1_000


BASELINE = Engine()
CANDIDATE = Engine(replace(DECODE_ATTENTION, mean_ns=round(DECODE_ATTENTION.mean_ns * SLOWER_ATTENTION)))


def trace(engine: Engine, seed: int, start_ms: int, iterations: int = ITERATIONS) -> bytes:
    """The trace file; `start_ms` is the wall clock of the recording."""
    rank = Rank(0, 1, seed, 1.0)
    for number in range(iterations):
        requests = engine.requests[number // 12 % len(engine.requests)]
        every = engine.prefill_every
        tokens = (CHUNK, CHUNK // 2)[number // every % 2] if number % every == 0 else 0
        _schedule(rank)
        text = f"execute_context_{int(tokens > 0)}({tokens})_generation_{requests}({requests})"
        with rank.host(text, None, "user_annotation"):
            if tokens:
                _prefill(rank, engine, tokens)
            elif requests >= engine.eager_from:
                _prefill(rank, engine, requests)
            else:
                _decode(rank, engine)
        _sample(rank, requests)
    return rank.encode(start_ms * 1_000_000, "NVIDIA A100-SXM4-80GB")


def _schedule(rank: Rank) -> None:
    rank.now_ns += rank.jitter(SCHEDULE_NS, 0.05)
    with rank.host("aten::copy_", [[64], [64]]):
        rank.copy("HtoD (Pinned -> Device)", 512, 2_000)


def _prefill(rank: Rank, engine: Engine, tokens: int) -> None:
    """The whole batch, operator by operator: the chunk of a prompt, and a token for each running sequence."""
    share = tokens / CHUNK
    wide = [tokens, 1024]
    for _ in range(LAYERS):
        with rank.host("_C::rms_norm", [wide]):
            rank.launch(NORM)
        with rank.host("aten::linear", [wide, [3072, 1024]]), rank.host("aten::mm", [wide, [1024, 3072]]):
            rank.launch(replace(GEMM, mean_ns=round(GEMM.mean_ns * share)))
        with rank.host("vllm::unified_attention", [wide]):
            attention = engine.prefill_attention
            rank.launch(replace(attention, mean_ns=round(attention.mean_ns * share)))
            rank.launch(engine.decode_attention)
        with rank.host("aten::linear", [wide, [1024, 1024]]), rank.host("aten::mm", [wide, [1024, 1024]]):
            rank.launch(replace(GEMM, mean_ns=round(GEMM.mean_ns * share)))


def _decode(rank: Rank, engine: Engine) -> None:
    """One launch of the captured graph."""
    at = rank.now_ns
    correlation = rank.call("cudaGraphLaunch", rank.jitter(11_000, 0.1))
    for _ in range(LAYERS):
        for kernel in (NORM, SMALL_GEMM, engine.decode_attention, SMALL_GEMM):
            rank.run_captured(kernel, correlation, at)


def _sample(rank: Rank, requests: int) -> None:
    with rank.host("aten::argmax", [[requests, 32000]]):
        rank.launch(SAMPLE)
    with rank.host("aten::to", [[requests]]):
        rank.copy("DtoH (Device -> Pinned)", 8 * requests, 2_000)
    rank.synchronise()
    rank.now_ns += rank.jitter(SAMPLE_NS, 0.05)
    assert rank.now_ns >= rank.free_ns[COMPUTE]
