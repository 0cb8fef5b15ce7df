"""Operators that deliberately have no model, with the reason."""

from __future__ import annotations

from typing import Final

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.work_kinds import VIEWS

CALLS_OTHERS: Final = "its work is that of the operators it calls"
MOVES_NOTHING: Final = "moves no data"
LISTS: Final = "the types of the tensors in a list are not recorded"
INDICES: Final = "the sizes of the indices are not recorded"
PAGED: Final = "the lengths of the sequences in the paged cache are not recorded"
EXPERTS: Final = "the sizes of the experts' weights are not recorded"
COLLECTIVE: Final = "a collective"
GRADIENT: Final = "the size of the gradient is not recorded"
MODE: Final = "whether it makes all of Q is not recorded"
WRITTEN: Final = "what the generated kernel computes is not recorded"
RESULT: Final = "the size of the result depends on the values"


def _aten(names: str, reason: str) -> dict[str, str]:
    return {f"aten::{name}": reason for name in names.split()}


REASONS: Final[dict[str, str]] = {
    **_aten(
        "linear matmul einsum conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution "
        "cudnn_convolution_backward thnn_conv2d slow_conv3d _slow_conv2d_backward "
        "scaled_dot_product_attention "
        "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_backward "
        "_scaled_dot_product_efficient_attention _scaled_dot_product_efficient_attention_backward "
        "_scaled_dot_product_attention_math layer_norm rms_norm batch_norm _batch_norm_impl_index group_norm softmax "
        "log_softmax cross_entropy_loss nll_loss nll_loss_nd nll_loss2d relu relu_ relu6 rsub clone contiguous to "
        "_to_copy type_as zero_ zeros zeros_like ones ones_like full full_like new_zeros new_ones new_full dropout "
        "dropout_ embedding embedding_backward max_pool2d max_pool3d adaptive_avg_pool2d stack hstack vstack "
        "masked_fill norm linalg_norm flatten_dense_tensors item tensor_split bilinear lstm gru rnn_tanh "
        "multi_head_attention_forward logsumexp binary_cross_entropy_with_logits argsort msort repeat pad "
        "constant_pad_nd log_sigmoid celu selu rand randn randint take_along_dim one_hot pixel_shuffle instance_norm "
        "max_pool1d quantile float_power silu_and_mul conv_tbc addmm_impl baddbmm_impl "
        "linalg_cholesky linalg_inv linalg_inv_ex linalg_solve linalg_solve_ex _linalg_solve_ex linalg_svd "
        "linalg_svdvals linalg_eigh linalg_eigvalsh linalg_lu_factor linalg_det _linalg_det linalg_slogdet "
        "_linalg_slogdet lstm_cell _thnn_fused_lstm_cell_backward "
        "cholesky_solve _linalg_check_errors fft_fft fft_ifft fft_rfft fft_irfft fft_fft2 fft_ifft2 "
        "fft_rfft2 fft_irfft2 fft_fftn fft_ifftn fft_rfftn fft_irfftn stft istft eye",
        CALLS_OTHERS,
    ),
    **dict.fromkeys(VIEWS, MOVES_NOTHING),
    "aten::_local_scalar_dense": "copies one value to the host",
    "detach": MOVES_NOTHING,
    "detach_": MOVES_NOTHING,
    "aten::_cat": LISTS,
    "aten::linalg_qr": MODE,
    **_aten("cudnn_convolution_backward_input cudnn_convolution_backward_weight", GRADIENT),
    **_aten("index index_put index_put_ _index_put_impl_ _unsafe_index _unsafe_index_put", INDICES),
    **_aten("nonzero masked_select unique2 _unique2 unique_consecutive", RESULT),
    "aten::masked_scatter_": RESULT,
    **dict.fromkeys(
        ("vllm::unified_attention", "vllm::unified_attention_with_output", "vllm::unified_mla_attention",
         "vllm::unified_mla_attention_with_output", "_vllm_fa2_C::fwd_kvcache", "_vllm_fa3_C::fwd",
         "_C::paged_attention_v1", "_C::paged_attention_v2", "_C::sm100_cutlass_mla_decode",
         "_flashmla_C::fwd_kvcache_mla", "sgl_kernel::cutlass_mla_decode", "sglang::unified_attention_with_output",
         "trtllm::attention", "trtllm::attention_inplace", "trtllm::attn_custom_op_inplace"),
        PAGED,
    ),
    **dict.fromkeys(("vllm::moe_forward", "vllm::moe_forward_shared"), EXPERTS),
    "flash_attn_3::_flash_attn_forward": CALLS_OTHERS,
    "flash_attn_3::_flash_attn_backward": CALLS_OTHERS,
    "record_param_comms": COLLECTIVE,
}  # fmt: skip
"""Operator -> why it has no model."""


_AUTOGRAD_NODE: Final = regex(r"\w+Backward\d+|torch::autograd::\w+")
"""Graph nodes of torch itself; those of a program's own functions end in Backward without a number."""


_COLLECTIVES: Final = regex(
    r"(?:vllm|sglang|sgl_kernel|trtllm|symm_mem|_C_custom_ar)::\w*(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)\w*"
)
"""Collectives of serving engines."""


UNKNOWN: Final = "unknown operator"

MARKS: Final = (
    "all", "reduce", "c10d", "nccl:", "\nautograd::engine::", "\ntorch::autograd::", "triton_",
    *(f"Backward{digit}" for digit in range(10)),
)  # fmt: skip
"""Each name that a pattern, here or of generated kernels, recognizes contains one of these; \\n is the start."""


def reason_of(name: str) -> str:
    """Returns why an operator has no model."""
    reason = REASONS.get(name)
    if reason is not None:
        return reason
    if name.startswith(("c10d::", "nccl:", "_c10d_functional::")) or _COLLECTIVES.fullmatch(name):
        return COLLECTIVE
    if name.startswith("autograd::engine::") or _AUTOGRAD_NODE.fullmatch(name):
        return CALLS_OTHERS
    return WRITTEN if name.startswith("triton_") else UNKNOWN
