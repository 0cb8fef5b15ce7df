"""TensorBoard imports every plugin at start; ours must cost next to nothing and pull nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

_PROGRAM = """
import json, sys
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
import werkzeug.wrappers
before = set(sys.modules)
from tb_perfcompare.plugin.loader import PerfCompareLoader
plugin = PerfCompareLoader().load(base_plugin.TBContext(logdir="/nowhere"))
plugin.frontend_metadata()
plugin.is_active()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_importing_the_loader_is_light() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    roots = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert "tb_perfcompare" in roots
    assert not roots & {"numpy", "scipy", "msgspec", "orjson", "pandas", "torch_tb_profiler", "concurrent"}
