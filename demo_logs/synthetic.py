"""A data-parallel training run on two GPUs that never happened, with and without two planted faults.

Fault 1: the kernel UP_PROJECTION takes SLOWER_KERNEL times as long.
Fault 2: a check `torch.isfinite(x).all()` after every layer: FINITE_CHECK, five more small kernels per layer and step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timeline import Kernel, Rank, finish

LAYERS = 4
STEPS = 10
FIRST_STEP = 6
SLOWER_KERNEL = 1.35
TRANSFER_NS = 310_000
LOADER_NS = 160_000
BATCH, WIDTH, INNER = 2048, 1024, 4096
BACKWARD_THREAD = 60
"""Added to the process id: where autograd runs."""


def _elementwise(functor: str, mean_us: float) -> Kernel:
    name = f"void at::native::vectorized_elementwise_kernel<4, at::native::{functor}, std::array<char*, 2ul> >" \
           f"(int, at::native::{functor}, std::array<char*, 2ul>)"  # fmt: skip
    return Kernel(name, round(mean_us * 1000), (4096, 1, 1), (128, 1, 1), 88, 24)


UP_PROJECTION = Kernel("ampere_sgemm_128x64_tn", 236_000, (64, 16, 1), (128, 1, 1), 31, 122)
DOWN_PROJECTION = Kernel("ampere_sgemm_64x64_tn", 208_000, (16, 32, 1), (64, 1, 1), 25, 126)
GRADIENT_OF_INPUT = Kernel("ampere_sgemm_128x64_nn", 214_000, (16, 32, 1), (128, 1, 1), 31, 122)
GRADIENT_OF_WEIGHT = Kernel("ampere_sgemm_128x64_nt", 221_000, (16, 64, 1), (128, 1, 1), 31, 118)
LAYER_NORM = Kernel(
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*)",
    21_000, (2048, 1, 1), (32, 4, 1), 94)  # fmt: skip
LAYER_NORM_BACKWARD = Kernel(
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float>(float const*, int)",
    34_000, (2048, 1, 1), (128, 1, 1), 75)  # fmt: skip
GELU, GELU_BACKWARD = _elementwise("GeluCUDAKernelImpl", 42), _elementwise("GeluBackwardCUDAKernelImpl", 61)
ADD = _elementwise("CUDAFunctor_add<float>", 24)
FINITE_CHECK = (
    ("aten::eq", _elementwise("CompareEqFunctor<float>", 14)),
    ("aten::abs", _elementwise("AbsFunctor<float>", 13)),
    ("aten::ne", _elementwise("CompareNEFunctor<float>", 14)),
    ("aten::mul", _elementwise("BinaryFunctor<bool, bool, bool>", 8)),
    ("aten::all", Kernel("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, and_kernel_cuda> >(int)",
                         11_000, (256, 1, 1), (32, 16, 1), 70)),
)  # fmt: skip
LOSS = Kernel("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float>(float*, int)",
              48_000, (2048, 1, 1), (256, 1, 1), 62)  # fmt: skip
LOSS_BACKWARD = Kernel(LOSS.name.replace("Forward", "Backward"), 55_000, (2048, 1, 1), (256, 1, 1), 62)
UPDATE = Kernel("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>>(int, float)",
                172_000, (320, 1, 1), (512, 1, 1), 97)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """What one side runs."""

    up_projection_factor: float = 1.0
    finite_check: bool = False

    @property
    def up_projection(self) -> Kernel:
        kernel = UP_PROJECTION
        mean_ns = round(kernel.mean_ns * self.up_projection_factor)
        return Kernel(kernel.name, mean_ns, kernel.grid, kernel.block, kernel.occupancy, kernel.registers)


BASELINE = Program()
CANDIDATE = Program(SLOWER_KERNEL, True)


def traces(program: Program, seed: int, start_ms: int, steps: int = STEPS) -> list[bytes]:
    """The trace files of both ranks; `start_ms` is the wall clock of the recording."""
    ranks = [Rank(number, 2, seed * 100 + number, 1 + 0.01 * number) for number in range(2)]
    for step in range(FIRST_STEP, FIRST_STEP + steps):
        markers = [_compute_gradients(rank, program) for rank in ranks]
        finish(ranks, TRANSFER_NS)
        for rank, start in zip(ranks, markers, strict=True):
            _update(rank)
            rank.write("X", "user_annotation", f"ProfilerStep#{step}", rank.pid, rank.pid, start, rank.now_ns - start,
                       {"External id": 1_000_000 + step})  # fmt: skip
    return [rank.encode(start_ms * 1_000_000, "NVIDIA A100-SXM4-40GB") for rank in ranks]


def _compute_gradients(rank: Rank, program: Program) -> int:
    """Load, forward, backward and the launch of the sums over ranks; gives the start of the step."""
    rank.now_ns += rank.jitter(12_000, 0.2)
    start = rank.now_ns
    with rank.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", None, "user_annotation"):
        rank.now_ns += rank.jitter(LOADER_NS, 0.1)
    shape = [BATCH, WIDTH]
    with rank.host("aten::to", [shape]), rank.host("aten::_to_copy", [shape]), rank.host("aten::copy_", [shape, shape]):
        rank.copy("HtoD (Pinned -> Device)", BATCH * WIDTH * 4, 390_000)
    with rank.host("DistributedDataParallel.forward", None, "cpu_op"):
        for _ in range(LAYERS):
            _forward(rank, program)
        with rank.host("aten::cross_entropy_loss", [shape, [BATCH]]):
            rank.launch(LOSS)
    rank.thread = rank.pid + BACKWARD_THREAD
    _gradient(rank, "LogSoftmaxBackward0", (("aten::_log_softmax_backward_data", [shape, shape], LOSS_BACKWARD),))
    for layer in reversed(range(LAYERS)):
        _backward(rank)
        if layer % 2 == 0:
            rank.all_reduce(2 * 2 * WIDTH * INNER)
    rank.thread = rank.pid
    return start


def _forward(rank: Rank, program: Program) -> None:
    narrow, wide = [BATCH, WIDTH], [BATCH, INNER]
    with rank.host("aten::layer_norm", [narrow, [WIDTH]]), rank.host("aten::native_layer_norm", [narrow, [WIDTH]]):
        rank.launch(LAYER_NORM)
    with rank.host("aten::linear", [narrow, [INNER, WIDTH]]), rank.host("aten::addmm", [narrow, [WIDTH, INNER]]):
        rank.launch(program.up_projection)
    with rank.host("aten::gelu", [wide]):
        rank.launch(GELU)
    with rank.host("aten::linear", [wide, [WIDTH, INNER]]), rank.host("aten::addmm", [wide, [INNER, WIDTH]]):
        rank.launch(DOWN_PROJECTION)
    with rank.host("aten::add", [narrow, narrow]):
        rank.launch(ADD)
    if program.finite_check:
        with rank.host("aten::isfinite", [narrow]):
            for name, kernel in FINITE_CHECK[:-1]:
                with rank.host(name, [narrow]):
                    rank.launch(kernel)
        name, kernel = FINITE_CHECK[-1]
        with rank.host(name, [narrow]):
            rank.launch(kernel)


def _backward(rank: Rank) -> None:
    narrow, wide = [BATCH, WIDTH], [BATCH, INNER]
    for rows, columns in ((narrow, wide), (wide, narrow)):
        weight = [rows[1], columns[1]]
        _gradient(rank, "AddmmBackward0", (
            ("aten::mm", [rows, weight], GRADIENT_OF_INPUT),
            ("aten::mm", [[rows[1], BATCH], columns], GRADIENT_OF_WEIGHT),
        ))  # fmt: skip
        if rows is narrow:
            _gradient(rank, "GeluBackward0", (("aten::gelu_backward", [wide, wide], GELU_BACKWARD),))
    _gradient(rank, "NativeLayerNormBackward0",
              (("aten::native_layer_norm_backward", [narrow, narrow], LAYER_NORM_BACKWARD),))  # fmt: skip


def _gradient(rank: Rank, node: str, operators: Sequence[tuple[str, list[list[int]], Kernel]]) -> None:
    """One node of the backward graph and the operators it runs."""
    with rank.host(f"autograd::engine::evaluate_function: {node}"), rank.host(node):
        for name, dims, kernel in operators:
            with rank.host(name, dims):
                rank.launch(kernel)


def _update(rank: Rank) -> None:
    """The optimiser, then reading the loss, which waits for the device."""
    with rank.host("Optimizer.step#SGD.step", None, "user_annotation"):
        for name, kernel in (("aten::_foreach_mul_", UPDATE), ("aten::_foreach_add_", UPDATE)):
            with rank.host(name):
                rank.launch(kernel)
    with rank.host("aten::item", [[]]), rank.host("aten::_local_scalar_dense", [[]]):
        rank.copy("DtoH (Device -> Pageable)", 4, 1_800)
        rank.synchronise()
