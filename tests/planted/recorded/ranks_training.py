"""Three small networks, trained data-parallel on two processes with gloo, under torch.profiler; importing needs torch.
The list: ranks.py."""

from __future__ import annotations

import contextlib
import multiprocessing
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

from tests.planted.recorded.held_out_training import profiled
from tests.planted.recorded.ranks import RANKS, Program

MICRO = 4
LATE = 1


def perceptron(habit: str) -> nn.Module:
    """Input: (N, 192)."""
    del habit
    return nn.Sequential(*(layer for _ in range(6) for layer in (nn.Linear(192, 192), nn.ReLU())), nn.Linear(192, 10))


class Encoder(nn.Module):
    """Input: (N, T) tokens."""

    def __init__(self, habit: str) -> None:
        super().__init__()
        self.tokens = nn.Embedding(100, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 3 if habit == "third layer" else 2, enable_nested_tensor=False)
        self.out = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.layers(self.tokens(x)).mean(1))


def convolution(habit: str) -> nn.Module:
    """Input: (N, 3, 20, 20)."""
    del habit
    blocks = (
        nn.Sequential(nn.Conv2d(before, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()) for before in (3, 16, 16, 16)
    )
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


MODELS: dict[str, Callable[[str], nn.Module]] = {
    "perceptron": perceptron, "transformer": Encoder, "convolution": convolution,
}  # fmt: skip


class Samples(Dataset[tuple[Tensor, int]]):
    """As many as are asked for; each is unpacked from bytes `times` times."""

    def __init__(self, model: str, times: int, length: int) -> None:
        self.model, self.times, self.length = model, times, length
        self.packed = zlib.compress(bytes(range(256)) * 40)

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, at: int) -> tuple[Tensor, int]:
        for _ in range(self.times):
            zlib.decompress(self.packed)
        if self.model == "transformer":
            return torch.arange(at, at + self.length) % 100, at % 10
        return torch.full((192,) if self.model == "perceptron" else (3, 20, 20), at % 7 / 7), at % 10


def batches(program: Program, rank: int) -> Iterator[tuple[Tensor, Tensor]]:
    slow = program.habit == "slow loader" or (program.habit == "slow loader on one rank" and rank == LATE)
    size = {"perceptron": 64, "transformer": 8, "convolution": 8}[program.model]
    if program.habit == "twice the batch on one rank" and rank == LATE:
        size *= 2
    samples = Samples(program.model, 60 if slow else 1, 48 if program.habit == "longer inputs" else 24)
    yield from DataLoader(samples, size)


def steps(program: Program, rank: int, model: nn.Module) -> Callable[[Tensor, Tensor, int], None]:
    habit = program.habit
    megabytes = 0.05 if habit == "small buckets" else 25.0
    if habit == "sent after the backward pass":
        whole: nn.Module = model
    else:
        whole = DistributedDataParallel(model, bucket_cap_mb=megabytes, broadcast_buffers=habit == "buffers sent")
        if habit == "sent as float16":
            whole.register_comm_hook(None, fp16_compress_hook)
    if habit == "optimizer shared":
        optimizer: torch.optim.Optimizer = ZeroRedundancyOptimizer(
            model.parameters(), torch.optim.AdamW, lr=1e-4, foreach=True
        )
    else:
        optimizer = torch.optim.AdamW(model.parameters(), 1e-4, foreach=True)
    micro = MICRO if habit in ("micro batches", "every micro batch sent") else 1

    def step(x: Tensor, wanted: Tensor, number: int) -> None:
        if habit == "a pause on one rank" and rank == LATE:
            time.sleep(0.008)
        optimizer.zero_grad()
        for at, (part, real) in enumerate(zip(x.chunk(micro), wanted.chunk(micro), strict=True)):
            silent = habit == "micro batches" and at < micro - 1
            with whole.no_sync() if silent else contextlib.nullcontext():
                loss = functional.cross_entropy(whole(part), real)
                loss.backward()
        if habit == "sent after the backward pass":
            for parameter in model.parameters():
                distributed.all_reduce(parameter.grad)
                parameter.grad /= RANKS
        if habit == "gradients clipped":
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if habit == "losses gathered":
            all_ = [torch.zeros(()) for _ in range(RANKS)]
            distributed.all_gather(all_, loss.detach())
            sum(one.item() for one in all_)
        if habit == "weights written by one rank" and number % 4 == 3:
            if rank == 0:
                with tempfile.TemporaryFile() as file:
                    for _ in range(12):
                        torch.save(model.state_dict(), file)
            distributed.barrier()

    return step


def record(program: Program, path: Path) -> None:
    """A trace for each rank, in processes of their own; `path` is that of the first."""
    with tempfile.TemporaryDirectory() as meeting:
        context = multiprocessing.get_context("fork")
        ranks = [
            context.Process(target=_record, args=(program, path, rank, f"file://{meeting}/ranks"))
            for rank in range(RANKS)
        ]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()
        if any(process.exitcode for process in ranks):
            raise SystemExit(f"{program}: a rank ended with {[process.exitcode for process in ranks]}")


def _record(program: Program, path: Path, rank: int, meeting: str) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=RANKS)
    step = steps(program, rank, MODELS[program.model](program.habit))
    inputs = enumerate(batches(program, rank))

    def next_step() -> None:
        number, batch = next(inputs)
        step(*batch, number)

    profiled(next_step, path.with_name(path.name.replace("worker0", f"worker{rank}")))
    distributed.destroy_process_group()
