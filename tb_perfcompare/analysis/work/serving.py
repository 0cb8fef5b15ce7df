"""Operators that vLLM, SGLang and TensorRT-LLM register.

Argument orders: vllm-project/vllm csrc/torch_bindings.cpp, csrc/libtorch_stable/torch_bindings.cpp,
csrc/moe/torch_bindings.cpp, model_executor/layers/fused_moe/fused_moe.py; sgl-project/sglang
sgl-kernel/csrc/common_extension.cc, srt/layers/quantization/fp8_kernel.py; NVIDIA/TensorRT-LLM cpp/tensorrt_llm/thop.
FlashInfer and DeepGEMM register no operators. Attention: attention.py; operators without a model: without_model.py.

FLOPs as for torch operators: 2 for a multiply-add; RMS norm 4 per element, an added residual 1; quantization 1 per
element, 2 if the scale is computed. Bytes: what is read, what is written.
"""

from __future__ import annotations

from functools import partial

from tb_perfcompare.analysis.work.data_movement import COPY, SORT
from tb_perfcompare.analysis.work.elementwise import FAMILY as ELEMENTWISE
from tb_perfcompare.analysis.work.normalizations import FAMILY as NORMALIZATION
from tb_perfcompare.analysis.work.recorded_call import MODELS, Call, Model
from tb_perfcompare.analysis.work.reductions import REDUCTION, SOFTMAX
from tb_perfcompare.analysis.work.tensors import same
from tb_perfcompare.analysis.work.work import Work, need
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Norm:
    """Positions of an RMS norm's arguments; -1 if it has none.

    out       the output, if it is not in place
    residual  added to x; read and written
    scales    scales of a quantized output
    cost      FLOPs per element of the quantization
    """

    x: int
    weight: int
    out: int = -1
    residual: int = -1
    scales: int = -1
    cost: int = 0


def norm(places: Norm, call: Call) -> Work:
    """RMS norm: 4 per element, 1 more for an added residual."""
    x, weight = call.tensor(places.x), call.tensor(places.weight)
    out = call.tensor(places.out) if places.out >= 0 else x
    residual = call.optional(places.residual) if places.residual >= 0 else None
    need(len(weight.sizes) == 1 and x.sizes[-1:] == weight.sizes and out.sizes == x.sizes)
    need(residual is None or residual.sizes == x.sizes)
    moved = x.bytes + weight.bytes + out.bytes + (2 * residual.bytes if residual is not None else 0)
    moved += call.optional_bytes(*(places.scales,) * (places.scales >= 0))
    return Work((4 + (residual is not None) + places.cost) * x.elements, moved, x.type.name, NORMALIZATION)


def gated(each: int, read: tuple[int, ...], call: Call) -> Work:
    """silu_and_mul, gelu_and_mul, ...(out[..., d], input[..., 2 d]): a function and a product per element of out.

    One more for a scale.
    """
    out, x = call.tensor(0), call.tensor(1)
    need(len(out.sizes) > 0 and x.sizes == (*out.sizes[:-1], 2 * out.sizes[-1]))
    name = same(out, x) if not read else x.type.name
    return Work(each * out.elements, out.bytes + x.bytes + call.optional_bytes(*read), name, ELEMENTWISE)


def activation(call: Call) -> Work:
    """gelu_new, gelu_fast, gelu_quick(out, input): 1 per element."""
    out, x = call.tensor(0), call.tensor(1)
    need(out.sizes == x.sizes)
    return Work(out.elements, out.bytes + x.bytes, same(out, x), ELEMENTWISE)


def quantize(each: int, x: int, out: int, call: Call) -> Work:
    """Quantization to fewer bits, with the scales at 2; `each` is 1 if they are given, 2 if they are computed."""
    source, target = call.tensor(x), call.tensor(out)
    need(source.sizes == target.sizes)
    moved = source.bytes + target.bytes + call.optional_bytes(2)
    return Work(each * source.elements, moved, source.type.name, ELEMENTWISE)


def quantize_whole(call: Call) -> Work:
    """sgl_per_tensor_quant_fp8(input, out, scale, is_static)."""
    return quantize(1 if call.flag(3) else 2, 0, 1, call)


def merge(at: int, call: Call) -> Work:
    """Two products and an addition per element of the output, which is at `at`.

    merge_attn_states(out, out_lse?, a, a_lse, b, b_lse, ...), merge_state, merge_state_v2(a, a_lse, b, b_lse, out,
    out_lse).
    """
    out, a = call.tensor(at), call.tensor(2)
    need(out.sizes == a.sizes)
    return Work(3 * out.elements, call.optional_bytes(*range(6)), same(out, a), ELEMENTWISE)


def rotary(call: Call) -> Work:
    """rotary_embedding(positions, query, key?, head_size, cos_sin_cache, neox, ...), in place: 3 per rotated element.

    A pair of elements takes 4 products and 2 additions; a row of the cache has as many elements as a head rotates.
    Su and others, RoFormer, https://arxiv.org/abs/2104.09864.
    """
    positions, query, key, cache = call.tensor(0), call.tensor(1), call.optional(2), call.tensor(4)
    head = call.integer(3)
    need(head > 0 and len(cache.sizes) == 2 and cache.sizes[1] <= head)
    rotated = cache.sizes[1]
    count = query.elements + (key.elements if key else 0)
    need(count % head == 0)
    angles = min(positions.elements * rotated * cache.type.size, cache.bytes)
    touched = count // head * rotated
    moved = positions.bytes + angles + 2 * touched * query.type.size
    return Work(3 * touched, moved, query.type.name, "rotary embedding")


def rotary_copied(call: Call) -> Work:
    """Rotary embedding of [tokens, heads, head size]: 3 per rotated element; with v, k and v also go to the buffers.

    apply_rope_pos_ids_cos_sin_cache(q, k, q_out, k_out, cos_sin_cache, positions, interleave, pdl, stream, v?,
    k_buffer?, v_buffer?, slots?).
    """
    q, k, cache, positions = call.tensor(0), call.tensor(1), call.tensor(4), call.tensor(5)
    need(len(q.sizes) == len(k.sizes) == 3 and q.sizes[2] == k.sizes[2] and len(cache.sizes) == 2)
    rotated = cache.sizes[1]
    need(0 < rotated <= q.sizes[2])
    angles = min(positions.elements * rotated * cache.type.size, cache.bytes)
    moved = positions.bytes + angles + 2 * (q.bytes + k.bytes) + call.optional_bytes(12)
    value = call.optional(9)
    if value is not None:
        moved += k.bytes + 2 * value.bytes
    count = (q.elements + k.elements) // q.sizes[2] * rotated
    return Work(3 * count, moved, q.type.name, "rotary embedding")


def cache(sources: tuple[int, ...], targets: tuple[int, ...], slots: int, call: Call) -> Work:
    """reshape_and_cache, concat_and_cache_mla: reads as many rows of `sources` as there are slots; more are padding.

    Writes them in the type of the target.
    """
    places, moved = call.tensor(slots), call.tensor(slots).bytes
    for at, source in enumerate(map(call.tensor, sources)):
        need(len(source.sizes) > 0)
        rows, kind = source.sizes[0], call.tensor(targets[min(at, len(targets) - 1)]).type
        if rows:
            used = min(rows, places.elements)
            moved += source.bytes // rows * used + source.elements // rows * used * kind.size
    return Work(0, moved, "", COPY)


def top_k_softmax(gates: int, call: Call) -> Work:
    """topk_softmax(weights, ids, ..., gates, ...): a softmax of the gates, 5 per element; the largest are written."""
    logits = call.tensor(gates)
    moved = call.optional_bytes(*range(gates + 1))
    return Work(5 * logits.elements, moved, logits.type.name, SOFTMAX)


def sum_of_experts(call: Call) -> Work:
    """moe_sum(input[m, t, k], out[m, k]): 1 per element."""
    x, out = call.tensor(0), call.tensor(1)
    need(len(x.sizes) == 3 and out.sizes == (x.sizes[0], x.sizes[2]))
    return Work(x.elements, x.bytes + out.bytes, x.type.name, REDUCTION)


def align_experts(call: Call) -> Work:
    """moe_align_block_size(ids, experts, block, sorted ids, expert of each block, number, ...)."""
    return Work(0, call.tensor(0).bytes + call.optional_bytes(*range(3, len(call.types))), "", SORT)


def in_each(name: str, model: Model, *spaces: str) -> dict[str, Model]:
    """The model of an operator that several libraries register."""
    return {f"{space}::{name}": model for space in spaces}


MODELS.update({
    "_C::rms_norm": partial(norm, Norm(x=1, weight=2, out=0)),
    **in_each("rmsnorm", partial(norm, Norm(x=1, weight=2, out=0)), "sgl_kernel"),
    "sgl_kernel::gemma_rmsnorm": partial(norm, Norm(x=1, weight=2, out=0)),
    "_C::fused_add_rms_norm": partial(norm, Norm(x=0, weight=2, residual=1)),
    "sgl_kernel::fused_add_rmsnorm": partial(norm, Norm(x=0, weight=2, residual=1)),
    "sgl_kernel::gemma_fused_add_rmsnorm": partial(norm, Norm(x=0, weight=2, residual=1)),
    "_C::rms_norm_static_fp8_quant": partial(norm, Norm(x=1, weight=2, out=0, scales=3, cost=1)),
    "_C::fused_add_rms_norm_static_fp8_quant": partial(norm, Norm(x=1, weight=3, out=0, residual=2, scales=4, cost=1)),
    "_C::rms_norm_dynamic_per_token_quant": partial(norm, Norm(x=1, weight=2, out=0, residual=6, scales=3, cost=2)),
    **{name: partial(gated, 2, ()) for space in ("_C", "sgl_kernel") for name in (
        f"{space}::silu_and_mul", f"{space}::gelu_and_mul", f"{space}::gelu_tanh_and_mul")},
    **{f"_C::{name}": partial(gated, 2, ()) for name in ("mul_and_silu", "fatrelu_and_mul", "swigluoai_and_mul")},
    "_C::silu_and_mul_quant": partial(gated, 3, (2,)),
    **{f"_C::{name}": activation for name in ("gelu_new", "gelu_fast", "gelu_quick")},
    **{f"_C::static_scaled_{kind}_quant": partial(quantize, 1, 1, 0) for kind in ("fp8", "int8")},
    **{f"_C::dynamic_scaled_{kind}_quant": partial(quantize, 2, 1, 0) for kind in ("fp8", "int8")},
    "_C::dynamic_per_token_scaled_fp8_quant": partial(quantize, 2, 1, 0),
    **{name: partial(quantize, 2, 0, 1) for name in (
        "_C::per_token_group_fp8_quant", "_C::per_token_group_quant_int8", "sgl_kernel::sgl_per_token_group_quant_fp8",
        "sgl_kernel::sgl_per_token_group_quant_int8", "sgl_kernel::sgl_per_token_group_quant_8bit",
        "sgl_kernel::sgl_per_token_quant_fp8")},
    "sgl_kernel::sgl_per_tensor_quant_fp8": quantize_whole,
    "_C::merge_attn_states": partial(merge, 0),
    "sgl_kernel::merge_state": partial(merge, 4),
    "sgl_kernel::merge_state_v2": partial(merge, 4),
    "_C::rotary_embedding": rotary,
    "sgl_kernel::apply_rope_pos_ids_cos_sin_cache": rotary_copied,
    "_C_cache_ops::reshape_and_cache": partial(cache, (0, 1), (2, 3), 4),
    "_C_cache_ops::reshape_and_cache_flash": partial(cache, (0, 1), (2, 3), 4),
    "_C_cache_ops::concat_and_cache_mla": partial(cache, (0, 1), (2,), 3),
    "_moe_C::topk_softmax": partial(top_k_softmax, 3),
    "sgl_kernel::topk_softmax": partial(top_k_softmax, 2),
    "_moe_C::moe_sum": sum_of_experts,
    **in_each("moe_align_block_size", align_experts, "_moe_C", "sgl_kernel"),
})  # fmt: skip
