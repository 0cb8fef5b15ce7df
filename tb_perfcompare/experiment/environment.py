"""Properties of a machine that affect how fast programs run."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from tb_perfcompare.experiment.secrets import relevant_variables

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
