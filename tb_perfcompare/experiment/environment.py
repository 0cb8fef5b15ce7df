"""Properties of a machine that affect how fast programs run; commands and variables without values that look secret,
for files that people share."""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from tb_perfcompare.lazy_regex import regex

_GPU = {
    "name": "name", "driver": "driver_version", "sm_clock": "clocks.sm", "memory_clock": "clocks.mem",
    "most_sm_clock": "clocks.max.sm", "power_limit": "power.limit", "temperature": "temperature.gpu",
    "persistence": "persistence_mode",
}  # fmt: skip
_CPU_INFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_SMI_S = 10


def environment() -> dict[str, object]:
    """Returns properties that stay constant during an experiment; unavailable ones are omitted."""
    facts: dict[str, object] = {
        "system": platform.platform(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "governor": _text(_GOVERNOR).strip(),
        "variables": relevant_variables(os.environ),
    }
    return {name: value for name, value in facts.items() if value}


def gpus() -> list[dict[str, str]]:
    """Returns name, driver, clocks and persistence mode of each NVIDIA GPU from nvidia-smi; empty without it."""
    query = ["nvidia-smi", f"--query-gpu={','.join(_GPU.values())}", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=True, timeout=_SMI_S)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines() if line.strip()]
    return [{name: cell for name, cell in zip(_GPU, row, strict=False) if cell != "[N/A]"} for row in rows]


def load() -> tuple[float, ...]:
    """Returns the load averages over 1, 5 and 15 minutes; () if the system does not provide them."""
    return tuple(round(value, 2) for value in os.getloadavg()) if hasattr(os, "getloadavg") else ()


def _cpu() -> str:
    lines = [line for line in _text(_CPU_INFO).splitlines() if line.startswith("model name")]
    return lines[0].partition(":")[2].strip() if lines else platform.processor()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


_HIDDEN = "***"

_SECRET_NAME = regex(r"key|token|secret|passw|pwd|credential|auth|cookie|signature", re.IGNORECASE)
_SECRET_VALUE = regex(r"^(?:hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abp]-|AKIA|eyJ)[\w.-]{8,}$")
_USER = regex(r"(?<=://)[^/@\s]+@")
_QUERY = regex(r"(://[^\s?]*\?)\S+")
_RELEVANT = regex(
    r"(?:CUDA|NVIDIA|NCCL|CUBLAS|CUDNN|HIP|ROCM|HSA|ROCR|MIOPEN|ASCEND|OMP|MKL|KMP|GOMP|OPENBLAS|TORCH|PYTORCH|TORCHINDUCTOR|"
    r"TRITON|XLA)_\w+|PYTHONHASHSEED|PYTHONOPTIMIZE|LD_PRELOAD|MALLOC_\w+"
)


def shown_command(words: Iterable[str]) -> str:
    """Formats a command on one line, hiding values of options such as --api-key, and users and queries of URLs."""
    shown, hide = [], False
    for word in map(_without_secret_parts, words):
        name, equals, value = word.partition("=")
        if hide:
            hide = False
            if not word.startswith("-"):
                shown.append(_HIDDEN)
                continue
        if equals and _SECRET_NAME.search(name):
            shown.append(f"{name}={_HIDDEN}")
            continue
        hide = word.startswith("-") and not equals and _SECRET_NAME.search(word) is not None
        shown.append(f"{name}={_shown(value)}" if equals else _shown(word))
    return shlex.join(shown).replace(f"'{_HIDDEN}'", _HIDDEN)


def relevant_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment variables that affect how fast a program runs, with secrets hidden."""
    return {
        name: _shown(_without_secret_parts(value))
        for name, value in sorted(environment.items())
        if _RELEVANT.fullmatch(name) and not _SECRET_NAME.search(name)
    }


def _shown(text: str) -> str:
    return _HIDDEN if _SECRET_VALUE.match(text) else text


def _without_secret_parts(text: str) -> str:
    """Hides users and queries of URLs."""
    return _QUERY.sub(rf"\1{_HIDDEN}", _USER.sub(f"{_HIDDEN}@", text))
