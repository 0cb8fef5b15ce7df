"""Kernels that torch.compile writes: triton_poi_fused_add_0, triton_red_fused_sum_1, ...

Their calls are recorded with the tensors that they are given. Bytes: each of those once, read or written; FLOPs are not
modelled. Kernels that may look at parts of a tensor, and templates of matrix products, have no model. Where the trace
states the work of a call (kernel_flop, kernel_num_gb), that counts instead.
"""

from __future__ import annotations

import re
from typing import Final

from tb_perfcompare.analysis.work.recorded_call import Call, NoModelError, Work

FAMILY: Final = "generated kernel"

_NAME: Final = re.compile(r"triton_(?:poi|red|per)_fused\w*")
_PARTS: Final = re.compile(r"embedding|index|gather|scatter|slice|select|split|narrow|chunk|unbind|pool|upsample")


def is_generated(name: str) -> bool:
    """Whether the name is that of such a kernel."""
    return _NAME.fullmatch(name) is not None


def generated(call: Call) -> Work:
    """Of the tensors among its arguments."""
    if _PARTS.search(call.name):
        raise NoModelError("the kernel may look at parts of its tensors")
    tensors = [call.tensor(index) for index in range(len(call.types)) if call.is_tensor(index)]
    if not tensors:
        raise NoModelError("the trace does not record the tensors of the kernel")
    return Work(0, sum(tensor.bytes for tensor in tensors), "", FAMILY)
