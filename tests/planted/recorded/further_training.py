"""Five small programs with torch on the CPU, under torch.profiler; importing this needs torch. The list: further.py."""

from __future__ import annotations

import copy
import multiprocessing
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # the first step of an optimizer would load it, which takes longer than everything else here
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import parametrizations, parametrize
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, TensorDataset, default_collate

from tests.planted.recorded.further import Program

WARM_UP, STEPS = 3, 8
Habits = frozenset[str]
Step = Callable[[], object]


class Block(nn.Module):
    def __init__(self, width: int, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.rest = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        y = self.before(x)
        y = self.attention(y, y, y, need_weights="attention weights" in self.habits)[0]
        if "stochastic depth" in self.habits:
            y = y * torch.empty(len(x), 1, 1).bernoulli_(0.9) / 0.9
        x = x + y
        y = self.rest(self.between(x))
        return x + (torch.nan_to_num(y) if "nan to num" in self.habits else y)


class Vit(nn.Module):
    """Patches of an image, three blocks of attention, a classifier. Input: (N, 3, 32, 32)."""

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        patch = 4 if "smaller patches" in habits else 8
        self.patches, self.token = nn.Conv2d(3, 48, patch, patch), nn.Parameter(torch.zeros(1, 1, 48))
        self.blocks, self.head = nn.Sequential(*[Block(48, habits) for _ in range(3)]), nn.Linear(48, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.blocks(torch.cat([self.token.expand(len(x), -1, -1), x], 1))[:, 0])


def vit(habits: Habits) -> Step:
    model = Vit(habits)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    average, done = copy.deepcopy(model), [0]

    def collate(items: list[Any]) -> Any:
        if "collate" in habits:
            sum(value > 0 for x, _ in items for value in x.flatten().tolist())
        return default_collate(items)

    count = 16 * (WARM_UP + 1 + STEPS)
    samples = TensorDataset(torch.randn(count, 3, 32, 32), torch.randint(0, 10, (count,)))
    batches = iter(DataLoader(samples, batch_size=16, collate_fn=collate))

    def step() -> None:
        x, y = next(batches)
        if "mixup" in habits:
            x = torch.lerp(x, x[torch.randperm(len(x))], 0.3)
        optimizer.zero_grad()
        with sdpa_kernel(SDPBackend.MATH) if "math attention" in habits else nullcontext():
            loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        done[0] += 1
        if "ema every fourth" in habits and done[0] % 4 == 0:
            with torch.no_grad():
                for _ in range(6):
                    for one, other in zip(average.parameters(), model.parameters(), strict=True):
                        one.lerp_(other, 0.1)
        if "loss read" in habits:
            loss.item()
        if "print repr" in habits:
            repr([weight[:6] if weight.dim() else weight for weight in model.parameters()][:8])

    return step


class Standardized(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        centered = weight - weight.mean((1, 2, 3), keepdim=True)
        return centered / (weight.std((1, 2, 3), keepdim=True) + 1e-5)


def _convolution(before: int, after: int, habits: Habits, stride: int = 1) -> nn.Module:
    layer = nn.Conv2d(before, after, 3, stride, 1, padding_mode="reflect" if "reflect" in habits else "zeros")
    if "spectral norm" in habits:
        return parametrizations.spectral_norm(layer)
    if "standardized weights" in habits:
        parametrize.register_parametrization(layer, "weight", Standardized())
    return layer


def gan(habits: Habits) -> Step:
    """A generator and a critic, each with its optimizer; a step updates both."""
    norm = nn.InstanceNorm2d if "instance norm" in habits else nn.BatchNorm2d
    generator = nn.Sequential(
        nn.Linear(16, 256), nn.Unflatten(1, (16, 4, 4)), nn.Upsample(scale_factor=2), _convolution(16, 16, habits),
        norm(16), nn.ReLU(), nn.Upsample(scale_factor=2), _convolution(16, 3, habits),
    )  # fmt: skip
    critic = nn.Sequential(
        _convolution(3, 16, habits, 2), nn.LeakyReLU(0.2), _convolution(16, 32, habits, 2), norm(32),
        nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(512, 1),
    )  # fmt: skip
    first, second = (torch.optim.Adam(one.parameters(), foreach=True) for one in (generator, critic))
    judge = torch.compile(critic) if "compiled critic" in habits else critic

    def step() -> None:
        for _ in range(2 if "critic twice" in habits else 1):
            real = torch.randn(16, 3, 16, 16, requires_grad="penalty" in habits)
            second.zero_grad()
            score = judge(real)
            made = judge(generator(torch.randn(16, 16)).detach())
            loss = functional.softplus(-score).mean() + functional.softplus(made).mean()
            if "penalty" in habits:
                (slope,) = torch.autograd.grad(score.sum(), real, create_graph=True)
                loss = loss + slope.pow(2).sum((1, 2, 3)).mean()
            loss.backward()
            second.step()
        first.zero_grad()
        functional.softplus(-judge(generator(torch.randn(16, 16)))).mean().backward()
        first.step()

    return step


class Experts(nn.Module):
    """A mean of embeddings and one expert of several for each sample. Input: (N, 12)."""

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        self.embed = nn.EmbeddingBag(300, 32, mode="mean") if "bag" in habits else nn.Embedding(300, 32)
        self.gate = nn.Linear(32, 8 if "more experts" in habits else 4)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)) for _ in range(self.gate.out_features)
        )
        self.head = nn.Linear(32, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens) if "bag" in self.habits else self.embed(tokens).mean(1)
        weight = self.gate(x).softmax(-1)
        y = torch.zeros_like(x)
        if "dense" in self.habits:
            for number, expert in enumerate(self.experts):
                y = y + weight[:, number : number + 1] * expert(x)
            return self.head(y)
        value, chosen = weight.topk(2 if "two a token" in self.habits else 1)
        for number, expert in enumerate(self.experts):
            row, place = (chosen == number).nonzero(as_tuple=True)
            y = y.index_add(0, row, value[row, place, None] * expert(x[row]))
        return self.head(y)


def moe(habits: Habits) -> Step:
    model = Experts(habits)
    optimizer = torch.optim.AdamW(model.parameters(), foreach="foreach off" not in habits)
    for weight in model.parameters() if "hooks" in habits else ():
        weight.register_hook(lambda gradient: gradient.clamp(-1, 1))
    tokens, wanted = torch.randint(0, 300, (256, 12)), torch.randint(0, 20, (256,))

    def step() -> None:
        optimizer.zero_grad()
        soft = "soft targets" in habits
        target = functional.one_hot(wanted, 20).float() * 0.9 + 0.005 if soft else wanted
        functional.cross_entropy(model(tokens), target).backward()
        optimizer.step()

    return step


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.cell, self.wide, self.out = (
            nn.Embedding(500, 64), nn.GRUCell(64, 96), nn.Linear(96, 64), nn.Linear(64, 500),
        )  # fmt: skip


def generate(habits: Habits) -> Step:
    """Twenty tokens of a recurrent decoder, greedily or by a beam."""
    model: Any = Decoder().eval()
    if "quantized" in habits:
        model = torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    beam = 4 if "beam" in habits else 1

    def step() -> None:
        with nullcontext() if "grad kept" in habits else torch.no_grad():
            state, token = torch.zeros(8 * beam, 96), torch.zeros(8 * beam, dtype=torch.long)
            score = torch.zeros(8, beam)
            for _ in range(10 if "half the tokens" in habits else 20):
                state = model.cell(model.embed(token), state)
                logits = model.out(model.wide(state).relu())
                if beam > 1:
                    likely = (logits.log_softmax(-1).view(8, beam, -1) + score[..., None]).flatten(1)
                    score, best = likely.topk(beam)
                    state = state[(best // 500 + torch.arange(8)[:, None] * beam).flatten()]
                    token = (best % 500).flatten()
                else:
                    token = logits.argmax(-1)
                if "item a token" in habits and (token == 3).all().item():
                    break

    return step


def regression(habits: Habits) -> Step:
    model = nn.Sequential(nn.Linear(20, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))
    weights = list(model.parameters())
    optimizer: Any = torch.optim.SGD(weights, 1e-3, momentum=0.9, foreach=True)
    if "lbfgs" in habits:
        optimizer = torch.optim.LBFGS(weights, lr=0.1, max_iter=5)
    x, y = torch.randn(256, 20), torch.randn(256, 1)
    average = [weight.detach().clone() for weight in weights]

    def loss() -> Tensor:
        optimizer.zero_grad()
        found = functional.mse_loss(model(x), y)
        found.backward()
        return found

    def of_one(state: dict[str, Tensor], one: Tensor, wanted: Tensor) -> Tensor:
        return functional.mse_loss(torch.func.functional_call(model, state, (one[None],)), wanted[None])

    def step() -> None:
        if "per sample" in habits:
            state = {name: value.detach() for name, value in model.named_parameters()}
            gradients = torch.func.vmap(torch.func.grad(of_one), (None, 0, 0))(state, x, y)
            for name, weight in model.named_parameters():
                weight.grad = gradients[name].mean(0)
            optimizer.step()
        elif "lbfgs" in habits:
            optimizer.step(loss)
        else:
            loss()
            optimizer.step()
        with torch.no_grad():
            if "swap weights" in habits:
                torch._foreach_lerp_(average, weights, 0.1)
                old = [weight.clone() for weight in weights]
                torch._foreach_copy_(weights, average)
                torch._foreach_copy_(weights, old)
            if habits & {"eval", "eval larger"}:
                model(torch.randn(2048 if "eval larger" in habits else 256, 20))

    return step


MODELS: dict[str, Callable[[Habits], Step]] = {
    "vit": vit, "gan": gan, "moe": moe, "generate": generate, "regression": regression,
}  # fmt: skip


def _hog() -> None:
    while True:
        pass


def record(program: Program, target: Path) -> None:
    """Runs some steps and writes the trace of the last of them to `target`."""
    torch.manual_seed(program.seed)
    torch.set_num_threads(1)
    step = MODELS[program.model](program.habits)
    busy = 3 if "busy once" in program.habits and ".2." in target.name else 0
    hogs = [multiprocessing.get_context("fork").Process(target=_hog, daemon=True) for _ in range(busy)]
    for hog in hogs:
        hog.start()
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WARM_UP, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
        record_shapes=True,
        with_modules="modules recorded" in program.habits,
    ) as profiler:
        for _ in range(WARM_UP + 1 + STEPS):
            step()
            profiler.step()
    for hog in hogs:
        hog.kill()
