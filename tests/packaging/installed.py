"""Whether an installed wheel is whole: its compiled modules, its page, and a comparison of two demo runs. A script for
places without pytest; its argument is the folder of the demo runs."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "build_support"))

import native


def check(demo_logs: Path) -> None:
    """Raises what goes wrong."""
    package = Path(importlib.import_module("tb_perfcompare").__file__ or "").parent
    for built in native.MODULES:
        module = importlib.import_module(built.name)
        assert Path(module.__file__ or "").is_relative_to(package), f"{built.name} is {module.__file__}"
    page = json.loads((package / "static" / "manifest.json").read_text("utf-8"))
    assert page, "the page is not in it"
    runs = [str(demo_logs / "cpu_training" / run) for run in ("normal", "abnormal")]
    command = [sys.executable, "-m", "tb_perfcompare", "diff", *runs, "--format", "json"]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert found["headline"]["verdict"] == "slower", found["headline"]
    assert found["findings"][0]["rule"] == "data_loader", found["findings"]
    print(f"{package}: whole, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
