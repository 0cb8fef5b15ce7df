"""Classifies operators by what they compute: aten::addmm, quantized::linear and aten::_int_mm are all matrix products.

Views, copies, casts, arithmetic, and operators of autograd and optimizers have no kind: their number depends on how the
model is implemented.
"""

from __future__ import annotations

from functools import lru_cache

from tb_perfcompare.lazy_regex import regex

PRODUCT, CONVOLUTION, ATTENTION, ATTENTION_BACKWARD = (
    "matrix product", "convolution", "attention", "attention backward",
)  # fmt: skip
SOFTMAX = "softmax"
RECURRENT = ("LSTM", "GRU", "RNN")
CELL = "recurrent cell"
SIGMOID, TANH, RELU = "sigmoid", "tanh", "relu"

HEAVY = frozenset({PRODUCT, CONVOLUTION, *RECURRENT})
"""Kinds that every implementation of a model contains; fused or quantized implementations may lack norms and
activations."""

MOVING = frozenset(
    f"aten::{name}"
    for name in ("copy_", "clone", "contiguous", "to", "_to_copy", "cat", "stack", "repeat", "constant_pad_nd")
)
"""Operators that only move data."""

UNINFORMATIVE = MOVING | frozenset(
    f"aten::{name}"
    for name in ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "zeros", "zeros_like",
                 "new_zeros", "zero_", "ones", "ones_like", "new_ones", "full", "full_like", "new_full", "fill_")
)  # fmt: skip
"""Operators whose inputs show less about a program than those of operators that compute: they move data, or they
allocate and fill tensors for others."""

MOVING_CALLERS = frozenset(
    f"aten::{name}"
    for name in ("reshape", "reshape_as", "flatten", "type_as", "tile", "repeat_interleave", "hstack", "vstack",
                 "dstack", "column_stack", "pin_memory", "_pin_memory")
)  # fmt: skip
"""Operators that do nothing but call operators that move data, if they have to."""

VIEWS = frozenset(f"aten::{name}" for name in (
    "view", "transpose", "t", "as_strided", "reshape", "_reshape_alias", "_unsafe_view", "expand", "expand_as",
    "permute", "select", "slice", "narrow", "unsqueeze", "unsqueeze_", "squeeze", "squeeze_", "detach",
    "detach_", "alias", "unbind", "split", "split_with_sizes", "chunk", "flatten", "unflatten", "unfold",
    "diagonal", "movedim", "swapaxes", "numpy_T", "view_as", "view_as_real", "view_as_complex", "real", "imag",
    "conj", "_conj", "resolve_conj", "resolve_neg", "lift_fresh", "empty", "empty_like", "empty_strided",
    "new_empty", "new_empty_strided", "resize_", "set_", "result_type", "is_nonzero", "record_stream",
    "broadcast_to", "broadcast_tensors", "transpose_", "as_strided_", "t_", "view_copy", "is_pinned",
))  # fmt: skip
"""Operators that move no data themselves: views, allocations, questions about a tensor."""

FILLS = frozenset(f"aten::{name}" for name in (
    "zero_", "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full", "full_like",
    "new_full", "fill_", "arange",
))  # fmt: skip
"""Operators that make a tensor of constants."""

_OF_A_PART = regex(r"aten::_?(?:embedding\w*|index\w*|gather|take|select|slice|narrow)$")


def reads_a_part(operator: str) -> bool:
    """Whether an operator reads only a part of its first input, such as a table, so that the size of that input says
    nothing about its work."""
    return _OF_A_PART.match(operator) is not None


_ENTRIES = {
    **dict.fromkeys(("lstm", "quantized_lstm"), "LSTM"),
    **dict.fromkeys(("gru", "quantized_gru"), "GRU"),
    **dict.fromkeys(("rnn_tanh", "rnn_relu"), "RNN"),
    **dict.fromkeys(("_thnn_fused_lstm_cell", "_thnn_fused_gru_cell"), CELL),
    "convolution": CONVOLUTION,
    "_softmax": SOFTMAX,
    **{f"{kind}_norm": f"{kind} norm" for kind in ("layer", "batch", "group", "rms")},
    **{
        f"{kind}_pool{dims}d": "pooling"
        for kind in ("max", "avg", "adaptive_avg", "adaptive_max") for dims in (1, 2, 3)
    },
    **dict.fromkeys(("embedding", "embedding_bag"), "embedding"),
    **dict.fromkeys(
        ("nll_loss_forward", "nll_loss2d_forward", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div",
         "binary_cross_entropy", "binary_cross_entropy_with_logits", "_ctc_loss"), "loss",
    ),
    **{name: name for name in ("sort", "topk", "cumsum", "grid_sampler", "_fft_r2c", "_fft_c2c", "_fft_c2r")},
}  # fmt: skip
"""aten operators that are called exactly once for each piece of work, whichever operators they call in turn."""

_FALLBACK = {
    **dict.fromkeys(("aten::linear", "aten::matmul"), PRODUCT),
    **dict.fromkeys(("aten::_flash_attention_forward", "aten::_efficient_attention_forward"), ATTENTION),
    **dict.fromkeys(("aten::_flash_attention_backward", "aten::_efficient_attention_backward"), ATTENTION_BACKWARD),
    "aten::native_layer_norm": "layer norm", "aten::native_batch_norm": "batch norm",
    "aten::native_group_norm": "group norm",
}  # fmt: skip
"""Operators around or below those of a kind: they count only if a recording has no operators of the kind."""

_ACTIVATIONS = frozenset({
    SIGMOID, TANH, RELU, "gelu", "silu", "elu", "selu", "celu", "leaky_relu", "prelu", "mish", "softplus", "hardswish",
    "hardsigmoid", "hardtanh", "relu6", "glu",
})  # fmt: skip
_PRODUCTS = frozenset({"mm", "addmm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "linear", "qlinear", "gemv"})
_NO_WORK = frozenset({"prepack", "unpack", "pack", "search", "workspace", "bias", "transform"})
_NORMS = ("layer", "batch", "group", "rms")
_ATTENTION = regex(r"attention|attn|fmha")
_BACKWARD = regex(r"backward|bwd|grad")


@lru_cache(maxsize=1 << 14)
def work_kind(name: str) -> str:
    """ "matrix product" for aten::addmm; "" for an operator of no kind."""
    if name.startswith("autograd::") or name in _FALLBACK:
        return ""
    space, _, tail = name.rpartition("::")
    tail = tail.rstrip("_")
    return _of_aten(tail) if space == "aten" else _of_library(tail.lower()) if space else _of_function(tail.lower())


def work_kind_instead(name: str) -> str:
    """Kind of a fallback operator, which counts only if a recording has no operators of that kind; "" for others."""
    return _FALLBACK.get(name, "")


def _of_aten(tail: str) -> str:
    if tail in _ENTRIES:
        return _ENTRIES[tail]
    if tail.startswith("_scaled_dot_product") and "math" not in tail:
        return ATTENTION_BACKWARD if "backward" in tail else ATTENTION
    if "backward" in tail:
        return ""
    if tail in _ACTIVATIONS:
        return tail
    if tail.startswith("upsample_"):
        return "upsample"
    return PRODUCT if _is_product(tail.split("_")) else ""


def _of_library(tail: str) -> str:
    """Kind of an operator of a quantized, fused or vendor library, by the words in its name."""
    words = tail.split("_")
    if _ATTENTION.search(tail):
        return ATTENTION_BACKWARD if _BACKWARD.search(tail) else ATTENTION
    if _BACKWARD.search(tail) or not _NO_WORK.isdisjoint(words):
        return ""
    if any(word.startswith(("conv", "qconv")) and not word.startswith("convert") for word in words):
        return CONVOLUTION
    if _is_product(words):
        return PRODUCT
    if any("norm" in word for word in words):
        return next((f"{kind} norm" for kind in _NORMS if kind in tail), "")
    if "softmax" in words and "log" not in words:
        return SOFTMAX
    return next((word for word in words if word in _ACTIVATIONS), "")


def _of_function(tail: str) -> str:
    """Kind of a Python autograd function, whose name has no namespace."""
    if _BACKWARD.search(tail):
        return ""
    if _ATTENTION.search(tail):
        return ATTENTION
    return PRODUCT if "matmul" in tail or "gemm" in tail else ""


def _is_product(words: list[str]) -> bool:
    return _NO_WORK.isdisjoint(words) and any(
        word in _PRODUCTS or word.endswith("gemm") or word.startswith(("gemm", "matmul")) for word in words
    )
