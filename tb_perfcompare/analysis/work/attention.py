"""Attention: softmax(Q K^T) V in one kernel; forward and backward.

Forward 2 P (d_qk + d_v) FLOPs per head, with P pairs of query and key; backward 2 P (3 d_qk + 2 d_v), as the scores are
recomputed (sdpa_flop_count, sdpa_backward_flop_count in torch.utils.flop_counter). With a causal mask, P is the number
of unmasked pairs, n (n + 1) / 2 of n². flop_counter counts all n²; the papers count n² / 2: Dao, FlashAttention-2,
https://arxiv.org/abs/2307.08691, section 4.1. The softmax is not counted.
Bytes: Q, K, V, the mask, the output (bf16 for fp8 inputs) and one fp32 logarithm per row; backward also the gradient,
and dQ, dK, dV.
Argument orders: aten/src/ATen/native/native_functions.yaml; Dao-AILab/flash-attention
flash_attn/flash_attn_interface.py, hopper/flash_attn_interface.py; vllm-project/flash-attention
csrc/flash_attn/flash_api_torch_lib.cpp; sgl-project/sglang sgl-kernel/csrc/flash_extension.cc;
facebookresearch/xformers ops/fmha/flash.py.
"""

from __future__ import annotations

from functools import partial

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.tensors import BF16, FP8, Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.quick_dataclass import dataclass

FAMILY = "attention"
NONE, FIRST, LAST = "no mask", "first query with first key", "last query with last key"
"""Causal masks: none, aligned at the top left, aligned at the bottom right."""


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of an operator's arguments; -1 if it has none.

    first     query; key and value follow. Backward: the gradient of the output precedes them
    heads     dimension of the heads, 1 or 2; the sequence has the other
    causal    a flag, or with `kind` a number: 0 no mask, 1 aligned at the top left, 2 at the bottom right
    corner    alignment of the mask if `causal` is a flag
    lengths   cumulative lengths of packed sequences (cu_seqlens of queries, of keys), of which only the number is
              recorded
    windows   sizes of a sliding window, unused if -1 or absent
    extra     further tensors that are read: a mask
    chunk     size of the chunks that attention is limited to, unused if 0
    paged     tensors that tell how much of the keys is used; with them the number of pairs is unknown
    least     least number of arguments with these positions; older versions of the operator have fewer
    """

    heads: int
    causal: int
    corner: str = FIRST
    kind: bool = False
    lengths: tuple[int, int] = (-1, -1)
    windows: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    chunk: int = -1
    paged: tuple[int, ...] = ()
    backward: bool = False
    first: int = 0
    least: int = 0


def pairs(queries: int, keys: int, mask: str) -> int:
    """Number of unmasked pairs of query and key: all, or for query i the keys up to i (aligned as `mask` says)."""
    if mask == NONE:
        return queries * keys
    if mask == LAST:
        if queries > keys:
            return keys * (keys + 1) // 2
        return queries * (keys - queries) + queries * (queries + 1) // 2
    inside = min(queries, keys)
    return inside * (inside + 1) // 2 + (queries - inside) * keys


def _sizes(tensor: Tensor, places: Places, packed: bool) -> tuple[int, int, int, int]:
    """(batch, heads, length, head size)"""
    if packed and len(tensor.sizes) == 3:
        return 1, tensor.sizes[1], tensor.sizes[0], tensor.sizes[2]
    need(len(tensor.sizes) == 4)
    batch, second, third, width = tensor.sizes
    return (batch, second, third, width) if places.heads == 1 else (batch, third, second, width)


def _mask(call: Call, places: Places) -> str:
    if places.kind:
        number = call.integer(places.causal)
        need(number in (0, 1, 2))
        return (NONE, FIRST, LAST)[number]
    return places.corner if call.flag(places.causal) else NONE


def _present_tensors(call: Call, indices: tuple[int, ...]) -> list[Tensor]:
    """Returns the arguments that are tensors with elements; in backward calls an empty tensor means none."""
    tensors = [call.optional(index) for index in indices if index >= 0]
    return [tensor for tensor in tensors if tensor is not None and tensor.elements]


def _packed(call: Call, places: Places) -> bool:
    """Whether sequences are packed. Raises NoModelError for more than one, whose lengths are unknown."""
    lengths = _present_tensors(call, places.lengths)
    if any(tensor.sizes != (2,) for tensor in lengths):
        raise NoModelError("the lengths of packed sequences are not recorded")
    return bool(lengths)


def model(places: Places, call: Call) -> Work:
    """Work of an operator with its arguments at these positions."""
    if len(call.types) < places.least:
        raise NoModelError("an older version of the operator, with other arguments")
    if any(call.value(index) not in ("", "-1") for index in places.windows):
        raise NoModelError("sliding windows are not modeled")
    if places.chunk >= 0 and call.value(places.chunk) not in ("", "0"):
        raise NoModelError("chunks of attention are not modeled")
    if _present_tensors(call, places.paged):
        raise NoModelError("the used lengths of the keys are not recorded")
    q, k, v = (call.tensor(index) for index in range(places.first, places.first + 3))
    packed = _packed(call, places)
    batch, heads, queries, width = _sizes(q, places, packed)
    batch_k, heads_k, keys, width_k = _sizes(k, places, packed)
    batch_v, heads_v, keys_v, width_v = _sizes(v, places, packed)
    need(batch == batch_k == batch_v and keys == keys_v and width == width_k and heads_k == heads_v)
    need(not heads or (heads_k > 0 and heads % heads_k == 0))
    count = batch * heads * pairs(queries, keys, _mask(call, places))
    output = batch * heads * queries * width_v * (BF16 if q.type == FP8 else q.type).size
    moved = q.bytes + k.bytes + v.bytes + call.optional_bytes(*places.extra) + batch * heads * queries * 4 + output
    if places.backward:
        grad = call.tensor(0)
        need(_sizes(grad, places, packed) == (batch, heads, queries, width_v))
        moved += grad.bytes + sum(tensor.written for tensor in (q, k, v))
        return Work(2 * count * (3 * width + 2 * width_v), moved, same(q, k, v), FAMILY)
    return Work(2 * count * (width + width_v), moved, same(q, k, v), FAMILY)


_PLACES = {
    "aten::_flash_attention_forward": Places(
        heads=2, causal=8, corner=LAST, lengths=(3, 4), windows=(11, 12), paged=(13, 15)
    ),
    "aten::_flash_attention_backward": Places(
        heads=2, causal=11, corner=LAST, lengths=(6, 7), windows=(15, 16), backward=True, first=1
    ),
    "aten::_efficient_attention_forward": Places(
        heads=2, causal=9, kind=True, lengths=(4, 5), windows=(13,), extra=(3,), paged=(12,)
    ),
    "aten::_efficient_attention_backward": Places(
        heads=2, causal=14, kind=True, lengths=(6, 7), windows=(18,), extra=(4,), backward=True, first=1
    ),
    "aten::_scaled_dot_product_cudnn_attention": Places(heads=1, causal=6, extra=(3,)),
    "aten::_cudnn_attention_forward": Places(heads=1, causal=10, lengths=(4, 5), extra=(3,)),
    "aten::_scaled_dot_product_cudnn_attention_backward": Places(
        heads=1, causal=14, lengths=(9, 10), extra=(8,), backward=True, first=1
    ),
    "aten::_cudnn_attention_backward": Places(heads=1, causal=14, lengths=(9, 10), extra=(8,), backward=True, first=1),
    "aten::_scaled_dot_product_fused_attention_overrideable": Places(heads=1, causal=5, extra=(3,)),
    "aten::_scaled_dot_product_fused_attention_overrideable_backward": Places(
        heads=1, causal=13, lengths=(8, 9), extra=(4,), backward=True, first=1
    ),
    "aten::_scaled_dot_product_flash_attention_for_cpu": Places(heads=1, causal=4, extra=(5,)),
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": Places(
        heads=1, causal=7, extra=(8,), backward=True, first=1
    ),
    "flash_attn::_flash_attn_forward": Places(heads=2, causal=5, corner=LAST, windows=(6, 7)),
    "flash_attn_3::fwd": Places(
        heads=2, causal=24, corner=LAST, lengths=(7, 8), windows=(25, 26), chunk=27, paged=(3, 10, 11, 14)
    ),
    "flash_attn::_flash_attn_backward": Places(
        heads=2, causal=11, corner=LAST, windows=(12, 13), backward=True, first=1
    ),
    "flash_attn::_flash_attn_varlen_forward": Places(
        heads=2, causal=9, corner=LAST, lengths=(3, 4), windows=(10, 11), paged=(15, 16, 17)
    ),
    "flash_attn::_flash_attn_varlen_backward": Places(
        heads=2, causal=15, corner=LAST, lengths=(9, 10), windows=(16, 17), backward=True, first=1
    ),
    "flash_attn_3::bwd": Places(
        heads=2, causal=16, corner=LAST, lengths=(9, 10), windows=(17, 18), paged=(11, 12), backward=True, first=1
    ),
    "sgl_kernel::fwd": Places(heads=2, causal=24, corner=LAST, lengths=(7, 8), windows=(25, 26), paged=(3, 10, 11, 14)),
    "_vllm_fa2_C::varlen_fwd": Places(
        heads=2, causal=15, corner=LAST, lengths=(4, 5), windows=(16, 17), paged=(6, 7, 8)
    ),
    "xformers_flash::flash_fwd": Places(
        heads=2, causal=10, corner=LAST, lengths=(3, 4), windows=(11, 12), paged=(5, 14), least=14
    ),
}

MODELS.update({operator: partial(model, places) for operator, places in _PLACES.items()})
