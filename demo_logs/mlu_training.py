"""A data-parallel training run on MLUs that never happened, as the process of rank 0 records it, with and without two
planted faults.

Fault 1: reading the loss (`aten::item`) waits LONGER_WAIT_NS longer in the driver after the device has finished.
Fault 2: the residual additions run on one core, BLOCK [1,1,1] instead of UNION4 [16,1,1], SLOWER_ADDITION as long.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlu_timeline import MluKernel, MluRank, gradient

BLOCKS = 4
STEPS = 8
FIRST_STEP = 3
LONGER_WAIT_NS = 900_000
SLOWER_ADDITION = 1.9
LOADER_NS = 140_000
TRANSFER_NS = 95_000
BATCH, CHANNELS, EDGE, CLASSES = 64, 128, 56, 1000
BACKWARD_THREAD = 60
"""Added to the process id: where autograd runs."""

CONVOLUTION = MluKernel("MLUUnion4ConvolutionForward<half, NHWC>", "cnnlConvolutionForward", 310_000)
CONVOLUTION_INPUT = MluKernel("MLUUnion4ConvolutionBackwardInput<half, NHWC>", "cnnlConvolutionBackwardData", 335_000)
CONVOLUTION_WEIGHT = MluKernel("MLUUnion4ConvolutionBackwardFilter<half>", "cnnlConvolutionBackwardFilter", 362_000)
NORM = MluKernel("MLUUnion1BatchNormTraining<half>", "cnnlBatchNormForwardTraining_v2", 64_000, "UNION1", "[4,1,1]")
NORM_BACKWARD = MluKernel("MLUUnion1BatchNormBackward<half>", "cnnlBatchNormBackward_v2", 83_000, "UNION1", "[4,1,1]")
RELU = MluKernel("MLUBlockActivationForward<half>", "cnnlActivationForward", 27_000, "BLOCK", "[16,1,1]")
RELU_BACKWARD = MluKernel("MLUBlockActivationBackward<half>", "cnnlActivationBackward", 33_000, "BLOCK", "[16,1,1]")
ADDITION = MluKernel("MLUBlockKernel3StageAdd<half>", "cnnlOpTensor", 41_000)
PRODUCT = MluKernel("MLUUnion4MatMul<half>", "cnnlMatMul_v2", 58_000)
LOSS = MluKernel("MLUUnion1LogSoftmaxForward<half>", "cnnlSoftmaxForward_v2", 19_000, "UNION1", "[4,1,1]")
LOSS_BACKWARD = MluKernel("MLUUnion1LogSoftmaxBackward<half>", "cnnlSoftmaxBackward", 22_000, "UNION1", "[4,1,1]")
UPDATE = MluKernel("MLUUnion1MultiTensorSgd<float>", "cnnlOpTensor", 47_000, "UNION1", "[4,1,1]")
RING = MluKernel("cnclRingAllReduce<float>", "cnclAllReduce", 120_000, "UNION1", "[4,1,1]")
FEATURES = [BATCH, CHANNELS, EDGE, EDGE]
WEIGHT = [CHANNELS, CHANNELS, 3, 3]


@dataclass(frozen=True, slots=True)
class MluProgram:
    """What one side runs."""

    addition: MluKernel
    longer_wait_ns: int = 0


BASELINE = MluProgram(ADDITION)
CANDIDATE = MluProgram(
    MluKernel(ADDITION.name, ADDITION.call, round(ADDITION.mean_ns * SLOWER_ADDITION), "BLOCK", "[1,1,1]"),
    LONGER_WAIT_NS,
)


def trace(program: MluProgram, seed: int, start_ms: int, steps: int = STEPS) -> bytes:
    """The trace file of rank 0 of 2; `start_ms` is the wall clock of the recording."""
    rank = MluRank(0, 2, seed, 1.0)
    for step in range(FIRST_STEP, FIRST_STEP + steps):
        rank.now_ns += rank.jitter(12_000, 0.2)
        start = rank.now_ns
        _load(rank)
        _forward(rank, program)
        _backward(rank)
        _update(rank)
        with rank.host("aten::item", [[]]), rank.host("aten::_local_scalar_dense", [[]]):
            rank.move("DtoH", 4, 4_000)
            rank.wait(program.longer_wait_ns)
        rank.write("X", "user_annotation", f"ProfilerStep#{step}", rank.pid, rank.pid, start, rank.now_ns - start,
                   {"External id": 1_000_000 + step})  # fmt: skip
    return rank.encode(start_ms * 1_000_000, "MLU")


def _load(rank: MluRank) -> None:
    with rank.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", None, "user_annotation"):
        rank.now_ns += rank.jitter(LOADER_NS, 0.1)
    size = BATCH * 3 * 224 * 224 * 2
    with rank.host("aten::to", [FEATURES]), rank.host("aten::_to_copy", [FEATURES]):
        rank.allocate(size)
        with rank.host("aten::copy_", [FEATURES, FEATURES]):
            rank.move("HtoD", size, 640_000)


def _forward(rank: MluRank, program: MluProgram) -> None:
    with rank.host("DistributedDataParallel.forward", None, "cpu_op"):
        for _ in range(BLOCKS):
            with rank.host("aten::conv2d", [FEATURES, WEIGHT]), rank.host("aten::convolution", [FEATURES, WEIGHT]):
                rank.allocate(BATCH * CHANNELS * EDGE * EDGE * 2)
                rank.launch_kernel(CONVOLUTION)
            with rank.host("aten::batch_norm", [FEATURES]), rank.host("aten::native_batch_norm", [FEATURES]):
                rank.launch_kernel(NORM)
            with rank.host("aten::relu_", [FEATURES]), rank.host("aten::clamp_min_", [FEATURES]):
                rank.launch_kernel(RELU)
            with rank.host("aten::add_", [FEATURES, FEATURES]):
                rank.launch_kernel(program.addition)
        with rank.host("aten::linear", [[BATCH, CHANNELS]]), rank.host("aten::addmm", [[BATCH, CHANNELS]]):
            rank.launch_kernel(PRODUCT)
        scores = [BATCH, CLASSES]
        with rank.host("aten::cross_entropy_loss", [scores, [BATCH]]), rank.host("aten::log_softmax", [scores]):
            rank.launch_kernel(LOSS)


def _backward(rank: MluRank) -> None:
    rank.thread = rank.pid + BACKWARD_THREAD
    gradient(rank, "LogSoftmaxBackward0", (("aten::_log_softmax_backward_data", [[BATCH, CLASSES]], LOSS_BACKWARD),))
    gradient(rank, "AddmmBackward0", (("aten::mm", [[BATCH, CLASSES], [CLASSES, CHANNELS]], PRODUCT),))
    for block in reversed(range(BLOCKS)):
        gradient(rank, "ReluBackward0", (("aten::threshold_backward", [FEATURES, FEATURES], RELU_BACKWARD),))
        gradient(rank, "NativeBatchNormBackward0", (("aten::native_batch_norm_backward", [FEATURES], NORM_BACKWARD),))
        with (
            rank.host("autograd::engine::evaluate_function: ConvolutionBackward0"),
            rank.host("ConvolutionBackward0"),
            rank.host("aten::convolution_backward", [FEATURES, FEATURES, WEIGHT]),
        ):
            rank.launch_kernel(CONVOLUTION_INPUT)
            rank.launch_kernel(CONVOLUTION_WEIGHT)
            rank.allocate(-BATCH * CHANNELS * EDGE * EDGE * 2)
        if block % 2 == 0:
            rank.sum_over_ranks(2 * CHANNELS * CHANNELS * 9, RING, TRANSFER_NS)
    rank.thread = rank.pid
    rank.join_queues()


def _update(rank: MluRank) -> None:
    with rank.host("Optimizer.step#SGD.step", None, "user_annotation"):
        for name in ("aten::_foreach_mul_", "aten::_foreach_add_"):
            with rank.host(name):
                rank.launch_kernel(UPDATE)
    rank.allocate(-BATCH * 3 * 224 * 224 * 2)
