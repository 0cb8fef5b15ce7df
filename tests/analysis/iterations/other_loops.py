"""Drawn programs of many styles, with the times at which their iterations begin."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from tests.build import MAIN, TraceBuilder

LAYER = tuple(
    f"aten::{name}"
    for name in (
        "layer_norm", "linear", "view", "transpose", "split", "scaled_dot_product_attention", "reshape", "linear",
        "add", "layer_norm", "linear", "gelu", "linear", "dropout", "add",
    )
)  # fmt: skip
BACKWARD = (
    "AddBackward0", "NativeDropoutBackward0", "AddmmBackward0", "GeluBackward0", "NativeLayerNormBackward0",
    "ScaledDotProductAttentionBackward0", "SplitBackward0", "TransposeBackward0", "torch::autograd::AccumulateGrad",
)  # fmt: skip
UPDATE = tuple(f"aten::{name}" for name in ("_foreach_mul_", "_foreach_lerp_", "_foreach_sqrt", "_foreach_addcdiv_"))
FUSED = ("aten::_fused_adamw_",)
UNET = tuple(
    f"aten::{name}"
    for name in ("group_norm", "silu", "conv2d", "linear", "add", "conv2d", "layer_norm", "linear", "cat")
)
BACKWARD_THREAD = MAIN + 1


class Pen:
    """Draws calls one after another, with lengths that vary by a fifth.

    at      current time, us
    begins  times at which iterations begin, us
    """

    def __init__(self, seed: int, vendor: str = "cpu") -> None:
        self.trace = TraceBuilder(vendor=vendor)
        self.draw = random.Random(seed)
        self.at = 0.0
        self.begins: list[float] = []
        self._modules = 0

    def begin(self) -> None:
        self.begins.append(self.at)

    def rest(self, us: float) -> None:
        self.at += us

    def ops(self, names: Sequence[str], *, thread: int = MAIN) -> None:
        for name in names:
            self.trace.op(name, self.at, self._pass(10), thread=thread)
            self.at += 1

    def kernels(self, names: Sequence[str], *, stream: int = 7) -> None:
        for name in names:
            self.trace.kernel(name, self.at, self._pass(6), stream=stream)
            self.at += 1

    def call(self, name: str, *, thread: int = MAIN) -> None:
        self.trace.call(name, self.at, self._pass(5), thread=thread)
        self.at += 1

    @contextmanager
    def within(self, *names: str, thread: int = MAIN) -> Iterator[None]:
        """Annotations around the calls drawn inside, the first outermost."""
        start = self.at
        self.at += len(names)
        yield
        for place, name in reversed([*enumerate(names)]):
            self.trace.annotation(name, start + place, self.at, thread=thread)
            self.at += 1

    @contextmanager
    def module(self, name: str) -> Iterator[None]:
        start = self.at
        self.at += 1
        yield
        self._modules += 1
        self.trace.python(f"nn.Module: {name}", start, self.at, number=self._modules, module=0)
        self.at += 1

    def _pass(self, us: float) -> float:
        self.at = round(self.at + us * (1 + self.draw.random() / 5), 3)
        return self.at


def forward(pen: Pen, layers: int = 3) -> None:
    pen.ops(["aten::embedding", "aten::arange", *LAYER * layers, "aten::linear", "aten::cross_entropy_loss"])


def backward(pen: Pen, layers: int = 3) -> None:
    pen.ops(["NllLossBackward0", *BACKWARD * layers, "EmbeddingBackward0"], thread=BACKWARD_THREAD)


def training_step(pen: Pen, layers: int = 2) -> None:
    pen.ops(["aten::to"])
    forward(pen, layers)
    backward(pen, layers)
    pen.ops(UPDATE)


def aten(*names: str) -> list[str]:
    return [f"aten::{name}" for name in names]


def microbatches(*, optimizer: Sequence[str] = UPDATE, count: int = 4, modules: bool = False) -> Pen:
    """Gradient accumulation over several batches, without annotations."""
    pen = Pen(1)
    for _ in range(6):
        pen.begin()
        for _ in range(count):
            pen.ops(["aten::to"])
            with pen.module("Net_0") if modules else nullcontext():
                forward(pen)
            backward(pen)
        pen.ops(optimizer)
    return pen


def pipeline_stage() -> Pen:
    """Two forward passes, then forward and backward alternately, then the remaining backward passes."""
    pen = Pen(2)
    for _ in range(5):
        pen.begin()
        for runs_forward, runs_backward in [(True, False)] * 2 + [(True, True)] * 4 + [(False, True)] * 2:
            if runs_forward:
                pen.ops(["c10d::recv_"])
                forward(pen, 1)
            if runs_backward:
                backward(pen, 1)
            pen.ops(["c10d::send"])
        pen.ops(["c10d::allreduce_", *UPDATE])
    return pen


def prefetching_pipeline() -> Pen:
    """Numbered annotations of three batches in flight; another thread collates independently."""
    pen = Pen(3)
    for batch in range(8):
        pen.begin()
        with pen.within("## zero_grad ##"):
            pen.ops(["aten::zero_"])
        with pen.within(f"## copy_batch_to_gpu {batch + 2} ##"):
            pen.ops(["aten::to", "aten::record_stream"])
        with pen.within("## forward ##"):
            pen.ops(["fbgemm::cumsum", "aten::bmm", *LAYER[:4]])
        with pen.within(f"## start_sparse_data_dist {batch + 1} ##"):
            pen.ops(["fbgemm::permute", "c10d::alltoall_"])
        pen.ops(BACKWARD[:4], thread=BACKWARD_THREAD)
        pen.ops(UPDATE)
    _collating(pen, 1)
    return pen


def collating_threads() -> Pen:
    """Two threads decode 16 samples a batch and make more calls than the training does."""
    pen = Pen(4)
    for _ in range(6):
        pen.begin()
        training_step(pen)
    _collating(pen, 2)
    return pen


def _collating(pen: Pen, threads: int) -> None:
    for thread in range(threads):
        at = 3.0 * thread
        while at < pen.at:
            for name in ("decode_jpeg", "resize", "permute", "div", "sub", "normalize") * 16:
                pen.trace.op(f"aten::{name}", at, at + 2, thread=MAIN + 10 + thread)
                at += 2.5
            pen.trace.op("aten::stack", at, at + 10, thread=MAIN + 10 + thread)
            at += 15 + 10 * pen.draw.random()


def validating(*, annotated: bool) -> Pen:
    """Two validation batches after every fourth step."""
    pen = Pen(5)
    for step in range(20):
        pen.ops(["aten::to"])
        forward(pen, 2)
        backward(pen, 2)
        with pen.within("Optimizer.step#AdamW.step") if annotated else nullcontext():
            pen.ops(UPDATE)
        pen.begin()
        if step % 4 == 3:
            for _ in range(2):
                forward(pen, 2)
                pen.ops(["aten::argmax", "aten::eq", "aten::item"])
    return pen


def logging() -> Pen:
    """Weights are initialized, every fifth of 20 steps writes a log, then results are saved."""
    pen = Pen(21)
    pen.ops(["aten::empty", "aten::uniform_"] * 20)
    for step in range(20):
        pen.begin()
        training_step(pen)
        if step % 5 == 0:
            pen.ops(aten("linalg_vector_norm", "stack", "mean", "item"))
    pen.ops(["aten::save"])
    return pen


def adversaries(critics: int, *, detached: bool = True) -> Pen:
    """Several steps of the critic's optimizer, then one of the generator's; both are named Adam.

    Unless `detached`, the critic's backward pass goes through the generator, too.
    """
    critic, generator = ("aten::conv2d", "aten::leaky_relu", "aten::sigmoid"), ("aten::conv_transpose2d", "aten::tanh")
    pen = Pen(6)
    for _ in range(8):
        pen.begin()
        for _ in range(critics):
            pen.ops([*critic * 2, "aten::randn", *generator, *(["aten::detach"] if detached else []), *critic * 2])
            through = [] if detached else ["TanhBackward0"]
            pen.ops([*["SigmoidBackward0", "LeakyReluBackward0"] * 2, *through], thread=BACKWARD_THREAD)
            with pen.within("Optimizer.step#Adam.step"):
                pen.ops(UPDATE)
        pen.ops(critic * 2)
        pen.ops(["SigmoidBackward0", "LeakyReluBackward0", "TanhBackward0"], thread=BACKWARD_THREAD)
        with pen.within("Optimizer.step#Adam.step"):
            pen.ops(UPDATE)
    return pen


def rollouts() -> Pen:
    """A policy acts 16 times, then trains on four minibatches."""
    pen = Pen(7)
    for _ in range(6):
        pen.begin()
        pen.ops(aten("from_numpy", "linear", "tanh", "multinomial", "cpu") * 16 + aten("stack", "flip", "cumsum"))
        for _ in range(4):
            pen.ops(aten("index", "linear", "tanh", "exp", "clamp", "min", "mean"))
            pen.ops(["MeanBackward0", "AddmmBackward0", "TanhBackward0"], thread=BACKWARD_THREAD)
            pen.ops(FUSED)
    return pen


def engine(style: str) -> Pen:
    """Every fifth iteration is a prefill, the others launch a graph; annotations differ by engine."""
    pen = Pen(8)
    for number in range(30):
        prefill = number % 5 == 0
        pen.begin()
        match style:
            case "vllm":
                name = f"execute_context_{int(prefill)}({128 * prefill})_generation_3(3)"
                with pen.within(name, "gpu_model_runner: forward"):
                    _model(pen, prefill)
            case "runner":
                with pen.within("gpu_model_runner: forward"):
                    _model(pen, prefill)
                with pen.within("gpu_model_runner: sample"):
                    pen.ops(["aten::softmax", "aten::argmax"])
            case "executor":
                requests = f"{int(prefill)} ctx reqs, {64 * prefill} ctx tokens, 8 gen reqs"
                with pen.within(f"[Executor] _forward_step {100 + number}: {requests}"):
                    _model(pen, prefill)
            case _:
                with pen.within("decide what runs"):
                    pen.rest(5)
                with pen.within("run it"):
                    _model(pen, prefill)
                with pen.within("pick tokens"):
                    pen.ops(["aten::softmax"])
        pen.rest(20)
    return pen


def _model(pen: Pen, prefill: bool) -> None:
    if prefill:
        pen.ops(["vllm::embed", "vllm::rotary", *LAYER * 2])
    else:
        pen.call("cudaGraphLaunch")
        pen.rest(60)


def two_batches_in_flight() -> Pen:
    """One thread runs a batch while the scheduler thread handles the previous result."""
    pen = Pen(9, "cuda")
    for number in range(20):
        pen.begin()
        with pen.within("step[EXTEND bs=1 toks=200]" if number % 6 == 0 else "step[DECODE bs=4]", thread=MAIN + 2):
            pen.call("cudaGraphLaunch", thread=MAIN + 2)
            pen.trace.kernel("decode", pen.at + 60, pen.at + 140, launch=(pen.at - 4, pen.at - 2), thread=MAIN + 2)
        if number:
            pen.trace.annotation("process_batch_result", pen.at + 1, pen.at + 90)
            pen.trace.op("aten::item", pen.at + 2, pen.at + 80)
        pen.rest(140)
    return pen


def speculative(*, modules: bool = False) -> Pen:
    """Four tokens of a draft model, one pass of the target model."""
    pen = Pen(10)
    for _ in range(12):
        pen.begin()
        for _ in range(4):
            _called(pen, "Draft_0" if modules else "", ["aten::embedding", *LAYER, "aten::argmax"])
        _called(pen, "Target_0" if modules else "", ["aten::embedding", *LAYER * 3])
        pen.ops(aten("softmax", "eq", "cumprod", "sum", "item", "gather", "index_copy_"))
    return pen


def denoising(images: int, *, modules: bool = False) -> Pen:
    """Text encoder, 30 equal steps, decoder."""
    pen = Pen(11)
    for _ in range(images):
        if not modules:
            pen.begin()
        _called(pen, "TextEncoder_0" if modules else "", ["aten::embedding", *LAYER])
        pen.ops(["aten::randn"])
        for _ in range(30):
            if modules:
                pen.begin()
            _called(pen, "UNet_0" if modules else "", UNET * 2)
            pen.ops(["aten::chunk", "aten::sub", "aten::mul"])
        _called(pen, "Decoder_0" if modules else "", ["aten::div", "aten::upsample_nearest2d", "aten::conv2d"])
        pen.ops(["aten::clamp", "aten::permute"])
    return pen


def _called(pen: Pen, module: str, names: Sequence[str]) -> None:
    with pen.module(module) if module else nullcontext():
        pen.ops(names)


def requests() -> Pen:
    """12 to 24 tokens per request; preparing a request belongs to its first token."""
    pen = Pen(12)
    for _ in range(4):
        for token in range(pen.draw.randint(12, 24)):
            pen.begin()
            pen.ops(["aten::ones"] * (token == 0))
            pen.ops(["aten::embedding", "aten::cat", *LAYER * 2, "aten::linear", "aten::argmax", "aten::eq"])
    return pen


def varying_lengths() -> Pen:
    """A loop over 6 to 60 time steps in each iteration."""
    pen = Pen(13)
    for _ in range(10):
        pen.begin()
        pen.ops(["aten::to", "aten::embedding"])
        for _ in range(pen.draw.randint(6, 60)):
            pen.ops(["aten::linear", "aten::sigmoid", "aten::tanh", "aten::mul", "aten::add"])
        pen.ops(["aten::cross_entropy_loss"])
        backward(pen, 1)
        pen.ops(UPDATE)
    return pen


def replayed_kernels() -> Pen:
    """Kernels without host events; all layers are alike."""
    pen = Pen(14, "cuda")
    for _ in range(20):
        pen.begin()
        pen.kernels(["rms_norm", "gemm_qkv", "rope", "flash_fwd", "gemm_o", "rms_norm", "silu_mul", "gemm_down"] * 3)
        pen.kernels(["gemm_lm_head", "argmax"])
        pen.rest(20)
    return pen


def graphs(vendor: str, launch: str, copy: str, wait: str) -> Pen:
    pen = Pen(15, vendor)
    for _ in range(12):
        pen.begin()
        for name in (launch, copy, wait):
            pen.call(name)
        pen.rest(50)
    return pen


def script(*, passes: int, layers: int = 12, few_names: bool = False, modules: bool = False) -> Pen:
    """A model that runs once or twice: its layers are not iterations."""
    pen = Pen(16)
    before, after = aten("embedding", "arange", "add"), aten("linear", "softmax", "argmax")
    if few_names:
        before, after = before[:1], after[-1:]
    for _ in range(passes):
        _called(pen, "Net_0" if modules else "", [*before, *LAYER * layers, *after])
        pen.rest(50)
    return pen


def trained_twice() -> Pen:
    pen = Pen(17)
    for _ in range(2):
        forward(pen, 12)
        backward(pen, 12)
        pen.ops(UPDATE)
    return pen


def annotated_layers() -> Pen:
    """Two passes with annotated layers."""
    pen = Pen(18)
    for _ in range(2):
        pen.ops(["aten::embedding", "aten::arange"])
        for layer in range(12):
            with pen.within(f"layer {layer}"):
                pen.ops(LAYER)
        pen.ops(["aten::linear", "aten::argmax"])
    return pen


def inference_script() -> Pen:
    """Weights are initialized, a model with recorded modules runs 12 times, results are saved."""
    pen = Pen(19)
    pen.ops(["aten::empty", "aten::uniform_"] * 20)
    for _ in range(12):
        pen.begin()
        _called(pen, "Net_0", LAYER * 2)
        pen.ops(["aten::argmax"])
    pen.ops(["aten::stack", "aten::save"])
    return pen


def cut_within() -> Pen:
    """The recording begins and ends within an iteration."""
    pen = Pen(20)
    pen.ops([*LAYER[6:], *LAYER, "aten::linear", "aten::cross_entropy_loss"])
    backward(pen)
    pen.ops(UPDATE)
    for _ in range(6):
        pen.begin()
        forward(pen)
        backward(pen)
        pen.ops(UPDATE)
    pen.ops(["aten::embedding", "aten::arange", *LAYER])
    return pen


def cut_within_operators() -> Pen:
    """The recording of a model of unlike layers begins and ends within an operator, and has only some of its parts."""
    pen, parts = Pen(23), aten("copy_", "mkldnn_convolution")
    pen.ops([*parts, "aten::relu", "aten::linear", "aten::sum"])
    for _ in range(6):
        pen.begin()
        pen.ops(["aten::randn"])
        begin = pen.at
        pen.rest(1)
        pen.ops(parts)
        pen.trace.op("aten::conv2d", begin, pen.at)
        pen.ops(["aten::relu", "aten::linear", "aten::sum"])
    pen.ops(["aten::randn", *parts])
    return pen


def generating() -> Pen:
    """A prompt, then tokens of a model with six layers and a growing cache, without annotations."""
    pen = Pen(22)
    for token in range(20):
        pen.begin()
        pen.ops(["aten::randint"] * (token == 0))
        layer = [*LAYER[:5], *["aten::cat"] * (token > 0), *LAYER[5:]]
        pen.ops(["aten::embedding", *layer * 6, "aten::select", "aten::argmax"])
        if token == 9:
            pen.ops(["aten::ones"])
    return pen


def tokens_of_requests() -> Pen:
    """Eight tokens per request, each request prepared by other calls."""
    pen = Pen(23)
    for _ in range(3):
        for token in range(8):
            pen.begin()
            pen.ops(["aten::tensor", "aten::pad"] * (token == 0))
            pen.ops(["aten::embedding", *LAYER * 6, "aten::select", "aten::argmax"])
    return pen


def separate_projections() -> Pen:
    """A model that runs once; each layer has three similar projections."""
    layer = ("aten::rms_norm", *("aten::linear", "aten::view", "aten::transpose") * 3, *LAYER[5:])
    pen = Pen(24)
    pen.ops(["aten::embedding", *layer * 16, "aten::argmax"])
    return pen


def iterated_solver() -> Pen:
    """A solver whose setup makes the same calls as its iterations."""
    pen = Pen(25)
    pen.ops(["aten::zeros", "aten::matmul", "aten::sub", "aten::clone", "aten::dot"])
    for _ in range(20):
        pen.begin()
        pen.ops(aten("matmul", "dot", "div", "mul", "add", "mul", "sub", "dot", "sqrt", "item"))
    return pen


def warming_up() -> Pen:
    """The first of eight steps has extra initialization calls."""
    pen = Pen(26)
    for step in range(8):
        pen.begin()
        pen.ops(["aten::to"])
        if step == 0:
            pen.ops(aten("empty", "normal_", "linalg_qr", "diag", "sign", "mul_", "tril", "copy_"))
        forward(pen, 2)
        backward(pen, 2)
        pen.ops(UPDATE)
    return pen


def requests_in_any_order() -> Pen:
    """Annotated requests of three types in random order."""
    pen = Pen(27)
    parts = {"embed": LAYER[:6], "classify": UNET, "generate": (*LAYER, "aten::argmax")}
    for number in range(30):
        pen.begin()
        name = pen.draw.choices([*parts], (1, 3, 1))[0]
        with pen.within(f"{name} {number}"):
            pen.ops(parts[name])
    return pen


def parts_in_order(*, validates: bool) -> Pen:
    """Annotated parts of a step; with `validates`, three forward passes after every fourth step."""
    pen = Pen(28)
    for step in range(12):
        pen.begin()
        with pen.within("run forward"):
            forward(pen, 2)
        with pen.within("run backward"):
            backward(pen, 2)
            pen.ops(UPDATE)
        for _ in range(3 * (validates and step % 4 == 3)):
            with pen.within("run forward"):
                forward(pen, 2)
    return pen


def alternating_heads() -> Pen:
    """One body and three heads, each trained in every third step by the same optimizer."""
    pen = Pen(29)
    heads = ("mse_loss", "sub", "pow"), ("cumsum", "gather", "neg"), ("norm", "div", "bmm")
    for step in range(12):
        pen.ops(["aten::to", *LAYER, *aten(*heads[step % 3] * 2)])
        pen.ops([*(f"{name.title()}Backward0" for name in heads[step % 3] * 2), *BACKWARD], thread=BACKWARD_THREAD)
        with pen.within("Optimizer.step#SGD.step"):
            pen.ops(UPDATE)
    return pen
