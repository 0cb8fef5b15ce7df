"""The advice of the overview, in its fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb_perfcompare.analysis.compat.device_metrics import DeviceMetrics, memory_bytes
from tb_perfcompare.analysis.compat.events.roles import Role
from tb_perfcompare.analysis.compat.events.variant import Variant
from tb_perfcompare.analysis.compat.overview import StepCosts

_MAX_LOADER_SHARE = 0.05
_MAX_COMMUNICATION_SHARE = 0.1
_MIN_UTILIZATION = 0.5
_MAX_MEMORY_SHARE = 0.9
_MIN_NCCL_CAPABILITY = (3, 5)
_MIN_TENSOR_CORE_MAJOR = 7

_DOCS = "https://pytorch.org/docs/stable"


def _link(url: str, text: str) -> str:
    return f'<a href="{url}" target="_blank">{text}</a>'


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at.

    costs                  time per step and role
    data_parallel, distributed   a DataParallel, DistributedDataParallel module ran
    used_devices           number of pids with device work
    libraries              collectives' libraries seen
    properties, metrics    facts and figures per device
    tensor_core_share      part of all kernels' time on tensor cores
    eligible_share         part of operators' kernel time that could be
    memory_peaks           (device type, device id, peak bytes) in order of first appearance
    """

    costs: StepCosts
    data_parallel: bool
    distributed: bool
    used_devices: int
    libraries: frozenset[str]
    properties: list[dict[str, Any]]
    metrics: tuple[DeviceMetrics, ...]
    tensor_core_share: float
    eligible_share: float
    memory_peaks: list[tuple[int, int, float]]


def recommend(evidence: Evidence, variant: Variant) -> list[str]:
    """HTML fragments; empty if nothing stands out."""
    found = [
        _loader(evidence),
        _data_parallel(evidence),
        _collective_library(evidence, variant),
        _communication(evidence),
        _utilization(evidence, variant),
        _tensor_cores(evidence) if variant.tensor_core_advice else None,
        _memory(evidence, variant),
    ]
    return [text for text in found if text is not None]


def _loader(evidence: Evidence) -> str | None:
    share = evidence.costs.share(Role.DATALOADER)
    if share <= _MAX_LOADER_SHARE:
        return None
    url = f"{_DOCS}/data.html#single-and-multi-process-data-loading"
    return (
        f"This run has high time cost on input data loading. {share * 100:.1f}% of the step time is in DataLoader. "
        "You could try to set num_workers on DataLoader's construction and "
        f"{_link(url, 'enable multi-processes on data loading')}."
    )


def _data_parallel(evidence: Evidence) -> str | None:
    if not evidence.data_parallel or evidence.used_devices <= 1:
        return None
    url = f"{_DOCS}/notes/cuda.html#cuda-nn-ddp-instead"
    link = _link(url, "use DistributedDataParallel instead of DataParallel")
    return f"It is recommended to {link} to do multi-GPU training."


def _collective_library(evidence: Evidence, variant: Variant) -> str | None:
    if not evidence.distributed or variant.device_library in evidence.libraries:
        return None
    if variant.word == "GPU":
        able = any(_capability(facts) >= _MIN_NCCL_CAPABILITY for facts in evidence.properties)
    else:
        able = bool(evidence.properties)
    library = variant.device_library.capitalize()
    text = f"{library} backend is currently the fastest and highly recommended backend when using DDP for training."
    return text if able else None


def _capability(facts: dict[str, Any]) -> tuple[int, int]:
    major, minor = facts.get("computeMajor"), facts.get("computeMinor")
    return (major, minor) if isinstance(major, int) and isinstance(minor, int) else (0, 0)


def _communication(evidence: Evidence) -> str | None:
    share = evidence.costs.share(Role.COMMUNICATION)
    if share <= _MAX_COMMUNICATION_SHARE:
        return None
    # the plugin's own page shows this address as a tuple's text; saved answers hold it like that
    compression = f"('{_DOCS}/ddp_comm_hooks.html',)"
    accumulation = "https://towardsdatascience.com/what-is-gradient-accumulation-in-deep-learning-ec034122cfa"
    lamb = "https://nvidia.github.io/apex/optimizers.html#apex.optimizers.FusedLAMB"
    return (
        f"This run has high time cost on communication. {share * 100:.1f}% of the step time is in communication. "
        f"You could try {_link(compression, 'Gradient Compression')} or {_link(accumulation, 'Gradient Accumulation')} "
        "or increase the batch size. Note: Gradient accumulation will increase global effective batch size, which may "
        f"hurt model convergence and accuracy. For such case, you may want to evaluate {_link(lamb, 'LAMB optimizer')}."
    )


def _utilization(evidence: Evidence, variant: Variant) -> str | None:
    low = [str(m.device) for m in evidence.metrics if m.utilization < _MIN_UTILIZATION]
    if not low:
        return None
    devices = f"{', '.join(low[:-1])}and {low[-1]}" if len(low) > 1 else low[0]
    verb = "has" if len(devices) == 1 else "have"
    return (
        f"{variant.word} {devices} {verb} low utilization. You could try to increase batch size to improve. "
        "Note: Increasing batch size may affect the speed and stability of model convergence."
    )


def _tensor_cores(evidence: Evidence) -> str | None:
    major = evidence.properties[0].get("computeMajor") if evidence.properties else None
    modern = isinstance(major, int) and major >= _MIN_TENSOR_CORE_MAJOR
    if not modern or evidence.tensor_core_share != 0.0 or evidence.eligible_share <= 0:
        return None
    return (
        f"Kernels with {round(100 * evidence.eligible_share)}% time are launched by Tensor Cores eligible operators. "
        f"You could enable {_link(f'{_DOCS}/amp.html', 'Automatic Mixed Precision')} to speedup by using FP16."
    )


def _memory(evidence: Evidence, variant: Variant) -> str | None:
    """First device whose peak comes near its memory. The id alone decides: CPU records (id -1) meet the last device."""
    properties = evidence.properties
    for _, device, peak in evidence.memory_peaks:
        if not properties or not -len(properties) <= device < len(properties):
            continue
        total = memory_bytes(properties[device], variant)
        if total is None or peak <= _MAX_MEMORY_SHARE * total:
            continue
        label = f"{variant.word}{device}"
        return (
            "Device memory usage is at the limit of device memory capacity "
            f"({peak / total * 100:.1f}% of {total / 1024**3:.1f}GB on {label}). "
            f"To get better value of your {variant.word} or to use larger batch size for training, please refer to "
            f"{_link(f'{_DOCS}/checkpoint.html', 'Gradient Checkpoint')} or "
            f"{_link(f'{_DOCS}/amp.html', 'Automatic Mixed Precision')}."
        )
    return None
