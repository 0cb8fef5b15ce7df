"""TensorBoard imports every plugin at start; ours must cost next to nothing and pull nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

REPOSITORY = Path(__file__).parents[2]

_PROGRAM = """
import json, sys, time
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
import werkzeug.wrappers
before = set(sys.modules)
start = time.perf_counter()
from tb_perfcompare.plugin.loader import PerfCompareLoader
plugin = PerfCompareLoader().load(base_plugin.TBContext(logdir="/nowhere"))
plugin.frontend_metadata()
plugin.is_active()
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "new": sorted(set(sys.modules) - before)}))
"""


def test_importing_the_loader_is_light() -> None:
    best = 1.0
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, cwd=REPOSITORY, check=True
        )
        measured = json.loads(done.stdout)
        roots = {name.partition(".")[0] for name in measured["new"]}
        assert not roots & {"numpy", "scipy", "msgspec", "orjson", "pandas", "torch_tb_profiler", "concurrent"}
        best = min(best, measured["seconds"])
        if best < 0.05:
            break
    assert best < 0.05
