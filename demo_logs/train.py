"""A small network trained on the CPU, as anyone would write it: it knows nothing of profilers. Needs torch.

tb-perfcompare ab --a 'python demo_logs/train.py' --b 'python demo_logs/train.py --slow-loader' --out logs/ab
"""

from __future__ import annotations

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS, BATCH, WIDTH = 24, 32, 256


class Samples(Dataset):
    """Random vectors; a slow one is sorted again and again."""

    def __init__(self, sortings: int) -> None:
        self.sortings = sortings

    def __len__(self) -> int:
        return STEPS * BATCH

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        sample = torch.randn(WIDTH)
        for _ in range(self.sortings):
            sample = sample[torch.randperm(WIDTH)].sort().values
        return sample, index % 10


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    blocks = [nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()) for _ in range(4)]
    network = nn.Sequential(*blocks, nn.Linear(WIDTH, 10))
    optimizer = torch.optim.Adam(network.parameters())
    for inputs, labels in DataLoader(Samples(sortings=8 if "--slow-loader" in sys.argv else 1), batch_size=BATCH):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
