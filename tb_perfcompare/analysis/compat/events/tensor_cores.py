"""Which kernels use tensor cores and which operators could: torch-tb-profiler's name tests.

The lists date from 2021: kernels of newer architectures and operators of newer autograd names are unknown to them,
which is kept here, because the numbers shown depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.vendors import TENSOR_CORES_2021

KERNEL_MARKS = TENSOR_CORES_2021
"""A kernel uses tensor cores if its name contains one of these."""


ELIGIBLE_OPERATORS: frozenset[str] = frozenset(
    {
        "aten::_convolution",
        "aten::_thnn_fused_gru_cell",
        "aten::_thnn_fused_lstm_cell",
        "aten::addbmm",
        "aten::addmm",
        "aten::addmm_",
        "aten::addmv",
        "aten::addr",
        "aten::baddbmm",
        "aten::bmm",
        "aten::chain_matmul",
        "aten::conv1d",
        "aten::conv2d",
        "aten::conv3d",
        "aten::conv_tbc",
        "aten::conv_transpose1d",
        "aten::conv_transpose2d",
        "aten::conv_transpose3d",
        "aten::convolution",
        "aten::cudnn_convolution",
        "aten::cudnn_convolution_backward",
        "aten::cudnn_convolution_backward_input",
        "aten::cudnn_convolution_backward_weight",
        "aten::cudnn_convolution_transpose",
        "aten::cudnn_convolution_transpose_backward",
        "aten::cudnn_convolution_transpose_backward_input",
        "aten::cudnn_convolution_transpose_backward_weight",
        "aten::gru_cell",
        "aten::linalg_multi_dot",
        "aten::linear",
        "aten::lstm_cell",
        "aten::matmul",
        "aten::mm",
        "aten::mv",
        "aten::prelu",
        "aten::rnn_relu_cell",
        "aten::rnn_tanh_cell",
        "AddbmmBackward",
        "AddmmBackward",
        "AddmvBackward",
        "BmmBackward0",
        "CudnnConvolutionBackward",
        "CudnnConvolutionTransposeBackward",
        "MmBackward",
        "MvBackward",
    }
)
"""Operators that can be served by tensor cores."""


def uses_tensor_cores(name: str, marks: Sequence[str]) -> bool:
    """True if a kernel of that name is known to run on tensor cores."""
    return any(mark in name for mark in marks)
