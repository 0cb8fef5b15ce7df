"""The loops of library_pairs.py. Importing this needs torch; a loop also needs its library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, schedule

from tests.planted.on_device.programs import Program

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LABELS, WORDS, TOKENS = 100, 8192, 12
TINY = False
"""Small networks for tests without a device."""

Work = Callable[[], Any]


def amp(program: Program) -> Any:
    return torch.autocast(DEVICE, torch.bfloat16) if program.amp else nullcontext()


def adam(program: Program, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, lr=1e-4, fused=program.optimizer == "fused", foreach=None)


def language(program: Program) -> Any:
    """A decoder with random weights."""
    import transformers

    parts = program.parts
    wide = 64 if TINY else 768
    options = dict(
        vocab_size=WORDS, hidden_size=wide, intermediate_size=3 * wide, num_hidden_layers=program.depth,
        num_attention_heads=4 if TINY else 12, num_key_value_heads=4, max_position_embeddings=2048,
        attn_implementation="eager" if "eager" in parts else "sdpa",
    )  # fmt: skip
    if program.network == "mixture":
        options |= {"num_local_experts": 8, "num_experts_per_tok": 4 if "four" in parts else 2}
        return transformers.MixtralForCausalLM(transformers.MixtralConfig(**options)).to(DEVICE)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**options)).to(DEVICE)


def language_training(program: Program) -> Work:
    """Training of a model of transformers."""
    import transformers

    wide = 64 if TINY else 512
    if program.network == "mamba":
        config = transformers.MambaConfig(vocab_size=WORDS, hidden_size=wide, num_hidden_layers=program.depth)
        model: Any = transformers.MambaForCausalLM(config).to(DEVICE)
    elif program.network == "t5":
        model = transformers.T5ForConditionalGeneration(
            transformers.T5Config(vocab_size=WORDS, d_model=wide, d_kv=64, d_ff=4 * wide, num_layers=program.depth,
                                  num_heads=8, decoder_start_token_id=0)
        ).to(DEVICE)  # fmt: skip
    else:
        model = language(program)
    if program.recomputed:
        model.gradient_checkpointing_enable()
    model.train()
    optimizer = adam(program, model.parameters())
    tokens = torch.randint(0, WORDS, (program.batch, program.size), device=DEVICE)
    cached = {} if program.network == "t5" else {"use_cache": False}

    def work() -> None:
        for piece in tokens.chunk(program.micro):
            with amp(program):
                loss = model(input_ids=piece, labels=piece, **cached).loss / program.micro
            loss.backward()
            if "logged" in program.parts:
                loss.item()
        optimizer.step()
        optimizer.zero_grad()

    return work


def generation(program: Program) -> Work:
    """Generation of TOKENS tokens per call."""
    import transformers

    model = language(program).to(torch.bfloat16 if DEVICE == "cuda" else torch.float32).eval()
    model.generation_config.pad_token_id = 0
    tokens = torch.randint(1, WORDS, (program.batch, program.size), device=DEVICE)
    mask = torch.ones_like(tokens)
    found: list[int] = []

    class Checked(transformers.StoppingCriteria):
        def __call__(self, ids: torch.Tensor, scores: torch.Tensor, **_: Any) -> torch.Tensor:
            found[:] = [int(line[-1].item()) for line in ids]
            return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)

    options: dict[str, Any] = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False}
    options["use_cache"] = "no cache" not in program.parts
    options["num_beams"] = 4 if "beams" in program.parts else 1
    if "checked" in program.parts:
        options["stopping_criteria"] = transformers.StoppingCriteriaList([Checked()])
    return lambda: model.generate(input_ids=tokens, attention_mask=mask, **options)


def image_training(program: Program) -> Work:
    """Training of a network of timm or a segmenter of torchvision with a loader of images."""
    from torch.utils.data import DataLoader

    from tests.planted.on_device.training import Batches

    if program.network == "segmenter":
        import torchvision

        model: nn.Module = torchvision.models.segmentation.fcn_resnet50(
            weights=None, weights_backbone=None, num_classes=LABELS, aux_loss="aux" in program.parts
        )
    else:
        import timm

        name = program.network.removeprefix("timm ")
        if name.startswith("swin"):
            import timm.layers

            timm.layers.set_fused_attn("eager" not in program.parts, experimental="eager" not in program.parts)
        model = timm.create_model(name, num_classes=LABELS)
    layout = {"memory_format": torch.channels_last} if program.channels_last else {}
    model = model.to(DEVICE, **layout)
    optimizer = adam(program, model.parameters())
    mean = None
    if "ema" in program.parts:
        from timm.utils import ModelEmaV2

        mean = ModelEmaV2(model, decay=0.999)
    batches = iter(
        DataLoader(Batches(program), batch_size=None, num_workers=4, pin_memory=DEVICE == "cuda", prefetch_factor=2)
    )

    def work() -> None:
        images, labels = (x.to(DEVICE, non_blocking=True) for x in next(batches))
        labels = labels % LABELS
        with amp(program):
            found = model(images.float().div_(255).contiguous(**layout))
            outputs = found.values() if isinstance(found, dict) else [found]
            loss = sum(
                (functional.cross_entropy(x.mean((2, 3)) if x.dim() == 4 else x, labels) for x in outputs),
                torch.zeros((), device=DEVICE),
            )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if mean is not None:
            mean.update(model)

    return work


def detection(program: Program) -> Work:
    """Training of a detector; the number of regions varies by step."""
    import torchvision

    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=10, min_size=program.size, max_size=2 * program.size
    )
    model.to(DEVICE).train()
    optimizer = adam(program, model.parameters())
    drawn = torch.Generator().manual_seed(1)
    images = [torch.rand(3, 300 + 40 * at, 400, generator=drawn).to(DEVICE) for at in range(program.batch)]

    def work() -> None:
        targets = []
        for _ in images:
            corner = torch.rand(8, 2, generator=drawn) * 150
            boxes = torch.cat([corner, corner + 20 + torch.rand(8, 2, generator=drawn) * 100], 1)
            labels = torch.randint(1, 10, (8,), generator=drawn)
            targets.append({"boxes": boxes.to(DEVICE), "labels": labels.to(DEVICE)})
        with amp(program):
            losses = model(images, targets)
        optimizer.zero_grad()
        sum(losses.values(), torch.zeros((), device=DEVICE)).backward()
        optimizer.step()

    return work


def graph_network(program: Program) -> Work:
    """Training on a graph of `batch` nodes with ten edges each."""
    from torch_geometric.nn import GATConv, GCNConv

    wide, nodes = program.size, program.batch

    def layer() -> nn.Module:
        if "attention" in program.parts:
            return GATConv(wide, wide // 4, heads=4)
        return GCNConv(wide, wide, cached="uncached" not in program.parts)

    layers = nn.ModuleList(layer() for _ in range(program.depth)).to(DEVICE)
    optimizer = adam(program, layers.parameters())
    values, edges = torch.randn(nodes, wide, device=DEVICE), torch.randint(0, nodes, (2, 10 * nodes), device=DEVICE)

    def work() -> None:
        x = values
        for layer in layers:
            x = layer(x, edges).relu()
        optimizer.zero_grad()
        x.square().mean().backward()
        optimizer.step()

    return work


def equation(program: Program) -> Work:
    """Training through an adaptive solver, whose steps depend on the tolerance."""
    from torchdiffeq import odeint

    wide = program.size
    field = nn.Sequential(nn.Linear(wide, 4 * wide), nn.Tanh(), nn.Linear(4 * wide, wide)).to(DEVICE)
    optimizer = adam(program, field.parameters())
    began, times = torch.randn(program.batch, wide, device=DEVICE), torch.linspace(0, 2, 3, device=DEVICE)
    near = 1e-6 if "closer" in program.parts else 1e-3

    def work() -> None:
        found = odeint(lambda _, y: field(y), began, times, rtol=near, atol=near, method="dopri5")
        optimizer.zero_grad()
        found[-1].square().mean().backward()
        optimizer.step()

    return work


def process(program: Program) -> Work:
    """Training of a Gaussian process by Cholesky decomposition."""
    import gpytorch

    dtype = torch.float64 if "double" in program.parts else torch.float32
    x = torch.rand(program.batch, program.size, device=DEVICE, dtype=dtype)
    y = x.sum(-1).sin()
    likelihood = gpytorch.likelihoods.GaussianLikelihood()

    class Model(gpytorch.models.ExactGP):
        def __init__(self) -> None:
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

        def forward(self, at: torch.Tensor) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(at), self.covar_module(at))

    model = Model().to(DEVICE, dtype).train()
    loss = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = adam(program, model.parameters())

    def work() -> None:
        with gpytorch.settings.max_cholesky_size(10_000):
            optimizer.zero_grad()
            (-loss(model(x), y)).backward()
            optimizer.step()

    return work


WORKS: dict[str, Callable[[Program], Work]] = {
    "llama": language_training, "mixture": language_training, "mamba": language_training, "t5": language_training,
    "generation": generation, "segmenter": image_training, "detector": detection, "graph network": graph_network,
    "equation": equation, "process": process,
}  # fmt: skip


class LibraryLoop:
    """A loop of a library, like training.Loop."""

    def __init__(self, program: Program) -> None:
        torch.manual_seed(0)
        self.program = program
        self.flags()
        build = image_training if program.network.startswith("timm ") else WORKS[program.network]
        self.work = build(program)

    def flags(self) -> None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.program.tf32
        torch.backends.cudnn.deterministic = self.program.deterministic

    def step(self, recorded: int = -1) -> None:
        self.work()
        if recorded == self.program.slow_step >= 0:
            torch.save({"weights": torch.zeros(64 << 20)}, "/tmp/checkpoint.pt")

    def close(self) -> None:
        self.work = lambda: None


class LightningLoop:
    """A fit of Lightning, which has its own profiler."""

    def __init__(self, program: Program) -> None:
        import torchvision
        from lightning.pytorch import LightningModule
        from torch.utils.data import DataLoader

        from tests.planted.on_device.training import Batches

        torch.manual_seed(0)
        self.program = program

        class Module(LightningModule):
            def __init__(self) -> None:
                super().__init__()
                self.network = torchvision.models.resnet18(num_classes=LABELS)

            def training_step(self, batch: Any, at: int) -> Any:
                images, labels = batch
                loss = functional.cross_entropy(self.network(images.float().div(255)), labels % LABELS)
                if "logged" in program.parts:
                    for name, value in (("loss", loss), ("logits", loss * 2)):
                        self.log(name, value.item(), prog_bar=True)
                return loss

            def configure_optimizers(self) -> Any:
                return adam(program, self.parameters())

            def train_dataloader(self) -> Any:
                return DataLoader(Batches(program), batch_size=None, num_workers=2)

        self.module: Any = Module()

    def flags(self) -> None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.program.tf32

    def step(self, recorded: int = -1) -> None:
        """Nothing: the fit has its own warm-up."""

    def record(self, path: Path, steps: int) -> None:
        from lightning.pytorch import Trainer
        from lightning.pytorch.profilers import PyTorchProfiler

        def export(profiler: profile) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            profiler.export_chrome_trace(str(path))

        micro = self.program.micro
        trainer = Trainer(
            max_steps=(5 * micro + 5 + steps), accelerator="gpu" if DEVICE == "cuda" else "cpu", devices=1,
            precision="bf16-mixed" if self.program.amp else "32-true", logger=False, enable_checkpointing=False,
            enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=micro,
            profiler=PyTorchProfiler(
                schedule=schedule(wait=2, warmup=2, active=steps, repeat=1), on_trace_ready=export,
                activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if DEVICE == "cuda" else [])],
                record_shapes=True, export_to_chrome=True,
            ),
        )  # fmt: skip
        trainer.fit(self.module)

    def close(self) -> None:
        self.module = None

