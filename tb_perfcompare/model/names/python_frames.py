"""Names of Python functions as in profilers: `/opt/site-packages/torch/nn/modules/module.py(1130): forward`."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from tb_perfcompare.lazy_regex import regex

_FRAME = regex(r"(?P<file>[^()]+\.pyx?)\((?P<line>\d+)(?:/\d+)?\): (?P<function>.+)", re.DOTALL)
_INSTALLED = regex(r"^.*(?:(?:site|dist)-packages|[/\\]lib[/\\]python3(?:\.\d+)?)[/\\]", re.DOTALL)

_WRITTEN = regex(
    r"(?P<stem>(?:/tmp|/var/folders|.*[/\\]Temp)[/\\].*?)"
    r"(?:(?<=ipykernel_)\d+[/\\]\d+|(?:(?<=[_.-])|(?<=[/\\]tmp))[a-z0-9_]{8})\.py"
)
"""Files that a library or a notebook writes in each run, with a random or a process's number in their names."""

_PACKAGES = frozenset({
    "accelerate", "apex", "bitsandbytes", "cv2", "datasets", "deepspeed", "diffusers", "einops", "fastai", "fsspec",
    "gpytorch", "gymnasium", "huggingface_hub", "ignite", "kornia", "lightning", "lightning_fabric",
    "linear_operator", "monai", "numpy", "open_clip", "pandas", "peft", "PIL", "pyarrow", "pyro", "pytorch_lightning",
    "safetensors", "scipy", "segmentation_models_pytorch", "sentence_transformers", "sklearn", "skorch",
    "stable_baselines3", "tensorboard", "timm", "tokenizers", "torch", "torch_geometric", "torchaudio", "torchdiffeq",
    "torchmetrics", "torchvision", "tqdm", "transformers", "triton", "trl", "vector_quantize_pytorch", "wandb",
    "x_transformers", "xformers",
})  # fmt: skip
"""Packages of the field: PyTorch shortens their paths, so that these look like the program's own."""

_LIBRARIES = sys.stdlib_module_names | _PACKAGES


class PythonFrame(NamedTuple):
    """A Python function; `file` is relative to its installation directory, `line` the first if the sides were joined
    ("model.py(10/12): f")."""

    file: str
    line: int
    function: str


def python_frame(name: str) -> PythonFrame | None:
    """Parses a Python function's name; None for anything else, such as `<built-in function len>`."""
    match = _FRAME.fullmatch(name)
    if match is None:
        return None
    return PythonFrame(_INSTALLED.sub("", match["file"]), int(match["line"]), match["function"])


def is_of_program(name: str) -> bool:
    """Whether this is a Python function of the program, and not of PyTorch, the standard library or an installed
    package. PyTorch shortens paths: `train.py(12): step`, `torch/nn/modules/module.py(1130): forward`."""
    match = _FRAME.fullmatch(name)
    if match is None or _INSTALLED.match(match["file"]):
        return False
    return re.split(r"[/\\]", match["file"])[0].removesuffix(".py") not in _LIBRARIES


def lasting_file(file: str) -> str:
    """The file, with `*` for what differs from run to run in the name of one that was written for a run."""
    written = _WRITTEN.fullmatch(file)
    return file if written is None else f"{written['stem']}*.py"


def function_key(name: str) -> str:
    """The name without installation directory and line: the same in two versions of a package, and in two runs."""
    frame = python_frame(name)
    return name if frame is None else f"{lasting_file(frame.file)}: {frame.function}"
