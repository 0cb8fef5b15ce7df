"""Names of operators' arguments. Source: native_functions.yaml of PyTorch 2.14; a test compares them with the installed
version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_CONVOLUTION = "input weight bias stride padding dilation"
_NORM = "input weight bias running_mean running_var"
_POOL = "self kernel_size stride padding"
_DIM = "self dim keepdim"
_NAMES: Final = {
    "conv1d conv2d conv3d": f"{_CONVOLUTION} groups",
    "convolution": f"{_CONVOLUTION} transposed output_padding groups",
    "_convolution": f"{_CONVOLUTION} transposed output_padding groups benchmark deterministic cudnn_enabled allow_tf32",
    "convolution_backward": "grad_output input weight bias_sizes stride padding dilation transposed output_padding "
    "groups output_mask",
    "cudnn_convolution": "self weight padding stride dilation groups benchmark deterministic allow_tf32",
    "mkldnn_convolution": "self weight bias padding stride dilation groups",
    "miopen_convolution": "self weight bias padding stride dilation groups benchmark deterministic",
    "batch_norm _batch_norm_impl_index": f"{_NORM} training momentum eps cudnn_enabled",
    "native_batch_norm": f"{_NORM} training momentum eps",
    "cudnn_batch_norm miopen_batch_norm": f"{_NORM} training exponential_average_factor epsilon",
    "native_group_norm": "input weight bias N C HxW group eps",
    "copy_": "self src non_blocking",
    "_to_copy": "self dtype layout device pin_memory non_blocking memory_format",
    "clone contiguous": "self memory_format",
    "dropout native_dropout": "input p train",
    "_softmax _log_softmax": "self dim half_to_float",
    "_softmax_backward_data _log_softmax_backward_data": "grad_output output dim input_dtype",
    "softmax log_softmax cumsum cumprod": "self dim dtype",
    "sum mean prod": f"{_DIM} dtype",
    "amax amin argmax argmin logsumexp": _DIM,
    "linalg_vector_norm": "self ord dim keepdim dtype",
    "pow pow_": "self exponent",
    "gelu": "self approximate",
    "scaled_dot_product_attention": "query key value attn_mask dropout_p is_causal scale enable_gqa",
    "_scaled_dot_product_flash_attention": "query key value dropout_p is_causal return_debug_mask scale",
    "_scaled_dot_product_efficient_attention": "query key value attn_bias compute_log_sumexp dropout_p is_causal scale",
    "_scaled_dot_product_cudnn_attention": "query key value attn_bias compute_log_sumexp dropout_p is_causal "
    "return_debug_mask scale",
    "_flash_attention_forward": "query key value cum_seq_q cum_seq_k max_q max_k dropout_p is_causal return_debug_mask "
    "scale window_size_left window_size_right seqused_k alibi_slopes block_table num_splits",
    "_scaled_dot_product_flash_attention_for_cpu": "query key value dropout_p is_causal attn_mask scale",
    "max_pool1d max_pool2d max_pool3d max_pool2d_with_indices": f"{_POOL} dilation ceil_mode",
    "avg_pool2d avg_pool3d": f"{_POOL} ceil_mode count_include_pad divisor_override",
    "upsample_bilinear2d upsample_bicubic2d _upsample_bilinear2d_aa _upsample_bicubic2d_aa": "self output_size "
    "align_corners scales_h scales_w",
    "grid_sampler grid_sampler_2d": "input grid interpolation_mode padding_mode align_corners",
    "embedding": "weight indices padding_idx scale_grad_by_freq sparse",
    "_embedding_bag": "weight indices offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset "
    "padding_idx",
    "topk": "self k dim largest sorted",
    "multinomial": "self num_samples replacement generator",
    "_unique2": "self sorted return_inverse return_counts",
    "index_put_": "self indices values accumulate",
    "cat stack": "tensors dim",
    "nll_loss nll_loss_forward": "self target weight reduction ignore_index",
    "cross_entropy_loss": "self target weight reduction ignore_index label_smoothing",
    "stft": "self n_fft hop_length win_length window normalized onesided return_complex align_to_window",
    "searchsorted": "sorted_sequence self out_int32 right side sorter",
    "cdist _cdist_forward": "x1 x2 p compute_mode",
}
"""Operators of one signature -> names of their arguments."""

ARGUMENT_NAMES: Final = {
    f"aten::{operator}": tuple(names.split()) for operators, names in _NAMES.items() for operator in operators.split()
}


DATA_TYPES: Final = {
    "0": "uint8", "1": "int8", "2": "int16", "3": "int32", "4": "int64", "5": "float16", "6": "float32",
    "7": "float64", "11": "bool", "15": "bfloat16", "23": "float8_e5m2", "24": "float8_e4m3fn",
}  # fmt: skip
"""Data types by the number that a recording has for them. Source: c10/core/ScalarType.h."""

_LONG = 6
"""Number of arguments from which an operator has one signature, to which later versions of PyTorch append."""


def argument_names(operator: str, count: int) -> Sequence[str]:
    """Names of the arguments of a call with `count` of them; "argument 2" for those that are not known."""
    known = ARGUMENT_NAMES.get(operator, ())
    if len(known) == count or _LONG <= count < len(known):
        return known[:count]
    return [f"argument {place}" for place in range(1, count + 1)]


def argument_text(name: str, value: str) -> str:
    """A recorded value; of a data type its name, "float64", instead of its number."""
    return DATA_TYPES.get(value, value) if name.endswith("dtype") else value
