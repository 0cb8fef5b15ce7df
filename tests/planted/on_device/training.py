"""Records pairs of programs on an accelerator, and measures its peak rates and the profiler's overhead.

python -m tests.planted.on_device.training OUT [--set programs|held_out|library_pairs] [--pair NAME ...] [--seconds N]

Writes OUT/NAME/{healthy,faulty}/worker0.{1,2,3}.pt.trace.json, sides alternating, OUT/peaks.{json,pt.trace.json}
and OUT/overhead.json. Needs only torch and numpy, and for library_pairs.py the libraries.
--tiny: small sizes for tests without a device.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch._dynamo
from torch import nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

from tests.planted.on_device import held_out, libraries, library_pairs, programs
from tests.planted.on_device.networks import IMAGES, NETWORKS
from tests.planted.on_device.programs import CLASSES, CONVOLUTIONAL, SMALL_TRANSFORMER, TRANSFORMER, VOCABULARY, Program

STEPS, WARM_UP, CAPTURES = 10, 3, 3
CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
ACTIVITIES = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if CUDA else [])]
WIDTH, HEADS = 1024, 16
LIBRARY_IMAGES = ("segmenter", "lightning")
SETS = {"programs": programs.PAIRS, "held_out": held_out.PAIRS, "library_pairs": library_pairs.PAIRS}


class LayerNorm(nn.Module):
    """nn.LayerNorm, or elementary operators."""

    def __init__(self, width: int, *, by_hand: bool) -> None:
        super().__init__()
        self.norm, self.by_hand = nn.LayerNorm(width), by_hand

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.by_hand:
            return self.norm(x)
        x = x.float()
        centered = x - x.mean(-1, keepdim=True)
        scaled = centered / torch.sqrt(centered.pow(2).mean(-1, keepdim=True) + 1e-5)
        return scaled * self.norm.weight + self.norm.bias


class Block(nn.Module):
    """Attention and a perceptron; `kept`: cached keys and values, (2, N, heads, keys, width of a head)."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.by_hand = "attention" in program.by_hand
        written = "norm" in program.by_hand
        self.before, self.after = LayerNorm(width, by_hand=written), LayerNorm(width, by_hand=written)
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.back = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        n, length, width = x.shape
        q, k, v = self.inward(self.before(x)).view(n, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        if kept is not None:
            kept[0, :, :, -1:], kept[1, :, :, -1:] = k, v
            k, v = kept
        if self.by_hand:
            scores = q @ k.transpose(-1, -2) / (width // HEADS) ** 0.5
            if kept is None:
                future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
                scores = scores.masked_fill(future, float("-inf"))
            mixed = scores.softmax(-1) @ v
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=kept is None)
        x = x + self.outward(mixed.transpose(1, 2).reshape(n, length, width))
        return x + self.back(functional.gelu(self.wide(self.after(x))))


class Transformer(nn.Module):
    """Predicts the next token."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.program = program
        self.embed = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.ModuleList(Block(program, width) for _ in range(program.depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)

    def forward(self, tokens: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        x = self.embed(tokens)
        for at, block in enumerate(self.blocks):
            if self.program.recomputed:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x, None if kept is None else kept[at])
            check(self.program, x)
        return self.head(self.norm(x))


class Bottleneck(nn.Module):
    """The bottleneck block of a ResNet."""

    def __init__(self, before: int, inside: int, stride: int) -> None:
        super().__init__()
        after = 4 * inside
        self.body = nn.Sequential(
            nn.Conv2d(before, inside, 1, bias=False), nn.BatchNorm2d(inside), nn.ReLU(inplace=True),
            nn.Conv2d(inside, inside, 3, stride, 1, bias=False), nn.BatchNorm2d(inside), nn.ReLU(inplace=True),
            nn.Conv2d(inside, after, 1, bias=False), nn.BatchNorm2d(after),
        )  # fmt: skip
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.body(x) + self.shortcut(x))


class Convolutional(nn.Module):
    """A ResNet of four stages of `depth` bottlenecks. Input: (N, 3, size, size)."""

    def __init__(self, program: Program, width: int) -> None:
        super().__init__()
        self.program = program
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        blocks, before = [], 64
        for stage in range(4):
            for at in range(program.depth):
                blocks.append(Bottleneck(before, 64 << stage, 2 if stage and not at else 1))
                before = 256 << stage
        self.blocks, self.head = nn.ModuleList(blocks), nn.Linear(before, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
            check(self.program, x)
        return self.head(x.mean((2, 3)))


def check(program: Program, x: torch.Tensor) -> None:
    if program.checks and not torch.isfinite(x).all().item():
        raise FloatingPointError


class Batches(Dataset):
    """Complete batches; an item is (inputs, labels)."""

    def __init__(self, program: Program) -> None:
        self.program, drawn = program, np.random.default_rng(0)
        self.packed = zlib.compress(drawn.integers(0, 64, 1_000_000).astype(np.uint8).tobytes(), 1)
        n, size = program.batch, program.size
        self.has_images = program.network in IMAGES or program.network.startswith(("timm ", *LIBRARY_IMAGES))
        if self.has_images:
            images = torch.from_numpy(np.frombuffer(drawn.bytes(n * 3 * size * size), dtype=np.uint8).copy())
            self.inputs = images.view(n, 3, size, size).to(torch.float32 if program.floats else torch.uint8)
            self.labels = torch.from_numpy(drawn.integers(0, CLASSES, n))
        elif program.network == "recommender":
            self.inputs = torch.from_numpy(drawn.integers(0, VOCABULARY, (n, size)))
            self.labels = torch.from_numpy(drawn.integers(0, CLASSES, n))
        else:
            tokens = torch.from_numpy(drawn.integers(0, VOCABULARY, (n, size + 1)))
            self.inputs, self.labels = tokens[:, :-1], tokens[:, 1:]

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        for _ in range(self.program.decompressed):
            zlib.decompress(self.packed)
        size = self.program.size
        if self.program.varied:
            size = int(size * (1 - 0.05 * np.random.default_rng(number).integers(0, 8)))
        if self.program.network == "recommender":
            return self.inputs.clone(), self.labels.clone()
        if not self.has_images:
            return self.inputs[:, :size].contiguous(), self.labels[:, :size].contiguous()
        size = max(size // 32, 1) * 32
        return self.inputs[:, :, :size, :size].clone(), self.labels.clone()


class Loop:
    """A program ready to run; step() is an iteration."""

    def __init__(self, program: Program, width: int) -> None:
        torch.manual_seed(0)
        self.program = program
        self.flags()
        made: nn.Module = {"convolutional": Convolutional, **NETWORKS}.get(program.network, Transformer)(program, width)
        self.model = made.to(DEVICE)
        self.scaler = torch.amp.GradScaler(DEVICE, enabled="scaler" in program.parts)
        self.layout = {}
        if program.network in IMAGES and program.channels_last:
            self.layout = {"memory_format": torch.channels_last}
            self.model = self.model.to(**self.layout)
        self.width, self.number = width, 0
        self.side = torch.cuda.Stream() if CUDA and program.competing else None
        self.other = torch.randn(4096 if CUDA else 64, 4096 if CUDA else 64, device=DEVICE)
        self.batches: Iterator[tuple[torch.Tensor, torch.Tensor]] = iter(())
        self.graph: torch.cuda.CUDAGraph | None = None
        if program.network == "decoder":
            self.model = self.model.to(torch.bfloat16 if CUDA else torch.float32).eval()
            shape = (program.depth, 2, program.batch, HEADS, program.size, width // HEADS)
            self.kept = torch.randn(shape, device=DEVICE, dtype=next(self.model.parameters()).dtype)
            self.token = torch.zeros(program.batch, 1, dtype=torch.long, device=DEVICE)
            self.work: Callable[[], None] = self.decode
        else:
            options = {"fused": program.optimizer == "fused", "foreach": program.optimizer == "foreach"}
            capturable = {"capturable": True} if CUDA and program.static else {}
            if "sgd" in program.parts:
                self.optimizer: torch.optim.Optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)
            else:
                self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, **options, **capturable)
            self.batches = iter(
                DataLoader(
                    Batches(program), batch_size=None, num_workers=4 if CUDA else 2, pin_memory=CUDA and program.pinned,
                    persistent_workers=True, prefetch_factor=2,
                )
            )  # fmt: skip
            self.inputs, self.labels = (x.to(DEVICE) for x in next(self.batches))
            self.work = self.infer if "inference" in program.parts else self.train
        self.run = torch.compile(self.model) if program.compiled else self.model
        if program.graph and CUDA:
            self.capture()

    def flags(self) -> None:
        """Set the flags of the process; needed before every recording."""
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.program.tf32
        torch.backends.cudnn.deterministic = self.program.deterministic
        torch.backends.cudnn.benchmark = False

    def loss(self, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        dtype = torch.float16 if "scaler" in self.program.parts else torch.bfloat16
        amp = torch.autocast(DEVICE, dtype, cache_enabled=not self.program.graph)
        with amp if self.program.amp else nullcontext():
            if inputs.dtype == torch.uint8:
                inputs = inputs.float().div_(128).sub_(1)
            if self.layout:
                inputs = inputs.contiguous(**self.layout)
            found = self.run(inputs)
            if "to host" in self.program.parts:
                found.argmax(-1).cpu()
            return functional.cross_entropy(found.flatten(0, -2).float(), labels.flatten())

    def train(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        pieces = zip(self.inputs.chunk(self.program.micro), self.labels.chunk(self.program.micro), strict=True)
        for inputs, labels in pieces:
            self.scaler.scale(self.loss(inputs, labels) / self.program.micro).backward()
        if "clip" in self.program.parts:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=False)
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def infer(self) -> None:
        with nullcontext() if "autograd" in self.program.parts else torch.no_grad():
            self.loss(self.inputs, self.labels)

    def decode(self) -> None:
        with torch.no_grad():
            logits = self.run(self.token, self.kept)
            self.token.copy_(logits[:, -1:].argmax(-1))

    def capture(self) -> None:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.work()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        if self.program.network != "decoder":
            self.optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):  # the loader pins memory concurrently
            self.work()

    def step(self, recorded: int = -1) -> None:
        program = self.program
        if program.network != "decoder":
            inputs, labels = next(self.batches)
            if program.static:
                self.inputs.copy_(inputs, non_blocking=True)
                self.labels.copy_(labels, non_blocking=True)
            else:
                self.inputs = inputs.to(DEVICE, non_blocking=program.pinned)
                self.labels = labels.to(DEVICE, non_blocking=program.pinned)
        if self.side is not None:
            with torch.cuda.stream(self.side):
                for _ in range(program.competing):
                    torch.mm(self.other, self.other)
        value = 0.0
        for at in range(program.python):
            value += at * 0.5
        if self.graph is not None:
            self.graph.replay()
        else:
            self.work()
        if recorded == program.slow_step >= 0:
            torch.save(self.model.state_dict(), "/tmp/checkpoint.pt")

    def close(self) -> None:
        self.batches = iter(())
        self.graph = None


def synchronize() -> None:
    if CUDA:
        torch.cuda.synchronize()


class CompetingProcesses:
    """Other processes on this machine, stopped unless requested."""

    def __init__(self) -> None:
        busy = "import signal\nwhile True: sum(range(1000))"
        cores = os.cpu_count() or 1
        self.host = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(2 * cores)]
        code = (
            "import torch\nx = torch.randn(4096, 4096, device='cuda', dtype=torch.bfloat16)\n"
            "for count in range(1 << 60):\n  for _ in range(20): x @ x\n  torch.cuda.synchronize()\n"
            "  if not count: print('ready', flush=True)\n"
        )
        self.device = []
        if CUDA:
            self.device = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)]
        self.send(self.host, signal.SIGSTOP)

    @staticmethod
    def send(processes: list[subprocess.Popen[bytes]], number: signal.Signals) -> None:
        for process in processes:
            process.send_signal(number)

    def stop_device(self) -> None:
        """Stop the process on the device after its start, which could otherwise block others."""
        for process in self.device:
            assert process.stdout
            process.stdout.readline()
        self.send(self.device, signal.SIGSTOP)

    @contextmanager
    def running(self, program: Program) -> Iterator[None]:
        chosen = (self.host if program.host else []) + (self.device if program.device else [])
        self.send(chosen, signal.SIGCONT)
        if chosen:
            time.sleep(0.3)
        try:
            yield
        finally:
            self.send(chosen, signal.SIGSTOP)

    def close(self) -> None:
        self.send(self.host + self.device, signal.SIGKILL)


def limit(loop: Loop) -> None:
    """Limit the allocator to little more than the largest of some steps needs."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    for _ in range(12):
        loop.step()
    synchronize()
    most, total = torch.cuda.max_memory_allocated(), torch.cuda.get_device_properties(0).total_memory
    for factor in (0.9, 0.94, 0.97, 1.0, 1.03, 1.06, 1.1, 1.2):
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(min(most * factor / total, 1.0))
        try:
            for _ in range(8):
                loop.step()
            synchronize()
            return
        except torch.OutOfMemoryError:
            loop.optimizer.zero_grad(set_to_none=True)


def loop_of(program: Program, width: int) -> Any:
    if program.network == "lightning":
        return libraries.LightningLoop(program)
    if program.network in libraries.WORKS or program.network.startswith("timm "):
        return libraries.LibraryLoop(program)
    return Loop(program, width)


def record(loop: Any, path: Path) -> None:
    """Record STEPS steps after WARM_UP."""
    program = loop.program
    loop.flags()
    if isinstance(loop, libraries.LightningLoop):
        loop.record(path, STEPS)
        return
    if CUDA and program.varied:
        torch.cuda.set_per_process_memory_fraction(1.0)
        if program.limited:
            limit(loop)
    for _ in range(WARM_UP):
        loop.step()
    synchronize()
    options = {"record_shapes": program.record_shapes, "with_stack": program.with_stack}
    options["profile_memory"] = program.profile_memory
    plan = {"schedule": schedule(wait=0, warmup=1, active=STEPS, repeat=1)} if program.marks else {}
    with profile(activities=ACTIVITIES, **options, **plan) as profiler:
        if program.marks:
            loop.step()
            profiler.step()
        for at in range(STEPS):
            loop.step(at)
            if program.marks:
                profiler.step()
        synchronize()
    if CUDA and program.limited:
        torch.cuda.set_per_process_memory_fraction(1.0)
    path.parent.mkdir(parents=True, exist_ok=True)
    profiler.export_chrome_trace(str(path))


def tiny(program: Program) -> Program:
    """The program in a size for a CPU."""
    size = 64 if program.network in IMAGES else 16
    small = {"detector": (2, 64), "lightning": (8, 64), "graph network": (200, 16), "process": (50, 4)}
    if program.network.startswith("timm "):
        return replace(program, batch=2)
    if program.network in small:
        batch, size = small[program.network]
        return replace(program, batch=batch, size=size if program.size < 500 else 2 * size)
    return replace(program, batch=min(program.batch, 16), size=size if program.size < 300 else size * 2)


def measure_peaks(out: Path) -> None:
    """Time matrix products of several sizes and types, and memory-bound work, by the device clock, and record them."""
    device = torch.device(DEVICE)
    sizes = (1024, 2048, 4096, 8192, 16384) if CUDA else (64, 128)
    kinds = {"bfloat16": torch.bfloat16, "float16": torch.float16, "tf32": torch.float32, "float32": torch.float32}
    rows, calls = [], []
    for kind, dtype in kinds.items():
        for size in sizes:
            a, b = (torch.randn(size, size, device=device, dtype=torch.float32).to(dtype) for _ in range(2))
            calls.append((f"mm {kind} {size}", kind == "tf32", lambda a=a, b=b: torch.mm(a, b), 2.0 * size**3))
    for size in (1 << 28, 1 << 30) if CUDA else (1 << 20,):
        x = torch.randn(size, device=device)
        y = torch.empty_like(x)
        calls.append((f"copy {4 * size}", False, lambda x=x, y=y: y.copy_(x), 8.0 * size))
        calls.append((f"add {4 * size}", False, lambda x=x, y=y: torch.add(x, 1.0, out=y), 8.0 * size))
        calls.append((f"sum {4 * size}", False, lambda x=x: x.sum(), 4.0 * size))

    def run(call: Callable[[], object], tf32: bool, times: int) -> float:
        torch.backends.cuda.matmul.allow_tf32 = tf32
        if not CUDA:
            began = time.perf_counter()
            for _ in range(times):
                call()
            return (time.perf_counter() - began) / times
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(times):
            call()
        last.record()
        last.synchronize()
        return first.elapsed_time(last) / 1e3 / times

    for name, tf32, call, work in calls:
        once = run(call, tf32, 2)
        times = max(3, min(100, int(0.08 / max(run(call, tf32, 1), 1e-6))))
        seconds = [run(call, tf32, times) for _ in range(3)]
        rows.append({"name": name, "work": work, "seconds": sorted(seconds), "first": once, "times": times})
    with profile(activities=ACTIVITIES, record_shapes=True) as profiler:
        for _, tf32, call, _ in calls:
            run(call, tf32, 5)
        synchronize()
    profiler.export_chrome_trace(str(out / "peaks.pt.trace.json"))
    (out / "peaks.json").write_text(json.dumps(rows, indent=1))


def measure_overhead(out: Path, loops: dict[str, Loop]) -> None:
    """Measure seconds per step without the profiler and with more and more of its options, in alternating rounds."""
    modes: dict[str, dict[str, bool] | None] = {
        "none": None,
        "plain": {},
        "shapes": {"record_shapes": True},
        "memory": {"record_shapes": True, "profile_memory": True},
        "stack": {"record_shapes": True, "with_stack": True},
    }
    found: dict[str, dict[str, list[float]]] = {name: {mode: [] for mode in modes} for name in loops}
    for name, loop in loops.items():
        loop.flags()
        for _, (mode, options) in itertools.product(range(4), modes.items()):
            with nullcontext() if options is None else profile(activities=ACTIVITIES, **options):
                for _ in range(3):
                    loop.step()
                synchronize()
                began = time.perf_counter()
                for _ in range(STEPS):
                    loop.step()
                synchronize()
                found[name][mode].append((time.perf_counter() - began) / STEPS)
    (out / "overhead.json").write_text(json.dumps(found, indent=1))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", choices=SETS, default="programs", help="module of the pairs (default: programs)")
    parser.add_argument("--after", default="", help="only the pairs after this pair")
    parser.add_argument("--pair", action="append", help="only this pair (default: all)")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no pair after this time")
    parser.add_argument("--pairs-only", action="store_true", help="measure neither peaks nor overhead")
    parser.add_argument("--tiny", action="store_true")
    chosen = parser.parse_args()
    began = time.monotonic()
    chosen.out.mkdir(parents=True, exist_ok=True)
    width = 64 if chosen.tiny else WIDTH
    libraries.TINY = chosen.tiny
    shrink: Callable[[Program], Program] = tiny if chosen.tiny else lambda program: program
    competitors = CompetingProcesses()
    pairs = {pair.name: pair for pair in SETS[chosen.set]}
    if chosen.after:
        names = list(pairs)
        pairs = {name: pairs[name] for name in names[names.index(chosen.after) + 1 :]}

    def log(message: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {message}", flush=True)

    def attempt(name: str, work: Callable[[], None]) -> None:
        try:
            work()
            log(name)
        except Exception:
            log(f"{name}: failed")
            print("\n".join(traceback.format_exc().splitlines()[-8:]), flush=True)
            try:
                synchronize()
            except Exception:  # the context of the device is lost: restart the process
                competitors.close()
                rest = ["--set", chosen.set, "--after", name, "--pairs-only", *(["--tiny"] if chosen.tiny else [])]
                rest += ["--seconds", str(chosen.seconds - time.monotonic() + began)]
                module = "tests.planted.on_device.training"
                os.execv(sys.executable, [sys.executable, "-m", module, str(chosen.out), *rest])

    with profile(activities=ACTIVITIES):
        torch.ones(8, device=DEVICE) + 1
        synchronize()
    log(f"torch {torch.__version__}, {torch.cuda.get_device_name() if CUDA else 'no device'}, {os.cpu_count()} cores")
    competitors.stop_device()
    log("other programs are stopped")
    if not chosen.pairs_only:
        attempt("peaks", lambda: measure_peaks(chosen.out))
        kinds = {"transformer": TRANSFORMER, "convolutional": CONVOLUTIONAL, "small transformer": SMALL_TRANSFORMER}

        def overhead() -> None:
            loops = {name: Loop(shrink(program), width) for name, program in kinds.items()}
            measure_overhead(chosen.out, loops)
            for loop in loops.values():
                loop.close()

        attempt("overhead", overhead)

    def record_pair(name: str) -> None:
        pair = pairs[name]
        loops = {}
        for side, program in (("healthy", pair.healthy), ("faulty", pair.faulty)):
            loops[side] = loop_of(shrink(program), width)
            loops[side].flags()
            for _ in range(WARM_UP):
                loops[side].step()
        if CUDA:
            torch.cuda.empty_cache()
        for capture, (side, loop) in itertools.product(range(1, CAPTURES + 1), loops.items()):
            with competitors.running(loop.program):
                record(loop, chosen.out / name / side / f"worker0.{capture}.pt.trace.json")
        for loop in loops.values():
            loop.close()

    for pair in pairs.values():
        if chosen.pair and pair.name not in chosen.pair:
            continue
        if time.monotonic() - began > chosen.seconds:
            log(f"{pair.name}: no time left")
            continue
        attempt(pair.name, lambda name=pair.name: record_pair(name))
        if CUDA:
            torch.cuda.empty_cache()
    competitors.close()


if __name__ == "__main__":
    main()
