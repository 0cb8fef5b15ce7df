"""Explanations inside the answers. The page of torch-tb-profiler shows them, and saved answers hold them."""

from __future__ import annotations

BLOCKS_PER_SM = (
    "Blocks Per SM = blocks of this kernel / SM number of this GPU.\n"
    "If this number is less than 1, it indicates the GPU multiprocessors are not fully utilized.\n"
    '"Mean Blocks per SM" is the weighted average of all calls of this kernel, '
    "using each call's execution duration as weight."
)

_OCCUPANCY = (
    "Est. Achieved Occupancy:\n"
    "For most cases such as memory bandwidth bounded kernels, the higher the better. "
    "Occupancy is the ratio of active warps on an SM to the maximum number of active warps supported by the SM. "
    "The theoretical occupancy of a kernel is upper limit occupancy of this kernel, limited by multiple factors such "
    "as kernel shape, kernel used resource, and the GPU compute capability.\n"
    "Est. Achieved Occupancy of a kernel, OCC_K = "
    "min(threads of the kernel / SM number / max threads per SM, theoretical occupancy of the kernel). "
)

MEAN_OCCUPANCY = (
    _OCCUPANCY + 'This "Mean" number is the weighted average of all calls\' OCC_K of the kernel, '
    "using each call's execution duration as weight. It shows fine-grained low-level GPU utilization."
)

OPERATOR_ELIGIBLE = "Whether the operator launched this kernel is eligible to use Tensor Cores."


def kernel_uses_tensor_cores(word: str) -> str:
    """Tooltip of the tensor-core column of kernel tables."""
    text = "Whether this kernel uses Tensor Cores."
    return f"{text} It's always NO On MLU devices because MLU does not have Tensor Cores." if word == "MLU" else text


def summary_intro(word: str) -> str:
    """What device utilisation means."""
    return (
        f"The {word} usage metrics:\n\n{word} Utilization:\n"
        f"{word} busy time / All steps time. The higher, the better. "
        f"{word} busy time is the time during which there is at least one {word} kernel running on it. "
        "All steps time is the total time of all profiler steps(or called as iterations).\n"
    )


SUMMARY_SM = (
    "\nEst. SM Efficiency:\n"
    "Estimated Stream Multiprocessor Efficiency. The higher, the better. "
    "This metric of a kernel, SM_Eff_K = min(blocks of this kernel / SM number of this GPU, 100%). "
    "This overall number is the sum of all kernels' SM_Eff_K weighted by kernel's execution duration, "
    "divided by all steps time.\n"
)

SUMMARY_OCCUPANCY = (
    f"\n{_OCCUPANCY}This overall number is the weighted average of all kernels' OCC_K using kernel's execution "
    "duration as weight. It shows fine-grained low-level GPU utilization.\n"
)


def summary_tensor_cores(word: str) -> str:
    """What the share of tensor-core time means."""
    text = "\nKernel using Tensor Cores:\n"
    text += f"Total {word} Time for Tensor Core kernels / Total {word} Time for all kernels.\n"
    remark = "It is always 0.0 On MLU devices because MLU does not using Tensor Cores.\n"
    return text + remark if word == "MLU" else text
