"""The benchmark's own measuring works; its figures are not tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def first_trace(run: str) -> str:
    return str(min((REPOSITORY / "demo_logs" / run).glob("*.pt.trace.json.gz")))


def sample(tool: str) -> dict[str, float | list[float]]:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "one_sample.py"), tool]
    runs = ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([*command, *map(first_trace, runs)], check=True, capture_output=True, env=environment)
    found: dict[str, float | list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_both_tools_measure_the_same_steps() -> None:
    ours, peer = sample("ours"), sample("torch-tb-profiler")
    assert ours["step_us"] == pytest.approx(peer["step_us"], rel=1e-9)
    for found in (ours, peer):
        assert isinstance(found["peak_bytes"], int) and isinstance(found["imports_bytes"], int)
        assert found["peak_bytes"] > found["imports_bytes"] > 0
