"""Networks of the held-out pairs. Importing this needs torch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from tests.planted.on_device.programs import CLASSES, VOCABULARY, Program


class Recurrent(nn.Module):
    """A language model of LSTM layers, or of cells in a loop."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.parts = program.parts
        width = 3 * width // 2 if "wide" in self.parts else width
        self.embed = nn.Embedding(VOCABULARY, width)
        dropout = 0.1 if "dropout" in self.parts else 0.0
        if "cells" in self.parts:
            self.cells = nn.ModuleList(nn.LSTMCell(width, width) for _ in range(program.depth))
        else:
            self.layers = nn.LSTM(width, width, program.depth, batch_first=True, dropout=dropout)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        if "cells" not in self.parts:
            return self.head(self.layers(x)[0])
        for cell in self.cells:
            state = (torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0]))
            found = []
            for at in range(x.shape[1]):
                state = cell(x[:, at], state)
                found.append(state[0])
            x = torch.stack(found, 1)
        return self.head(x)


class Recommender(nn.Module):
    """Embedding tables and a perceptron. Input: (N, size) of indices."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.parts = program.parts
        narrow = width // 16
        sparse = "sparse" in self.parts
        tables = 2 * program.size if "tables" in self.parts else program.size
        self.tables = nn.ModuleList(nn.EmbeddingBag(20_000, narrow, mode="sum", sparse=sparse) for _ in range(tables))
        self.top = nn.Sequential(
            nn.Linear(tables * narrow, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES)
        )

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        columns = indices.shape[1]
        bags = [table(indices[:, at % columns, None] % 20_000) for at, table in enumerate(self.tables)]
        return self.top(torch.cat(bags, 1))


class Silu(nn.Module):
    """SiLU without nn.SiLU."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(x)


class Hourglass(nn.Module):
    """A U-Net with group norm. Input: (N, 3, size, size)."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        parts = self.parts = program.parts
        base = max(width // 16, 8) - ("odd" in parts)
        size = 5 if "kernel 5" in parts else 3

        def block(before: int, after: int) -> nn.Sequential:
            norm = nn.BatchNorm2d(after) if "batch norm" in parts else nn.GroupNorm(1 if "odd" in parts else 8, after)
            act = Silu() if "silu" in parts else nn.SiLU()
            return nn.Sequential(nn.Conv2d(before, after, size, padding=size // 2), norm, act)

        widths = [base * 2**at for at in range(program.depth)]
        self.down = nn.ModuleList(
            block(before, after) for before, after in zip([3, *widths], widths, strict=False)
        )
        self.up = nn.ModuleList(
            block(after + before, before) for before, after in zip(widths[-2::-1], widths[:0:-1], strict=True)
        )
        self.head = nn.Conv2d(base, CLASSES, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skipped = []
        for at, block in enumerate(self.down):
            x = block(functional.avg_pool2d(x, 2) if at else x)
            skipped.append(x)
        mode = "bilinear" if "bilinear" in self.parts else "nearest"
        for block, skip in zip(self.up, skipped[-2::-1], strict=True):
            x = block(torch.cat([functional.interpolate(x, size=skip.shape[-2:], mode=mode), skip], 1))
        return self.head(x).mean((2, 3))


class Vision(nn.Module):
    """A vision transformer. Input: (N, 3, size, size)."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.parts = program.parts
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 16, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
            for _ in range(program.depth)
        )
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
            if "synchronize" in self.parts and x.is_cuda:
                torch.cuda.synchronize()
        return self.head(x.mean(1))


NETWORKS = {"recurrent": Recurrent, "recommender": Recommender, "hourglass": Hourglass, "vision": Vision}
IMAGES = {"convolutional", "hourglass", "vision"}
