"""A small network trained on the CPU under torch.profiler; every habit of the program can be changed.

Importing this needs torch. The pairs of runs, and what must be found in them: tests/planted/recorded/genuine.py.
"""

from __future__ import annotations

import json
import os
import random
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import torch
import torch._dynamo  # the first step of an optimizer would load it, which takes longer than everything else here
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

from tests.planted.recorded.genuine import Habits

TOKENS = 32
WIDTH = 96
INPUTS = 64


class Samples(Dataset[tuple[torch.Tensor, int]]):
    """Seeded samples of (TOKENS, INPUTS) floats, stored as zlib streams; each is decompressed `decodings` times."""

    def __init__(self, count: int, decodings: int) -> None:
        random = np.random.default_rng(0)
        self.decodings = decodings
        self.streams = [
            zlib.compress(random.integers(0, 16, (TOKENS, INPUTS)).astype(np.float32).tobytes(), 1) for _ in range(64)
        ]
        self.labels = random.integers(0, 10, count).tolist()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        for _ in range(self.decodings):
            plain = zlib.decompress(self.streams[index % len(self.streams)])
        values = np.frombuffer(bytearray(plain), dtype=np.float32)
        return torch.from_numpy(values.reshape(TOKENS, INPUTS)), self.labels[index]


class Scale(torch.autograd.Function):
    """Doubles its input; written by hand, so that the profiler shows it under its own name."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor, rows_at_once: int) -> torch.Tensor:
        if not rows_at_once:
            return torch.from_numpy(x.detach().numpy() * np.float32(2))
        flat = x.detach().numpy().reshape(-1)
        return torch.from_numpy(
            np.concatenate([flat[at : at + rows_at_once] * np.float32(2) for at in range(0, len(flat), rows_at_once)])
        ).view_as(x)

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient * 2, None


class Block(nn.Module):
    """A normalized two-layer perceptron beside a shortcut."""

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        self.norm = nn.LayerNorm(WIDTH)
        self.wide, self.back = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(self.habits.transposed):
            x = x.transpose(1, 2).contiguous().transpose(1, 2).contiguous()
        return x + self.back(nn.functional.gelu(self.wide(self.norm(x))))


class Network(nn.Module):
    """An embedding, blocks, a position table that is added, and a classifier."""

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        self.embed = nn.Linear(INPUTS, WIDTH)
        self.blocks = nn.Sequential(*[Block(habits) for _ in range(habits.depth)])
        table = torch.zeros(habits.batch, TOKENS, WIDTH)
        if habits.strided:  # the same values and the same shape, laid out the other way round
            table = table.permute(2, 1, 0).contiguous().permute(2, 1, 0)
        self.register_buffer("table", table)
        self.head = nn.Linear(WIDTH, 10)
        self.rotation: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        if self.rotation is None:  # made when it is needed first, which costs several steps
            self.rotation = nn.init.orthogonal_(torch.empty(900, 900))[:WIDTH, :WIDTH].to(x.dtype)
        x = x @ self.rotation
        if self.habits.ranked:
            torch.sort(x.detach().flatten())
        for _ in range(self.habits.additions):
            x = torch.add(x, self.table[:, : x.shape[1]])
        if self.habits.scaled:
            x = Scale.apply(x, self.habits.rows_at_once)
        return self.head(self.blocks(x).mean(dim=1))


@contextmanager
def _neighbors(habits: Habits) -> Iterator[None]:
    """With `pinned` this process stays on one core; `busy` others never leave it meanwhile."""
    children = []
    if habits.pinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for _ in range(habits.busy):
        child = os.fork()
        if not child:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                pass
            os._exit(0)
        children.append(child)
    try:
        yield
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)


def record(habits: Habits, target: Path) -> None:
    """Trains for some steps and writes the trace of the last `habits.steps` to `target`."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    kind = torch.bfloat16 if habits.dtype == "bfloat16" else torch.float32
    network, loss_of = Network(habits).to(kind), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4)
    before = habits.warm_up + min(habits.warm_up, 1)
    data = Samples(habits.batch * (before + habits.steps), habits.decodings)
    loader = DataLoader(data, batch_size=habits.batch, num_workers=0)
    lengths = random.Random(habits.seed)
    with open(os.devnull, "w") as log, _neighbors(habits), profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=habits.warm_up, warmup=min(habits.warm_up, 1), active=habits.steps, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
        record_shapes=True,
        profile_memory=habits.profile_memory,
        with_stack=habits.with_stack,
    ) as profiler:
        for number, (inputs, labels) in enumerate(loader):
            if habits.lengths is not None:
                inputs = inputs[:, : round(TOKENS * habits.lengths * lengths.uniform(0.8, 1.2))]
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16) if habits.dtype == "autocast" else nullcontext():
                loss = loss_of(network(inputs.to(kind)), labels)
            loss.backward()
            optimizer.step()
            if habits.logged:
                log.write(json.dumps(network.embed.weight.flatten().tolist() * (habits.logged // (WIDTH * INPUTS) + 1)))
            if number == before + habits.slow_step and habits.slow_step >= 0:
                for _ in range(habits.checkpoints):
                    torch.save((network.state_dict(), optimizer.state_dict()), target.with_suffix(".checkpoint"))
            profiler.step()
