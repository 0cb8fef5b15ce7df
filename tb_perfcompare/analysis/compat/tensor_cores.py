"""Which kernels use tensor cores and which operators could: torch-tb-profiler's name tests.

The lists date from 2021: kernels of newer architectures and operators of newer autograd names are unknown to them, which
is kept here, because the numbers shown depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence

KERNEL_MARKS: tuple[str, ...] = tuple(
    """
    h884 s884 h1688 s1688 hmma i8816 16816 dgrad_1x1_stride_2x2 first_layer_wgrad_kernel conv1x1 conv2d_c1_k1 direct_group
    xmma_implicit_gemm xmma_sparse_conv xmma_warp_specialized_implicit_gemm xmma_gemm xmma_sparse_gemm c1688
    """.split()
)
"""A kernel uses tensor cores if its name contains one of these."""

_ATEN = """
    _convolution _thnn_fused_gru_cell _thnn_fused_lstm_cell addbmm addmm addmm_ addmv addr baddbmm bmm chain_matmul conv1d
    conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution cudnn_convolution
    cudnn_convolution_backward cudnn_convolution_backward_input cudnn_convolution_backward_weight
    cudnn_convolution_transpose cudnn_convolution_transpose_backward cudnn_convolution_transpose_backward_input
    cudnn_convolution_transpose_backward_weight gru_cell linalg_multi_dot linear lstm_cell matmul mm mv prelu rnn_relu_cell
    rnn_tanh_cell
    """.split()
_AUTOGRAD = """
    AddbmmBackward AddmmBackward AddmvBackward BmmBackward0 CudnnConvolutionBackward CudnnConvolutionTransposeBackward
    MmBackward MvBackward
    """.split()

ELIGIBLE_OPERATORS: frozenset[str] = frozenset([f"aten::{name}" for name in _ATEN] + _AUTOGRAD)
"""Operators that can be served by tensor cores."""


def uses_tensor_cores(name: str, marks: Sequence[str]) -> bool:
    """True if a kernel of that name is known to run on tensor cores."""
    return any(mark in name for mark in marks)
