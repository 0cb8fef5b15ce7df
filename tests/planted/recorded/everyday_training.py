"""Three small models trained on the CPU under torch.profiler; importing this needs torch. The changes: everyday.py."""

from __future__ import annotations

import copy
import multiprocessing
import time
from contextlib import nullcontext
from pathlib import Path

import torch
import torch._dynamo  # the first step of an optimizer would load it, which takes longer than everything else here
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

from tests.planted.recorded.everyday import Setup

BATCH = 16
CLASSES = 10


class Mish(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.tanh(nn.functional.softplus(x))


class Convolution(nn.Module):
    """Convolution, normalization, activation, three times; then a classifier. Input: (N, 3, 20, 20)."""

    def __init__(self, parts: frozenset[str]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        size = 5 if "kernel 5" in parts else 3
        for before, after in ((3, 16), (16, 32), (32, 32)):
            if "depthwise" in parts and before > 3:
                layers += [
                    nn.Conv2d(before, before, size, padding=size // 2, groups=before),
                    nn.Conv2d(before, after, 1),
                ]
            else:
                layers.append(nn.Conv2d(before, after, size, padding=size // 2))
            layers.append(nn.GroupNorm(4, after) if "group norm" in parts else nn.BatchNorm2d(after))
            layers.append(Mish() if "mish" in parts else nn.ReLU())
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).mean(dim=(2, 3)))


class Recurrent(nn.Module):
    """An embedding and a recurrent layer over 24 tokens. Input: (N, 24)."""

    def __init__(self, parts: frozenset[str]) -> None:
        super().__init__()
        width = 128 if "wide" in parts else 64
        kind = nn.GRU if "gru" in parts else nn.LSTM
        self.embed = nn.Embedding(200, 48)
        self.layer = kind(48, width, batch_first=True, bidirectional="bidirectional" in parts)
        self.drop = nn.Dropout(0.2) if "dropout" in parts else None
        self.head = nn.Linear(width * (2 if "bidirectional" in parts else 1), CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, _ = self.layer(self.embed(x))
        if self.drop is not None:
            x = self.drop(x)
        return self.head(x.mean(dim=1))


class Attention(nn.Module):
    def __init__(self, by_hand: bool) -> None:
        super().__init__()
        self.by_hand = by_hand
        self.norm, self.mix, self.out = nn.LayerNorm(64), nn.Linear(64, 192), nn.Linear(64, 64)
        self.wide, self.back = nn.Linear(64, 128), nn.Linear(128, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, tokens, width = x.shape
        q, k, v = self.mix(self.norm(x)).view(n, tokens, 3, 4, width // 4).permute(2, 0, 3, 1, 4)
        if self.by_hand:
            y = torch.softmax(q @ k.transpose(-1, -2) / (width // 4) ** 0.5, dim=-1) @ v
        else:
            y = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(n, tokens, width))
        return x + self.back(nn.functional.gelu(self.wide(x)))


class Transformer(nn.Module):
    """Two attention blocks, or four, over 32 tokens. Input: (N, 32, 64)."""

    def __init__(self, parts: frozenset[str]) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            *[Attention("attention by hand" in parts) for _ in range(4 if "deep" in parts else 2)]
        )
        self.head = nn.Linear(64, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(x).mean(dim=1))


MODELS = {"convolution": Convolution, "recurrent": Recurrent, "transformer": Transformer}


class Samples(Dataset[tuple[torch.Tensor, int]]):
    """Seeded samples; `augment` sets the length of a Python loop per sample."""

    def __init__(self, setup: Setup, count: int) -> None:
        draw = torch.Generator().manual_seed(0)
        shape = {"convolution": (3, 20, 20), "recurrent": (24,), "transformer": (32, 64)}[setup.model]
        if setup.model == "recurrent":
            self.inputs = torch.randint(0, 200, (64, *shape), generator=draw)
        else:
            self.inputs = torch.randn((64, *shape), generator=draw)
        if "double input" in setup.loop:
            self.inputs = self.inputs.double()
        self.labels = torch.randint(0, CLASSES, (count,), generator=draw).tolist()
        self.augment = setup.augment

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        total = 0
        for turn in range(self.augment * 500):
            total += turn * turn % 7
        return self.inputs[index % len(self.inputs)], self.labels[index]


def _hog() -> None:
    while True:
        pass


def _optimizer(setup: Setup, model: nn.Module) -> torch.optim.Optimizer:
    if setup.optimizer == "sgd":
        return torch.optim.SGD(model.parameters(), lr=1e-3, foreach=True)
    return torch.optim.Adam(model.parameters(), lr=1e-4, foreach=setup.optimizer == "adam")


def record(setup: Setup, target: Path) -> None:
    """Trains for some steps and writes the trace of the last `setup.steps` to `target`."""
    torch.manual_seed(0)
    torch.set_num_threads(setup.threads)
    kind = torch.float64 if setup.dtype == "float64" else torch.float32
    made: nn.Module = MODELS[setup.model](setup.parts)
    model = made.to(kind)
    if "channels last" in setup.parts:
        model = model.to(memory_format=torch.channels_last)
    average = copy.deepcopy(model)
    optimizer, loss_of = _optimizer(setup, model), nn.CrossEntropyLoss()
    loader = DataLoader(
        Samples(setup, BATCH * (setup.warm_up + 1 + setup.steps)), batch_size=BATCH, num_workers=setup.workers
    )
    hogs = [multiprocessing.get_context("fork").Process(target=_hog, daemon=True) for _ in range(setup.hogs)]
    for hog in hogs:
        hog.start()
    kept: list[object] = []
    with (
        torch.autograd.set_detect_anomaly("anomaly" in setup.loop),
        profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=setup.warm_up, warmup=1, active=setup.steps, repeat=1),
            on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
            record_shapes=setup.shapes,
            with_stack=setup.stacks,
        ) as profiler,
    ):
        for inputs, labels in loader:
            optimizer.zero_grad(set_to_none="zeros" not in setup.loop)
            inputs = inputs if setup.model == "recurrent" else inputs.to(kind)
            if "channels last" in setup.parts:
                inputs = inputs.to(memory_format=torch.channels_last)
            halves = (0, 1) if "accumulate" in setup.loop else (0,)
            for _ in halves:
                with torch.autocast("cpu", torch.bfloat16) if setup.dtype == "autocast" else nullcontext():
                    output = model(inputs)
                    loss = loss_of(output, labels) / len(halves)
                loss.backward()
            _extra_work(setup, model, average, inputs, output, labels, kept)
            optimizer.step()
            profiler.step()
    for hog in hogs:
        hog.kill()


def _extra_work(
    setup: Setup, model: nn.Module, average: nn.Module, inputs: torch.Tensor, output: torch.Tensor,
    labels: torch.Tensor, kept: list[object],
) -> None:  # fmt: skip
    """Extra work of the loop between the backward pass and the optimizer."""
    if "clip" in setup.loop:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if "metric" in setup.loop:
        (output.argmax(dim=1) == labels).float().mean().item()
    if "validate" in setup.loop:
        model.eval()
        with torch.no_grad():
            model(inputs)
        model.train()
    if "ema" in setup.loop:
        with torch.no_grad():
            for one, other in zip(average.parameters(), model.parameters(), strict=True):
                one.lerp_(other, 0.01)
    if "snapshot" in setup.loop:
        for _ in range(8):
            kept[:] = [parameter.detach().clone() for parameter in model.parameters()]
    if "histogram" in setup.loop:
        for parameter in model.parameters():
            torch.histc(parameter.grad, bins=64)
    if "sleep" in setup.loop:
        time.sleep(0.005)
    if "garbage" in setup.loop:
        kept[:] = [{"value": value, "list": [value]} for value in range(60_000)]
