"""Nine small programs with torch on the CPU, under torch.profiler; importing this needs torch. The list: unseen.py."""

from __future__ import annotations

import gc
import io
import time
from pathlib import Path

import torch
import torch._dynamo  # the first step of an optimizer would load it, which takes longer than everything else here
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.checkpoint import checkpoint

from tests.planted.recorded.unseen import Program

WARM_UP, STEPS = 3, 8
Habits = frozenset[str]


class Trained(nn.Module):
    """A model with its inputs (`batch`) and what is minimized (`loss`), or just run (`served`)."""

    served = False

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        self.build(habits)


class Autoencoder(Trained):
    def build(self, habits: Habits) -> None:
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU())
        if "upsample" in habits:
            up = nn.Upsample(scale_factor=2)
            layers = (up, nn.Conv2d(32, 16, 3, padding=1), nn.ReLU(), up, nn.Conv2d(16, 3, 3, padding=1))
        else:
            layers = (nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1))
        self.decoder = nn.Sequential(*layers)

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        count = 24 if "batch" in self.habits else 16
        if "permuted" in self.habits:
            return (torch.rand(count, 32, 32, 3, generator=draw).permute(0, 3, 1, 2),)
        return (torch.rand(count, 3, 32, 32, generator=draw) * (1e-39 if "denormal" in self.habits else 1),)

    def loss(self, x: Tensor) -> Tensor:
        y = self.decoder(self.encoder(x))
        if "l1" in self.habits:
            return functional.l1_loss(y, x)
        return functional.binary_cross_entropy_with_logits(y, x.clamp(0, 1))


class Recommender(Trained):
    """Bags of embeddings and dense features, their products in pairs, and a small network."""

    def build(self, habits: Habits) -> None:
        self.rows, self.tables = (20000 if "rows" in habits else 1000), (12 if "tables" in habits else 8)
        width = 64 if "wide" in habits else 16
        self.bags = nn.ModuleList(
            [nn.EmbeddingBag(self.rows, width, mode="sum", sparse="sparse" in habits) for _ in range(self.tables)]
        )
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width))
        pairs = (self.tables + 1) * self.tables // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, 128), nn.ReLU(), nn.Linear(128, 1))

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        picks = torch.randint(0, self.rows, (self.tables, 256, 4), generator=draw)
        return torch.randn(256, 13, generator=draw), picks, torch.rand(256, 1, generator=draw)

    def loss(self, dense: Tensor, picks: Tensor, wanted: Tensor) -> Tensor:
        first = self.bottom(dense)
        every = torch.stack([first, *(bag(pick) for bag, pick in zip(self.bags, picks, strict=True))], 1)
        products = every @ every.transpose(1, 2)
        one, other = torch.tril_indices(self.tables + 1, self.tables + 1, -1)
        result = self.top(torch.cat([first, products[:, one, other]], 1))
        return functional.binary_cross_entropy_with_logits(result, wanted)


class RootMeanSquare(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Block(nn.Module):
    """Causal attention and a feed-forward network, 64 wide."""

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits
        norm = RootMeanSquare if "rms" in habits else nn.LayerNorm
        self.before, self.between = norm(64), norm(64)
        self.mix, self.out = nn.Linear(64, 192), nn.Linear(64, 64)
        self.up, self.down = nn.Linear(64, 256), nn.Linear(256, 64)
        self.gate = nn.Linear(64, 256) if "gated" in habits else None

    def forward(self, x: Tensor) -> Tensor:
        n, tokens, _ = x.shape
        q, k, v = self.mix(self.before(x)).view(n, tokens, 3, 4, 16).permute(2, 0, 3, 1, 4)
        if "rotary" in self.habits:
            angle = torch.arange(tokens)[:, None] / torch.pow(10000, torch.arange(8) / 8)
            q, k = _rotated(q, angle), _rotated(k, angle)
        if "mask" in self.habits:
            seen = torch.tril(torch.ones(tokens, tokens, dtype=torch.bool))
            y = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        else:
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, tokens, 64))
        h = self.between(x)
        if self.gate is not None:
            return x + self.down(functional.silu(self.gate(h)) * self.up(h))
        return x + self.down(functional.gelu(self.up(h)))


def _rotated(x: Tensor, angle: Tensor) -> Tensor:
    one, other = x.chunk(2, -1)
    return torch.cat([one * angle.cos() - other * angle.sin(), one * angle.sin() + other * angle.cos()], -1)


class Language(Trained):
    def build(self, habits: Habits) -> None:
        self.words = 4000 if "vocabulary" in habits else 1000
        self.embed, self.blocks = nn.Embedding(self.words, 64), nn.ModuleList([Block(habits) for _ in range(3)])
        self.head = nn.Linear(64, self.words, bias=False)
        if "tied" in habits:
            self.head.weight = self.embed.weight

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        tokens = 64 if "longer" in self.habits else 48
        return (torch.randint(0, self.words, (8, tokens + 1), generator=draw),)

    def loss(self, tokens: Tensor) -> Tensor:
        h = self.embed(tokens[:, :-1])
        for block in self.blocks:
            h = checkpoint(block, h, use_reentrant=False) if "checkpointing" in self.habits else block(h)
        smoothing = 0.1 if "smoothing" in self.habits else 0.0
        wanted = tokens[:, 1:].flatten()
        return functional.cross_entropy(self.head(h).flatten(0, 1), wanted, label_smoothing=smoothing)


class Graph(Trained):
    """Three layers that add what the neighbors send, 6,000 nodes."""

    def build(self, habits: Habits) -> None:
        self.layers, self.head = nn.ModuleList([nn.Linear(32, 32) for _ in range(3)]), nn.Linear(32, 5)
        draw, edges = torch.Generator().manual_seed(1), 60000 if "edges" in habits else 30000
        self.start = torch.randint(0, 6000, (edges,), generator=draw)
        self.end = torch.randint(0, 6000, (edges,), generator=draw)
        if "sorted" in habits:
            self.start, _ = self.start.sort()
            self.end = (self.start + torch.randint(0, 3, (edges,), generator=draw)) % 6000

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        return torch.randn(6000, 32, generator=draw), torch.randint(0, 5, (6000,), generator=draw)

    def loss(self, x: Tensor, wanted: Tensor) -> Tensor:
        for layer in self.layers:
            sent = layer(x)[self.start] if "indexed" in self.habits else layer(x).index_select(0, self.start)
            if "scatter" in self.habits:
                came = torch.zeros(6000, 32).scatter_add(0, self.end[:, None].expand(-1, 32), sent)
            else:
                came = torch.zeros(6000, 32).index_add(0, self.end, sent)
            if "mean" in self.habits:
                count = torch.zeros(6000).index_add(0, self.end, torch.ones(len(self.end)))
                came = came / count.clamp(min=1)[:, None]
            x = torch.relu(x + came)
        return functional.cross_entropy(self.head(x), wanted)


class Residual(nn.Module):
    def __init__(self, before: int, after: int, habits: Habits) -> None:
        super().__init__()
        self.norm, self.layer = nn.GroupNorm(8, before), nn.Conv2d(before, after, 3, padding=1)
        self.act = nn.GELU() if "gelu" in habits else nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.act(self.norm(x)))


class Denoiser(Trained):
    """A U-Net that learns the noise."""

    def build(self, habits: Habits) -> None:
        self.first, self.last = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 3, 1)
        self.down, self.middle = Residual(16, 32, habits), Residual(32, 32, habits)
        self.up, self.out = Residual(64, 32, habits), Residual(48, 16, habits)
        self.attend = nn.MultiheadAttention(32, 4, batch_first=True) if "attention" in habits else None

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        return (torch.randn(4, 3, 32, 32, generator=draw),)

    def loss(self, x: Tensor) -> Tensor:
        double = "double noise" in self.habits
        noise = torch.randn(x.shape, dtype=torch.float64).float() if double else torch.randn_like(x)
        mode = "bilinear" if "bilinear" in self.habits else "nearest"
        whole = self.first(x + noise)
        half = self.down(functional.avg_pool2d(whole, 2))
        quarter = self.middle(functional.avg_pool2d(half, 2))
        if self.attend is not None:
            flat = quarter.flatten(2).transpose(1, 2)
            quarter = quarter + self.attend(flat, flat, flat, need_weights=False)[0].transpose(1, 2).view_as(quarter)
        up = self.up(torch.cat([functional.interpolate(quarter, scale_factor=2, mode=mode), half], 1))
        out = self.out(torch.cat([functional.interpolate(up, scale_factor=2, mode=mode), whole], 1))
        return functional.mse_loss(self.last(out), noise)


class Policy(Trained):
    """Many small operators: four updates of a policy and its value in a step."""

    def build(self, habits: Habits) -> None:
        self.policy = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
        self.value = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        act = torch.randint(0, 4, (64,), generator=draw)
        return torch.randn(64, 8, generator=draw), act, torch.randn(64, generator=draw)

    def loss(self, seen: Tensor, act: Tensor, gain: Tensor) -> Tensor:
        by = torch.distributions.Categorical(logits=self.policy(seen), validate_args="validate" in self.habits)
        ratio = (by.log_prob(act) - by.log_prob(act).detach()).exp()
        loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
        loss = loss + (self.value(seen).squeeze(-1) - gain).pow(2).mean()
        return loss - 0.01 * by.entropy().mean() if "entropy" in self.habits else loss


class Towers(Trained):
    """Two encoders whose outputs are compared all with all."""

    def build(self, habits: Habits) -> None:
        self.one = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 64))
        self.other = nn.Sequential(nn.Linear(96, 256), nn.ReLU(), nn.Linear(256, 64))

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        return torch.randn(512, 128, generator=draw), torch.randn(512, 96, generator=draw)

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        a, b = functional.normalize(self.one(x), dim=1), functional.normalize(self.other(y), dim=1)
        alike = -torch.cdist(a, b) if "cdist" in self.habits else a @ b.t() / 0.07
        if "hardest" in self.habits:
            return alike.topk(64, dim=1).values.logsumexp(1).mean()
        right = torch.arange(512)
        return (functional.cross_entropy(alike, right) + functional.cross_entropy(alike.t(), right)) / 2


class Served(Trained):
    """Inference of a small convolutional network."""

    served = True

    def build(self, habits: Habits) -> None:
        self.layers = nn.ModuleList([nn.Conv2d(24 if number else 3, 24, 3, padding=1) for number in range(4)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(24) for _ in range(4)])
        self.drop, self.head = nn.Dropout(0.1), nn.Linear(24, 10)

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        return (torch.randn(16, 3, 24, 24, generator=draw),)

    def forward(self, x: Tensor) -> Tensor:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = self.drop(functional.relu(norm(layer(x))))
        y = self.head(x.mean((2, 3)))
        return y.softmax(1) if "softmax" in self.habits else y


class Decoder(Trained):
    """24 tokens, one after the other, with the keys and values of those before."""

    served = True

    def build(self, habits: Habits) -> None:
        self.mix, self.out, self.head = nn.Linear(128, 384), nn.Linear(128, 128), nn.Linear(128, 2000)

    def batch(self, draw: torch.Generator) -> tuple[Tensor, ...]:
        return (torch.randn(8, 1, 128, generator=draw),)

    def forward(self, x: Tensor) -> Tensor:
        grows = "concatenated" in self.habits
        keys, values = torch.zeros(8, 4, 0 if grows else 128, 32), torch.zeros(8, 4, 0 if grows else 128, 32)
        for token in range(24):
            q, k, v = self.mix(x).view(8, 1, 3, 4, 32).permute(2, 0, 3, 1, 4)
            if grows:
                keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
            else:
                keys[:, :, token : token + 1], values[:, :, token : token + 1] = k, v
            y = functional.scaled_dot_product_attention(q, keys[:, :, : token + 1], values[:, :, : token + 1])
            x = x + self.out(y.transpose(1, 2).reshape(8, 1, 128))
            scores = self.head(x[:, 0])
            torch.multinomial(scores.softmax(-1), 1) if "sampled" in self.habits else scores.argmax(-1)
        return x


MODELS: dict[str, type[Trained]] = {
    "autoencoder": Autoencoder, "recommender": Recommender, "language": Language, "graph": Graph,
    "denoiser": Denoiser, "policy": Policy, "towers": Towers, "served": Served, "decoder": Decoder,
}  # fmt: skip


def record(program: Program, target: Path) -> None:
    """Runs some steps and writes the trace of the last of them to `target`."""
    habits = program.habits
    torch.manual_seed(0)
    torch.set_num_threads(2 if "threads" in habits else 1)
    kind = torch.float64 if "double" in habits else torch.bfloat16 if "bfloat16" in habits else torch.float32
    model = MODELS[program.model](habits).to(kind)
    model.train(not model.served or "training mode" in habits)
    weights = list(model.parameters())
    for weight in weights[: len(weights) // 2] if "frozen" in habits else ():
        weight.requires_grad_(False)
    optimizer = _optimizer(program, weights)
    draw = torch.Generator().manual_seed(3)
    batches = [tuple(one.to(kind) if one.is_floating_point() else one for one in model.batch(draw)) for _ in range(4)]
    kept: list[object] = [torch.zeros(4_000_000)] if "buffer" in habits else []
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WARM_UP, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(target)),
        record_shapes="no shapes" not in habits,
        profile_memory="memory" in habits,
    ) as profiler:
        for step in range(WARM_UP + 1 + STEPS):
            batch = batches[step % 4]
            if "from lists" in habits:
                batch = tuple(torch.tensor(one.tolist()) for one in batch)
            if model.served:
                with torch.inference_mode("inference mode" in habits), torch.set_grad_enabled("gradients" in habits):
                    model(*batch)
            else:
                for _ in range(program.updates):
                    _update(model, batch, weights, optimizer, habits, kept)
            _extra_work(model, batch, habits, kept)
            profiler.step()


def _optimizer(program: Program, weights: list[nn.Parameter]) -> torch.optim.Optimizer:
    if "sparse" in program.habits:
        return torch.optim.SGD(weights, lr=1e-3)
    if program.habits & {"adam", "fused adam"}:
        fused = "fused adam" in program.habits
        return torch.optim.AdamW(weights, lr=1e-4, fused=fused, foreach=not fused)
    return torch.optim.SGD(weights, lr=1e-3, momentum=0.0 if program.model == "recommender" else 0.9, foreach=True)


def _update(
    model: Trained, batch: tuple[Tensor, ...], weights: list[nn.Parameter], optimizer: torch.optim.Optimizer,
    habits: Habits, kept: list[object],
) -> None:  # fmt: skip
    """Forward, backward, optimizer."""
    optimizer.zero_grad()
    loss = model.loss(*batch)
    if "l2" in habits:
        loss = loss + 1e-4 * sum(weight.pow(2).sum() for weight in weights)
    loss.backward()
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    if "norms" in habits:
        kept[:] = [gradient.norm().item() for gradient in gradients]
    if "nan check" in habits:
        kept[:] = [bool(torch.isnan(gradient).any()) for gradient in gradients]
    for gradient in gradients if "noise" in habits else ():
        gradient.add_(torch.randn_like(gradient), alpha=1e-3)
    optimizer.step()


def _extra_work(model: Trained, batch: tuple[Tensor, ...], habits: Habits, kept: list[object]) -> None:
    """Extra work of a step."""
    if "waits" in habits:
        time.sleep(0.004)
    if "log" in habits:
        kept[:] = [str(batch[0].tolist())[:10]]
    if "saved" in habits:
        torch.save(model.state_dict(), io.BytesIO())
    if "buffer" in habits:
        torch.zeros(4_000_000)
    if "collection" in habits:
        gc.collect()
    if "python" in habits:
        sum(turn * turn % 7 for turn in range(120_000))
