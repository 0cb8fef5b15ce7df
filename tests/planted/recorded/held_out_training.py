"""Four small programs with torch on the CPU, under torch.profiler; importing needs torch. The list: held_out.py."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path

import torch
import torch._dynamo  # the first step of an optimizer would load it, which takes longer than everything else here
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parametrizations
from torch.profiler import ProfilerActivity, profile, schedule

from tests.planted.recorded.held_out import Program

WARM_UP, STEPS = 3, 8
Step = Callable[[], object]


class UNet(nn.Module):
    """Down, across and up again, with a class for each pixel. Input: (N, 3, S, S)."""

    def __init__(self, habit: str) -> None:
        super().__init__()
        self.habit = habit
        self.down, self.across = self._block(3, 12), self._block(12, 24)
        self.up = nn.ConvTranspose2d(24, 24, 2, 2) if habit == "transposed" else nn.Upsample(scale_factor=2)
        self.last, self.head, self.side = self._block(36, 12), nn.Conv2d(12, 5, 1), nn.Conv2d(24, 5, 1)

    @staticmethod
    def _block(before: int, after: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU())

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        wide = self.down(x)
        deep = self.across(functional.max_pool2d(wide, 2))
        out = self.head(self.last(torch.cat([wide, self.up(deep)], 1)))
        if self.habit == "deep supervision":
            return out, functional.interpolate(self.side(deep), scale_factor=2.0, mode="bilinear")
        return (out,)


def segmentation(habit: str) -> Step:
    model = UNet(habit)
    if habit == "rmsprop":
        optimizer: torch.optim.Optimizer = torch.optim.RMSprop(model.parameters(), 1e-4, momentum=0.9, foreach=True)
    else:
        optimizer = torch.optim.SGD(model.parameters(), 1e-2, foreach=True)
    size = 36 if habit == "larger images" else 28
    x, wanted = torch.randn(8, 3, size, size), torch.randint(0, 5, (8, size, size))
    seen = torch.zeros(25, dtype=torch.long)

    def step() -> None:
        optimizer.zero_grad()
        scores = model(x)
        loss = sum(functional.cross_entropy(score, wanted) for score in scores)
        if habit == "dice":
            chance, real = scores[0].softmax(1), functional.one_hot(wanted, 5).movedim(-1, 1).float()
            loss = loss + 1 - (2 * (chance * real).sum((0, 2, 3)) / (chance + real).sum((0, 2, 3))).mean()
        loss.backward()
        if habit == "values clipped":
            nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        if habit == "confusion":
            seen.add_(torch.bincount((wanted * 5 + scores[0].argmax(1)).flatten(), minlength=25))

    return step


class Speech(nn.Module):
    """Convolutions over time and a recurrent network, a letter for each instant. Input: (N, 20, T)."""

    def __init__(self, habit: str) -> None:
        super().__init__()
        both = habit == "bidirectional"
        self.front = nn.Sequential(nn.Conv1d(20, 32, 5, 2, 2), nn.GELU(), nn.Conv1d(32, 32, 5, 2, 2), nn.GELU())
        self.middle = nn.LSTM(32, 48, 3 if habit == "third layer" else 2, batch_first=True, bidirectional=both)
        self.out = nn.Linear(96 if both else 48, 28)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.middle(self.front(x).transpose(1, 2))[0]).log_softmax(-1)


def speech(habit: str) -> Step:
    model = Speech(habit)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, foreach=True)
    wave, features, letters = torch.randn(8, 4800), torch.randn(8, 20, 120), torch.randint(1, 28, (8, 12))
    window, steps, count = torch.hann_window(76), torch.full((8,), 30), torch.full((8,), 12)

    def step() -> None:
        x = features
        if habit == "spectrum":
            x = torch.stft(wave, 76, 40, window=window, return_complex=True).abs()[:, :20, :120]
        if habit == "masked":
            x = x.clone()
            for _ in range(2):
                start = int(torch.randint(0, 100, ()))
                x[:, :, start : start + 10] = 0
        optimizer.zero_grad()
        found = model(x)
        if habit == "one by one":
            loss = torch.stack([
                functional.ctc_loss(found[one][:, None], letters[one][None], steps[one : one + 1], count[one : one + 1])
                for one in range(8)
            ]).mean()  # fmt: skip
        else:
            loss = functional.ctc_loss(found.transpose(0, 1), letters, steps, count)
        loss.backward()
        optimizer.step()
        if habit == "decoded":
            for row in found.argmax(-1):
                text = [int(letter) for letter in row]
                [a for a, b in itertools.pairwise(text) if a != b and a]

    return step


class Forecast(nn.Module):
    """Dilated convolutions with residuals, three quantiles of what comes next. Input: (N, 6, T)."""

    def __init__(self, habit: str) -> None:
        super().__init__()
        self.residual = habit != "no residual"
        layers = [nn.Conv1d(24, 24, 3, dilation=2**depth, padding=2**depth) for depth in range(5)]
        self.first, self.last = nn.Conv1d(6, 24, 1), nn.Linear(24, 3)
        self.layers = nn.ModuleList(
            parametrizations.weight_norm(layer) if habit == "weight norm" else layer for layer in layers
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for layer in self.layers:
            y = layer(x).relu()
            x = x + y if self.residual else y
        return self.last(x[:, :, -1])


def forecast(habit: str) -> Step:
    model = Forecast(habit)
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, foreach=True)
    x, wanted = torch.randn(32, 6, 200 if habit == "longer window" else 128), torch.randn(32, 3)
    kept: list[dict[str, Tensor]] = []

    def step() -> None:
        series = x
        if habit == "calendar":
            days = [[(day * 7 + one) % 31 / 31 for day in range(x.shape[2])] for one in range(len(x))]
            series = x + torch.tensor(days)[:, None]
        optimizer.zero_grad()
        for _ in range(2 if habit == "gradients summed" else 1):
            found = model(series)
            (functional.huber_loss if habit == "huber" else functional.mse_loss)(found, wanted).backward()
        optimizer.step()
        if habit == "weights kept":
            kept[:] = [copy.deepcopy(model.state_dict()) for _ in range(3)]

    return step


class Tabular(nn.Module):
    """Embeddings of categories beside numbers. Input: (N, 8) numbers and (N, 5) categories."""

    def __init__(self, habit: str) -> None:
        super().__init__()
        self.crosses = habit == "crosses"
        self.tables = nn.ModuleList(nn.Embedding(100, 16) for _ in range(5))
        wide = 88 + (10 if self.crosses else 0)
        layers: list[nn.Module] = []
        for before, after in ((wide, 128), (128, 64)):
            norm = [] if habit == "no batch norm" else [nn.BatchNorm1d(after)]
            layers += [nn.Linear(before, after), *norm, nn.ReLU()]
        self.rest = nn.Sequential(*layers, nn.Linear(64, 1))

    def forward(self, numbers: Tensor, categories: Tensor) -> Tensor:
        found = [table(categories[:, place]) for place, table in enumerate(self.tables)]
        features = [numbers, *found]
        if self.crosses:
            every = torch.stack(found, 1)
            row, column = torch.triu_indices(5, 5, 1)
            features.append(torch.bmm(every, every.transpose(1, 2))[:, row, column])
        return self.rest(torch.cat(features, 1))[:, 0]


def tabular(habit: str) -> Step:
    kind = torch.float64 if habit == "double" else torch.float32
    model = Tabular(habit).to(kind)
    if habit == "adagrad":
        optimizer: torch.optim.Optimizer = torch.optim.Adagrad(model.parameters(), 1e-3, foreach=True)
    else:
        optimizer = torch.optim.SGD(model.parameters(), 1e-3, foreach=True)
    count = 384 if habit == "larger batch" else 256
    numbers, categories = torch.randn(count, 8, dtype=kind), torch.randint(0, 100, (count, 5))
    wanted = torch.randint(0, 2, (count,)).to(kind)

    def step() -> None:
        optimizer.zero_grad()
        score = model(numbers, categories)
        functional.binary_cross_entropy_with_logits(score, wanted).backward()
        optimizer.step()
        if habit == "area under curve":
            order = wanted[score.detach().argsort(descending=True)]
            (order.cumsum(0) / order.sum()).mean().item()

    return step


MODELS: dict[str, Callable[[str], Step]] = {
    "segmentation": segmentation, "speech": speech, "forecast": forecast, "tabular": tabular,
}  # fmt: skip


def profiled(step: Step, target: Path) -> None:
    """Runs some steps and writes the trace of the last of them to `target`."""
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WARM_UP, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
        record_shapes=True,
    ) as profiler:
        for _ in range(WARM_UP + 1 + STEPS):
            step()
            profiler.step()


def record(program: Program, target: Path) -> None:
    """Writes a trace of the program to `target`."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    profiled(MODELS[program.model](program.habit), target)
