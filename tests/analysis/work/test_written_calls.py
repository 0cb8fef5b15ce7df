"""FLOPs and bytes of recorded calls, computed by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tb_perfcompare.analysis.work.attention import FIRST, LAST, pairs
from tb_perfcompare.analysis.work.operator_work import Work, operator_work
from tb_perfcompare.analysis.work.recorded_call import MODELS
from tb_perfcompare.analysis.work.without_model import REASONS
from tests.analysis.work import serving_calls
from tests.analysis.work.calls import figures, recorded

REPOSITORY = Path(__file__).parents[3]

# operator, types, sizes of the tensors, values, FLOPs, bytes, type of the arithmetic
CASES: list[tuple[str, str, list[object], str, int, int, str]] = [
    ("aten::mm", "f f", [[2, 3], [3, 4]], "|", 48, 4 * (6 + 12 + 8), "fp32"),
    ("aten::mm", "bf bf", [[8944, 1024], [1024, 1024]], "|", 18_756_927_488, 38_731_776, "bf16"),
    ("aten::mm", "c c", [[2, 3], [3, 4]], "|", 192, 8 * 26, "complex64"),
    ("aten::mm", "__int64 long", [[2, 3], [3, 4]], "|", 48, 8 * 26, "int64"),
    ("aten::mm", "f f", [[0, 3], [3, 4]], "|", 0, 48, "fp32"),
    ("aten::mm", "bf bf S", [[2, 3], [3, 4]], "||6", 48, 2 * 18 + 4 * 8, "bf16"),
    ("aten::bmm", "h h", [[37632, 8, 64], [37632, 64, 8]], "|", 308_281_344, 81_887_232, "fp16"),
    ("aten::addmm", "f f f S S", [[4], [2, 3], [3, 4]], "|||1|1", 48, 104 + 16, "fp32"),
    ("aten::addmm", "f f f S S", [[4], [2, 3], [3, 4]], "|||0|1", 48, 104, "fp32"),
    ("aten::baddbmm", "f f f S S", [[2, 2, 4], [2, 2, 3], [2, 3, 4]], "|||1|1", 96, 4 * (16 + 12 + 24 + 16), "fp32"),
    ("aten::addbmm", "f f f S S", [[2, 4], [2, 2, 3], [2, 3, 4]], "|||1|1", 96, 4 * (8 + 12 + 24 + 8), "fp32"),
    ("aten::mv", "f f", [[2, 3], [3]], "|", 12, 44, "fp32"),
    ("aten::addmv", "f f f S S", [[2], [2, 3], [3]], "|||1|1", 12, 52, "fp32"),
    ("aten::dot", "f f", [[5], [5]], "|", 10, 44, "fp32"),
    ("aten::addr", "f f f S S", [[2, 3], [2], [3]], "|||1|1", 12, 68, "fp32"),
    ("aten::mkldnn_linear", "f f f", [[5, 2, 3], [4, 3], [4]], "||", 240, 4 * (30 + 12 + 4 + 40), "fp32"),
    ("aten::_scaled_mm", "f8 f8 f f - - S S", [[16, 32], [32, 16], [], []], "||||||15|False", 16384, 1544, "fp8"),
    ("aten::_scaled_mm", "f8 f8 - S f f - S", [[16, 32], [32, 16], [], []], "|||15||||False", 16384, 1544, "fp8"),
    ("aten::_int_mm", "i8 i8", [[32, 16], [16, 8]], "|", 8192, 1664, "int8"),
    ("aten::_grouped_mm", "bf bf i - -", [[10, 4], [3, 4, 5], [3]], "||||", 400, 2 * 150 + 12, "bf16"),
    ("aten::_grouped_mm", "bf bf i - -", [[4, 10], [10, 5], [3]], "||||", 400, 2 * (40 + 50 + 60) + 12, "bf16"),
    ("aten::_scaled_mm_v2", "f8 f8 T L L T L L - S L S", [[16, 32], [32, 16], [[16, 1]], [[1, 16]]],
     "|||[1]|[0]||[1]|[0]||15|[]|False", 16384, 1024 + 2 * 256, "fp8"),
    ("aten::_scaled_grouped_mm", "f8 f8 f f i - - S S", [[16, 32], [2, 32, 8], [16], [2, 8], [2]],
     "|||||||15|True", 2 * 16 * 32 * 8, 512 + 512 + 4 * (16 + 16 + 2) + 2 * 128, "fp8"),
    ("aten::_scaled_grouped_mm_v2", "f8 f8 T L L T L L i - S L S", [[16, 32], [2, 32, 8], [[16]], [[2, 8]], [2]],
     "|||[1]|[0]||[1]|[0]|||15|[]|True", 2 * 16 * 32 * 8, 512 + 512 + 4 * 2 + 2 * 128, "fp8"),
    ("aten::_weight_int8pack_mm", "bf i8 bf", [[2, 3], [4, 3], [4]], "||", 48, 12 + 12 + 8 + 16, "bf16"),
    ("_C::cutlass_scaled_mm", "bf f8 f8 f f -", [[2, 4], [2, 3], [3, 4], [1], [1]], "|||||", 48, 16 + 18 + 8, "fp8"),
    ("vllm::outplace_fused_experts", "bf bf bf f i S S", [[3, 4], [8, 10, 4], [8, 4, 5], [3, 2], [3, 2]], "||||||",
     2 * 6 * (10 * 4 + 5 * 4), 2 * 2 * 12 + 2 * 6 * 60 + 6 * 4 + 6 * 4, "bf16"),
    # ResNet-50, first layer, batch of 32: 236 MFLOPs an image (2 x 118 M multiply-adds)
    ("aten::cudnn_convolution", "f f L L L S S S S", [[32, 3, 224, 224], [64, 3, 7, 7]],
     "||[3, 3]|[2, 2]|[1, 1]|1|False|False|True", 32 * 236_027_904, 122_065_664, "fp32"),
    # patches of 14 x 14, recorded on an H100
    ("aten::cudnn_convolution", "bf bf L L L S S S S", [[1, 3, 1008, 1008], [1024, 3, 14, 14]],
     "||[0, 0]|[14, 14]|[1, 1]|1|False|False|True", 6_242_697_216, 17_917_440, "bf16"),
    # stride 2 with a 1 x 1 kernel, as between the stages of a ResNet
    ("aten::cudnn_convolution", "bf bf L L L S S S S", [[128, 256, 56, 56], [512, 256, 1, 1]],
     "||[0, 0]|[2, 2]|[1, 1]|1|False|False|True", 2 * 128 * 28 * 28 * 512 * 256,
     2 * (128 * 256 * 28 * 28 + 512 * 256 + 128 * 512 * 28 * 28), "bf16"),
    ("aten::convolution_backward", "bf bf bf L L L L S L S L",
     [[2, 8, 4, 4], [2, 4, 8, 8], [8, 4, 1, 1]],
     "|||[0]|[2, 2]|[0, 0]|[1, 1]|False|[0, 0]|1|[True, True, False]", 4 * 2 * 16 * 32,
     2 * (256 + (32 + 512) + (2 * 4 * 16 + 32)), "bf16"),
    ("aten::mkldnn_convolution", "f f f L L L S", [[2, 4, 1, 9], [6, 4, 1, 3], [6]],
     "|||[0, 1]|[1, 2]|[1, 1]|1", 1440, 840, "fp32"),
    ("aten::miopen_convolution", "f f - L L L S S S", [[2, 4, 8, 8], [8, 2, 3, 3]],
     "|||[0, 0]|[1, 1]|[1, 1]|2|False|False", 2 * 2 * 36 * 144, 4 * (512 + 144 + 576), "fp32"),
    ("aten::slow_conv_dilated2d", "d d L d L L L", [[2, 4, 9, 9], [4, 4, 3, 3], [4]],
     "||[3, 3]||[1, 1]|[0, 0]|[2, 2]", 2 * 2 * 25 * 144, 8 * (648 + 144 + 4 + 200), "fp64"),
    ("aten::_conv_depthwise2d", "f f L - L L L", [[1, 6, 5, 5], [6, 1, 3, 3]],
     "||[3, 3]||[1, 1]|[1, 1]|[1, 1]", 2 * 25 * 54, 4 * (150 + 54 + 150), "fp32"),
    ("aten::slow_conv_transpose2d", "d d L d L L L L", [[2, 4, 9, 9], [4, 6, 3, 3], [6]],
     "||[3, 3]||[1, 1]|[0, 0]|[0, 0]|[1, 1]", 69_984, 18_576, "fp64"),
    ("aten::cudnn_convolution_transpose", "f f L L L L S S S S", [[1, 4, 5], [4, 3, 2]],
     "||[0]|[1]|[2]|[1]|2|False|False|True", 2 * 5 * 24, 4 * (20 + 24 + 6 * 11), "fp32"),
    ("aten::convolution_backward", "f f f L L L L S L S L", [[2, 8, 6, 6], [2, 4, 8, 8], [8, 2, 3, 3]],
     "|||[8]|[1, 1]|[0, 0]|[1, 1]|False|[0, 0]|2|[False, True, True]", 20_736, 4 * (576 + 512 + 144 + 8), "fp32"),
    ("aten::convolution_backward", "f f f L L L L S L S L", [[2, 8, 6, 6], [2, 4, 8, 8], [8, 2, 3, 3]],
     "|||[8]|[1, 1]|[0, 0]|[1, 1]|False|[0, 0]|2|[True, True, False]", 41_472, 4 * (576 + 656 + 656), "fp32"),
    # 24 layers of a language model on an H100, causal: 559 · 560 / 2 pairs
    ("aten::_flash_attention_forward", "bf bf bf - - S S S S S S - - - -", [[16, 559, 16, 64]] * 3,
     "|||||559|559|0.|True|False|0.125||||", 10_257_694_720, 73_841_664, "bf16"),
    ("aten::_flash_attention_forward", "bf bf bf - - S S S S S S - - - -", [[1, 141, 8, 64]] * 3,
     "|||||141|141|0.|False|False|0.125||||", 4 * 8 * 141 * 141 * 64, 2 * 4 * 72192 + 4 * 1128, "bf16"),
    ("aten::_flash_attention_forward", "h h h i i S S S S S", [[7, 4, 8], [9, 2, 8], [9, 2, 8], [2], [2]],
     "|||||7|9|0.|False|False", 4 * 4 * 63 * 8, 2 * (2 * 224 + 2 * 144) + 4 * 28, "fp16"),
    ("aten::_flash_attention_backward", "bf bf bf bf bf f - - S S S S l l", [[2, 8, 3, 16]] * 5 + [[2, 3, 8], [], []],
     "||||||||8|8|0.|False||", 2 * 6 * 64 * 5 * 16, 2 * 768 * 8 + 4 * 48, "bf16"),
    ("aten::_cudnn_attention_backward", "h h h h h f l l - i i S S S S -",
     [[1, 2, 4, 8]] * 5 + [[1, 2, 4, 1], [], [], [0], [0]], "|||||||||||4|4|0.|True|",
     2 * 2 * 10 * 40, 2 * 64 * 8 + 4 * 8, "fp16"),
    ("aten::_efficient_attention_forward", "f f f - - - - - S S S", [[2, 8, 3, 16], [2, 5, 3, 16], [2, 5, 3, 4]],
     "||||||||0.|0|False", 2 * 6 * 40 * 20, 4 * (768 + 480 + 120 + 192 + 48), "fp32"),
    ("aten::_scaled_dot_product_cudnn_attention", "h h h - S S S S", [[2, 3, 8, 16]] * 3,
     "||||False|0.|True|False", 4 * 6 * 36 * 16, 2 * 4 * 768 + 4 * 48, "fp16"),
    ("aten::_scaled_dot_product_flash_attention_for_cpu", "f f f S S - -", [[2, 3, 8, 16]] * 3,
     "|||0.|True||", 4 * 6 * 36 * 16, 4 * (4 * 768 + 48), "fp32"),
    ("aten::_scaled_dot_product_flash_attention_for_cpu_backward", "f f f f f f S S - -",
     [[2, 3, 8, 16]] * 5 + [[2, 3, 8]], "||||||0.|False||", 2 * 6 * 64 * 80, 4 * (8 * 768 + 48), "fp32"),
    ("flash_attn::_flash_attn_forward", "h h h S S S S S S - S", [[1, 1, 4, 8], [1, 1000, 4, 8], [1, 1000, 4, 8]],
     "|||0.|0.35|True|-1|-1|0.||False", 4 * 4 * 1000 * 8, 2 * (32 + 64000 + 32) + 16, "fp16"),
    ("flash_attn_3::fwd", "h h h - - - - - - - - - - - - - - - - - - - - S S S S S S S - S - S",
     [[2, 9, 4, 8], [2, 9, 2, 8], [2, 9, 2, 8]],
     "|||||||||||||||||||||||0.35|True|-1|-1|0|0.|False||0||0",
     4 * 8 * 45 * 8, 2 * (2 * 576 + 2 * 288) + 4 * 72, "fp16"),
    ("aten::native_layer_norm", "f L f f S", [[2, 5], [5], [5]], "|[5]|||1e-05", 70, 4 * (10 + 5 + 5 + 10 + 4), "fp32"),
    ("aten::native_layer_norm", "bf L bf bf S", [[1, 141, 512], [512], [512]], "|[512]|||1e-12",
     7 * 72192, 2 * (72192 + 1024 + 72192) + 4 * 282, "bf16"),
    ("aten::native_layer_norm_backward", "f f L f f f f L", [[2, 5], [2, 5], [2, 1], [2, 1], [5], [5]],
     "||[5]|||||[True, True, True]", 130, 4 * (10 + 10 + 4 + 5 + 10 + 10), "fp32"),
    ("aten::_fused_rms_norm", "bf L bf -", [[4, 8], [8]], "|[8]||", 128, 2 * (32 + 8 + 32) + 16, "bf16"),
    ("aten::_fused_rms_norm_backward", "f f L f f L", [[4, 8], [4, 8], [4, 1], [8]], "||[8]|||[True, True]",
     9 * 32, 4 * (32 + 32 + 4 + 8 + 32 + 8), "fp32"),
    ("_C::rms_norm", "bf bf bf S", [[4, 8], [4, 8], [8]], "|||1e-06", 128, 2 * 72, "bf16"),
    ("_C::fused_add_rms_norm", "bf bf bf S", [[4, 8], [4, 8], [8]], "|||1e-06", 160, 2 * 136, "bf16"),
    ("aten::native_batch_norm", "f f f f f S S S", [[2, 8, 6, 6], [8], [8], [8], [8]], "|||||True|0.1|1e-05",
     7 * 576, 4 * (2 * 576 + 6 * 8 + 16), "fp32"),
    ("aten::cudnn_batch_norm", "h f f f f S S S", [[2, 8, 6, 6], [8], [8], [8], [8]], "|||||False|0.1|1e-05",
     4 * 576, 4 * 576 + 4 * 32, "fp16"),
    ("aten::native_batch_norm_backward", "f f f f f f f S S L", [[2, 8, 6, 6]] * 2 + [[8]] * 5,
     "|||||||True|1e-05|[True, True, True]", 13 * 576, 4 * (3 * 576 + 3 * 8 + 16), "fp32"),
    ("aten::cudnn_batch_norm_backward", "f f f f f f f S b", [[32, 8, 7, 7]] * 2 + [[8]] * 5 + [[0]],
     "", 13 * 12544, 4 * (3 * 12544 + 3 * 8 + 16), "fp32"),
    ("aten::native_group_norm", "f f f S S S S S", [[2, 4, 3], [4], [4]], "|||2|4|3|2|1e-05",
     168, 4 * (24 + 8 + 24 + 8), "fp32"),
    ("aten::native_layer_norm_backward", "f f L f f f f L", [[2, 5], [2, 5], [2, 1], [2, 1], [5], [5]],
     "||[5]|||||[False, True, False]", 20, 4 * (10 + 10 + 4 + 5), "fp32"),
    ("aten::slow_conv3d_forward", "d d L - L L", [[4, 6, 9, 9, 9], [6, 2, 2, 2, 2]], "||[2, 2, 2]||[2, 2, 2]|[2, 2, 2]",
     2 * 4 * 216 * 96, 8 * (24 * 729 + 96 + 24 * 216), "fp64"),
    ("aten::_softmax", "bf S S", [[16, 5185, 5185]], "|-1|False", 5 * 430_147_600, 4 * 430_147_600, "bf16"),
    ("aten::_softmax", "h S S", [[2, 3]], "|-1|True", 30, 12 + 24, "fp16"),
    ("aten::_log_softmax_backward_data", "f f S S", [[3, 5], [3, 5]], "||1|6", 60, 180, "fp32"),
    ("aten::nll_loss_forward", "f l - S S", [[3, 5], [3]], "|||1|-100", 3, 12 + 24 + 8, "fp32"),
    ("aten::nll_loss_forward", "f l - S S", [[3, 5], [3]], "|||0|-100", 3, 12 + 24 + 4 + 12, "fp32"),
    ("aten::nll_loss_backward", "f f l - S S f", [[], [3, 5], [3], []], "||||1|-100|", 3, 4 + 24 + 4 + 12, "fp32"),
    ("aten::mse_loss", "f f S", [[5, 4], [5, 4]], "||1", 40, 240, "fp32"),
    ("aten::sum", "f -", [[2, 5]], "|", 10, 44, "fp32"),
    ("aten::sum", "f L S -", [[2, 5]], "|[-1]|False|", 10, 48, "fp32"),
    ("aten::sum", "b L S -", [[2, 5]], "|[0]|True|", 10, 10 + 40, "bool"),
    ("aten::mean", "f L S -", [[16, 559, 1024]], "|[-1]|True|", 9_158_656, 4 * (9_158_656 + 8944), "fp32"),
    ("aten::mean", "bf L S - f", [[5, 4], [0]], "|[]|False||", 20, 44, "bf16"),
    ("aten::max", "f S S", [[3, 4]], "|1|False", 12, 48 + 36, "fp32"),
    ("aten::argmax", "i S S", [[1, 5]], "|-1|False", 5, 28, "int32"),
    ("aten::all", "b", [[16, 559]], "", 8944, 8945, "bool"),
    ("aten::linalg_vector_norm", "bf S L S -", [[1, 768]], "|2|[-1]|True|", 1536, 1538, "bf16"),
    ("aten::var_mean", "f L S S", [[3, 4]], "|[1]|1|False", 48, 48 + 24, "fp32"),
    ("aten::max_pool2d_with_indices", "f L L L L S", [[2, 8, 6, 6]], "|[2, 2]|[2, 2]|[0, 0]|[1, 1]|False",
     576, 4032, "fp32"),
    ("aten::max_pool2d_with_indices_backward", "f f L L L L S l", [[2, 8, 3, 3], [2, 8, 6, 6], [2, 8, 3, 3]],
     "||[2, 2]|[2, 2]|[0, 0]|[1, 1]|False|", 144, 144 * 12 + 4 * 576, "fp32"),
    ("aten::avg_pool2d", "f L L L S S -", [[2, 3, 7, 7]], "|[2, 2]|[]|[0, 0]|True|True|", 384, 4 * (294 + 96), "fp32"),
    ("aten::_adaptive_avg_pool2d", "f L", [[2, 3, 8, 8]], "|[3, 3]", 600, 4 * (384 + 54), "fp32"),
    ("aten::_adaptive_avg_pool2d_backward", "f f", [[2, 3, 3, 3], [2, 3, 8, 8]], "|", 600, 4 * (384 + 54), "fp32"),
    ("aten::mul", "f d", [[1, 559, 64], []], "|", 35776, 8 * 35776, "fp32"),
    ("aten::mul", "bf f", [[2, 3], [3]], "|", 6, 12 + 12 + 24, "fp32"),
    ("aten::add_", "f f S", [[1024, 96, 15], [15]], "||1", 1_474_560, 4 * (2 * 1_474_560 + 15), "fp32"),
    ("aten::add_", "bf f S", [[1, 5184, 4], [5184, 4]], "||1", 20736, 20736 * 8, ""),
    ("aten::add", "l S S", [[3]], "|1|1", 3, 48, "int64"),
    ("aten::eq", "l S", [[16, 559]], "|1", 8944, 9 * 8944, "int64"),
    ("aten::eq", "b S", [[1, 1, 1]], "|0", 1, 2, "bool"),
    ("aten::threshold_backward", "f f S", [[1024, 128], [1024, 128]], "||0", 131_072, 12 * 131_072, "fp32"),
    ("aten::nan_to_num", "f S - - f", [[1024, 64], [1024, 64]], "||||", 65536, 8 * 65536, "fp32"),
    ("aten::silu", "bf", [[16, 559, 2816]], "", 25_186_304, 100_745_216, "bf16"),
    ("aten::where", "b bf bf", [[1, 1, 1], [], [1, 5184, 1]], "||", 0, 1 + 4 * 5184, ""),
    ("aten::masked_fill_", "f b S", [[5, 5], [5, 5]], "||0", 0, 225, ""),
    ("_C::silu_and_mul", "bf bf", [[4, 8], [4, 16]], "|", 64, 2 * 96, "bf16"),
    ("aten::copy_", "bf l S", [[3, 4], [4]], "||False", 0, 24 + 32, ""),
    ("_C_cache_ops::reshape_and_cache_flash", "bf bf f8 f8 l - f f",
     [[3, 2, 8], [3, 2, 8], [9, 4, 2, 8], [9, 4, 2, 8], [3], [], []], "", 0, 2 * 96 + 24 + 96, ""),
    ("_C::dynamic_scaled_fp8_quant", "f8 bf f", [[3, 8], [3, 8], [1]], "", 48, 24 + 48 + 4, "bf16"),
    ("aten::fill_", "f S", [[45310188]], "|0", 0, 181_240_752, ""),
    ("aten::index_select", "bf S l", [[151936, 1024], [8944]], "|0|", 0, 36_706_176, ""),
    ("aten::index_select", "f S l", [[2, 4], [100]], "|0|", 0, 32 + 800 + 1600, ""),
    ("aten::gather", "f S l S", [[44], [47424]], "|0||False", 0, 176 + 12 * 47424, ""),
    ("aten::scatter_add_", "f S l f", [[50], [9976], [9976]], "|0||", 9976, 400 + 12 * 9976, "fp32"),
    ("aten::embedding_dense_backward", "f l S S S", [[2, 4], [2]], "||10|-1|False", 8, 32 + 16 + 32, "fp32"),
    ("aten::sort", "f S S", [[3, 4]], "|-1|False", 0, 48 + 144, ""),
    ("aten::scatter_", "f S l f", [[5, 4], [2, 4], [2, 4]], "|0||", 0, 32 + 64 + 32, ""),
    ("aten::index_add", "f S l f S", [[9, 4], [2], [2, 4]], "|0|||1", 8, 2 * 32 + 16 + 32, "fp32"),
    ("aten::tril_", "f S", [[5, 4]], "|0", 0, 160, ""),
    ("aten::_embedding_bag", "f l l S S S - S S", [[20000, 64], [8192], [8192]], "|||False|0|False||False|-1",
     8192 * 64, 4 * 2 * 8192 * 64 + 8 * 2 * 8192, "fp32"),
    ("aten::_embedding_bag_dense_backward", "f l l l l S S S - S", [[8192, 64], [8192], [8192], [8192], [0]],
     "|||||20000|False|0||-1", 8192 * 64, 4 * 2 * 8192 * 64 + 8 * 2 * 8192, "fp32"),
    ("aten::upsample_bilinear2d", "f L S - -", [[32, 512, 24, 24]], "|[48, 48]|False||", 8 * 32 * 512 * 48 * 48,
     4 * 32 * 512 * (24 * 24 + 48 * 48), "fp32"),
    ("aten::upsample_nearest2d", "f L - -", [[2, 3, 8, 8]], "|[4, 4]||", 0, 4 * (96 + 96), "fp32"),
    ("aten::upsample_bilinear2d_backward", "f L L S - -", [[2, 3, 4, 4]], "|[4, 4]|[2, 3, 2, 2]|False||",
     8 * 96, 4 * (96 + 24), "fp32"),
    # 3 steps of 2 sequences of 4 numbers, hidden size 5: LSTM of two layers, and GRU of both directions
    ("aten::_cudnn_rnn", "f T S f f f S S S S S S S S L -", [[3, 2, 4], [[20, 4]], [460], [2, 2, 5], [2, 2, 5]],
     "||4||||2|5|0|2|False|0.|True|False|[]|", 2 * 6 * 20 * (9 + 10), 4 * (24 + 460 + 4 * 20 + 30), "fp32"),
    ("aten::_cudnn_rnn_backward", "f T S f f f f f - - S S S S S S S S L - i8 L",
     [[3, 2, 4], [[20, 4]], [460], [2, 2, 5], [2, 2, 5], [3, 2, 5], [3, 2, 5], [99]],
     "||4||||||||2|5|0|2|False|0.|True|False|[]|||[True, False, False, True]", 2 * 2 * 6 * 20 * (9 + 10),
     4 * (24 + 460 + 4 * 20 + 30 + 30 + 24 + 460), "fp32"),
    ("aten::miopen_rnn", "f T S f - S S S S S S S L -", [[3, 2, 4], [[15, 4]], [2, 2, 5]],
     "||4|||3|5|1|False|0.|True|True|[]|", 2 * 6 * 2 * 15 * 9, 4 * (24 + 2 * 15 * 9 + 2 * 20 + 60), "fp32"),
    ("aten::mkldnn_rnn_layer", "f f f f f f f S L S S S S S S S",
     [[3, 2, 4], [20, 4], [20, 5], [20], [20], [2, 5], [2, 5]], "", 2 * 6 * 20 * 9,
     4 * (24 + 20 * 9 + 40 + 2 * 20 + 30), "fp32"),
    # a transposed convolution on the CPU has no inner operator
    ("aten::_convolution", "f f - L L L S L S S S S S", [[2, 4, 5], [4, 3, 3]],
     "|||[2]|[1]|[1]|True|[1]|1|False|False|False|True", 2 * 10 * 36, 4 * (40 + 36 + 60), "fp32"),
    ("aten::topk", "f S S S S", [[4, 9]], "|3|-1|True|True", 0, 144 + 144, ""),
    ("aten::cumsum", "i S -", [[3]], "|0|", 0, 12 + 24, ""),
    ("aten::scatter_reduce_", "f S l f - S", [[5, 4], [2, 4], [2, 4]], "|0||||False", 8, 2 * 32 + 64 + 32, "fp32"),
    ("aten::arange", "S S S l", [[0]], "0|10|3|", 0, 8 * 4, ""),
    ("aten::arange", "S S S f", [[0]], "0|3|0.5|", 0, 4 * 6, ""),
    ("aten::linspace", "S S S f", [[7]], "0|1|7|", 0, 4 * 7, ""),
    # 2 cells of 3: 6 elements, 24 of the gates
    ("aten::_thnn_fused_lstm_cell", "bf bf bf bf bf", [[2, 12], [2, 12], [2, 3], [12], [12]], "||||", 21 * 6,
     2 * (24 + 24 + 6 + 24) + 2 * (12 + 24), "bf16"),
    ("aten::_thnn_fused_lstm_cell_backward_impl", "bf - bf bf bf S", [[2, 3], [2, 3], [2, 3], [2, 12]], "|||||True",
     22 * 6, 2 * (6 + 6 + 6 + 24) + 2 * (24 + 6), "bf16"),
    ("aten::glu", "f S", [[3, 8]], "|-1", 24, 4 * (24 + 12), "fp32"),
    ("aten::glu_backward", "f f S", [[3, 4], [3, 8]], "||-1", 72, 4 * (12 + 24 + 24), "fp32"),
    # [2, 64] times [64, 32] of int4, 1,024 bytes; groups of 32; as the CPU and CUDA pack them
    ("aten::_weight_int4pack_mm_for_cpu", "bf u8 S bf", [[2, 64], [32, 32], [2, 32, 2]], "||32|", 2 * 2 * 64 * 32,
     2 * 128 + 1024 + 2 * 128 + 2 * 64, "bf16"),
    ("aten::_weight_int4pack_mm", "bf i S bf", [[2, 64], [4, 2, 32, 1], [2, 32, 2]], "||32|", 2 * 2 * 64 * 32,
     2 * 128 + 1024 + 2 * 128 + 2 * 64, "bf16"),
    # 2 matrices of 6 x 6: 6^3 = 216
    ("aten::linalg_cholesky_ex", "f S S", [[2, 6, 6]], "|False|False", 2 * 72, 4 * 144, "fp32"),
    ("aten::cholesky_inverse", "f S f", [[2, 6, 6], [0]], "|False|", 2 * 144, 4 * 144, "fp32"),
    ("aten::linalg_lu_factor_ex", "f S S", [[2, 6, 6]], "|True|False", 2 * 144, 4 * 144 + 2 * 24, "fp32"),
    ("aten::linalg_lu_factor_ex", "c S S", [[6, 6]], "|True|False", 4 * 144, 8 * 72 + 24, "complex64"),
    ("aten::linalg_lu_factor_ex", "d S S", [[9, 6]], "|True|False", 9 * 36 - 72, 8 * 108 + 24, "fp64"),
    ("aten::linalg_lu_solve", "f i f S S", [[2, 6, 6], [2, 6], [2, 6, 3]], "|||True|False", 2 * 2 * 36 * 3,
     4 * (72 + 36 + 36), "fp32"),
    ("aten::linalg_lu_solve", "f i f S S", [[6, 6], [6], [3, 6]], "|||False|False", 2 * 36 * 3, 4 * (36 + 36), "fp32"),
    ("aten::_cholesky_solve_helper", "f f S", [[6, 3], [6, 6]], "||False", 2 * 36 * 3, 4 * (36 + 36), "fp32"),
    ("aten::linalg_solve_triangular", "f f S S S", [[2, 6, 6], [2, 6, 3]], "||False|True|False", 2 * 36 * 3,
     4 * (72 + 72), "fp32"),
    ("aten::_linalg_eigh", "f - S", [[6, 6]], "||False", 288, 4 * (36 + 6), "fp32"),
    ("aten::_linalg_eigh", "f - S", [[6, 6]], "||True", 9 * 216, 4 * (36 + 6 + 36), "fp32"),
    ("aten::_linalg_svd", "f S S -", [[9, 6]], "|False|False|", 4 * 9 * 36 - 288, 4 * (54 + 6), "fp32"),
    ("aten::_linalg_svd", "f S S -", [[6, 9]], "|False|True|", 14 * 9 * 36 + 8 * 216, 4 * (54 + 6 + 54 + 36), "fp32"),
    ("aten::_linalg_svd", "f S S -", [[9, 6]], "|True|True|", 4 * 81 * 6 + 8 * 9 * 36 + 9 * 216,
     4 * (54 + 6 + 81 + 36), "fp32"),
    # 2 transforms of 8 points: 5 · 8 · 3 each, of real numbers half
    ("aten::_fft_c2c", "c L S S", [[2, 8]], "|[1]|0|True", 240, 8 * 32, "complex64"),
    ("aten::_fft_r2c", "f L S S", [[2, 8]], "|[1]|0|True", 120, 4 * 16 + 8 * 10, "fp32"),
    ("aten::_fft_r2c", "f L S S", [[2, 8]], "|[-1]|0|False", 120, 4 * 16 + 8 * 16, "fp32"),
    ("aten::_fft_c2r", "c L S S", [[2, 5]], "|[1]|2|8", 120, 8 * 10 + 4 * 16, "complex64"),
    ("aten::_fft_c2c", "c L S S", [[3, 4, 4]], "|[1, 2]|0|True", 3 * 5 * 16 * 4, 8 * 96, "complex64"),
    ("triton_poi_fused_add_gelu_0", "bf bf bf S", [[4, 8], [8], [4, 8]], "|||32", 0, 2 * 72, ""),
    ("aten::native_dropout", "bf S S", [[4, 4]], "|0.5|True", 16, 16 * 5, "bf16"),
    ("_C::rotary_embedding", "l bf bf S bf S", [[7], [7, 128], [7, 64], [100, 64]], "|||64||True", 4032, 6328, "bf16"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "types", "sizes", "values", "flops", "moved", "data_type"), CASES + serving_calls.CASES
)
def test_work_of_a_call(
    name: str, types: str, sizes: list[object], values: str, flops: int, moved: int, data_type: str
) -> None:
    assert figures(recorded(name, types, sizes, values)) == (flops, moved, data_type)


def test_a_call_of_torch_1_13_has_neither_strides_nor_values() -> None:
    work = operator_work(
        "aten::addmm", "[[512], [1024, 1705], [1705, 512], [], []]", '["float", "float", "float", "Int", "Int"]', "", ""
    )
    assert work == Work(
        2 * 1024 * 1705 * 512, 4 * (512 + 1024 * 1705 + 1705 * 512 + 1024 * 512), "fp32", "matrix product"
    )


def test_the_work_of_a_sparse_tensor_is_unknown() -> None:
    assert (
        recorded("aten::mm", "f f", [[4, 5], [5, 3]], "|", "[[], [3, 1]]")
        == "the tensor is sparse: its number of elements is not recorded"
    )


def test_shared_elements_of_strided_tensors_are_read_once() -> None:
    expanded = recorded("aten::copy_", "f f S", [[2, 5], [2, 5]], "||False", "[[5, 1], [0, 1], []]")
    assert figures(expanded)[1] == 4 * (10 + 5)
    windows = recorded("aten::sum", "f -", [[6, 3]], "|", "[[1, 1], []]")
    assert figures(windows)[1] == 4 * (8 + 1)


REFUSED: list[tuple[str, str, list[object], str, str]] = [
    ("aten::mm", "f f", [[2, 3], [4, 5]], "|", "contradict"),
    ("aten::mm", "f f", [[2, 3], ["s0", 5]], "|", "not all known whole numbers"),
    ("aten::mm", "f f", [[2, 3], [3, -1]], "|", "not all known whole numbers"),
    ("aten::mm", "f Posit", [[2, 3], [3, 4]], "|", "unknown data type: Posit"),
    ("aten::mm", "f -", [[2, 3]], "|", "not recorded as a tensor"),
    ("aten::mm", "f f", [[1 << 40, 1 << 40], [1 << 40, 2]], "|", "too large"),
    ("aten::add", "f f S", [[2, 3], [4, 3]], "||1", "contradict"),
    ("aten::add", "l d S", [[2, 3], []], "||1", "type of the output"),
    ("aten::div", "l l", [[2], [2]], "|", "type of the output"),
    ("aten::mul", "c c", [[2], [2]], "|", "complex"),
    ("aten::cudnn_convolution", "f f L L L S S S S", [[1, 3, 8, 8], [4, 3, 3, 3]], "", "torch before 2.1"),
    ("aten::cudnn_convolution", "f f L L L S S S S", [[1, 3, 8, 8], [4, 2, 3, 3]],
     "||[0, 0]|[1, 1]|[1, 1]|1|False|False|True", "contradict"),
    ("aten::cudnn_convolution", "f f L L L S S S S", [[1, 3, 2, 2], [4, 3, 5, 5]],
     "||[0, 0]|[1, 1]|[1, 1]|1|False|False|True", "contradict"),
    ("aten::_flash_attention_forward", "h h h i i S S S S S", [[7, 4, 8], [9, 2, 8], [9, 2, 8], [3], [3]],
     "|||||7|9|0.|False|False", "packed sequences"),
    ("aten::_flash_attention_forward", "h h h - - S S S S S S - - i", [[1, 4, 4, 8]] * 3 + [[1]],
     "|||||4|4|0.|False|False||||", "used lengths"),
    ("vllm::outplace_fused_experts", "bf bf bf f i S i", [[3, 4], [8, 10, 4], [8, 4, 5], [3, 2], [3, 2], [8]], "||||||",
     "map of experts"),
    ("flash_attn::_flash_attn_forward", "h h h S S S S S S - S", [[1, 4, 4, 8]] * 3,
     "|||0.|0.35|True|128|0|0.||False", "sliding windows"),
    ("aten::sum", "f - S -", [[1024, 40]], "", "torch before 2.1"),
    ("aten::cat", "T S", [[[2, 3], [4, 3]]], "|0", "types of the tensors in a list"),
    ("aten::linear", "f f f", [[2, 72], [5, 72], [5]], "||", "operators it calls"),
    ("aten::view", "f L", [[2, 72]], "|[144]", "moves no data"),
    ("aten::index", "f -", [[4, 4]], "|", "sizes of the indices"),
    ("aten::_fft_c2c", "c L S S", [[2, 8]], "|[2]|0|True", "not recorded as a dimension"),
    ("aten::linalg_cholesky_ex", "f S S", [[2, 6, 5]], "|False|False", "contradict"),
    ("aten::linalg_qr", "f -", [[6, 5]], "|", "all of Q"),
    ("aten::linalg_inv_ex", "f S", [[6, 6]], "|False", "operators it calls"),
    ("aten::arange", "S - - - S", [], "10||||False", "operators it calls"),
    ("aten::arange", "S S S l", [[0]], "0|10|0|", "contradict"),
    ("triton_poi_fused_embedding_0", "l f f S", [[4], [100, 8], [4, 8]], "|||32", "parts of its tensors"),
    ("triton_tem_fused_mm_0", "f f f", [[4, 4], [4, 4], [4, 4]], "", "generated kernel computes"),
    ("triton_poi_fused_add_0", "S S", [], "4|5", "does not record the tensors"),
    ("my::kernel", "f", [[2]], "", "unknown operator"),
    ("aten::upsample_nearest2d", "f - L", [[2, 3, 4, 4]], "||[2., 2.]", "operators it calls"),
    ("AddmmBackward0", "f", [[2]], "", "operators it calls"),
    ("MyFunctionBackward", "f", [[2]], "", "unknown operator"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "types", "sizes", "values", "reason"), REFUSED + serving_calls.REFUSED)
def test_unknown_work_has_a_reason(name: str, types: str, sizes: list[object], values: str, reason: str) -> None:
    assert reason in str(recorded(name, types, sizes, values))


@pytest.mark.parametrize("mask", [FIRST, LAST])
@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (1, 7), (3, 7), (7, 3), (0, 3), (4, 0)])
def test_pairs_counts_the_pairs_within_a_causal_mask(queries: int, keys: int, mask: str) -> None:
    shift = 0 if mask == FIRST else keys - queries
    assert pairs(queries, keys, mask) == sum(key <= query + shift for query in range(queries) for key in range(keys))


def test_a_rotation_that_writes_the_cache_also_moves_keys_and_values() -> None:
    """SGLang writes k and v to the cache in the kernel that rotates; it also reads v."""
    name, values = "sgl_kernel::apply_rope_pos_ids_cos_sin_cache", "||||||False|False|0||||"
    sizes: list[object] = [[7, 2, 64], [7, 1, 64], [7, 2, 64], [7, 1, 64], [100, 64], [7]]
    cache = [[7, 1, 64], [900, 1, 64], [900, 1, 64], [7]]
    rotated = figures(recorded(name, "bf bf bf bf f l S S S - - - -", sizes, values))
    cached = figures(recorded(name, "bf bf bf bf f l S S S bf bf bf l", [*sizes, *cache], values))
    assert cached[1] - rotated[1] == 3 * 2 * 7 * 64 + 7 * 8


def test_no_operator_has_both_a_model_and_a_reason_for_none() -> None:
    assert set(MODELS) & set(REASONS) == set()


def test_every_family_has_a_row_in_the_documentation() -> None:
    page = (REPOSITORY / "docs" / "method" / "work.md").read_text("utf-8")
    rows = set(re.findall(r"(?m)^\| ([\w -]+) \|", page))
    families = {
        work.family
        for name, types, sizes, values, *_ in CASES
        if isinstance(work := recorded(name, types, sizes, values), Work)
    }
    assert len(families) > 10
    assert families <= rows
