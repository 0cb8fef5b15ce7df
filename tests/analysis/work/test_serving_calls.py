"""Work of operators of vLLM, SGLang, TensorRT-LLM and flash-attn, worked out by hand. The arguments are those of their
schemas (tb_perfcompare/analysis/work/serving.py and attention.py name the files)."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.work.operator_work import Work
from tests.analysis.work.calls import figures, recorded

# operator, types, sizes of the tensors, values, FLOPs, bytes, type of the arithmetic
CASES: list[tuple[str, str, list[object], str, int, int, str]] = [
    # [2, 3] times [3, 4]
    ("_C::cutlass_scaled_mm_azp", "bf i8 i8 f f i - -", [[2, 4], [2, 3], [3, 4], [1], [1], [4]], "|||||||", 48,
     16 + 6 + 12 + 4 + 4 + 16, "int8"),
    ("_C::cutlass_scaled_fp4_mm", "bf u8 u8 f8 f8 f", [[2, 4], [2, 16], [4, 16], [2, 2], [4, 2], [1]], "|||||",
     2 * 2 * 32 * 4, 16 + 32 + 64 + 4 + 8 + 4, "fp4"),
    ("sgl_kernel::fp8_scaled_mm", "f8 f8 f f S -", [[2, 3], [3, 4], [2], [4]], "||||15|", 48,
     6 + 12 + 8 + 16 + 16, "fp8"),
    ("sgl_kernel::fp8_blockwise_scaled_mm", "f8 f8 f f S", [[2, 3], [3, 4], [2, 1], [1, 1]], "||||15", 48,
     6 + 12 + 8 + 4 + 16, "fp8"),
    ("sgl_kernel::dsv3_router_gemm", "f bf bf", [[2, 4], [2, 3], [4, 3]], "||", 48, 32 + 12 + 24, "bf16"),
    ("vllm::w8a8_triton_block_scaled_mm_func", "f8 f8 f f L S", [[2, 3], [4, 3], [2, 1], [1, 1]],
     "||||[128, 128]|15", 48, 6 + 12 + 8 + 4 + 16, "fp8"),
    # as a B200 recorded it
    ("sglang::deep_gemm_fp8_fp8_bf16_nt", "f8 f f8 f bf",
     [[15434, 2048], [15434, 4], [12288, 2048], [12288, 4], [15434, 12288]], "||||", 2 * 15434 * 2048 * 12288,
     (15434 + 12288) * (2048 + 16) + 2 * 15434 * 12288, "fp8"),
    ("trtllm::cublas_mm", "bf bf - -", [[2, 3], [3, 4]], "|||", 48, 12 + 24 + 16, "bf16"),
    ("trtllm::fp8_block_scaling_gemm", "f8 f8 f f", [[2, 3], [4, 3], [1, 2], [1, 1]], "|||", 48,
     6 + 12 + 8 + 4 + 16, "fp8"),
    # [2, 32] times [32, 16] of int4: 256 bytes
    ("_C::awq_gemm", "h i h i S", [[2, 32], [32, 2], [1, 16], [1, 2]], "||||8", 2 * 2 * 32 * 16,
     128 + 256 + 32 + 8 + 64, "fp16"),
    ("sgl_kernel::gptq_gemm", "h i i h i S S", [[2, 32], [4, 16], [1, 2], [1, 16], [32]], "|||||True|4",
     2 * 2 * 32 * 16, 128 + 256 + 8 + 32 + 128 + 64, "fp16"),
    ("_C::machete_mm", "h i S S h - S - - -", [[2, 32], [4, 16], [1, 16]], "||8|5|||32|||", 2 * 2 * 32 * 16,
     128 + 256 + 32 + 64, "fp16"),
    ("_C::marlin_gemm", "bf - i - bf - - - - - i S S S S S S S S",
     [[2, 32], [2, 32], [1, 16], [99]], "|||||||||||8|2|16|32|True|False|True|False", 2 * 2 * 32 * 16,
     128 + 256 + 32 + 64, "bf16"),
    ("_C::gptq_marlin_gemm", "bf - i bf - - - - i S S S S S S S S", [[2, 32], [2, 32], [1, 16], [99]],
     "|||||||||8|2|16|32|True|False|True|False", 2 * 2 * 32 * 16, 128 + 256 + 32 + 64, "bf16"),
    # 2 experts of 8 for one token
    ("_moe_C::moe_wna16_marlin_gemm", "bf - i bf - - - i i i i f S S S S S S S S S S S S",
     [[1, 32], [8, 2, 32], [8, 1, 16], [99], [16], [1], [1], [1, 2]],
     "||||||||||||8|2|False|False|8|1|16|32|True|False|True|False", 2 * 2 * 32 * 16,
     64 + 2 * (256 + 32) + 2 * 32, "bf16"),
    ("_C::cutlass_moe_mm", "bf f8 f8 f f i i", [[2, 4], [2, 3], [8, 3, 4], [2, 1], [8, 4], [8], [8, 3]], "",
     48, 16 + 6 + 2 * 12, "fp8"),
    ("vllm::outplace_fused_experts", "bf f8 f8 f i S", [[3, 4], [8, 10, 4], [8, 4, 5], [3, 2], [3, 2]], "|||||",
     2 * 6 * (10 * 4 + 5 * 4), 2 * 2 * 12 + 6 * 60 + 6 * 4 + 6 * 4, "fp8"),
    # 32 elements in rows of 8
    ("sgl_kernel::gemma_rmsnorm", "bf bf bf S S", [[4, 8], [4, 8], [8]], "|||1e-06|False", 128, 2 * 72, "bf16"),
    ("_C::rms_norm_static_fp8_quant", "f8 bf bf f S", [[4, 8], [4, 8], [8], [1]], "||||1e-06", 160,
     32 + 64 + 16 + 4, "bf16"),
    ("_C::fused_add_rms_norm_static_fp8_quant", "f8 bf bf bf f S", [[4, 8], [4, 8], [4, 8], [8], [1]], "|||||1e-06",
     192, 32 + 64 + 128 + 16 + 4, "bf16"),
    ("_C::rms_norm_dynamic_per_token_quant", "f8 bf bf f S - -", [[4, 8], [4, 8], [8], [4, 1]], "||||1e-06||", 192,
     32 + 64 + 16 + 16, "bf16"),
    ("_C::rms_norm_dynamic_per_token_quant", "f8 bf bf f S - bf", [[4, 8], [4, 8], [8], [4, 1], [4, 8]],
     "||||1e-06||", 224, 32 + 64 + 16 + 16 + 128, "bf16"),
    ("sgl_kernel::sgl_per_token_quant_fp8", "bf f8 f", [[3, 8], [3, 8], [3]], "", 48, 48 + 24 + 12, "bf16"),
    ("sgl_kernel::sgl_per_tensor_quant_fp8", "bf f8 f S", [[3, 8], [3, 8], [1]], "|||True", 24, 48 + 24 + 4, "bf16"),
    ("_C::per_token_group_fp8_quant", "bf f8 f S S S S S S S", [[3, 8], [3, 8], [3, 1]],
     "|||8|1e-10|-448|448|False|False|False", 48, 48 + 24 + 12, "bf16"),
    ("_C::silu_and_mul_quant", "f8 bf f", [[4, 8], [4, 16], [1]], "", 96, 32 + 128 + 4, "bf16"),
    ("_C::gelu_fast", "bf bf", [[4, 8], [4, 8]], "", 32, 128, "bf16"),
    # two partial results of 3 tokens, 2 heads of 4
    ("_C::merge_attn_states", "bf - bf f bf f", [[3, 2, 4], [3, 2, 4], [2, 3], [3, 2, 4], [2, 3]], "", 72,
     3 * 48 + 2 * 24, "bf16"),
    ("sgl_kernel::merge_state_v2", "bf f bf f bf f", [[3, 2, 4], [3, 2], [3, 2, 4], [3, 2], [3, 2, 4], [3, 2]], "", 72,
     3 * 48 + 3 * 24, "bf16"),
    # 7 tokens, 2 heads and 1 of 64, all of them rotated
    ("sgl_kernel::apply_rope_pos_ids_cos_sin_cache", "bf bf bf bf f l S S S - - - -",
     [[7, 2, 64], [7, 1, 64], [7, 2, 64], [7, 1, 64], [100, 64], [7]], "||||||False|False|0||||", 3 * 7 * 3 * 64,
     7 * 8 + 7 * 64 * 4 + 2 * 2 * 7 * 3 * 64, "bf16"),
    ("_C::rotary_embedding", "l bf - S bf S S S", [[7], [7, 128], [100, 64]], "|||64||True|0|False", 3 * 7 * 128,
     7 * 8 + 7 * 64 * 2 + 2 * 2 * 7 * 128, "bf16"),
    # 3 slots for 5 rows, of which 2 are padding
    ("_C_cache_ops::reshape_and_cache_flash", "bf bf f8 f8 l - f f",
     [[5, 2, 8], [5, 2, 8], [9, 4, 2, 8], [9, 4, 2, 8], [3], [], []], "", 0, 2 * 96 + 24 + 96, ""),
    ("_C_cache_ops::concat_and_cache_mla", "bf bf bf l - f", [[3, 512], [3, 64], [9, 64, 576], [3], []], "", 0,
     2 * 2 * 3 * 576 + 24, ""),
    ("_moe_C::topk_softmax", "f i i f", [[3, 2], [3, 2], [3, 2], [3, 8]], "", 120, 3 * 24 + 96, "fp32"),
    ("sgl_kernel::topk_softmax", "f i f S", [[3, 2], [3, 2], [3, 8]], "|||True", 120, 2 * 24 + 96, "fp32"),
    ("_moe_C::moe_sum", "bf bf", [[3, 2, 8], [3, 8]], "", 48, 96 + 48, "bf16"),
    ("_moe_C::moe_align_block_size", "i S S i i i", [[3, 2], [40], [5], [1]], "|8|8|||", 0, 4 * (6 + 40 + 5 + 1), ""),
    # one sequence of 7 queries and 9 keys
    ("flash_attn::_flash_attn_varlen_backward", "h h h h h f h h h i i S S S S S S S S - S -",
     [[7, 4, 8], [7, 4, 8], [9, 4, 8], [9, 4, 8], [7, 4, 8], [4, 7], [7, 4, 8], [9, 4, 8], [9, 4, 8], [2], [2]],
     "|||||||||||7|9|0.|0.35|False|-1|-1|0.||False|", 2 * 4 * 63 * 5 * 8, 2 * (4 * 224 + 4 * 288) + 4 * 28, "fp16"),
    ("flash_attn_3::bwd", "h h h h h f h h h - - - - - - S S S S S S S",
     [[1, 7, 4, 8], [1, 7, 4, 8], [1, 9, 4, 8], [1, 9, 4, 8], [1, 7, 4, 8], [1, 4, 7], [1, 7, 4, 8], [1, 9, 4, 8],
      [1, 9, 4, 8]], "|||||||||||||||0.35|False|-1|-1|0.|False|0", 2 * 4 * 63 * 5 * 8,
     2 * (4 * 224 + 4 * 288) + 4 * 28, "fp16"),
    # fp8 in, bf16 out
    ("sgl_kernel::fwd", "f8 f8 f8 - - - - - - - - - - - - - - - - - - - - S S S S S S - S - S",
     [[2, 9, 4, 8], [2, 9, 2, 8], [2, 9, 2, 8]],
     "|||||||||||||||||||||||0.35|True|-1|-1|0.|False||0||0", 4 * 8 * 45 * 8, 576 + 2 * 288 + 2 * 576 + 4 * 72, "fp8"),
    ("_vllm_fa2_C::varlen_fwd", "h h h - i i - - - - S S S S S S S S S S S",
     [[7, 4, 8], [9, 2, 8], [9, 2, 8], [2], [2]],
     "||||||||||7|9|0.|0.35|False|False|-1|-1|0.|False|0", 4 * 4 * 63 * 8, 2 * (2 * 224 + 2 * 144) + 4 * 28, "fp16"),
    ("xformers_flash::flash_fwd", "h h h - - - S S S S S S S S -", [[1, 7, 4, 8], [1, 9, 4, 8], [1, 9, 4, 8]],
     "||||||7|9|0.|0.35|False|-1|-1|False|", 4 * 4 * 63 * 8, 2 * (2 * 224 + 2 * 288) + 4 * 28, "fp16"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "types", "sizes", "values", "flops", "moved", "data_type"), CASES)
def test_work_of_a_call(
    name: str, types: str, sizes: list[object], values: str, flops: int, moved: int, data_type: str
) -> None:
    assert figures(recorded(name, types, sizes, values)) == (flops, moved, data_type)


def test_keys_and_values_go_to_the_cache_with_the_rotation() -> None:
    """SGLang writes k and v to their buffers in the kernel that rotates: both once more, v read as well."""
    name, values = "sgl_kernel::apply_rope_pos_ids_cos_sin_cache", "||||||False|False|0||||"
    alone: list[object] = [[7, 2, 64], [7, 1, 64], [7, 2, 64], [7, 1, 64], [100, 64], [7]]
    cached = [*alone, [7, 1, 64], [900, 1, 64], [900, 1, 64], [7]]
    rotated = recorded(name, "bf bf bf bf f l S S S - - - -", alone, values)
    both = recorded(name, "bf bf bf bf f l S S S bf bf bf l", cached, values)
    assert isinstance(rotated, Work) and isinstance(both, Work)
    assert both.bytes - rotated.bytes == 3 * 2 * 7 * 64 + 7 * 8


REFUSED: list[tuple[str, str, list[object], str, str]] = [
    ("_vllm_fa2_C::varlen_fwd", "h h h h i i i - i - S S S S S S S S S S S",
     [[7, 4, 8], [90, 16, 2, 8], [90, 16, 2, 8], [7, 4, 8], [3], [3], [2], [2, 10]],
     "||||||||||7|9|0.|0.35|False|True|-1|-1|0.|False|0", "used lengths of the keys"),
    ("xformers_flash::flash_fwd", "h h h i i S S S S S S", [[7, 4, 8], [9, 4, 8], [9, 4, 8], [2], [2]],
     "|||||7|9|0.|0.35|True|False", "older version"),
    ("_moe_C::moe_wna16_marlin_gemm", "bf - i bf - - - i i i i f S S S S S S S S S S S S",
     [[1, 32], [8, 2, 32], [8, 1, 16], [99], [16], [1], [1], [1, 2]],
     "||||||||||||8|2|False|True|8|1|16|32|True|False|True|False", "map of experts"),
    ("_C::gptq_marlin_gemm", "bf - i bf - - - - i S S S S S S S S", [[2, 32], [2, 32], [1, 16], [99]],
     "|||||||||8|2|16|64|True|False|True|False", "contradict"),
    ("vllm::outplace_fused_experts", "bf u8 u8 f i S", [[3, 8], [8, 10, 4], [8, 8, 5], [3, 2], [3, 2]], "|||||",
     "packed"),
    ("sgl_kernel::fp8_scaled_mm", "f8 f8 f f S -", [[2, 3], [5, 4], [2], [4]], "||||15|", "contradict"),
    ("vllm::moe_forward", "bf f S", [[3, 8], [3, 4]], "", "experts' weights"),
    ("vllm::all_reduce", "bf S", [[3, 8]], "", "a collective"),
    ("_C_custom_ar::all_reduce", "S bf bf S S", [[3, 8], [3, 8]], "", "a collective"),
    ("vllm::unified_mla_attention", "bf bf bf S", [[3, 8], [3, 8], [3, 8]], "", "paged cache"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "types", "sizes", "values", "reason"), REFUSED)
def test_where_the_work_is_unknown_there_is_a_reason(
    name: str, types: str, sizes: list[object], values: str, reason: str
) -> None:
    assert reason in str(recorded(name, types, sizes, values))
