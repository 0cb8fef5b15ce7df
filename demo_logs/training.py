"""A small image classifier trained on the CPU under torch.profiler: what demo_logs/cpu_* are recordings of.

The images live compressed in memory. `decode="small"` stores them at the size the network takes; `decode="large"`
stores them at eight times that edge, and `__getitem__` decompresses and averages them down for every sample, as a
training set does that nobody preprocessed. The network, the batches and the number of loader workers (0) are the same.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

EDGE = 32
ENLARGED = 8
BATCH = 16
WARMUP_STEPS = 40
Decode = Literal["small", "large"]


class CompressedImages(Dataset[tuple[torch.Tensor, int]]):
    """`count` seeded images as zlib streams of uint8 RGB; decoded to float (3, EDGE, EDGE)."""

    def __init__(self, count: int, decode: Decode) -> None:
        self.scale = ENLARGED if decode == "large" else 1
        random = np.random.default_rng(0)
        small = random.integers(0, 256, (count, EDGE, EDGE, 3), dtype=np.uint8)
        self.streams = [
            zlib.compress(image.repeat(self.scale, 0).repeat(self.scale, 1).tobytes(), 6) for image in small
        ]
        self.labels = [int(label) for label in random.integers(0, 10, count)]

    def __len__(self) -> int:
        return len(self.streams)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        pixels = np.frombuffer(zlib.decompress(self.streams[index]), dtype=np.uint8)
        blocks = pixels.reshape(EDGE, self.scale, EDGE, self.scale, 3)
        image = blocks.mean(axis=(1, 3), dtype=np.float32) / 255
        return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))), self.labels[index]


def network() -> nn.Module:
    """Three convolutions with batch norm, and a linear classifier."""
    layers: list[nn.Module] = []
    for inputs, outputs in ((3, 32), (32, 64), (64, 64)):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * (EDGE // 8) ** 2, 10))


def record(decode: Decode, steps: int, target: Path) -> None:
    """Trains for WARMUP_STEPS + 1 + `steps` steps and writes the trace of the last `steps` to `target`."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, loss_of = network(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    data = CompressedImages(BATCH * (WARMUP_STEPS + 1 + steps), decode)
    loader = DataLoader(data, batch_size=BATCH, num_workers=0)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WARMUP_STEPS, warmup=1, active=steps, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
        record_shapes=True,
        profile_memory=True,
    ) as profiler:
        for images, labels in loader:
            optimizer.zero_grad()
            loss = loss_of(model(images), labels)
            loss.backward()
            optimizer.step()
            profiler.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decode", choices=("small", "large"))
    parser.add_argument("target", type=Path)
    parser.add_argument("--steps", type=int, default=10)
    chosen = parser.parse_args()
    record(chosen.decode, chosen.steps, chosen.target)
